/// \file SimdTrig.hpp
/// Trigonometric functions and their inverses; see SimdMath.hpp.
#pragma once

#include <codelets/arch/SimdMathBase.hpp>

namespace cottonwood::math {

namespace detail {
/// (sin r - r) / r^3 for |r| <= pi/2, in r^2.
template <class V>
inline constexpr float SIN_WIDE[] = {-0x1.555558p-3f, 0x1.110f8ep-7f, -0x1.9f771p-13f,
                                     0x1.5d524ap-19f};
template <class V>
inline constexpr float SIN_TAIL[] = {-0x1.555546p-3f, 0x1.110778p-7f, -0x1.99537ap-13f};
template <class V>
inline constexpr float COS_TAIL[] = {0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e7fcp-16f};
/// Up to here the three parts of pi/2 below are exact enough; larger arguments go to the C library.
inline constexpr float TRIG_LIMIT = 32768.f;

/// x = n pi/2 + r, |r| <= pi/4; sine and cosine of r.
template <class V> POP_SIMD_INLINE typename V::Int reduceTrig(V x, V &sine, V &cosine) {
  const V n = V::nearest(x * V::splat(0.636619772f));
  V r = V::fnma(n, V::splat(0x1.921fb6p+0f), x);
  r = V::fnma(n, V::splat(-0x1.777a5cp-25f), r);
  r = V::fnma(n, V::splat(-0x1.ee59dap-50f), r);
  const V u = r * r;
  sine = V::fma(u * r, polynomial(u, SIN_TAIL<V>), r);
  cosine = V::fma(u * u, polynomial(u, COS_TAIL<V>), V::fnma(V::splat(0.5f), u, V::splat(1.f)));
  return n.toInt();
}

/// -a where bit `Bit` of n is set.
template <int Bit, class V> POP_SIMD_INLINE V negateIf(V a, typename V::Int n) {
  using I = typename V::Int;
  const I sign = n.template shiftLeft<31 - Bit>();
  return V::fromBits(a.bits() ^ (Bit == 0 ? sign : sign & I::splat(INT32_MIN)));
}

template <class V> POP_SIMD_INLINE typename V::Mask isOdd(typename V::Int n) {
  using I = typename V::Int;
  return (n & I::splat(1)) == I::splat(1);
}

template <class V> POP_SIMD_INLINE bool anyLargeTrig(V x) { return anyLarger(x, TRIG_LIMIT); }

/// f of the C library in the lanes where |x| is beyond TRIG_LIMIT, `fast` elsewhere.
template <class V, class F> POP_SIMD_INLINE V largeTrig(V x, V fast, F f) {
  if (!anyLargeTrig(x))
    return fast;
  float in[V::width], out[V::width];
  x.store(in);
  fast.store(out);
  for (int i = 0; i < V::width; ++i)
    if (__builtin_fabsf(in[i]) > TRIG_LIMIT)
      out[i] = f(in[i]);
  return V::load(out);
}

inline constexpr float INVERSE_PI = 0x1.45f306p-2f;
inline constexpr float PI_PARTS[] = {0x1.921fb4p+1f, 0x1.4442dp-23f, 0x1.84698ap-47f};

/// sin r with the sign changed where bit `Bit` of n is set; |r| <= pi/2 + 0.013.
/// \param tail  as SIN_WIDE
template <int Bit, class V, std::size_t N>
POP_SIMD_INLINE V sinOfHalfTurn(V r, typename V::Int n, const float (&tail)[N]) {
  const V u = r * r; // added to 0 it is +0 for r = -0, and the result -0
  return negateIf<Bit>(V::fma(r, V::fma(u, polynomial(u, tail), V::zero()), r), n);
}

/// Sine by way of x - n pi with PARTS parts of pi, which are positive, so that -0 stays; three
/// parts are enough for x below TRIG_LIMIT.
template <std::size_t PARTS, class V, std::size_t N>
POP_SIMD_INLINE V sinInParts(V x, const float (&tail)[N]) {
  const V magic = V::splat(INTEGERS);
  const V n = V::fma(x, V::splat(INVERSE_PI), magic), whole = n - magic;
  V r = x;
  arch::unrolled<PARTS>([&](auto p)
                            POP_SIMD_LAMBDA { r = V::fnma(whole, V::splat(PI_PARTS[p]), r); });
  return sinOfHalfTurn<0>(r, n.bits(), tail);
}
/// Cosine by way of n pi - x with the same parts, for n in the middle between two integers.
template <std::size_t PARTS, class V, std::size_t N>
POP_SIMD_INLINE V cosInParts(V x, const float (&tail)[N]) {
  using I = typename V::Int;
  // The sum has seven bits behind those of integers, which are cut off: n is up to 1/2 + 2^-8 away
  // from x / pi.
  const I bits = V::fma(x, V::splat(INVERSE_PI), V::splat(0x1.8p16f)).bits();
  const V n = V::fromBits(bits & I::splat(-0x80)) - V::splat(0x1.8p16f - 0.5f);
  V r = V::fms(n, V::splat(PI_PARTS[0]), x);
  arch::unrolled<PARTS - 1>([&](auto p)
                                POP_SIMD_LAMBDA { r = V::fma(n, V::splat(PI_PARTS[p + 1]), r); });
  return sinOfHalfTurn<7>(r, bits, tail);
}
} // namespace detail

/// 2 ulp below TRIG_LIMIT.
template <class V> POP_SIMD_INLINE V sinOfSmall(V x) {
  return detail::sinInParts<3>(x, detail::SIN_WIDE<V>);
}
/// The same; beyond, the C library's.
template <class V> POP_SIMD_INLINE V sin(V x) {
  return detail::largeTrig(x, sinOfSmall(x), [](float a) { return __builtin_sinf(a); });
}

/// 2 ulp below TRIG_LIMIT.
template <class V> POP_SIMD_INLINE V cosOfSmall(V x) {
  return detail::cosInParts<3>(x, detail::SIN_WIDE<V>);
}
/// The same; beyond, the C library's.
template <class V> POP_SIMD_INLINE V cos(V x) {
  return detail::largeTrig(x, cosOfSmall(x), [](float a) { return __builtin_cosf(a); });
}

/// 4 ulp below TRIG_LIMIT; beyond, the C library's.
template <class V> POP_SIMD_INLINE V tan(V x) {
  V s, c;
  const auto n = detail::reduceTrig(x, s, c);
  const auto odd = detail::isOdd<V>(n);
  const V value = V::select(odd, -c, s) / V::select(odd, s, c);
  return detail::largeTrig(x, V::select(x == V::zero(), x, value),
                           [](float a) { return __builtin_tanf(a); });
}

/// 2 ulp; NaN beyond [-1, 1].
template <class V> POP_SIMD_INLINE V asin(V x) {
  static constexpr float TAIL[] = {0x1.55554cp-3f, 0x1.3338a2p-4f, 0x1.6ca9fep-5f,
                                   0x1.04b532p-5f, 0x1.d73c02p-7f, 0x1.33f09cp-5f};
  const V a = V::abs(x), half = V::splat(0.5f);
  const auto large = a > half;
  // asin a = pi/2 - 2 asin sqrt((1 - a) / 2)
  const V u = V::select(large, V::fnma(a, half, half), a * a);
  const V r = V::select(large, V::sqrt(u), a);
  const V p = V::fma(u * r, polynomial(u, TAIL), r);
  const V folded = V::fnma(V::splat(2.f), p, V::splat(1.57079637f)) + V::splat(-4.37113883e-8f);
  return copySign(V::select(large, folded, p), x);
}

/// Quadrant aware; 2 ulp.
template <class V> POP_SIMD_INLINE V atan2(V y, V x) {
  static constexpr float TAIL[] = {-0x1.55553ep-2f, 0x1.9991eap-3f,  -0x1.2420f8p-3f,
                                   0x1.c0929ap-4f,  -0x1.581f88p-4f, 0x1.da82f4p-5f,
                                   -0x1.fe453ap-6f, 0x1.65109ap-7f,  -0x1.d524cap-10f};
  const V ax = V::abs(x), ay = V::abs(y);
  const auto steep = ay > ax;
  const V small = V::select(steep, ax, ay), large = V::select(steep, ay, ax);
  V a = small / large;
  a = V::select(large == V::zero(), V::zero(), a);
  a = V::select(small == V::splat(__builtin_inff()), V::splat(1.f), a);
  const V u = a * a;
  V angle = V::fma(u * a, polynomial(u, TAIL), a);
  angle = V::select(steep, (V::splat(1.57079637f) - angle) + V::splat(-4.37113883e-8f), angle);
  const V back = (V::splat(3.14159274f) - angle) + V::splat(-8.74227766e-8f);
  angle = V::select(signBit(x), back, angle);
  return V::select(isNan(x) | isNan(y), x + y, copySign(angle, y));
}

} // namespace cottonwood::math
