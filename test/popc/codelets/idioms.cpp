// Shapes that codelets in the wild have. The numbers are those of the list of idioms (D1 ...).
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Loops.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>

#include "StackSizeDefs.hpp"
#include "arch/gc_tile_defines.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#ifdef __IPU__
#include <ipu_vector_math>
#include <poplar/VectorTypes.hpp>
#endif

using namespace poplar; // D6

static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR; // D7
static constexpr auto SPAN = VectorLayout::SPAN;               // D8
#ifdef VECTOR_AVAIL_SCALED_PTR64
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::SCALED_PTR64;
#else
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::ONE_PTR;
#endif

class D1 : public Vertex { // D2: void instead of bool is D3
public:
  Input<Vector<float>> x;
  Output<float> sum;
  bool compute() {
    *sum = 0;
    for (unsigned i = 0; i < x.size(); ++i)
      *sum += x[i];
    return true;
  }
};

class D3 : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  void compute() {
    float s = 0;
    if (in.size() == 0)
      return;
    for (auto v : in)
      s += v;
    for (const auto &v : in)
      s += 2 * v;
    for (auto &v : out)
      v = s;
  }
};

template <typename T> class D4 : public MultiVertex {
public:
  InOut<Vector<T>> x;
  Output<Vector<unsigned, ONE_PTR>> strides;
  bool compute(unsigned w) {
    constexpr unsigned stride = 8 * numWorkers(); // D5
    float tmp[CTXT_WORKERS] = {};                 // D41
    if (w == CTXT_WORKERS - 1)
      tmp[w] = 1;
    for (auto i = w; i < x.size(); i += numWorkers())
      x[i] += static_cast<T>(tmp[w]);
    for (unsigned i = w; i < x.size(); i += this->numWorkers())
      x[i] += T(1);
    for (unsigned i = w; i < x.size(); i += MultiVertex::numWorkers())
      x[i] += T(1);
    strides[w] = stride;
    return true;
  }
};
template class D4<int>;
template class D4<float>;

template <typename T> class D9 : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> a;
  Output<Vector<T, PTR_ALIGN64, 8>> out; // D10
  Input<unsigned> n;                     // D13
  InOut<unsigned> k;
  Output<float> same;
  void compute() {
    const T *p = &a[0];
    const float *q = reinterpret_cast<const float *>(&a[0]);
    T *to = out.data();
    for (unsigned i = 0; i < n; ++i)
      to[i] = p[i];
    k += 1;
    *k = (*k + 1) % 7;
    k++;
    same = static_cast<const void *>(p) == static_cast<const void *>(q) ? 1.0f : 0.0f;
  }
};
template class D9<float>;
template class D9<half>;

class D11 : public Vertex {
public:
  Vector<Input<Vector<float, SPAN, 8>>> in;
  Vector<Output<Vector<float, ONE_PTR, 8>>, ONE_PTR> out; // D12
  void compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      for (unsigned j = 0; j < in[i].size(); ++j)
        out[i][j] = in[i][j] + 1;
    auto &row = out[0];
    row[0] = static_cast<float>(in[0].size());
  }
};

class D13b : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> y;
  Output<bool> flag; // D14
  bool compute() {
    *flag = x->size() == y->size();
    if (x->size() != y->size())
      return false;
    if (*flag)
      y[0] = x[0];
    return true;
  }
};

class D13c : public Vertex {
public:
  Vector<Output<int>, ONE_PTR> s;
  Vector<Input<float>, ONE_PTR> in;
  void compute() {
    float x = in[1];
    s[0] = 3;
    s[1] = static_cast<int>(x);
  }
};

class D15 : public Vertex {
public:
  D15(); // D16

public:
  const unsigned count;
  unsigned short n;
  Output<unsigned> out;
  bool compute() {
    out = count + n;
    return true;
  }
};

class [[poplar::constraint("elem(*x) != elem(*y)")]] D23 : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> y;
  void compute() { y[0] = x[0] + 23; }
};
template <typename T>
class [[poplar::constraint("elem(**x) != elem(*y)", "elem(*y) != elem(*z)")]] D23T : public Vertex {
public:
  Vector<Input<Vector<T>>> x;
  Output<Vector<T>> y, z;
  void compute() {
    y[0] = x[0][0];
    z[0] = x[1][0];
  }
};
template class D23T<half>;
class [[poplar::constraint("elem(*x) != elem(*y)")]] D23Private : Vertex {
  Input<Vector<float>> x;
  Output<Vector<float>> y;
  void compute() { y[0] = x[0] - 23; }
};

class WORKER_ALIGN D24 : public Vertex {
public:
  Output<int> out;
  NO_INSTRUMENT void compute() { out = 24; }
};

class D31 : public Vertex {
public:
  Input<Vector<half, ONE_PTR>> in;
  Output<Vector<half, ONE_PTR>> out;
  Input<unsigned> n;
  void compute() {
    const half *from = &in[0];
    std::memcpy(&out[0], from, n / 2 * sizeof(half));
    memcpy(&out[n / 2], &in[n / 2], (n - n / 2) * sizeof(half));
  }
};

static constexpr auto DELTAN = poplar::VectorListLayout::DELTAN;
class D32 : public Vertex {
public:
  Input<VectorList<unsigned, DELTAN>> lists;
  Output<Vector<unsigned>> out;
  void compute() {
    for (unsigned i = 0; i < lists.size(); ++i) {
      const auto &wl = lists[i];
      unsigned sum = 0;
      for (unsigned j = 0; j + 1 < wl.size(); j += 3)
        sum += wl[j] * wl[j + 1];
      out[i] = sum;
    }
  }
};

class D34 : public Vertex {
public:
  InOut<Vector<float>> x;
  bool compute() {
#ifdef __IPU__
    asm volatile("no instruction of any host");
#else
    for (unsigned i = 0; i < x.size(); ++i)
      x[i] = x[i] * 2;
#endif
#if defined(__IPU__) && __IPU_ARCH_VERSION__ >= 21
#error "no host is an IPU"
#endif
#if __IPU_ARCH_VERSION__ >= 21
#error "no host is an IPU"
#endif
    return true;
  }
};

class D36 : public Vertex {
  InOut<unsigned> n;

public:
  bool compute() {
    *n += 36;
    return true;
  }
};

template <typename T> struct D37Base : public Vertex { Input<T> x; };
class D37 : public D37Base<float> {
public:
  Output<float> y;
  void compute() { y = x + 37; }
};

template <typename T> class D38 : public Vertex {
public:
  using Sub = InOut<Vector<T, ONE_PTR, 4>>; // D39
  Vector<Input<Vector<T, SPAN, 8>>> data;
  Vector<Sub, ONE_PTR> f;
  template <class F> static void add(F const &to, T x) { to[0] += x; }
  template <class U, VectorLayout L, unsigned A> static U last(Input<Vector<U, L, A>> const &row) {
    return row[row.size() - 1];
  }
  static void run(Vector<Input<Vector<T, SPAN, 8>>> const &rows, Vector<Sub, ONE_PTR> &to) {
    for (unsigned i = 0; i < rows.size(); ++i)
      add(to[i], last(rows[i]));
  }
  void compute() { run(data, f); }
};
template class D38<float>;

template <typename T, bool isInput> class D40 : public Vertex {
public:
  typename std::conditional<isInput, Input<Vector<T, ONE_PTR, 8>>,
                            InOut<Vector<T, ONE_PTR, 8>>>::type x;
  Output<T> y;
  void compute() { y = x[1]; }
};
template class D40<float, true>;
template class D40<half, false>;
#define EDGE_VERTEX(NAME, EDGE)                                                                    \
  class NAME : public Vertex {                                                                     \
  public:                                                                                          \
    EDGE<Vector<half, SPAN, 8>> x;                                                                 \
    Output<half> y;                                                                                \
    void compute() { y = x[x.size() - 1]; }                                                        \
  };
EDGE_VERTEX(D40Input, Input)
EDGE_VERTEX(D40InOut, InOut);

class D46 : public Vertex {
public:
  Input<Vector<int>> x;
  Input<Vector<int>> y;
  Output<unsigned> least;
  Input<unsigned> k;
  void compute() {
    assert(x.size() % 2 == 0);
    auto n = x.size(); // D47
    static_assert(std::is_integral<decltype(n)>::value, "sizes are numbers");
    least = static_cast<unsigned>(std::min(n, y.size())) +
            10 * std::min<unsigned>(static_cast<unsigned>(x.size()), k);
  }
};

#ifdef DEF_STACK_USAGE
DEF_STACK_USAGE(256, __runCodelet_D46); // D45
#endif
#ifdef __IPU__
DEF_STACK_SIZE_OWN(256, "__runCodelet_D46");
#endif

class D49 : public Vertex {
public:
  Input<half> x;
  Output<Vector<float, ONE_PTR>> out;
  void compute() {
    out[0] = std::sqrt(float(*x));
    out[1] = std::sqrt(*x);
    float v = -*x;
    out[2] = static_cast<float>(fabs(v));
    out[3] = sqrtf(fmaxf(v, 4.0f)) + floorf(2.5f) + std::exp(0.0f);
#ifdef __IPU__
    out[3] = ipu::sqrt(v);
#endif
  }
};

class Loops : public Vertex {
public:
  InOut<Vector<int>> x;
  Input<unsigned> n;
  void compute() {
    const rptsize_t repeats = n;
    for (rptsize_t i = 0; i < repeats; ++i)
      x[i] += 5;
    volatile int local = 3;
    int *__restrict p = &x[0];
    p[0] += local;
  }
};
extern int __supervisor_stack_max_growth_plus_one;
