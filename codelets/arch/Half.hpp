/// \file Half.hpp
/// IEEE binary16 as kernels see it in memory, and its exact conversions without any instruction
/// set: the reference for the vector conversions, which give the same bits.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <cstdint>

namespace cottonwood {

/// Storage of one binary16 number; arithmetic happens in simd<half, Tag> or in float.
struct half {
  std::uint16_t bits;
};
static_assert(sizeof(half) == 2);

namespace arch {

/// Reinterprets the bits of a value as another type of the same size.
template <class To, class From> POP_SIMD_INLINE To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

/// Exact; signalling NaNs become quiet, as vcvtph2ps makes them.
POP_SIMD_INLINE float halfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {
    const std::uint32_t quiet = magnitude > 0x7c00u ? 0x00400000u : 0u;
    return bitCast<float>(sign | 0x7f800000u | quiet | (magnitude << 13));
  }
  // The exponent field is 112 too small after the shift; the product is exact, subnormals too.
  const float scaled = bitCast<float>(magnitude << 13) * 0x1p112f;
  return bitCast<float>(bitCast<std::uint32_t>(scaled) | sign);
}

/// Rounds to the nearest, ties to even; overflow gives infinity, NaN keeps its upper payload bits
/// and becomes quiet, as vcvtps2ph does. Finite numbers that overflow raise the exception for it.
POP_SIMD_INLINE std::uint16_t floatToHalf(float value) {
  const std::uint32_t bits = bitCast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t result = 0;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u | ((magnitude >> 13) & 0x03ffu);
  } else if (magnitude >= 0x477ff000u) { // 65520 and above round to infinity
    const float infinite = (bitCast<float>(magnitude) + 16.f) * 0x1p112f;
    result = (bitCast<std::uint32_t>(infinite) >> 13) & 0x7c00u;
  } else if (magnitude < 0x38800000u) { // below 2^-14: the unit of 0.5 is that of half's 2^-24
    const float shifted = bitCast<float>(magnitude) + 0.5f;
    result = bitCast<std::uint32_t>(shifted) - 0x3f000000u;
  } else {
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    result = (magnitude - 0x38000000u + 0x0fffu + odd) >> 13;
  }
  return static_cast<std::uint16_t>(sign | result);
}

/// Rounds a double once to binary16, ties to even: the result of a fused fp16 operation.
POP_SIMD_INLINE std::uint16_t doubleToHalf(double value) {
  // Rounding to odd in float first (24 >= 11 + 2 bits) makes the second rounding the only one.
  const float nearest = static_cast<float>(value);
  const double error = value - static_cast<double>(nearest);
  std::uint32_t bits = bitCast<std::uint32_t>(nearest);
  const bool inexact = error != 0.0 && error == error && (bits & 0x7fffffffu) < 0x7f800000u;
  if (inexact && (bits & 1u) == 0) {
    const bool outwards = (error > 0) == (nearest >= 0);
    const bool zero = (bits & 0x7fffffffu) == 0;
    bits = zero ? (bitCast<std::uint64_t>(value) >> 63 ? 0x80000001u : 1u)
                : (outwards ? bits + 1 : bits - 1);
  }
  return floatToHalf(bitCast<float>(bits));
}

} // namespace arch
} // namespace cottonwood
