// std::numeric_limits of a class that holds an IEEE binary16 number and has `static constexpr H
// fromBits(uint16_t)`.
#pragma once

#include <limits>

namespace cottonwood {
namespace base {

template <class H> struct HalfLimits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int radix = 2;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;

  static constexpr H min() noexcept { return H::fromBits(0x0400); }
  static constexpr H max() noexcept { return H::fromBits(0x7bff); }
  static constexpr H lowest() noexcept { return H::fromBits(0xfbff); }
  static constexpr H epsilon() noexcept { return H::fromBits(0x1400); }
  static constexpr H round_error() noexcept { return H::fromBits(0x3800); }
  static constexpr H infinity() noexcept { return H::fromBits(0x7c00); }
  static constexpr H quiet_NaN() noexcept { return H::fromBits(0x7e00); }
  static constexpr H signaling_NaN() noexcept { return H::fromBits(0x7d00); }
  static constexpr H denorm_min() noexcept { return H::fromBits(0x0001); }
};

} // namespace base
} // namespace cottonwood
