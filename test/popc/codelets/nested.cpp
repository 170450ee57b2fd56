// Fields of several edges: rows of different lengths, and elements connected one by one.
#include <poplar/Vertex.hpp>

using namespace poplar;

static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
static constexpr auto SPAN = poplar::VectorLayout::SPAN;

/// out[i][j] = 10 i + in[i][j] + both[i][j], both[i][j] += size of the row
template <typename T, VectorLayout outer, VectorLayout inner> class Rows : public Vertex {
public:
  Vector<Input<Vector<T, SPAN, 4>>> in;
  Vector<Output<Vector<T, inner, 8>>, outer> out;
  Vector<InOut<Vector<T, inner, 8>>, outer> both;

  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      auto &row = out[i];
      for (unsigned j = 0; j < in[i].size(); ++j) {
        row[j] = static_cast<T>(T(10 * i) + in[i][j] + both[i][j]);
        both[i][j] = static_cast<T>(both[i][j] + T(in[i].size()));
      }
    }
    return true;
  }
};

#define LAYOUTS(OUTER, INNER) template class Rows<float, VectorLayout::OUTER, VectorLayout::INNER>;
LAYOUTS(SPAN, SPAN)
LAYOUTS(SPAN, ONE_PTR)
LAYOUTS(SPAN, SHORT_SPAN)
LAYOUTS(ONE_PTR, SPAN)
LAYOUTS(ONE_PTR, ONE_PTR)
LAYOUTS(SHORT_SPAN, COMPACT_PTR)
LAYOUTS(SCALED_PTR32, SCALED_PTR64)
LAYOUTS(COMPACT_PTR, SCALED_PTR128)
template class Rows<half, VectorLayout::SPAN, VectorLayout::ONE_PTR>;
template class Rows<int, VectorLayout::ONE_PTR, VectorLayout::SPAN>;
template class Rows<unsigned char, VectorLayout::SPAN, VectorLayout::SPAN>;

/// sums[i] = in[i] + i weights[i], flags[i] = weights[i] is odd
template <typename T> class Elements : public Vertex {
public:
  Vector<Input<T>, ONE_PTR> in;
  Vector<Output<T>, ONE_PTR> sums;
  Vector<InOut<int>> weights;
  Vector<Output<bool>> flags;

  void compute() {
    for (unsigned i = 0; i < weights.size(); ++i) {
      T x = in[i];
      sums[i] = static_cast<T>(x + static_cast<T>(weights[i] * int(i)));
      *flags[i] = weights[i] % 2 != 0;
      weights[i] += 1;
    }
  }
};
template class Elements<float>;
template class Elements<half>;
template class Elements<unsigned int>;

/// Ranges over ranges, by value and by reference.
class Ranges : public Vertex {
public:
  Vector<Input<Vector<int>>> in;
  Vector<InOut<Vector<int>>> out;
  Output<int> total;

  void compute() {
    int sum = 0;
    for (const auto &row : in)
      for (auto x : row)
        sum += x;
    for (auto &row : out)
      for (auto &x : row)
        x += sum;
    total = sum;
  }
};
