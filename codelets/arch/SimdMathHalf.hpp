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
using math::detail::ERF_STEP;
using math::detail::INTEGERS;
using math::detail::largeTrig;
using math::detail::LOG2E;
using math::detail::logSpecial;
/// The least finite half: for larger arguments, and NaN, max of it gives these; for -inf, products
/// with something tiny give -0.
inline constexpr float LOWEST = -65504.f;
/// e^r for |r| <= ln(2) / 2.
template <class V>
inline constexpr float EXP[] = {0x1.ffffe6p-1f, 0x1.fffb34p-1f, 0x1.0005ecp-1f, 0x1.57e0b8p-3f,
                                0x1.538874p-5f};
/// LOG_HI + LOG_LO.
template <class V>
inline constexpr float LOG_MIDDLE[8] = {
    -0x1.269624p-2f, -0x1.a93ed8p-3f, -0x1.1178eep-3f, -0x1.f0a30cp-5f, 0,
    0x1.9335e6p-4f,  0x1.c8ff7ap-3f,  0x1.4618bap-2f};
template <class V>
inline constexpr float LOG_PIECE[] = {-0x1.0001bp-1f, 0x1.55f7dep-2f, -0x1.f17ff4p-3f};
template <class V>
inline constexpr float SIN_WIDE[] = {-0x1.55510cp-3f, 0x1.1070a2p-7f, -0x1.84cf88p-13f};
/// Of tanh on pieces of z + 3/4 that are half binades; the first three are the last.
template <class V>
inline constexpr float TANH_CENTRE[8] = {1.75f, 2.75f, 4.25f, 6.25f, 8.125f, 0, 0.5f, 1.f};
template <class V>
inline constexpr float TANH[][8] = {
    {0x1.e1fc2p-1f, 0x1.fbd5p-1f, 0x1.ffca82p-1f, 0x1.ffff06p-1f, 0x1.fffffap-1f, 0, 0x1.d93526p-2f,
     0x1.85efbp-1f},
    {0x1.d225aep-4f, 0x1.09a87ap-6f, 0x1.aba0cep-11f, 0x1.f52c22p-17f, 0x1.786bd8p-22f,
     0x1.fffffep-1f, 0x1.92a9e8p-1f, 0x1.ae0dbp-2f},
    {-0x1.b72d3ap-4f, -0x1.072c1p-6f, -0x1.9ea6e2p-11f, -0x1.e9e942p-17f, -0x1.4e025p-22f,
     0x1.b022dp-17f, -0x1.740b8ep-2f, -0x1.47914cp-2f},
    {0x1.026352p-4f, 0x1.59626p-7f, 0x1.151ee2p-11f, 0x1.460076p-17f, 0x1.f162f4p-23f,
     -0x1.55bbbap-2f, -0x1.834b64p-4f, 0x1.a8696ap-4f},
    {-0x1.73abb6p-6f, -0x1.5bb83ep-8f, -0x1.585f92p-12f, -0x1.8fe056p-18f, -0x1.7ea634p-23f,
     0x1.ff31aap-9f, 0x1.47cd34p-3f, 0x1.e25a3ep-6f},
    {0x1.5c657cp-9f, 0x1.ff82f8p-10f, 0x1.0f7236p-13f, 0x1.3f5d8ep-19f, 0x1.ce005ap-25f,
     0x1.eb1edp-4f, -0x1.564f9ep-6f, -0x1.7b2b2ap-5f}};
/// As math's, of degree 5.
template <class V>
inline constexpr float ERF[][8] = {
    {0, 0x1.14eaa4p-1f, 0x1.b8f744p-1f, 0x1.f27ffep-1f, 0x1.fe6e16p-1f, 0x1.ffe3ep-1f,
     0x1.fffed4p-1f, 0x1.fffff8p-1f},
    {0x1.20dd74p+0f, 0x1.b7465ap-1f, 0x1.822e8ap-2f, 0x1.888cbp-4f, 0x1.cd5ec8p-7f, 0x1.397cb4p-10f,
     0x1.ec92ep-15f, 0x1.bf7108p-20f},
    {0x1.3c0b54p-17f, -0x1.cbbbf4p-2f, -0x1.944e3p-2f, -0x1.344d96p-3f, -0x1.e2e362p-6f,
     -0x1.992632p-9f, -0x1.7fa7c8p-13f, -0x1.08986p-18f},
    {-0x1.816a2ap-2f, -0x1.094ed6p-3f, 0x1.32bcb6p-3f, 0x1.014f0cp-3f, 0x1.2aad1p-5f,
     0x1.4bbf76p-8f, 0x1.7faf68p-12f, 0x1.e1e3bap-17f},
    {0x1.3517bep-9f, 0x1.6dbb5ep-3f, 0x1.bae65cp-5f, -0x1.7efa4ep-5f, -0x1.d3437cp-6f,
     -0x1.7f155ap-8f, -0x1.27262ep-11f, -0x1.de8396p-15f},
    {0x1.af0a24p-4f, 0x1.08b0a6p-8f, -0x1.0c9d34p-4f, -0x1.084e6p-7f, 0x1.9c7cd2p-7f, 0x1.1e594p-8f,
     0x1.26b6cep-11f, 0x1.123d48p-15f}};
/// The probability that a standard normal number exceeds a, around multiples of 1/2 up to
/// NORMAL_TAIL_END, where halves have none left.
inline constexpr float NORMAL_TAIL_END = 7.7f;
template <class V>
inline constexpr float NORMAL_TAIL[][16] = {
    {0x1p-1f, 0x1.3bf144p-2f, 0x1.44ed0cp-3f, 0x1.11a46ep-4f, 0x1.74bcf8p-6f, 0x1.96f4e4p-8f,
     0x1.61de1ep-10f, 0x1.e7dbccp-13f, 0x1.09ad84p-15f, 0x1.c8077p-19f, 0x1.33cab2p-22f,
     0x1.463e3ap-26f, 0x1.0f3318p-30f, 0x1.6145bp-35f, 0x1.6845f6p-40f, 0x1.1f75d4p-45f},
    {-0x1.988454p-2f, -0x1.6883dp-2f, -0x1.ef8e5ap-3f, -0x1.094086p-3f, -0x1.ba4b44p-5f,
     -0x1.1f2f04p-6f, -0x1.22721p-8f, -0x1.c98988p-11f, -0x1.18a9cap-13f, -0x1.0c2a4ep-16f,
     -0x1.8f18b4p-20f, -0x1.ce9326p-24f, -0x1.a18e32p-28f, -0x1.258b38p-32f, -0x1.416deep-37f,
     -0x1.121aeap-42f},
    {0x1.758624p-21f, 0x1.6882c8p-4f, 0x1.ef8dc8p-4f, 0x1.8de05p-4f, 0x1.ba4b56p-5f, 0x1.66fb0ep-6f,
     0x1.b3ab6ep-8f, 0x1.9057e2p-10f, 0x1.18a7dep-12f, 0x1.2da96ep-15f, 0x1.f2c7cep-19f,
     0x1.3de858p-22f, 0x1.38f802p-26f, 0x1.dc8232p-31f, 0x1.18ca34p-35f, 0x1.005904p-40f},
    {0x1.10494cp-4f, 0x1.6883a4p-5f, 0x1.b4f976p-20f, -0x1.ba1182p-6f, -0x1.ba4beep-6f,
     -0x1.f69726p-7f, -0x1.834664p-8f, -0x1.aced2p-10f, -0x1.5ec0e8p-12f, -0x1.adf53ep-15f,
     -0x1.8eb5acp-18f, -0x1.197028p-21f, -0x1.2fc1dep-25f, -0x1.f6e4ecp-30f, -0x1.400e3ep-34f,
     -0x1.39ce16p-39f},
    {0x1.16dd3ep-13f, -0x1.49de0cp-6f, -0x1.4a055p-6f, -0x1.8cb80cp-8f, 0x1.26bf42p-8f,
     0x1.84b868p-8f, 0x1.b39464p-9f, 0x1.34ad6ep-10f, 0x1.3056d2p-12f, 0x1.b291d6p-15f,
     0x1.cafb0ap-18f, 0x1.6b38c4p-21f, 0x1.b27286p-25f, 0x1.8b0e68p-29f, 0x1.124d38p-33f,
     0x1.23d21ap-38f},
    {-0x1.5b210cp-7f, -0x1.2b4ca6p-8f, 0x1.03bddep-8f, 0x1.7d59b4p-8f, 0x1.282534p-9f,
     -0x1.505d8cp-11f, -0x1.203f5p-10f, -0x1.30751cp-11f, -0x1.82a2dep-13f, -0x1.4dea8ep-15f,
     -0x1.9be094p-18f, -0x1.740d4ep-21f, -0x1.f3b35p-25f, -0x1.f7e29ap-29f, -0x1.801abcp-33f,
     -0x1.bce062p-38f},
    {0x1.6cd50cp-10f, 0x1.61b6f4p-9f, 0x1.d6337ep-10f, -0x1.b0cfd2p-11f, -0x1.5a90dp-10f,
     -0x1.fedb42p-12f, 0x1.e1d79cp-14f, 0x1.724f34p-13f, 0x1.4ea06ep-14f, 0x1.64d25cp-16f,
     0x1.ffb1f6p-19f, 0x1.03913ep-21f, 0x1.7ea77p-25f, 0x1.a09ecap-29f, 0x1.52bbacp-33f,
     0x1.9e6e62p-38f}};
} // namespace detail

template <class V> POP_SIMD_INLINE V exp(V x) {
  const V magic = V::splat(detail::INTEGERS);
  const V y = detail::clampKeepNan(x, -87.f, 87.f);
  const V n = V::fma(y, V::splat(detail::LOG2E), magic);
  const V r = V::fnma(n - magic, V::splat(0x1.62e43p-1f), y);
  // A NaN's low bits are 0, as they are in every NaN that was a half.
  return V::fromBits(polynomial(r, detail::EXP<V>).bits() + n.bits().template shiftLeft<23>());
}

template <class V> POP_SIMD_INLINE V logOfNormal(V x) {
  typename V::Int k;
  V e;
  const V f = math::detail::splitLog(x, e, k);
  const V big = V::fma(e, V::splat(0x1.62e43p-24f), lookup8(detail::LOG_MIDDLE<V>, k));
  return big + V::fma(f * f, polynomial(f, detail::LOG_PIECE<V>), f);
}
template <class V> POP_SIMD_INLINE V log(V x) {
  const V value = logOfNormal(x);
  return detail::anyNotPositiveNormal(x) ? detail::logSpecial(x, value) : value;
}

template <class V> POP_SIMD_INLINE V tanh(V x) {
  const V z = V::min(V::splat(9.02f), V::abs(x));
  const auto k = halfBinade(z + V::splat(0.75f));
  return copySign(pieces(z - lookup8(detail::TANH_CENTRE<V>, k), k, detail::TANH<V>), x);
}

template <class V> POP_SIMD_INLINE V sigmoid(V x) {
  const V one = V::splat(1.f);
  return one / (one + exp(-x));
}

template <class V> POP_SIMD_INLINE V erf(V x) {
  const V z = V::min(V::splat(3.925f), V::abs(x)), magic = V::splat(detail::INTEGERS);
  const V k = V::fma(z, V::splat(1 / detail::ERF_STEP), magic);
  const V t = V::fnma(k - magic, V::splat(detail::ERF_STEP), z);
  return copySign(pieces(t, k.bits(), detail::ERF<V>), x);
}

/// Two parts of pi are enough for halves: |n| < 2^14.
template <class V> POP_SIMD_INLINE V sinOfSmall(V x) {
  return math::detail::sinInParts<2>(x, detail::SIN_WIDE<V>);
}
template <class V> POP_SIMD_INLINE V sin(V x) {
  return detail::largeTrig(x, sinOfSmall(x), [](float a) { return __builtin_sinf(a); });
}

template <class V> POP_SIMD_INLINE V cosOfSmall(V x) {
  return math::detail::cosInParts<2>(x, detail::SIN_WIDE<V>);
}
template <class V> POP_SIMD_INLINE V cos(V x) {
  return detail::largeTrig(x, cosOfSmall(x), [](float a) { return __builtin_cosf(a); });
}

/// max(x, 0) - |x| T(|x|) with T of the pieces above.
template <class V> POP_SIMD_INLINE V geluErf(V x) {
  const V a = V::min(V::splat(detail::NORMAL_TAIL_END), V::abs(x)); // NaN stays
  const V magic = V::splat(detail::INTEGERS), k = V::fma(a, V::splat(2.f), magic);
  const V t = V::fnma(k - magic, V::splat(0.5f), a);
  return V::fnma(a, pieces(t, k.bits(), detail::NORMAL_TAIL<V>), V::max(V::zero(), x));
}

template <class V> POP_SIMD_INLINE V gelu(V x) {
  return V::max(V::splat(detail::LOWEST), x) * sigmoid(math::detail::geluArgument(x));
}

template <class V> POP_SIMD_INLINE V swish(V x) {
  return V::max(V::splat(detail::LOWEST), x) * sigmoid(x);
}

/// A half result has |y log x| < 18, or has overflown or vanished.
template <class V> POP_SIMD_INLINE V pow(V x, V y) {
  return math::detail::powOf(x, y, exp(y * math::log(V::abs(x))));
}

} // namespace cottonwood::math::ofHalf
