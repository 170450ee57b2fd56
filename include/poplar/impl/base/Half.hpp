// Conversions between IEEE binary16 bit patterns and wider numbers.
//
// Portable and always inlined: a copy of these functions compiled for one instruction set can never
// be picked by the linker for code meant to run on another. Round to nearest, ties to even;
// subnormals are kept; overflow gives infinity and raises the floating-point exception for it; a
// NaN stays a NaN of the same sign, made quiet, with as much of its payload as fits.
#pragma once

#include <cstdint>
#include <cstring>
#include <poplar/impl/base/Config.hpp>

namespace cottonwood {
namespace base {

template <class To, class From> POP_ALWAYS_INLINE To bitCast(From const &from) {
  static_assert(sizeof(To) == sizeof(From), "bitCast: sizes differ");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

POP_ALWAYS_INLINE float halfToFloat(std::uint16_t half) {
  std::uint32_t const sign = (half & 0x8000u) << 16;
  std::uint32_t const magnitude = (half & 0x7fffu)
                                  << 13; // exponent and fraction in a float's places
  if (magnitude >= 0x7c00u << 13) {
    std::uint32_t const quiet = (magnitude & 0x007fffffu) != 0 ? 0x00400000u : 0u;
    return bitCast<float>(sign | 0x7f800000u | magnitude | quiet);
  }
  if (magnitude >= 0x0400u << 13)
    return bitCast<float>(sign | (magnitude + (112u << 23))); // the biases are 15 and 127
  // Subnormal: given the exponent of 2^-14 and its implicit one, which is then taken off. Exact,
  // and no operand is subnormal, so that a thread which flushes those gets the same result.
  float const value = bitCast<float>(magnitude + (113u << 23)) - bitCast<float>(113u << 23);
  return bitCast<float>(bitCast<std::uint32_t>(value) | sign);
}

/// The shared part of narrowing: a finite magnitude below 2^16 as an integer `fraction` (its
/// leading one included) of `fractionBits` bits below the leading one, and its exponent. \param
/// fraction      in [2^fractionBits, 2^(fractionBits + 1)), or anything below for a subnormal
/// source \param exponent      of the leading one's place
POP_ALWAYS_INLINE std::uint32_t roundToHalf(std::uint64_t fraction, int fractionBits,
                                            int exponent) {
  // A half keeps 10 bits below the leading one; below 2^-14 the last place stays at 2^-24.
  int drop = fractionBits - 10;
  if (exponent < -14)
    drop += -14 - exponent;
  if (drop > fractionBits + 2)
    return 0; // below a quarter of the smallest subnormal
  std::uint64_t const kept = fraction >> drop;
  std::uint64_t const half = std::uint64_t(1) << (drop - 1);
  std::uint64_t const rest = fraction & ((half << 1) - 1);
  std::uint64_t const rounded =
      kept + (rest > half || (rest == half && (kept & 1u) != 0) ? 1u : 0u);
  // A carry out of the fraction lands in the exponent field, which is just right, up to infinity.
  std::uint32_t const biased = exponent < -14 ? 0u : static_cast<std::uint32_t>(exponent + 14);
  return (biased << 10) + static_cast<std::uint32_t>(rounded);
}

POP_ALWAYS_INLINE std::uint16_t floatToHalf(float value) {
  std::uint32_t const bits = bitCast<std::uint32_t>(value);
  std::uint32_t const sign = (bits >> 16) & 0x8000u;
  std::uint32_t const magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) // NaN
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x01ffu));
  if (magnitude >= 0x477ff000u) { // 65520 and above: infinite by a product that overflows
    float const infinite = (bitCast<float>(magnitude) + 16.f) * bitCast<float>((127u + 112u) << 23);
    return static_cast<std::uint16_t>(sign | ((bitCast<std::uint32_t>(infinite) >> 13) & 0x7c00u));
  }
  int const exponent = static_cast<int>(magnitude >> 23) - 127;
  std::uint32_t const fraction = (magnitude & 0x007fffffu) | 0x00800000u;
  return static_cast<std::uint16_t>(sign | roundToHalf(fraction, 23, exponent));
}

/// Rounds once, from the double itself.
POP_ALWAYS_INLINE std::uint16_t doubleToHalf(double value) {
  std::uint64_t const bits = bitCast<std::uint64_t>(value);
  std::uint32_t const sign = static_cast<std::uint32_t>(bits >> 48) & 0x8000u;
  std::uint64_t const magnitude = bits & 0x7fffffffffffffffu;
  if (magnitude > 0x7ff0000000000000u) // NaN
    return static_cast<std::uint16_t>(sign | 0x7e00u |
                                      (static_cast<std::uint32_t>(magnitude >> 42) & 0x01ffu));
  if (magnitude >= 0x40effe0000000000u) { // 65520 and above, as floatToHalf()
    double const infinite =
        (bitCast<double>(magnitude) + 16.) * bitCast<double>(std::uint64_t(1023 + 1008) << 52);
    return static_cast<std::uint16_t>(sign | ((bitCast<std::uint64_t>(infinite) >> 42) & 0x7c00u));
  }
  int const exponent = static_cast<int>(magnitude >> 52) - 1023;
  std::uint64_t const fraction = (magnitude & 0x000fffffffffffffu) | 0x0010000000000000u;
  return static_cast<std::uint16_t>(sign | roundToHalf(fraction, 52, exponent));
}

} // namespace base
} // namespace cottonwood
