// Short vectors: float2, int4, half4 and their like, in the global namespace as on the device. Only
// here and in <ipudef.h>: codelets in the wild define these names themselves beside Vertex.hpp.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VECTORTYPES_HPP
#define POPLAR_VECTORTYPES_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/Loops.hpp>
#include <poplar/impl/codelet/ShortVectors.hpp>

// Compiler vectors: braces, v[i], element-wise operators (with a scalar on either side too),
// comparisons to masks (vectors of integers, -1 where true). They are aligned to their size, but to
// no more than the 8 bytes of the device: data of fields with that alignment may be seen as any of
// them.
#define POP_SHORT_VECTOR(NAME, ELEMENT, COUNT)                                                     \
  typedef ELEMENT NAME __attribute__((vector_size(sizeof(ELEMENT) * COUNT)))
#define POP_LONG_VECTOR(NAME, ELEMENT, COUNT)                                                      \
  typedef ELEMENT NAME __attribute__((vector_size(sizeof(ELEMENT) * COUNT), aligned(8)))
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
POP_LONG_VECTOR(int4, int, 4);
POP_SHORT_VECTOR(uint2, unsigned int, 2);
POP_LONG_VECTOR(uint4, unsigned int, 4);
POP_LONG_VECTOR(long2, long, 2);
POP_LONG_VECTOR(long4, long, 4);
POP_LONG_VECTOR(ulong2, unsigned long, 2);
POP_LONG_VECTOR(ulong4, unsigned long, 4);
POP_LONG_VECTOR(longlong2, long long, 2);
POP_LONG_VECTOR(longlong4, long long, 4);
POP_LONG_VECTOR(ulonglong2, unsigned long long, 2);
POP_LONG_VECTOR(ulonglong4, unsigned long long, 4);
POP_SHORT_VECTOR(float2, float, 2);
POP_LONG_VECTOR(float4, float, 4);
#undef POP_SHORT_VECTOR
#undef POP_LONG_VECTOR

using half2 = cottonwood::field::HalfVector<2>;
using half4 = cottonwood::field::HalfVector<4>;
using half8 = cottonwood::field::HalfVector<8>;

#endif
