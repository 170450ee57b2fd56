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
  if constexpr (RAISES<V>) {
    if (isNan(x).any()) // to compare it would be invalid
      return x;
    if ((x == V::zero()).any())
      raiseDivisionByZero();
    else if (signBit(x).any())
      raiseInvalid();
  }
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
/// m of x = 2^(e / 2^23) m with m from FIRST on, given as bits; k counts its steps of 2^SHIFT units
/// in the last place from there.
template <std::int32_t FIRST, int SHIFT, class V>
POP_SIMD_INLINE V splitAbove(V x, V &e, typename V::Int &k) {
  using I = typename V::Int;
  const I above = x.bits() - I::splat(FIRST);
  k = above.template shiftRightArithmetic<SHIFT>();
  const I exponent = above & I::splat(-0x800000);
  e = V::fromInt(exponent);
  return V::fromBits(x.bits() - exponent);
}
/// f of x = 2^(e / 2^23) c (1 + f) with c the middle of piece k.
template <class V> POP_SIMD_INLINE V splitLog(V x, V &e, typename V::Int &k) {
  const V m = splitAbove<LOG_FIRST, 20>(x, e, k);
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
/// Whether there is no finite logarithm of the one lane x.
template <class V> POP_SIMD_INLINE bool hasNoLog(V x) {
  const float value = x.first();
  return !__builtin_isgreater(value, 0.f) || __builtin_isinf(value);
}
} // namespace detail

/// 1 ulp of positive normal x.
template <class V> POP_SIMD_INLINE V logOfNormal(V x) { return detail::logNormal(x, V::zero()); }

/// 1 ulp.
template <class V> POP_SIMD_INLINE V log(V x) {
  const V value = logOfNormal(x);
  if (!detail::anyNotPositiveNormal(x))
    return value;
  if constexpr (RAISES<V>)
    if (detail::hasNoLog(x))
      return detail::logSpecial(x, x);
  V shift;
  const V u = detail::normalise(x, shift);
  return V::select(detail::notPositiveNormal(x),
                   detail::logSpecial(x, detail::logNormal(u, -shift)), value);
}

/// log(1 + x); 2 ulp.
template <class V> POP_SIMD_INLINE V log1p(V x) {
  using I = typename V::Int;
  const V one = V::splat(1.f), u = one + x;
  if constexpr (RAISES<V>)
    if (detail::hasNoLog(u))
      return detail::logSpecial(u, u);
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
/// 1 / ln 2 in two parts.
inline constexpr float LOG2E_HI = 0x1.715476p+0f, LOG2E_LO = 0x1.4ae0cp-26f;
/// 1/c for 16 pieces of [0.703125, 1.40625), beginning at LOG2_FIRST, with so few digits that every
/// f = m/c - 1 is exact, and log2(c) in two parts, the first a multiple of 2^-15.
inline constexpr std::int32_t LOG2_FIRST = 0x3f340000;
template <class V>
inline constexpr float LOG2_INVERSE[16] = {
    0x1.6p+0f,  0x1.58p+0f, 0x1.48p+0f, 0x1.38p+0f, 0x1.3p+0f, 0x1.28p+0f, 0x1.18p+0f, 0x1.1p+0f,
    0x1.08p+0f, 1.f,        0x1.ep-1f,  0x1.c8p-1f, 0x1.bp-1f, 0x1.98p-1f, 0x1.88p-1f, 0x1.7p-1f};
template <class V>
inline constexpr float LOG2_HI[16] = {
    -0x1.d678p-2f, -0x1.b48p-2f, -0x1.6e2p-2f, -0x1.244p-2f, -0x1.fbcp-3f,
    -0x1.acfp-3f,  -0x1.08cp-3f, -0x1.664p-4f, -0x1.6bcp-5f, 0,
    0x1.7d6p-4f,   0x1.564p-3f,  0x1.f6p-3f,   0x1.4f7p-2f,  0x1.8a88p-2f,
    0x1.e7ep-2f};
template <class V>
inline constexpr float LOG2_LO[16] = {
    0x1.60fe68p-17f,  0x1.408c78p-18f,  -0x1.0e6ce8p-17f, -0x1.eac382p-20f, -0x1.6b9026p-19f,
    -0x1.78b6d4p-17f, -0x1.62336ap-17f, 0x1.20a6dep-21f,  0x1.2c8a72p-17f,  0,
    0x1.25b3eep-22f,  -0x1.1eb002p-18f, -0x1.3ab7cep-18f, -0x1.134c4ep-20f, 0x1.80abfcp-18f,
    -0x1.40358ep-19f};
/// (log2(1 + f) - f / ln 2) / f^2 for f in [-0.0342, 0.0313].
template <class V>
inline constexpr float LOG2_PIECE[] = {-0x1.715476p-1f, 0x1.ec709cp-2f, -0x1.715cb4p-2f,
                                       0x1.27ada8p-2f, -0x1.c3c8b8p-3f};

/// log2(u) of normal u as high + low, relative error 2^-28.5; `more` may add integers to
/// the part that is exact.
template <class V, class F> POP_SIMD_INLINE V log2Pair(V u, V &low, F more) {
  typename V::Int k;
  V e;
  const V m = splitAbove<LOG2_FIRST, 19>(u, e, k);
  const V f = V::fms(m, lookup16(LOG2_INVERSE<V>, k), V::splat(1.f)), f2 = f * f;
  const V big = more(V::fma(e, V::splat(0x1p-23f), lookup16(LOG2_HI<V>, k))); // exact
  const V scale = V::splat(LOG2E_HI), linear = f * scale;
  const V linearLow = V::fma(f, V::splat(LOG2E_LO), V::fms(f, scale, linear));
  const V rest = V::fma(f2, polynomial(f, f2, LOG2_PIECE<V>), lookup16(LOG2_LO<V>, k)) + linearLow;
  const V high = big + linear; // |linear| is smaller where it is not all there is
  low = ((big - high) + linear) + rest;
  return high;
}

/// 2^(y (high + low)), with `low` at most 2% of `high`.
template <class V> POP_SIMD_INLINE V powOfLog2(V y, V high, V low) {
  const V z = y * high;
  const V zLow =
      V::select(V::abs(z) < V::splat(160.f), V::fma(y, low, V::fms(y, high, z)), V::zero());
  const V bounded = clampKeepNan(z, -160.f, 160.f);
  const V n = V::nearest(bounded + zLow), r = (bounded - n) + zLow;
  const V value = V::fma(polynomial(r, r * r, EXP2_TAIL<V>), r, V::splat(1.f));
  return scaleOrVanish(value, n);
}

/// Whether x^y needs more than logarithm and exponential somewhere: where x is no positive normal
/// number, or y so large that products with it might be infinite.
template <class V> POP_SIMD_INLINE bool anyHardPow(V x, V y) {
  if constexpr (RAISES<V>)
    return anyNotPositiveNormal(x) || anyLarger(y, 0x1.fffffep99f); // NaN is not compared
  else
    return (notPositiveNormal(x) | ~(V::abs(y) < V::splat(0x1p100f))).any();
}
/// a^y for a >= 0.
template <class V> POP_SIMD_INLINE V powMagnitude(V a, V y) {
  const V inf = V::splat(__builtin_inff());
  V low, shift;
  const V u = normalise(a, shift);
  V high = log2Pair(u, low, [&](V big) POP_SIMD_LAMBDA { return big + shift; });
  high = V::select(a == V::zero(), -inf, V::select(a == inf, inf, high));
  return powOfLog2(y, high, V::select((a == V::zero()) | (a == inf), V::zero(), low));
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

/// Whether C's pow of one lane is a case of its own, with what it raises; `result` is its value.
template <class V> POP_SIMD_INLINE bool isSpecialPow(V x, V y, V &result) {
  constexpr float INF = __builtin_inff();
  const float base = x.first(), power = y.first(), a = __builtin_fabsf(base);
  const bool isInteger = __builtin_truncf(power) == power;
  const bool isOdd = isInteger && __builtin_truncf(power * 0.5f) != power * 0.5f;
  if (power == 0 || base == 1) {
    result = V::splat(1.f);
  } else if (isNan(x).any() || isNan(y).any()) {
    result = x + y;
  } else if (a == 0 || a == INF || __builtin_isinf(power)) {
    if (a == 0 && power < 0 && power > -INF)
      raiseDivisionByZero();
    const float magnitude = a == 1 ? 1.f : (a > 1) == (power > 0) ? INF : 0.f;
    result = V::splat(isOdd && signBit(x).any() ? -magnitude : magnitude);
  } else if (base < 0 && !isInteger) {
    raiseInvalid();
    result = V::splat(__builtin_nanf(""));
  } else {
    return false;
  }
  return true;
}

/// pow where anyHardPow: apart, so that what this needs does not take registers from others.
template <class V> [[gnu::noinline]] V powOfHard(V x, V y) {
  if constexpr (RAISES<V>) {
    if (V result; isSpecialPow(x, y, result))
      return result;
    // The product of a larger one with a logarithm might be infinite.
    return powOf(x, y, powMagnitude(V::abs(x), clampKeepNan(y, -0x1p100f, 0x1p100f)));
  }
  return powOf(x, y, powMagnitude(V::abs(x), y));
}
} // namespace detail

/// x^y where not anyHardPow.
template <class V> POP_SIMD_INLINE V powOfEasy(V x, V y) {
  V low;
  const V high = detail::log2Pair(x, low, [](V big) POP_SIMD_LAMBDA { return big; });
  return detail::powOfLog2(y, high, low);
}
/// x^y with the special cases of C's pow; 6 ulp, 2 ulp for |y log2 x| < 16.
template <class V> POP_SIMD_INLINE V pow(V x, V y) {
  return detail::anyHardPow(x, y) ? detail::powOfHard(x, y) : powOfEasy(x, y);
}

} // namespace cottonwood::math
