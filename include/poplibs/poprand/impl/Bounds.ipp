#pragma once

#include <poprand/impl/Bounds.hpp>

#include <poplar/impl/base/Half.hpp>

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace cottonwood::poprand {

namespace detail {

/// The number after a finite half, upwards.
POP_INLINE std::uint16_t nextHalf(std::uint16_t bits) {
  if (bits == 0x8000U)
    return 1;
  return static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? bits - 1 : bits + 1);
}

/// The smallest number of the type at or above x; infinite beyond the largest one.
POP_INLINE double roundUp(::poplar::Type const &type, double x) {
  if (type == ::poplar::FLOAT) {
    if (x < -static_cast<double>(FLT_MAX))
      return -static_cast<double>(FLT_MAX);
    float const nearest = static_cast<float>(x);
    return static_cast<double>(static_cast<double>(nearest) < x ? std::nextafter(nearest, INFINITY)
                                                                : nearest);
  }
  std::uint16_t const bits = base::doubleToHalf(x);
  double const nearest = static_cast<double>(base::halfToFloat(bits));
  if (std::isinf(nearest) && nearest < 0)
    return -65504;
  return nearest < x ? static_cast<double>(base::halfToFloat(nextHalf(bits))) : nearest;
}

} // namespace detail

POP_INLINE Bounds roundInwards(::poplar::Type const &type, double low, double high) {
  // Rounding down mirrors rounding up.
  return {static_cast<float>(detail::roundUp(type, low)),
          static_cast<float>(-detail::roundUp(type, -high))};
}

POP_INLINE Bounds boundsOf(::poplar::Type const &type, double low, double high) {
  Bounds const inside = roundInwards(type, low, high);
  if (!inside.isEmpty())
    return inside;
  double const above = detail::roundUp(type, low), below = -detail::roundUp(type, -low);
  bool const down = std::isinf(above) || low - below <= above - low;
  double nearest = down ? below : above;
  if (low > 0 && nearest == 0)
    nearest = above;
  return {static_cast<float>(nearest), static_cast<float>(nearest)};
}

} // namespace cottonwood::poprand
