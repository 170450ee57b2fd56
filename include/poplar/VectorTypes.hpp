// Short vectors: float2, int4, half4 and their like, in the global namespace as on the device. Only
// here and in <ipudef.h>: codelets in the wild define these names themselves beside Vertex.hpp.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VECTORTYPES_HPP
#define POPLAR_VECTORTYPES_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/Loops.hpp>

// Compiler vectors: braces, v[i], element-wise operators (with a scalar on either side too),
// comparisons to masks.
#define POP_SHORT_VECTOR(NAME, ELEMENT, COUNT)                                                     \
  typedef ELEMENT NAME __attribute__((vector_size(sizeof(ELEMENT) * COUNT)))
POP_SHORT_VECTOR(char2, char, 2);
POP_SHORT_VECTOR(char4, char, 4);
POP_SHORT_VECTOR(schar2, signed char, 2);
POP_SHORT_VECTOR(schar4, signed char, 4);
POP_SHORT_VECTOR(uchar2, unsigned char, 2);
POP_SHORT_VECTOR(uchar4, unsigned char, 4);
POP_SHORT_VECTOR(short2, short, 2);
POP_SHORT_VECTOR(short4, short, 4);
POP_SHORT_VECTOR(ushort2, unsigned short, 2);
POP_SHORT_VECTOR(ushort4, unsigned short, 4);
POP_SHORT_VECTOR(int2, int, 2);
POP_SHORT_VECTOR(int4, int, 4);
POP_SHORT_VECTOR(uint2, unsigned int, 2);
POP_SHORT_VECTOR(uint4, unsigned int, 4);
POP_SHORT_VECTOR(long2, long, 2);
POP_SHORT_VECTOR(long4, long, 4);
POP_SHORT_VECTOR(ulong2, unsigned long, 2);
POP_SHORT_VECTOR(ulong4, unsigned long, 4);
POP_SHORT_VECTOR(longlong2, long long, 2);
POP_SHORT_VECTOR(float2, float, 2);
POP_SHORT_VECTOR(float4, float, 4);
#undef POP_SHORT_VECTOR

namespace cottonwood {
namespace field {

/// A vector of halves: compilers have none that work on every machine. Each element computes in
/// float and is rounded.
template <unsigned count> class alignas(2 * count) HalfVector {
public:
  HalfVector() = default;
  template <class... T, class = typename std::enable_if<sizeof...(T) == count>::type>
  POP_ALWAYS_INLINE HalfVector(T... values) : values_{half(values)...} {}

  POP_ALWAYS_INLINE half &operator[](unsigned i) { return values_[i]; }
  POP_ALWAYS_INLINE half const &operator[](unsigned i) const { return values_[i]; }

#define POP_HALF_VECTOR_OPERATOR(OP)                                                               \
  POP_ALWAYS_INLINE HalfVector &operator OP##=(HalfVector const &other) {                          \
    for (unsigned i = 0; i != count; ++i)                                                          \
      values_[i] OP## = other.values_[i];                                                          \
    return *this;                                                                                  \
  }                                                                                                \
  POP_ALWAYS_INLINE HalfVector &operator OP##=(half other) {                                       \
    for (unsigned i = 0; i != count; ++i)                                                          \
      values_[i] OP## = other;                                                                     \
    return *this;                                                                                  \
  }                                                                                                \
  friend POP_ALWAYS_INLINE HalfVector operator OP(HalfVector a, HalfVector const &b) {             \
    return a OP## = b;                                                                             \
  }                                                                                                \
  friend POP_ALWAYS_INLINE HalfVector operator OP(HalfVector a, half b) { return a OP## = b; }
  POP_HALF_VECTOR_OPERATOR(+)
  POP_HALF_VECTOR_OPERATOR(-)
  POP_HALF_VECTOR_OPERATOR(*)
  POP_HALF_VECTOR_OPERATOR(/)
#undef POP_HALF_VECTOR_OPERATOR

private:
  half values_[count];
};

} // namespace field
} // namespace cottonwood

using half2 = cottonwood::field::HalfVector<2>;
using half4 = cottonwood::field::HalfVector<4>;

#endif
