// Edges of one element, of every element type.
#include <poplar/Vertex.hpp>

using namespace poplar;

/// out = 2 a + b, b = b - a
template <typename T> class Scalars : public Vertex {
public:
  Input<T> a;
  Output<T> out;
  InOut<T> b;

  bool compute() {
    const T first = a;
    *out = static_cast<T>(first + first + *b);
    b = static_cast<T>(*b - first);
    return true;
  }
};

#define INSTANCE(T) template class Scalars<T>;
INSTANCE(float)
INSTANCE(half)
INSTANCE(char);
INSTANCE(signed char)
INSTANCE(unsigned char)
INSTANCE(short)
INSTANCE(unsigned short)
INSTANCE(int)
INSTANCE(unsigned)
INSTANCE(long long)
INSTANCE(unsigned long long)

/// conjunction = a and b, b = not a
class Flags : public Vertex {
public:
  Input<bool> a;
  InOut<bool> b;
  Output<bool> conjunction;

  void compute() {
    *conjunction = a && b;
    if (a)
      *b = false;
    else
      b = true;
  }
};

/// Fields of sizes that leave gaps: each output tells which input it came from.
class Mixed : public Vertex {
public:
  Input<unsigned char> byte;
  Input<float> number;
  Output<unsigned char> byteOut;
  Output<half> halfOut;
  Input<half> small;
  Output<float> numberOut;
  Input<long long> wide;
  Output<long long> wideOut;

  void compute() {
    byteOut = static_cast<unsigned char>(byte + 1);
    halfOut = *small + 1;
    numberOut = number + 1;
    wideOut = wide + 1;
  }
};
