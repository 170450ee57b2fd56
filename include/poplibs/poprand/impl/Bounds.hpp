// Bounds of distributions as numbers of the result's type.
#pragma once

#include <poplar/Type.hpp>
#include <poplar/impl/base/Config.hpp>

namespace cottonwood::poprand {

/// FLOAT or HALF numbers, ends included.
struct Bounds {
  float low, high;
  bool isEmpty() const { return low > high; }
};

/// The finite numbers of FLOAT or HALF in [low, high]: the first and the last one.
POP_API POP_INLINE Bounds roundInwards(::poplar::Type const &type, double low, double high);

/// The same, never empty: without a number in between the one nearest to `low`, above 0 if low is.
POP_API POP_INLINE Bounds boundsOf(::poplar::Type const &type, double low, double high);

} // namespace cottonwood::poprand
