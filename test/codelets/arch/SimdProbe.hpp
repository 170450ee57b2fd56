// The face of simd<T, Tag> as functions on arrays, so that baseline tests can call every tag.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cottonwood {
struct half;
namespace test {

/// All arrays hold `width` elements, those of half arithmetic `halfWidth`.
struct SimdProbe {
  int width, halfWidth, byteWidth;
  void (*floatBinary)(char op, const float *a, const float *b,
                      float *out);                         // + - * / < (min) > (max)
  void (*floatUnary)(char op, const float *a, float *out); // s a f c t n -
  void (*floatFma)(char op, const float *a, const float *b, const float *c, float *out); // a n s
  void (*compare)(char op, const float *a, const float *b, unsigned char *out); // = ! < [ > ]
  void (*select)(const unsigned char *mask, const float *a, const float *b, float *out);
  void (*copyPartial)(const float *in, float *out, std::size_t n);
  void (*halfToFloat)(const half *in, float *out);
  void (*floatToHalf)(const float *in, half *out);
  void (*halfToFloatPartial)(const half *in, float *out, std::size_t n);
  void (*floatToHalfPartial)(const float *in, half *out, std::size_t n);
  void (*toInt)(const float *in, std::int32_t *out);
  void (*toUint)(const float *in, std::uint32_t *out);
  void (*fromInt)(const std::int32_t *in, float *out);
  void (*fromUint)(const std::uint32_t *in, float *out);
  float (*reduce)(char op, const float *in); // + * < >
  void (*intBinary)(char op, const std::int32_t *a, const std::int32_t *b, std::int32_t *out);
  void (*uintBinary)(char op, const std::uint32_t *a, const std::uint32_t *b, std::uint32_t *out);
  void (*uintWide)(const std::uint32_t *a, const std::uint32_t *b, std::uint32_t *low,
                   std::uint32_t *high, std::uint32_t *onlyHigh);
  void (*uintIota)(std::uint32_t *out);
  void (*intUnary)(char op, const std::int32_t *a, std::int32_t *out);  // z p ~ -
  void (*halfBinary)(char op, const half *a, const half *b, half *out); // + - * /
  void (*halfFma)(const half *a, const half *b, const half *c, half *out);
  void (*halfCopyPartial)(const half *in, half *out, std::size_t n);
  void (*maskCopyPartial)(const unsigned char *in, unsigned char *out, std::size_t n);
  void (*byteCopyPartial)(const unsigned char *in, unsigned char *out, std::size_t n);
};

template <class Tag> SimdProbe simdProbe();

} // namespace test
} // namespace cottonwood
