// `half` for codelets: IEEE binary16 storage that computes as float.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_HALFFLOAT_HPP
#define POPLAR_HALFFLOAT_HPP

#ifdef __POPC__
#include <math.h> // the device's library has sqrt(float) and its like without std::, too
#else
#include <cmath>
#endif
#include <cstdint>
#include <cstring>
#include <limits>
#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/HalfLimits.hpp>
#include <type_traits>

namespace poplar {

/// Two bytes. Converts implicitly from every arithmetic type (round to nearest, ties to even;
/// overflow gives infinity) and to float. There are no binary operators on purpose: `a + b` is the
/// float sum, rounded when it is stored.
class half {
public:
  half() = default;
  POP_ALWAYS_INLINE half(float value) noexcept : bits_(cottonwood::base::floatToHalf(value)) {}
  template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value &&
                                                     !std::is_same<T, float>::value>::type>
  POP_ALWAYS_INLINE half(T value) noexcept : bits_(narrow(value, std::is_integral<T>())) {}

  POP_ALWAYS_INLINE operator float() const { return cottonwood::base::halfToFloat(bits_); }

  POP_ALWAYS_INLINE half &operator+=(float other) { return *this = half(float(*this) + other); }
  POP_ALWAYS_INLINE half &operator-=(float other) { return *this = half(float(*this) - other); }
  POP_ALWAYS_INLINE half &operator*=(float other) { return *this = half(float(*this) * other); }
  POP_ALWAYS_INLINE half &operator/=(float other) { return *this = half(float(*this) / other); }

  /// From and to the bit pattern.
  static constexpr half fromBits(std::uint16_t bits) { return half(FromBits(), bits); }
  constexpr std::uint16_t bit16() const { return bits_; }

private:
  struct FromBits {};
  constexpr half(FromBits, std::uint16_t bits) : bits_(bits) {}

  // Integers that a float cannot hold exactly are far above the largest half, so going through
  // float rounds once.
  template <class T> static POP_ALWAYS_INLINE std::uint16_t narrow(T value, std::true_type) {
    return cottonwood::base::floatToHalf(static_cast<float>(value));
  }
  template <class T> static POP_ALWAYS_INLINE std::uint16_t narrow(T value, std::false_type) {
    return cottonwood::base::doubleToHalf(static_cast<double>(value));
  }

  std::uint16_t bits_;
};

} // namespace poplar

using poplar::half;

/// `1.5_h`
POP_ALWAYS_INLINE poplar::half operator""_h(long double value) { return poplar::half(value); }
POP_ALWAYS_INLINE poplar::half operator""_h(unsigned long long value) {
  return poplar::half(value);
}

namespace std {
template <> struct numeric_limits<poplar::half> : cottonwood::base::HalfLimits<poplar::half> {};
} // namespace std

#endif
