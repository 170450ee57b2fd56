// 8-bit floats: an exponent bias of 8 (F143) or 16 (F152), one NaN (0x80, where negative zero would
// be), no infinities.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <poplar/Quarter.hpp>

namespace cottonwood::base {

struct QuarterFormat {
  int fractionBits;
  int bias;
};

inline QuarterFormat formatOf(poplar::QuarterMetadata metadata) {
  return metadata.getFormat() == poplar::QuarterMetadata::Format::F143 ? QuarterFormat{3, 8}
                                                                       : QuarterFormat{2, 16};
}

inline double quarterToDouble(std::uint8_t bits, poplar::QuarterMetadata metadata) {
  if (bits == 0x80)
    return std::numeric_limits<double>::quiet_NaN();
  auto const [fractionBits, bias] = formatOf(metadata);
  int const field = (bits & 0x7f) >> fractionBits;
  int const leading = field == 0 ? 0 : 1 << fractionBits;
  int const fraction = (bits & ((1 << fractionBits) - 1)) + leading;
  int const exponent = (field == 0 ? 1 : field) - bias - fractionBits + metadata.getScale();
  double const magnitude = std::ldexp(fraction, exponent);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even.
inline std::uint8_t doubleToQuarter(double value, poplar::QuarterMetadata metadata, bool nanoo) {
  constexpr std::uint8_t nan = 0x80;
  if (std::isnan(value))
    return nan;
  auto const [fractionBits, bias] = formatOf(metadata);
  std::uint8_t const sign = std::signbit(value) ? 0x80 : 0;
  std::uint8_t const overflow = nanoo ? nan : static_cast<std::uint8_t>(sign | 0x7f);
  if (std::isinf(value))
    return overflow;
  double const magnitude = std::ldexp(std::fabs(value), -metadata.getScale());
  int exponent = 1 - bias; // of the subnormals
  if (magnitude >= std::ldexp(1.0, exponent))
    exponent = std::ilogb(magnitude);
  if (exponent > 127)
    return overflow;
  // In units of the last place; a carry out of the fraction lands in the exponent field, as it
  // should.
  double const units = std::ldexp(magnitude, fractionBits - exponent);
  double const whole = std::floor(units);
  double const rest = units - whole;
  int rounded = static_cast<int>(whole);
  rounded += rest > 0.5 || (rest == 0.5 && rounded % 2 != 0) ? 1 : 0;
  int const bits = rounded + ((exponent + bias - 1) << fractionBits);
  if (bits > 0x7f)
    return overflow;
  return bits == 0 ? 0 : static_cast<std::uint8_t>(sign | bits);
}

} // namespace cottonwood::base
