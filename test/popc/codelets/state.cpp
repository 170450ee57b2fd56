// State: what a vertex holds itself.
#include <cstddef>
#include <cstdint>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

enum class Mode : unsigned char { ADD, MULTIPLY = 7 };
enum Unscoped { FIRST, SECOND = 300 };

/// Every field comes back in a place of its own.
class PlainState : public Vertex {
public:
  PlainState(); // never defined: vertices are not constructed
  const unsigned short count;
  bool flag;
  const float factor;
  half small;
  char letter;
  signed char negative;
  unsigned char byte;
  short narrow;
  int number;
  const unsigned positive;
  long long wide;
  unsigned long long widest;
  std::size_t size;
  Mode mode;
  Unscoped unscoped;
  Output<Vector<float>> out;

  void compute() {
    unsigned i = 0;
    out[i++] = count;
    out[i++] = flag ? 1.0f : 0.0f;
    out[i++] = factor;
    out[i++] = small;
    out[i++] = static_cast<float>(letter);
    out[i++] = static_cast<float>(negative);
    out[i++] = static_cast<float>(byte);
    out[i++] = static_cast<float>(narrow);
    out[i++] = static_cast<float>(number);
    out[i++] = static_cast<float>(positive);
    out[i++] = static_cast<float>(wide);
    out[i++] = static_cast<float>(widest);
    out[i++] = static_cast<float>(size);
    out[i++] = mode == Mode::MULTIPLY ? 1.0f : 0.0f;
    out[i++] = unscoped == SECOND ? 1.0f : 0.0f;
  }
};

/// out[i] = 10 table[i] + other[i]
template <typename T, VectorLayout L> class TableState : public Vertex {
public:
  Vector<T, L> table;
  Output<Vector<float>> out;
  Vector<T, L, 8> other;

  void compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(table[i]) * 10.0f + static_cast<float>(other[i]);
  }
};
#define LAYOUT(L) template class TableState<unsigned int, VectorLayout::L>;
LAYOUT(SPAN)
LAYOUT(SHORT_SPAN)
LAYOUT(ONE_PTR)
LAYOUT(SCALED_PTR32)
LAYOUT(SCALED_PTR64)
LAYOUT(SCALED_PTR128)
LAYOUT(COMPACT_PTR)
template class TableState<half, VectorLayout::ONE_PTR>;
template class TableState<float, VectorLayout::SPAN>;
template class TableState<signed char, VectorLayout::SPAN>;
template class TableState<bool, VectorLayout::SPAN>;
template class TableState<long long, VectorLayout::ONE_PTR>;

/// What is not set starts as zero, and what is written stays from run to run.
class KeptState : public Vertex {
  volatile uint8_t runs;
  int history[3];
  float2 pair;
  half4 quad;
  std::size_t helper;

public:
  KeptState();
  const int step;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  static const int unrelated = 4;

  void compute() {
    runs = static_cast<uint8_t>(runs + 1);
    history[2] = history[1];
    history[1] = history[0];
    history[0] = step * runs;
    pair = pair + float2{1.0f, 2.0f};
    quad += half4{1, 2, 3, 4};
    helper += static_cast<std::size_t>(unrelated);
    out[0] = runs;
    for (int i = 0; i != 3; ++i)
      out[1 + i] = static_cast<float>(history[i]);
    out[4] = pair[1];
    out[5] = quad[3];
    out[6] = static_cast<float>(helper);
  }
};

/// Arrays and short vectors as state come back in order.
class ArrayState : public Vertex {
public:
  ArrayState();
  int taps[3];
  const float weights[2];
  bool flags[2];
  half table[2][2];
  float2 pair;
  const half4 quad;
  Mode modes[2];
  float4 unaligned;
  Output<Vector<float>> out;

  void compute() {
    unsigned i = 0;
    for (int tap : taps)
      out[i++] = static_cast<float>(tap);
    for (float weight : weights)
      out[i++] = weight;
    for (bool flag : flags)
      out[i++] = flag ? 1.0f : 0.0f;
    for (auto &row : table)
      for (half x : row)
        out[i++] = x;
    out[i++] = pair[0];
    out[i++] = pair[1];
    for (unsigned j = 0; j < 4; ++j)
      out[i++] = quad[j];
    for (Mode mode : modes)
      out[i++] = mode == Mode::MULTIPLY ? 1.0f : 0.0f;
    unaligned = unaligned * 2.0f;
    for (int j = 0; j < 4; ++j)
      out[i++] = unaligned[j];
  }
};

/// Values that members have where the graph sets none.
template <unsigned scale> class InitialisedState : public MultiVertex {
  float factor = 0.5f * scale;
  half small = 1.5f;
  const Mode mode = Mode::MULTIPLY;
  int taps[2] = {-3, 4};

public:
  Output<Vector<float>> out;

  void compute(unsigned worker) {
    if (worker != 0)
      return;
    out[0] = factor;
    out[1] = small;
    out[2] = mode == Mode::MULTIPLY ? 1.0f : 0.0f;
    out[3] = static_cast<float>(taps[0]);
    out[4] = static_cast<float>(taps[1]);
  }
};
template class InitialisedState<3>;
