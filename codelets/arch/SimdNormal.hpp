/// \file SimdNormal.hpp
/// The error function and the normal distribution; see SimdMath.hpp.
#pragma once

#include <codelets/arch/SimdLog.hpp>

namespace cottonwood::math {

namespace detail {
/// Of erf around multiples of ERF_STEP.
inline constexpr float ERF_STEP = 67 / 128.f;
template <class V>
inline constexpr float ERF[][8] = {
    {0, 0x1.14eab4p-1f, 0x1.b8f742p-1f, 0x1.f27ff8p-1f, 0x1.fe6e18p-1f, 0x1.ffe3e2p-1f,
     0x1.fffed4p-1f, 0x1.fffff8p-1f},
    {0x1.20dd76p+0f, 0x1.b745cap-1f, 0x1.822e84p-2f, 0x1.888d1cp-4f, 0x1.cd5ecap-7f,
     0x1.397ceep-10f, 0x1.ec92bcp-15f, 0x1.bfb11cp-20f},
    {-0x1.79d6fep-17f, -0x1.cbdce6p-2f, -0x1.9448d2p-2f, -0x1.3435a8p-3f, -0x1.e31376p-6f,
     -0x1.9a9f98p-9f, -0x1.7eba5cp-13f, -0x1.7bdf86p-20f},
    {-0x1.80ca7ap-2f, -0x1.08cc88p-3f, 0x1.32bf9ap-3f, 0x1.0143e8p-3f, 0x1.2aaa4ap-5f,
     0x1.4bb69ap-8f, 0x1.7fc7f2p-12f, 0x1.dbe8ecp-17f},
    {-0x1.084c1cp-8f, 0x1.77ca94p-3f, 0x1.b40b8cp-5f, -0x1.8d7072p-5f, -0x1.cda4d4p-6f,
     -0x1.668f28p-8f, -0x1.333dfep-11f, -0x1.aa58dap-13f},
    {0x1.0ff74ep-3f, 0x1.2ce5d6p-10f, -0x1.0ce256p-4f, -0x1.008fc8p-7f, 0x1.9d543ep-7f,
     0x1.1ed9a2p-8f, 0x1.25d614p-11f, 0x1.2e9078p-15f},
    {-0x1.56054ap-5f, -0x1.88b052p-5f, 0x1.107d36p-7f, 0x1.18a814p-6f, -0x1.61f63p-9f,
     -0x1.b1c23ep-9f, 0x1.0a4204p-12f, 0x1.bb6696p-10f}};
/// EIGHTH_POWERS times 2^64.
template <class V>
inline constexpr float LARGE_EIGHTH_POWERS[8] = {
    0x1p64f * EIGHTH_POWERS<V>[0], 0x1p64f * EIGHTH_POWERS<V>[1], 0x1p64f * EIGHTH_POWERS<V>[2],
    0x1p64f * EIGHTH_POWERS<V>[3], 0x1p64f * EIGHTH_POWERS<V>[4], 0x1p64f * EIGHTH_POWERS<V>[5],
    0x1p64f * EIGHTH_POWERS<V>[6], 0x1p64f * EIGHTH_POWERS<V>[7]};
/// (e^(-u/2) - 1) / u for |u| <= ln(2) / 8.
template <class V> inline constexpr float EXP_OF_HALF[] = {-0.5f, 0x1.00087cp-3f, -0x1.55586ap-6f};
/// e^(a^2/2) times the normal distribution's tail beyond a, as P(a) / Q(a) for 0 <= a <= 14.5, by
/// half binades of a + 1. P ends with a^2; Q is 2^64 times the denominator, so that 2^64
/// e^(-a^2/2), which is normal, is not rounded twice.
template <class V>
inline constexpr float TAIL_P[][8] = {
    {0x1.360adep+3f, 0x1.cf0464p+2f, 0x1.51b72ep+2f, 0x1.ed0104p+1f, 0x1.7cd6eap+1f, 0x1.2452bp+1f,
     0x1.d4bbc4p+3f, 0x1.898adcp+3f},
    {0x1.321dcep+2f, 0x1.058f62p+2f, 0x1.a85b9ep+1f, 0x1.441a54p+1f, 0x1.dc9aacp+0f, 0x1.199daep+0f,
     0x1.614914p+2f, 0x1.51b9c2p+2f}};
template <class V>
inline constexpr float TAIL_Q[][8] = {
    {0x1.35fa14p+68f, 0x1.cdd1eep+67f, 0x1.4c8e94p+67f, 0x1.cef744p+66f, 0x1.401a9ep+66f,
     0x1.641f0cp+65f, 0x1.d4bbc4p+68f, 0x1.898a3ap+68f},
    {0x1.90c296p+68f, 0x1.3d607p+68f, 0x1.ed8d7ap+67f, 0x1.820786p+67f, 0x1.3e0b7p+67f,
     0x1.077bdap+67f, 0x1.1351a8p+69f, 0x1.e2e304p+68f},
    {0x1.8794a8p+67f, 0x1.4aadp+67f, 0x1.0ac06ep+67f, 0x1.969434p+66f, 0x1.2abbbep+66f,
     0x1.60ea6ap+65f, 0x1.d9f4dp+67f, 0x1.b8d2d8p+67f},
    {0x1.3ec198p+65f, 0x1.404836p+65f, 0x1.40badep+65f, 0x1.40d44cp+65f, 0x1.40d8aep+65f,
     0x1.40d98p+65f, 0x1.337924p+65f, 0x1.3acf9cp+65f}};

/// Beyond this the normal distribution has no tail.
inline constexpr float NORMAL_END = 14.5f;
/// 2^64 e^(-a^2/2) for 0 <= a <= NORMAL_END.
template <class V> POP_SIMD_INLINE V scaledDensity(V a) {
  const V square = a * a, lost = V::fms(a, a, square);
  // a^2 = rest - n ln(2) / 4; what the product with n lacks, up to 3e-7, is in P and Q.
  const V shift = V::splat(INTEGERS), sum = V::fma(square, V::splat(-4 * LOG2E), shift);
  const V rest = V::fma(sum - shift, V::splat(0x1.62e43p-3f), square) + lost;
  const V power = eighthPower<V>(sum.bits(), LARGE_EIGHTH_POWERS<V>);
  return V::fma(rest * power, polynomial(rest, EXP_OF_HALF<V>), power);
}
/// P(a) / Q(a) for 0 <= a <= NORMAL_END.
template <class V> POP_SIMD_INLINE V scaledTailRatio(V a) {
  const auto k = halfBinade(a + V::splat(1.f));
  const auto p = [&](std::size_t i) POP_SIMD_LAMBDA { return lookup8(TAIL_P<V>[i], k); };
  const auto q = [&](std::size_t i) POP_SIMD_LAMBDA { return lookup8(TAIL_Q<V>[i], k); };
  const V denominator = polynomialOfPairs<4>(a, a * a, q);
  return V::fma(a, a + p(1), p(0)) / denominator;
}

/// The probability that a standard normal number exceeds a >= 0; 0 beyond NORMAL_END.
template <class V> POP_SIMD_INLINE V normalTail(V a) {
  const V b = V::min(V::splat(NORMAL_END), a); // NaN stays
  return scaledTailRatio(b) * scaledDensity(b);
}
} // namespace detail

/// Eight polynomials in |x|, and the sign of x; 3 ulp.
template <class V> POP_SIMD_INLINE V erf(V x) {
  const V z = V::min(V::splat(3.925f), V::abs(x)); // NaN stays; beyond, erf rounds to 1
  const V magic = V::splat(detail::INTEGERS);
  const V k = V::fma(z, V::splat(1 / detail::ERF_STEP), magic);
  const V t = V::fnma(k - magic, V::splat(detail::ERF_STEP), z);
  return giveSign(pieces(t, k.bits(), detail::ERF<V>), x);
}

/// The normal distribution function, erfc(-x / sqrt 2) / 2: accurate in its small tail as well.
template <class V> POP_SIMD_INLINE V normalCdf(V x) {
  const V tail = detail::normalTail(V::abs(x));
  return V::select(signBit(x), tail, V::splat(1.f) - tail);
}

/// z >= 0 that a standard normal number exceeds in magnitude with probability a, for a in [2^-32,
/// 1]: sqrt(2) erfinv(1 - a) as (1 - a) times a polynomial in w = -log(a (2 - a)), or in its root
/// where w is large (the form of M. Giles, "Approximating the erfinv function", 2010). Relative
/// error 1e-6 for a < 1/2; absolute error 2e-7 above.
template <class V> POP_SIMD_INLINE V normalQuantileOfTail(V a) {
  static constexpr float CENTRE[] = {0x1.0fc8bap+1f,   0x1.652cc2p-2f,  -0x1.831026p-8f,
                                     -0x1.d11bd4p-10f, 0x1.424b02p-12f, -0x1.85934ap-18f,
                                     -0x1.2e65fcp-18f, 0x1.e068a2p-22f};
  static constexpr float TAIL[] = {0x1.00696ep+2f,  0x1.6aa5f6p+0f,  0x1.b50fbp-7f,
                                   -0x1.664c1p-7f,  0x1.0c8e72p-7f,  -0x1.3753fep-8f,
                                   0x1.ad3b02p-10f, -0x1.f68ed8p-13f};
  V e;
  const V f = detail::splitLog(a * (V::splat(2.f) - a), e);
  const V w = V::max(V::zero(), -detail::logSum(f, e, V::zero()));
  const V centre = polynomial(w - V::splat(2.5f), CENTRE);
  const V tail = polynomial(V::sqrt(w) - V::splat(3.f), TAIL);
  return (V::splat(1.f) - a) * V::select(w < V::splat(5.f), centre, tail);
}

/// x normalCdf(x) as max(x, 0) - |x| normalCdf(-|x|); 5 ulp for x > -1, relative error 1e-6 below
/// while normal.
template <class V> POP_SIMD_INLINE V geluErf(V x) {
  const V a = V::min(V::splat(detail::NORMAL_END), V::abs(x)); // NaN stays
  return V::fnma(a * detail::scaledDensity(a), detail::scaledTailRatio(a),
                 V::max(V::splat(-0.f), x));
}

/// d/dx geluErf = normalCdf(x) + x phi(x).
template <class V> POP_SIMD_INLINE V geluErfDerivative(V x) {
  const V a = V::min(V::splat(20.f), V::max(V::splat(-20.f), x));
  const V density = V::splat(0.398942280f) * exp(a * a * V::splat(-0.5f));
  return V::fma(a, density, normalCdf(x));
}

} // namespace cottonwood::math
