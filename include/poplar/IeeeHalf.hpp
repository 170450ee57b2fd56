// IEEE binary16 numbers for host programs.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_IEEEHALF_HPP
#define POPLAR_IEEEHALF_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/HalfLimits.hpp>
#include <type_traits>

namespace poplar {

/// Two bytes. Arithmetic between two of them is done in float and rounded once (to nearest, ties to
/// even); with any other number on one side the result is that of float arithmetic. Comparisons are
/// those of float.
class IeeeHalf {
public:
  IeeeHalf() = default;
  POP_ALWAYS_INLINE IeeeHalf(float value) : bits_(cottonwood::base::floatToHalf(value)) {}
  template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value &&
                                                     !std::is_same<T, float>::value>::type>
  POP_ALWAYS_INLINE IeeeHalf(T value)
      : bits_(cottonwood::base::doubleToHalf(static_cast<double>(value))) {}

  static constexpr IeeeHalf fromBits(std::uint16_t bits) { return IeeeHalf(FromBits(), bits); }
  constexpr std::uint16_t bit16() const { return bits_; }

  POP_ALWAYS_INLINE operator float() const { return cottonwood::base::halfToFloat(bits_); }

  POP_ALWAYS_INLINE IeeeHalf &operator+=(float other) {
    return *this = IeeeHalf(float(*this) + other);
  }
  POP_ALWAYS_INLINE IeeeHalf &operator-=(float other) {
    return *this = IeeeHalf(float(*this) - other);
  }
  POP_ALWAYS_INLINE IeeeHalf &operator*=(float other) {
    return *this = IeeeHalf(float(*this) * other);
  }
  POP_ALWAYS_INLINE IeeeHalf &operator/=(float other) {
    return *this = IeeeHalf(float(*this) / other);
  }
  constexpr IeeeHalf operator-() const {
    return fromBits(static_cast<std::uint16_t>(bits_ ^ 0x8000u));
  }

  constexpr bool isNaN() const { return (bits_ & 0x7fffu) > 0x7c00u; }
  constexpr bool isqNaN() const { return isNaN() && (bits_ & 0x0200u) != 0; }
  constexpr bool issNaN() const { return isNaN() && (bits_ & 0x0200u) == 0; }
  constexpr bool isInf() const { return (bits_ & 0x7fffu) == 0x7c00u; }
  /// Neither zero nor subnormal, infinite or NaN.
  constexpr bool isNorm() const { return (bits_ & 0x7c00u) != 0 && (bits_ & 0x7c00u) != 0x7c00u; }
  constexpr bool isZero() const { return (bits_ & 0x7fffu) == 0; }

private:
  struct FromBits {};
  constexpr IeeeHalf(FromBits, std::uint16_t bits) : bits_(bits) {}

  std::uint16_t bits_;
};

// Templates for exactly this class: an operator that took conversions would be ambiguous with the
// built-in one of float in `h + 1`.
#define POP_HALF_OPERATOR(OP)                                                                      \
  template <class A, class B,                                                                      \
            class = typename std::enable_if<std::is_same<A, IeeeHalf>::value &&                    \
                                            std::is_same<B, IeeeHalf>::value>::type>               \
  POP_ALWAYS_INLINE IeeeHalf operator OP(A const &a, B const &b) {                                 \
    return IeeeHalf(float(a) OP float(b));                                                         \
  }
POP_HALF_OPERATOR(+)
POP_HALF_OPERATOR(-)
POP_HALF_OPERATOR(*)
POP_HALF_OPERATOR(/)
#undef POP_HALF_OPERATOR

} // namespace poplar

namespace std {
template <>
struct numeric_limits<poplar::IeeeHalf> : cottonwood::base::HalfLimits<poplar::IeeeHalf> {};
} // namespace std

#endif
