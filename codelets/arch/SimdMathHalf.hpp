/// \file SimdMathHalf.hpp
/// Elementary functions of simd<float, Tag> whose operands are halves and whose results are rounded
/// to half at once: shorter polynomials than those of SimdMath.hpp, with relative errors below
/// 2^-17.6, which add at most 0.01 to the half unit in the last place that rounding costs. Beyond
/// the range of half results may be anything that rounds to the right half.
#pragma once

#include <codelets/arch/SimdMath.hpp>

namespace cottonwood::math::ofHalf {

namespace detail {
using math::detail::anyNotPositiveNormal;
using math::detail::clampKeepNan;
using math::detail::eighthPower;
using math::detail::INTEGERS;
using math::detail::LOG2E;
using math::detail::logSpecial;
/// The least finite half: for larger arguments, and NaN, max of it gives these; for -inf, products
/// with something tiny give -0.
inline constexpr float LOWEST = -65504.f;
/// (e^r - 1) / r for |r| <= ln(2) / 16.
template <class V> inline constexpr float EXP[] = {0x1.000f54p+0f, 0x1.00007cp-1f};
/// LOG_HI + LOG_LO.
template <class V>
inline constexpr float LOG_MIDDLE[8] = {
    -0x1.269624p-2f, -0x1.a93ed8p-3f, -0x1.1178eep-3f, -0x1.f0a30cp-5f, 0,
    0x1.9335e6p-4f,  0x1.c8ff7ap-3f,  0x1.4618bap-2f};
template <class V>
inline constexpr float LOG_PIECE[] = {-0x1.0001bp-1f, 0x1.55f7dep-2f, -0x1.f17ff4p-3f};
template <class V>
inline constexpr float SIN_WIDE[] = {-0x1.55510cp-3f, 0x1.1070a2p-7f, -0x1.84cf88p-13f};
/// tanh(x) / x is P(x^2) / Q(x^2) up to TANH_END, where it rounds to 1 / x; Q ends with x^4.
inline constexpr float TANH_END = 4.52f;
template <class V>
inline constexpr float TANH_P[] = {0x1.ed6494p+5f, 0x1.b97d6p+2f, 0x1.1f533cp-4f, -0x1.c80e0cp-13f};
template <class V> inline constexpr float TANH_Q[] = {0x1.ed64cap+5f, 0x1.b749a2p+4f};
/// erf(x) / x in x^2 up to ERF_END, where erf rounds to 1.
inline constexpr float ERF_END = 2.6f;
template <class V>
inline constexpr float ERF[] = {0x1.20dd3p+0f,   -0x1.810fe6p-2f,  0x1.cccc0ap-4f,
                                -0x1.afbd5ep-6f, 0x1.3ba25ap-8f,   -0x1.5c35dap-11f,
                                0x1.0cad6ap-14f, -0x1.fb45ecp-19f, 0x1.b247f4p-24f};
/// The probability that a standard normal number exceeds a, around multiples of NORMAL_STEP up to
/// NORMAL_TAIL_END, where halves have none left.
inline constexpr float NORMAL_TAIL_END = 5.8f, NORMAL_STEP = 0.375f;
template <class V>
inline constexpr float NORMAL_TAIL[][16] = {
    {0x1p-1f, 0x1.6a527ap-2f, 0x1.d022p-3f, 0x1.0ad7dap-3f, 0x1.11a46ep-4f, 0x1.f20394p-6f,
     0x1.90924cp-7f, 0x1.1bee6ap-8f, 0x1.61de22p-10f, 0x1.8301ccp-12f, 0x1.72d97cp-14f,
     0x1.36ffp-16f, 0x1.c80834p-19f, 0x1.2415cep-21f, 0x1.46a3b6p-24f, 0x1.3eb6dcp-27f},
    {-0x1.988452p-2f, -0x1.7cc796p-2f, -0x1.345d5ep-2f, -0x1.b1ec6p-3f, -0x1.094086p-3f,
     -0x1.19bfa8p-4f, -0x1.0402e6p-5f, -0x1.a0f23p-7f, -0x1.227208p-8f, -0x1.5f90aap-10f,
     -0x1.71b856p-12f, -0x1.51cf5ap-14f, -0x1.0c29d6p-16f, -0x1.71e612p-19f, -0x1.bb4bfap-22f,
     -0x1.cd914ep-25f},
    {-0x1.194eccp-20f, 0x1.1d90f6p-4f, 0x1.ce8abep-4f, 0x1.e8294ap-4f, 0x1.8de0dap-4f,
     0x1.082486p-4f, 0x1.2484acp-5f, 0x1.119fcep-6f, 0x1.b3a9eap-8f, 0x1.289e46p-9f,
     0x1.5a929cp-11f, 0x1.5c487p-13f, 0x1.2d8d6ep-15f, 0x1.c28296p-18f, 0x1.22a002p-20f,
     0x1.4415cap-23f},
    {0x1.106c18p-4f, 0x1.b457bcp-5f, 0x1.67b8eap-6f, -0x1.336756p-7f, -0x1.ba1034p-6f,
     -0x1.d87abep-6f, -0x1.6013ecp-6f, -0x1.995712p-7f, -0x1.8348f4p-8f, -0x1.307bfep-9f,
     -0x1.92a56p-11f, -0x1.c2ea54p-13f, -0x1.ae175ep-15f, -0x1.5ebeap-17f, -0x1.ea5562p-20f,
     -0x1.265f2ap-22f},
    {-0x1.2952bep-13f, -0x1.0cb43ep-6f, -0x1.758914p-6f, -0x1.19358ap-6f, -0x1.8f7ec2p-8f,
     0x1.620b3cp-9f, 0x1.8ecc4p-8f, 0x1.61d1c2p-8f, 0x1.b4680ep-9f, 0x1.a16468p-10f,
     0x1.430ba8p-11f, 0x1.9d958cp-13f, 0x1.bb8ee2p-15f, 0x1.9173p-17f, 0x1.347c7p-19f,
     0x1.94298ep-22f},
    {-0x1.399c62p-7f, -0x1.c0be58p-8f, 0x1.93fe24p-13f, 0x1.5a138p-8f, 0x1.7cb734p-8f,
     0x1.a7cee8p-9f, 0x1.cf4fc2p-12f, -0x1.f9d368p-11f, -0x1.1f6a8ap-10f, -0x1.7333b8p-11f,
     -0x1.5f1272p-12f, -0x1.0c1dcp-13f, -0x1.4abc5ep-15f, -0x1.4ea718p-17f, -0x1.1b7ceep-19f,
     -0x1.952376p-22f}};
} // namespace detail

/// e^x, or e^-x.
template <bool NEGATE, class V> POP_SIMD_INLINE V expOf(V x) {
  constexpr float SIGN = NEGATE ? -1.f : 1.f;
  const V magic = V::splat(detail::INTEGERS), y = detail::clampKeepNan(x, -87.f, 87.f);
  const V n = V::fma(y, V::splat(SIGN * 8 * detail::LOG2E), magic);
  const V r = V::fma(n - magic, V::splat(SIGN * -0x1.62e43p-4f), y); // of x
  const V power = detail::eighthPower<V>(n.bits());
  const V slope = V::fma(r, V::splat(detail::EXP<V>[1]), V::splat(SIGN * detail::EXP<V>[0]));
  return V::fma(r * power, slope, power);
}
template <class V> POP_SIMD_INLINE V exp(V x) { return expOf<false>(x); }

namespace detail {
/// log x by way of (log(1 + f) - f) / f^2.
template <class V, std::size_t N> POP_SIMD_INLINE V logOfNormal(V x, const float (&piece)[N]) {
  typename V::Int k;
  V e;
  const V f = math::detail::splitLog(x, e, k);
  const V big = V::fma(e, V::splat(0x1.62e43p-24f), lookup8(LOG_MIDDLE<V>, k));
  return V::fma(f, V::fma(f, polynomial(f, piece), V::splat(1.f)), big);
}
} // namespace detail
template <class V> POP_SIMD_INLINE V logOfNormal(V x) {
  return detail::logOfNormal(x, detail::LOG_PIECE<V>);
}
template <class V> POP_SIMD_INLINE V log(V x) {
  const V value = logOfNormal(x);
  return detail::anyNotPositiveNormal(x) ? detail::logSpecial(x, value) : value;
}

template <class V> POP_SIMD_INLINE V tanh(V x) {
  const V y = detail::clampKeepNan(x, -detail::TANH_END, detail::TANH_END), u = y * y;
  const V q = V::fma(u, u + V::splat(detail::TANH_Q<V>[1]), V::splat(detail::TANH_Q<V>[0]));
  return y * polynomial(u, detail::TANH_P<V>) / q;
}

/// a / (1 + e^-x)
template <class V> POP_SIMD_INLINE V timesSigmoid(V a, V x) {
  return a / (V::splat(1.f) + expOf<true>(x));
}
template <class V> POP_SIMD_INLINE V sigmoid(V x) { return timesSigmoid(V::splat(1.f), x); }

template <class V> POP_SIMD_INLINE V erf(V x) {
  const V y = detail::clampKeepNan(x, -detail::ERF_END, detail::ERF_END), u = y * y;
  return y * polynomial(u, u * u, detail::ERF<V>);
}

/// Two parts of pi are enough for all halves.
template <class V> POP_SIMD_INLINE V sin(V x) {
  return math::detail::sinInParts<2>(x, detail::SIN_WIDE<V>);
}
template <class V> POP_SIMD_INLINE V cos(V x) {
  return math::detail::cosInParts<2>(x, detail::SIN_WIDE<V>);
}

/// max(x, 0) - |x| T(|x|) with T of the pieces above.
template <class V> POP_SIMD_INLINE V geluErf(V x) {
  const V a = V::min(V::splat(detail::NORMAL_TAIL_END), V::abs(x)); // NaN stays
  const V magic = V::splat(detail::INTEGERS),
          k = V::fma(a, V::splat(1 / detail::NORMAL_STEP), magic);
  const V t = V::fnma(k - magic, V::splat(detail::NORMAL_STEP), a);
  return V::fnma(a, pieces(t, k.bits(), detail::NORMAL_TAIL<V>), V::max(V::zero(), x));
}

template <class V> POP_SIMD_INLINE V gelu(V x) {
  return timesSigmoid(V::max(V::splat(detail::LOWEST), x), math::detail::geluArgument(x));
}

template <class V> POP_SIMD_INLINE V swish(V x) {
  return timesSigmoid(V::max(V::splat(detail::LOWEST), x), x);
}

namespace detail {
/// log x, precise enough to be multiplied by 18 before its exponential is taken.
template <class V> POP_SIMD_INLINE V preciseLogOfNormal(V x) {
  return logOfNormal(x, math::detail::LOG_PIECE<V>);
}
template <class V> [[gnu::noinline]] V powOfHard(V x, V y) {
  if constexpr (RAISES<V>)
    if (V result; math::detail::isSpecialPow(x, y, result))
      return result;
  const V a = V::abs(x);
  return math::detail::powOf(x, y, exp(y * logSpecial(a, preciseLogOfNormal(a))));
}
} // namespace detail
/// x^y where not anyHardPow. A half result has |y log x| < 18, or has overflown or vanished.
template <class V> POP_SIMD_INLINE V powOfEasy(V x, V y) {
  return exp(y * detail::preciseLogOfNormal(x));
}
template <class V> POP_SIMD_INLINE V pow(V x, V y) {
  return math::detail::anyHardPow(x, y) ? detail::powOfHard(x, y) : powOfEasy(x, y);
}

} // namespace cottonwood::math::ofHalf
