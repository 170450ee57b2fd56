/// \file QuarterKernel.hpp
/// 8-bit floats to and from float, branch-free, in loops that the compiler vectorises.
///
/// A quarter is a sign, an exponent e and a fraction f of F bits, times 2^scale:
///   (1 + f / 2^F) * 2^(e - BIAS), or f / 2^F * 2^(1 - BIAS) where e = 0
/// with F = 3 and BIAS = 8, or F = 2 and BIAS = 16. The pattern of negative zero is the only NaN.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels {

/// What a byte of metadata says.
struct QuarterLayout {
  std::uint32_t fractionBits, bias;
  float scale, inverseScale; ///< powers of two
};

namespace detail {

POP_SIMD_INLINE float floatOf(std::uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
POP_SIMD_INLINE std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline constexpr std::uint32_t FLOAT_BIAS = 127, FLOAT_FRACTION = 23;
inline constexpr std::uint32_t QUARTER_NAN = 0x80, FLOAT_NAN = 0x7fc00000;

POP_SIMD_INLINE float powerOfTwo(int exponent) {
  return floatOf(static_cast<std::uint32_t>(exponent + static_cast<int>(FLOAT_BIAS))
                 << FLOAT_FRACTION);
}

} // namespace detail

/// Bit 7 is set for 4 bits of exponent; bits 0 to 5 are the scale in two's complement.
POP_SIMD_INLINE QuarterLayout quarterLayout(std::uint8_t metadata) {
  const int scale = static_cast<int>((metadata & 0x3fu) ^ 0x20u) - 0x20;
  const bool fourBits = (metadata & 0x80u) != 0;
  return {fourBits ? 3u : 2u, fourBits ? 8u : 16u, detail::powerOfTwo(scale),
          detail::powerOfTwo(-scale)};
}

/// Exact.
POP_SIMD_INLINE float decodeQuarter(std::uint8_t quarter, QuarterLayout layout) {
  const std::uint32_t magnitude = quarter & 0x7fu, sign = (quarter & 0x80u) << 24;
  const std::uint32_t shift = detail::FLOAT_FRACTION - layout.fractionBits;
  const std::uint32_t normal =
      (magnitude << shift) + ((detail::FLOAT_BIAS - layout.bias) << detail::FLOAT_FRACTION);
  // Subnormals count the smallest of them.
  const float small = static_cast<float>(static_cast<std::int32_t>(magnitude)) *
                      detail::floatOf((detail::FLOAT_BIAS + 1 - layout.bias - layout.fractionBits)
                                      << detail::FLOAT_FRACTION);
  const std::uint32_t bits = magnitude >> layout.fractionBits == 0 ? detail::bitsOf(small) : normal;
  const float value = detail::floatOf(bits | sign) * layout.scale;
  return quarter == detail::QUARTER_NAN ? detail::floatOf(detail::FLOAT_NAN) : value;
}

/// Rounds to nearest, ties to even; NaN for infinities and what is too large.
POP_SIMD_INLINE std::uint8_t encodeQuarter(float value, QuarterLayout layout) {
  const std::uint32_t bits = detail::bitsOf(value * layout.inverseScale);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t shift = detail::FLOAT_FRACTION - layout.fractionBits;
  const std::uint32_t half = (1u << (shift - 1)) - 1;
  const std::uint32_t normal = ((magnitude + ((magnitude >> shift) & 1) + half) >> shift) -
                               ((detail::FLOAT_BIAS - layout.bias) << layout.fractionBits);
  // Below the normal numbers the sum with a float whose last bit is the smallest subnormal rounds.
  const std::uint32_t unit =
      (detail::FLOAT_BIAS + 1 - layout.bias - layout.fractionBits + detail::FLOAT_FRACTION)
      << detail::FLOAT_FRACTION;
  const std::uint32_t small =
      detail::bitsOf(detail::floatOf(magnitude) + detail::floatOf(unit)) - unit;
  const bool isSmall = magnitude < (detail::FLOAT_BIAS + 1 - layout.bias) << detail::FLOAT_FRACTION;
  const std::uint32_t code = isSmall ? small : normal;
  const std::uint32_t withSign = code == 0 ? 0 : code | (bits >> 24 & 0x80u);
  return static_cast<std::uint8_t>(code > 0x7f ? detail::QUARTER_NAN : withSign);
}

} // namespace cottonwood::kernels
