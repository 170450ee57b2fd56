// Edges of many elements: every layout, alignment and element type.
#include <cstdint>
#include <poplar/Vertex.hpp>

using namespace poplar;

/// out[i] = in[n - 1 - i] + 2 both[i], then both[i] = in[i]; misaligned is 0 if the data are
/// aligned as the fields ask.
template <typename T, VectorLayout L> class Vectors : public Vertex {
public:
  Input<Vector<T, L>> in;
  InOut<Vector<T, L, 8>> both;
  Output<Vector<T, L, 16, true>> out;
  Input<unsigned> n;
  Output<unsigned> misaligned;

  void compute() {
    const T *from = &in[0];
    T *to = out.data();
    for (unsigned i = 0; i < n; ++i) {
      to[i] = static_cast<T>(from[n - 1 - i] + both[i] + both[i]);
      both[i] = in[i];
    }
    misaligned = static_cast<unsigned>(reinterpret_cast<uintptr_t>(&in[0]) % alignof(T) +
                                       reinterpret_cast<uintptr_t>(&both[0]) % 8 +
                                       reinterpret_cast<uintptr_t>(&out[0]) % 16);
  }
};

#define TYPE(T) template class Vectors<T, VectorLayout::SPAN>;
TYPE(char)
TYPE(signed char)
TYPE(unsigned char)
TYPE(short)
TYPE(unsigned short)
TYPE(int)
TYPE(unsigned int)
TYPE(long long)
TYPE(unsigned long long)
#define LAYOUT(L)                                                                                  \
  template class Vectors<float, VectorLayout::L>;                                                  \
  template class Vectors<half, poplar::VectorLayout::L>;
LAYOUT(SPAN)
LAYOUT(SHORT_SPAN)
LAYOUT(ONE_PTR)
LAYOUT(SCALED_PTR32)
LAYOUT(SCALED_PTR64)
LAYOUT(SCALED_PTR128)
LAYOUT(COMPACT_PTR)

/// out = not in; sizes come from the fields.
class NotAll : public Vertex {
public:
  Input<Vector<bool>> in;
  Output<Vector<bool, VectorLayout::SHORT_SPAN>> out;
  Output<unsigned> size;

  bool compute() {
    if (in->size() != out->size())
      return false;
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = !in[i];
    *size = static_cast<unsigned>(in.size());
    return true;
  }
};

/// Walks forwards and backwards; an empty field is fine.
class Walks : public Vertex {
public:
  Input<Vector<int>> in;
  Input<Vector<int>> none;
  Output<Vector<int>> out;
  Output<int> numNone;

  void compute() {
    int *to = &out[0];
    for (auto it = in.rbegin(); it != in.rend(); ++it)
      *to++ = *it;
    const int *unused = &none[0];
    static_cast<void>(unused);
    numNone = static_cast<int>(none.size()) + (none.empty() ? 0 : 100);
  }
};
