/// \file SimdExp.hpp
/// Exponentials and functions by way of them; see SimdMath.hpp.
#pragma once

#include <codelets/arch/SimdMathBase.hpp>

namespace cottonwood::math {

/// Whether scaling is an operation of its own.
template <class V>
concept ScalesAtOnce = requires(V x) {
  V::scale(x, x);
};

/// x 2^n for integers n in [-252, 254], rounded once.
template <class V> POP_SIMD_INLINE V scaleByPower(V x, V n) {
  if constexpr (ScalesAtOnce<V>) {
    return V::scale(x, n);
  } else { // two exact factors, so that only the last product rounds
    using I = typename V::Int;
    const I power = n.toInt(), half = power.template shiftRightArithmetic<1>();
    const I bias = I::splat(127);
    const V first = V::fromBits((half + bias).template shiftLeft<23>());
    const V second = V::fromBits((power - half + bias).template shiftLeft<23>());
    return x * first * second;
  }
}

/// scaleByPower for x in [0.7, 1.42], or anything where n < -150. What rounds to zero is not
/// computed: to find that out takes a core of the Emerald Rapids class more than a hundred cycles.
template <class V> POP_SIMD_INLINE V scaleOrVanish(V x, V n) {
  if constexpr (RAISES<V>)
    return scaleByPower(x, n);
  else
    return scaleByPower(V::select(n < V::splat(-150.f), V::zero(), x), n);
}

/// 2^(n - 1) for integers n in [-125, 128].
template <class V> POP_SIMD_INLINE V halfOfPower(V n) {
  if constexpr (ScalesAtOnce<V>)
    return V::scale(V::splat(0.5f), n);
  else
    return V::fromBits((n.toInt() + V::Int::splat(126)).template shiftLeft<23>());
}

/// x up to `hi`, and from `lo` on unless scaleOrVanish() takes what is below; NaN stays.
template <class V> POP_SIMD_INLINE V clampForScale(V x, float lo, float hi) {
  return ScalesAtOnce<V> ? V::min(V::splat(hi), x) : detail::clampKeepNan(x, lo, hi);
}

namespace detail {
inline constexpr float LOG2E = 1.44269504f;
/// ln 2 in two parts; the first has trailing zeros, so that its product with a power is exact.
inline constexpr float LN2_HI = 0x1.62e400p-1f, LN2_LO = 0x1.7f7d1cp-20f;
/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
template <class V>
inline constexpr float EXP_TAIL[5] = {0x1p-1f, 0x1.555486p-3f, 0x1.5554ep-5f, 0x1.1241dp-7f,
                                      0x1.6d5736p-10f};
/// (e^2r - 1 - 2 r) / (2 r^2) for |r| <= ln(2) / 4.
template <class V>
inline constexpr float EXP_TAIL_OF_TWICE[5] = {2 * EXP_TAIL<V>[0], 4 * EXP_TAIL<V>[1],
                                               8 * EXP_TAIL<V>[2], 16 * EXP_TAIL<V>[3],
                                               32 * EXP_TAIL<V>[4]};
/// (2^r - 1) / r for |r| <= 1/2.
template <class V>
inline constexpr float EXP2_TAIL[] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af6cp-5f,
                                      0x1.3b2a44p-7f, 0x1.5f12ccp-10f, 0x1.442a38p-13f};

/// 2^(j/8) with j in its last bits but 20 subtracted: n in the same place makes it 2^(n/8) for
/// j = n % 8.
template <class V>
inline constexpr float EIGHTH_POWERS[8] = {1.f,
                                           0x1.f72b84p-1f,
                                           0x1.f06fep-1f,
                                           0x1.ebfdaep-1f,
                                           0x1.ea09e6p-1f,
                                           0x1.eace54p-1f,
                                           0x1.ee89fap-1f,
                                           0x1.f5818ep-1f};
/// 2^(n/8), or a multiple of it, from a table like that; the low bits of n are enough.
template <class V>
POP_SIMD_INLINE V eighthPower(typename V::Int n, const float (&table)[8] = EIGHTH_POWERS<V>) {
  return V::fromBits(lookup8(table, n).bits() + n.template shiftLeft<20>());
}

/// The integer nearest to x y, for |x y| < 2^22: the sum has no room for a fraction.
template <class V> POP_SIMD_INLINE V nearestProduct(V x, float y) {
  const V shift = V::splat(INTEGERS);
  return V::fma(x, V::splat(y), shift) - shift;
}

/// x = n ln 2 + r with |r| <= ln(2) / 2.
template <class V> POP_SIMD_INLINE V reduceExp(V x, V &n) {
  n = nearestProduct(x, LOG2E);
  return V::fnma(n, V::splat(LN2_LO), V::fnma(n, V::splat(LN2_HI), x));
}

/// e^r - 1 for |r| <= ln(2) / 2.
template <class V> POP_SIMD_INLINE V expm1OfRest(V r) {
  const V r2 = r * r;
  return V::fma(r2, polynomial(r, r2, EXP_TAIL<V>), r);
}

/// e^x 2^-n, given the reduction of x.
template <class V> POP_SIMD_INLINE V expOfRest(V r) { return expm1OfRest(r) + V::splat(1.f); }
} // namespace detail

/// Up to here e^x and e^-x are normal.
inline constexpr float EXP_EASY = 87;
/// e^x for |x| <= EXP_EASY, with the bits of exp(x).
template <class V> POP_SIMD_INLINE V expOfEasy(V x) {
  // n comes from the lowest bits of the sum whose rounding finds it. e^r - 1 and 1 are scaled
  // before they are added: rounded once.
  const V shift = V::splat(detail::INTEGERS + 127);
  const V sum = V::fma(x, V::splat(detail::LOG2E), shift), n = sum - shift;
  const V power = V::fromBits(sum.bits().template shiftLeft<23>());
  const V r = V::fnma(n, V::splat(detail::LN2_LO), V::fnma(n, V::splat(detail::LN2_HI), x));
  return V::fma(detail::expm1OfRest(r), power, power);
}

/// 1.1 ulp.
template <class V> POP_SIMD_INLINE V exp(V x) {
  V n;
  const V r = detail::reduceExp(clampForScale(x, -105.f, 89.f), n);
  return scaleOrVanish(detail::expOfRest(r), n);
}

/// 1 ulp.
template <class V> POP_SIMD_INLINE V exp2(V x) {
  const V y = clampForScale(x, -151.f, 129.f);
  const V n = V::nearest(y), r = y - n;
  const V value = V::fma(polynomial(r, detail::EXP2_TAIL<V>), r, V::splat(1.f));
  return scaleOrVanish(value, n);
}

/// e^x - 1; 2 ulp.
template <class V> POP_SIMD_INLINE V expm1(V x) {
  V n;
  const V r = detail::reduceExp(detail::clampKeepNan(x, -25.f, 89.f), n);
  const V p = detail::expm1OfRest(r);
  // 2^n (p + 1) - 1 as 2 (2^(n-1) p + 2^(n-1) - 1/2): 2^128 itself would overflow.
  const V s = halfOfPower(n);
  const V large = V::splat(2.f) * V::fma(p, s, s - V::splat(0.5f));
  const V result = V::select(n == V::zero(), p, large);
  return V::select(x == V::zero(), x, result);
}

/// d / (d + 1) with d = (e^2|x| - 1) / 2, and the sign of x; 3 ulp.
template <class V> POP_SIMD_INLINE V tanh(V x) {
  using I = typename V::Int;
  const V a = V::min(V::splat(9.1f), V::abs(x)); // NaN stays; beyond, tanh rounds to 1
  // |x| = n ln(2) / 2 + r. Where n is not small, what the product lacks is lost in d + 1.
  const V shift = V::splat(detail::INTEGERS + 127);
  const V sum = V::fma(a, V::splat(2 * detail::LOG2E), shift);
  const V r = V::fnma(sum - shift, V::splat(0x1.62e43p-2f), a), r2 = r * r;
  const V g = V::fma(r2, polynomial(r, r2, detail::EXP_TAIL_OF_TWICE<V>), r); // (e^2r - 1) / 2
  const I power = sum.bits().template shiftLeft<23>();
  const V halfOfPower = V::fromBits(power - I::splat(1 << 23));
  const V d = V::fma(g, V::fromBits(power), halfOfPower - V::splat(0.5f));
  return giveSign(d / (d + V::splat(1.f)), x);
}

namespace detail {
/// e^x to be added to one, which makes no difference where it is below e^-87: that it overflows or
/// vanishes is no exception.
template <class V> POP_SIMD_INLINE V expBesideOne(V x) {
  V n;
  const V value = expOfRest(reduceExp(clampKeepNan(x, -87.f, 89.f), n));
  if constexpr (RAISES<V>)
    if ((scaleByPower(value, n - V::splat(2.f)) >= V::splat(0x1p126f)).any())
      return V::splat(__builtin_inff());
  return scaleByPower(value, n);
}
} // namespace detail

/// a / (1 + e^-x); 2 ulp where the result is normal.
template <class V> POP_SIMD_INLINE V timesSigmoid(V a, V x) {
  return a / (V::splat(1.f) + detail::expBesideOne(-x));
}
template <class V> POP_SIMD_INLINE V sigmoid(V x) { return timesSigmoid(V::splat(1.f), x); }

/// The same for |x| <= EXP_EASY.
template <class V> POP_SIMD_INLINE V timesSigmoidOfEasy(V a, V x) {
  return a / (V::splat(1.f) + expOfEasy(-x));
}

namespace detail {
/// 2 sqrt(2 / pi) (x + 0.044715 x^3): GELU is x sigmoid of it.
template <class V> POP_SIMD_INLINE V geluArgument(V x) {
  return x * V::fma(x * x, V::splat(0.0713548163f), V::splat(1.59576912f));
}
} // namespace detail

/// Up to here geluArgument is not beyond EXP_EASY.
inline constexpr float GELU_EASY = 9.75f;

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); relative error 3e-6 down to -5.
template <class V> POP_SIMD_INLINE V gelu(V x) {
  return timesSigmoid(V::max(V::splat(-__FLT_MAX__), x), detail::geluArgument(x)); // -inf gives -0
}

/// d/dx gelu.
template <class V> POP_SIMD_INLINE V geluDerivative(V x) {
  const V a = V::min(V::splat(20.f), V::max(V::splat(-20.f), x)), one = V::splat(1.f);
  const V s = sigmoid(detail::geluArgument(a));
  const V slope = V::splat(1.59576912f) * V::fma(a * a, V::splat(0.134145f), one);
  return V::select(isNan(x), x, V::fma(a * slope, s * (one - s), s));
}

/// x sigmoid(x); 3 ulp while e^-x is finite.
template <class V> POP_SIMD_INLINE V swish(V x) {
  return timesSigmoid(V::max(V::splat(-__FLT_MAX__), x), x); // NaN stays; -inf gives -0
}

/// d/dx swish.
template <class V> POP_SIMD_INLINE V swishDerivative(V x) {
  const V a = V::min(V::splat(100.f), V::max(V::splat(-100.f), x)), one = V::splat(1.f);
  const V s = sigmoid(a);
  return V::select(isNan(x), x, V::fma(a, s * (one - s), s));
}

} // namespace cottonwood::math
