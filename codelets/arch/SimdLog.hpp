/// \file SimdLog.hpp
/// Logarithms and powers; see SimdMath.hpp.
#pragma once

#include <codelets/arch/SimdExp.hpp>

namespace cottonwood::math {

namespace detail {
/// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f in [sqrt(1/2), sqrt(2)].
template <class V>
inline constexpr float LOG_TAIL[] = {0x1.555548p-2f,  -0x1.000008p-2f, 0x1.99a478p-3f,
                                     -0x1.555b8ap-3f, 0x1.233af4p-3f,  -0x1.fc3ebap-4f,
                                     0x1.e6ddecp-4f,  -0x1.dd955p-4f,  0x1.13b67p-4f};
/// u = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for normal u.
template <class V> POP_SIMD_INLINE V splitLog(V u, V &e) {
  using I = typename V::Int;
  const I exponent = (u.bits() - I::splat(0x3f3504f3)).template shiftRightArithmetic<23>();
  e = V::fromInt(exponent);
  return V::fromBits(u.bits() - exponent.template shiftLeft<23>()) - V::splat(1.f);
}

/// log(1 + f) + e ln 2 + low.
template <class V> POP_SIMD_INLINE V logSum(V f, V e, V low) {
  const V f2 = f * f;
  V tail = V::fma(f2 * f, polynomial(f, LOG_TAIL<V>), low);
  tail = V::fma(e, V::splat(LN2_LO), tail);
  tail = V::fnma(V::splat(0.5f), f2, tail);
  return V::fma(e, V::splat(LN2_HI), f + tail);
}

/// Results at 0, below it, at infinity and for NaN; `value` elsewhere.
template <class V> POP_SIMD_INLINE V logSpecial(V x, V value) {
  const V inf = V::splat(__builtin_inff());
  V result = V::select(x == inf, inf, value);
  result = V::select(x == V::zero(), -inf, result);
  result = V::select(x < V::zero(), V::splat(__builtin_nanf("")), result);
  return V::select(isNan(x), x, result);
}

/// Subnormals as normal numbers: x 2^23 and -23.
template <class V> POP_SIMD_INLINE V normalise(V x, V &shift) {
  const auto tiny = x < V::splat(0x1p-126f);
  shift = V::select(tiny, V::splat(-23.f), V::zero());
  return V::select(tiny, x * V::splat(0x1p23f), x);
}
} // namespace detail

namespace detail {
/// log(c) of the middles c of eight pieces of [0.71875, 1.4375), beginning at LOG_FIRST; the piece
/// around 1 has the middle 1, and next to it 1/c has so few digits that f is exact. The first part
/// of each logarithm is a multiple of 2^-15, as LN2_HI is.
inline constexpr std::int32_t LOG_FIRST = 0x3f380000;
template <class V>
inline constexpr float LOG_INVERSE[8] = {0x1.555556p+0f, 0x1.3b13b2p+0f, 0x1.24924ap+0f,
                                         0x1.1p+0f,      0x1p+0f,        0x1.dp-1f,
                                         0x1.99999ap-1f, 0x1.745d18p-1f};
template <class V>
inline constexpr float LOG_HI[8] = {-0x1.2698p-2f, -0x1.a94p-3f, -0x1.118p-3f, -0x1.f0cp-5f, 0,
                                    0x1.934p-4f,   0x1.c9p-3f,   0x1.4618p-2f};
template <class V>
inline constexpr float LOG_LO[8] = {
    0x1.dcecb2p-18f,  0x1.273752p-19f,  0x1.c4776p-17f, 0x1.cf3feep-17f, 0,
    -0x1.43454ep-17f, -0x1.0b0cacp-20f, 0x1.74438cp-19f};
/// (log(1 + f) - f) / f^2 for f in [-0.0556, 0.0763].
template <class V>
inline constexpr float LOG_PIECE[] = {-0x1.ffffd6p-2f, 0x1.555a1ap-2f, -0x1.00b9cp-2f,
                                      0x1.8bc7c8p-3f};
/// f of x = 2^(e / 2^23) c (1 + f) with c the middle of piece k.
template <class V> POP_SIMD_INLINE V splitLog(V x, V &e, typename V::Int &k) {
  using I = typename V::Int;
  const I above = x.bits() - I::splat(LOG_FIRST);
  k = above.template shiftRightArithmetic<20>();
  e = V::fromInt(above & I::splat(-0x800000));
  const V m = V::fromBits((above & I::splat(0x7fffff)) + I::splat(LOG_FIRST));
  return V::fms(m, lookup8(LOG_INVERSE<V>, k), V::splat(1.f));
}

/// log(x 2^-shift) of normal x.
template <class V> POP_SIMD_INLINE V logNormal(V x, V shift) {
  typename V::Int k;
  V e;
  const V f = splitLog(x, e, k);
  e = e - shift * V::splat(0x1p23f);
  const V big = V::fma(e, V::splat(LN2_HI * 0x1p-23f), lookup8(LOG_HI<V>, k)); // exact
  const V low = V::fma(e, V::splat(LN2_LO * 0x1p-23f), lookup8(LOG_LO<V>, k));
  const V high = big + f, lost = (big - high) + f; // |f| is smaller where it is not all there is
  return high + (lost + V::fma(f * f, polynomial(f, LOG_PIECE<V>), low));
}

/// A function of x that exceeds POSITIVE_NORMAL where x is no positive normal number: it wraps to
/// the least integers where x is one.
inline constexpr std::int32_t POSITIVE_NORMAL = -0x01000001;
template <class V> POP_SIMD_INLINE typename V::Int abovePositiveNormal(V x) {
  return x.bits() + V::Int::splat(0x7f800000);
}
/// Where x is no positive normal number.
template <class V> POP_SIMD_INLINE typename V::Mask notPositiveNormal(V x) {
  return abovePositiveNormal(x) > V::Int::splat(POSITIVE_NORMAL);
}
template <class V> POP_SIMD_INLINE bool anyNotPositiveNormal(V x) {
  return anyGreater(abovePositiveNormal(x), POSITIVE_NORMAL);
}
} // namespace detail

/// 1 ulp of positive normal x.
template <class V> POP_SIMD_INLINE V logOfNormal(V x) { return detail::logNormal(x, V::zero()); }

/// 1 ulp.
template <class V> POP_SIMD_INLINE V log(V x) {
  const V value = logOfNormal(x);
  if (!detail::anyNotPositiveNormal(x))
    return value;
  V shift;
  const V u = detail::normalise(x, shift);
  return V::select(detail::notPositiveNormal(x),
                   detail::logSpecial(x, detail::logNormal(u, -shift)), value);
}

/// log(1 + x); 2 ulp.
template <class V> POP_SIMD_INLINE V log1p(V x) {
  using I = typename V::Int;
  const V one = V::splat(1.f), u = one + x;
  V e;
  V f = detail::splitLog(u, e);
  // What 1 + x lost, relative to u; where nothing was scaled, x itself is the exact f.
  const V lost = V::select(x > one, one - (u - x), x - (u - one));
  const I power = I::min(e.toInt(), I::splat(126)); // nothing is lost that far out
  const V scale = V::fromBits((I::splat(127) - power).template shiftLeft<23>());
  const auto exact = e == V::zero();
  f = V::select(exact, x, f);
  // d log(1 + f) = df / (1 + f)
  const V low = V::select(exact, V::zero(), lost * scale / (one + f));
  const V result = detail::logSpecial(u, detail::logSum(f, e, low));
  return V::select(x == V::zero(), x, result);
}

namespace detail {
/// log2 of a > 0 as high + low, relative error 2^-30.
template <class V> POP_SIMD_INLINE V log2Pair(V a, V &low) {
  static constexpr float TAIL[] = {0x1.555554p-1f, 0x1.999c22p-2f, 0x1.23d58ep-2f, 0x1.f0eb38p-3f};
  const V one = V::splat(1.f);
  V e, shift;
  const V f = splitLog(normalise(a, shift), e);
  e = e + shift;
  // log((1 + s) / (1 - s)) = 2 s + s^3 tail(s^2), s = f / (2 + f) to twice the digits
  const V m = f + one, d = m + one, dLow = m - (d - one);
  const V s = f / d;
  const V sLow = V::fnma(s, dLow, V::fnma(s, d, f)) / d;
  const V u = s * s;
  const V head = s + s;
  const V rest = V::fma(u * s, polynomial(u, TAIL), sLow + sLow);
  const V natural = head + rest, naturalLow = rest - (natural - head);
  const V scaled = natural * V::splat(0x1.715476p+0f);
  V scaledLow = V::fms(natural, V::splat(0x1.715476p+0f), scaled);
  scaledLow = V::fma(natural, V::splat(0x1.4ae0cp-26f), scaledLow);
  scaledLow = V::fma(naturalLow, V::splat(0x1.715476p+0f), scaledLow);
  const V high = e + scaled;
  low = (scaled - (high - e)) + scaledLow;
  return high;
}

/// 2^(y log2 a) for a > 0 or a in {0, infinity}.
template <class V> POP_SIMD_INLINE V powMagnitude(V a, V y) {
  const V inf = V::splat(__builtin_inff());
  V low;
  V high = log2Pair(a, low);
  const auto edge = (a == V::zero()) | (a == inf);
  high = V::select(a == V::zero(), -inf, V::select(a == inf, inf, high));
  const V z = y * high;
  V zLow = V::fma(y, V::select(edge, V::zero(), low), V::fms(y, high, z));
  const auto bounded = V::abs(z) < V::splat(160.f);
  zLow = V::select(bounded, zLow, V::zero());
  const V zz = clampKeepNan(z, -160.f, 160.f);
  const V n = V::nearest(zz), r = (zz - n) + zLow;
  const V value = V::fma(polynomial(r, EXP2_TAIL<V>), r, V::splat(1.f));
  return scaleByPower(value, n);
}

/// x^y where |x|^y is `magnitude`, if no special case says otherwise.
template <class V> POP_SIMD_INLINE V powOf(V x, V y, V magnitude) {
  const V one = V::splat(1.f), zero = V::zero(), a = V::abs(x);
  const auto unit = a == one;
  const auto yInfinite = V::abs(y) == V::splat(__builtin_inff());
  V value = V::select(unit & yInfinite, one, magnitude);
  const V halfY = y * V::splat(0.5f);
  const auto isInteger = V::trunc(y) == y;
  const auto isOdd = isInteger & (V::trunc(halfY) != halfY);
  value = V::select(signBit(x) & isOdd, -value, value);
  value = V::select((x < zero) & ~isInteger & (a < V::splat(__builtin_inff())),
                    V::splat(__builtin_nanf("")), value);
  value = V::select(isNan(x) | isNan(y), x + y, value);
  return V::select((y == zero) | (x == one), one, value);
}
} // namespace detail

/// x^y with the special cases of C's pow; 6 ulp, 2 ulp for |y log2 x| < 16.
template <class V> POP_SIMD_INLINE V pow(V x, V y) {
  return detail::powOf(x, y, detail::powMagnitude(V::abs(x), y));
}

} // namespace cottonwood::math
