/// \file SimdRoot.hpp
/// Roots of simd<float, Tag> without the divider, which takes 4.5 cycles for 16 of them on Zen 5.
#pragma once

#include <codelets/arch/SimdLog.hpp>

namespace cottonwood::math {

/// Whether there are instructions that estimate 1 / sqrt(x) to a relative error of 2^-14 and put
/// right what an estimate leads to where x is zero, infinite, negative or NaN.
template <class V>
concept EstimatesRoots = requires(V x) {
  V::inverseSqrtEstimate(x);
  V::fixSqrt(x, x);
  V::fixInverseSqrt(x, x);
};

namespace detail {
/// y = 1 / sqrt(x) for positive normal x, 3.5% off: half the exponent, negated.
template <class V> POP_SIMD_INLINE V rsqrtGuess(V x) {
  using I = typename V::Int;
  return V::fromBits(I::splat(0x5f3759df) - x.bits().template shiftRightArithmetic<1>());
}
} // namespace detail

/// z / sqrt(1 - e) for |e| <= 0.07, relative error 2^-29, or 2^-25 with a step fewer.
template <bool TO_HALF, class V> POP_SIMD_INLINE V timesInverseRoot(V z, V e) {
  static constexpr float SHORT[] = {0x1.ffff9p-2f, 0x1.800012p-2f, 0x1.41784ep-2f, 0x1.18b002p-2f};
  static constexpr float LONG[] = {0x1p-1f, 0x1.7fff6cp-2f, 0x1.400022p-2f, 0x1.19887ep-2f,
                                   0x1.f927aep-3f};
  const V ze = z * e;
  if constexpr (TO_HALF)
    return V::fma(ze, polynomial(e, SHORT), z);
  else
    return V::fma(ze, polynomial(e, LONG), z);
}

/// 1 / sqrt(x) of positive normal x; 1.1 ulp. TO_HALF: relative error 2^-22.8.
template <bool TO_HALF, class V> POP_SIMD_INLINE V rsqrtOfNormal(V x) {
  const V y = detail::rsqrtGuess(x);
  return timesInverseRoot<TO_HALF>(y, V::fnma(x * y, y, V::splat(1.f)));
}

namespace detail {
template <bool TO_HALF, class V> POP_SIMD_INLINE V rsqrtByGuess(V x) {
  const V root = rsqrtOfNormal<TO_HALF>(x);
  return anyNotPositiveNormal(x) ? V::select(notPositiveNormal(x), V::splat(1.f) / V::sqrt(x), root)
                                 : root;
}
} // namespace detail

/// 1 / sqrt(x); 1.1 ulp.
template <class V> POP_SIMD_INLINE V rsqrt(V x) { return detail::rsqrtByGuess<false>(x); }

/// Of halves, for results that are rounded to half at once.
namespace ofHalf {

/// Rounds to the half that the root itself rounds to: one step of Newton's from the estimate r,
/// g = x r, leaves a relative error of 0 to -1.5 * 2^-28. Squares of halfway cases, odd numbers of
/// 12 bits, differ from halves by at least 7 units of 2^-22 above and 1 below, so that only the
/// root of 4 - 2^-9 (and of its multiples by powers of 4) comes as near to one as half a unit in
/// the last place of float, from below, and stays there as the error is negative.
template <class V> POP_SIMD_INLINE V sqrt(V x) {
  if constexpr (EstimatesRoots<V>) {
    const V r = V::inverseSqrtEstimate(x), g = x * r;
    return V::fixSqrt(V::fma(V::fnma(g, g, x), V::splat(0.5f) * r, g), x);
  } else {
    return V::sqrt(x);
  }
}

/// 1 / sqrt(x). No half has an inverse root within 2^-21.4 of halfway between two halves, so that
/// with a relative error of 2^-22.8 all round to the right one.
template <class V> POP_SIMD_INLINE V rsqrt(V x) {
  if constexpr (EstimatesRoots<V>) {
    const V r = V::inverseSqrtEstimate(x), e = V::fnma(x * r, r, V::splat(1.f));
    return V::fixInverseSqrt(V::fma(e, V::splat(0.5f) * r, r), x);
  } else {
    return math::detail::rsqrtByGuess<true>(x);
  }
}

} // namespace ofHalf
} // namespace cottonwood::math
