// Short vectors (D48) and functions on them.
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <ipudef.h>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

/// y = sqrt(x * x + 1) in pairs; workers interleave.
class Pairs : public MultiVertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> x;
  Output<Vector<float, VectorLayout::SPAN, 8>> y;
  void compute(unsigned worker) {
    const float2 *in = reinterpret_cast<const float2 *>(&x[0]) + worker;
    float2 *out = reinterpret_cast<float2 *>(&y[0]) + worker;
    const float2 one = {1.0f, 1.0f};
    for (unsigned i = worker; i < y.size() / 2; i += CTXT_WORKERS) {
      float2 v = ipu::load_postinc(&in, CTXT_WORKERS);
      ipu::store_postinc(&out, ipu::sqrt(ipu::fma(v, v, one)), CTXT_WORKERS);
    }
  }
};

/// y = 2 x + 0.5 where x < 3, else 1 / (1 + exp(-x)), in fours of halves.
class Quads : public Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> x;
  Output<Vector<half, VectorLayout::SPAN, 8>> y;
  void compute() {
    const half4 *in = reinterpret_cast<const half4 *>(&x[0]);
    half4 *out = reinterpret_cast<half4 *>(&y[0]);
    for (unsigned i = 0; i < y.size() / 4; ++i) {
      half4 a = in[i];
      const half4 line = a * 2.0f + half4{0.5f, 0.5f, 0.5f, 0.5f};
      const half4 curve = ipu::sigmoid(a);
      short4 small = a < half4{3, 3, 3, 3};
      for (unsigned j = 0; j < 4; ++j)
        a[j] = small[j] ? line[j] : curve[j];
      out[i] = a;
    }
  }
};

class D48 : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> y;
  void compute() {
    float2 a = {x[0], x[1]}, b{2.0f, 3.0f};
    a = a * b + 1.0f;
    int2 mask = a < b;
    a += 0.5f;
    y[0] = a[0];
    y[1] = a[1];
    y[2] = static_cast<float>(mask[0]);
    y[3] = (float2{} + 2.0f)[1] + ipu::fabs(-x[0]);
  }
};

/// Edges and tables of short vectors: y[i] = x[i] * scale + table[i % 2], z = not of x's signs.
class VectorEdges : public Vertex {
public:
  Input<Vector<float2>> x;
  Output<Vector<float2, VectorLayout::ONE_PTR, 8>> y;
  Input<float2> scale;
  Vector<float2> table;
  Output<Vector<int2, VectorLayout::ONE_PTR>> z;
  InOut<Vector<half4, VectorLayout::SPAN, 8>> quads;
  Vector<Input<Vector<half2>>> rows;
  void compute() {
    for (unsigned i = 0; i < x.size(); ++i) {
      y[i] = x[i] * *scale + table[i % table.size()];
      z[i] = x[i] < 0.0f;
    }
    for (auto &quad : quads)
      for (auto &row : rows)
        quad[3] += row[row.size() - 1][1];
  }
};

/// Sums of products, which contraction would round once instead of twice.
class Contracts : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> y;
  void compute() { y[0] = x[0] * x[1] + x[2]; }
};
