/// \file SimdMath.hpp
/// Elementary functions of simd<float, Tag>.
///
/// Built from correctly rounded operations alone (+ - * / fma sqrt, conversions, bits), in the same
/// order for every tag: results are the same bits on every instruction set. Polynomials are
/// weighted minimax fits of ours (Lawson's algorithm in 40 digits, coefficients rounded to float
/// one by one); the bound beside each function is the largest error seen against a double
/// reference, in units in the last place of the float result.
#pragma once

#include <codelets/arch/SimdPack.hpp>

namespace cottonwood::math {

/// c[0] + x (c[1] + x (c[2] + ...)), as a chain of fma.
template <class V, std::size_t N> POP_SIMD_INLINE V polynomial(V x, const float (&c)[N]) {
  V sum = V::splat(c[N - 1]);
  arch::unrolled<N - 1>([&](auto i)
                            POP_SIMD_LAMBDA { sum = V::fma(sum, x, V::splat(c[N - 2 - i])); });
  return sum;
}

/// The same with x2 = x x at hand: even and odd powers are added up apart, which takes no more
/// operations and half as long until the sum is there.
template <class V, std::size_t N> POP_SIMD_INLINE V polynomial(V x, V x2, const float (&c)[N]) {
  V last = V::splat(c[N - 1]), other = V::splat(c[N - 2]);
  arch::unrolled<N - 2>([&](auto i) POP_SIMD_LAMBDA {
    const V sum = V::fma(last, x2, V::splat(c[N - 3 - i]));
    last = other;
    other = sum;
  });
  return V::fma(last, x, other);
}

/// The magnitude of a with the sign of b.
template <class V> POP_SIMD_INLINE V copySign(V a, V b) {
  using I = typename V::Int;
  const I sign = I::splat(INT32_MIN);
  return V::fromBits((V::abs(a).bits()) | (b.bits() & sign));
}

/// True where the sign bit is set.
template <class V> POP_SIMD_INLINE typename V::Mask signBit(V a) {
  return a.bits() < V::Int::zero();
}

template <class V> POP_SIMD_INLINE typename V::Mask isNan(V a) { return a != a; }

namespace detail {
/// Whether any lane exceeds a number.
template <class I> POP_SIMD_INLINE bool anyGreater(I a, std::int32_t limit) {
  return (a > I::splat(limit)).any();
}
template <class I, std::size_t N>
POP_SIMD_INLINE bool anyGreater(arch::IntPack<I, N> a, std::int32_t limit) {
  return anyGreater(a.largest(), limit);
}
/// Whether any lane is NaN or exceeds a number in magnitude.
template <class V> POP_SIMD_INLINE bool anyLarger(V x, float limit) {
  return anyGreater(V::abs(x).bits(), arch::bitCast<std::int32_t>(limit));
}
} // namespace detail

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

/// 2^(n - 1) for integers n in [-125, 128].
template <class V> POP_SIMD_INLINE V halfOfPower(V n) {
  if constexpr (ScalesAtOnce<V>)
    return V::scale(V::splat(0.5f), n);
  else
    return V::fromBits((n.toInt() + V::Int::splat(126)).template shiftLeft<23>());
}

namespace detail {
inline constexpr float LOG2E = 1.44269504f;
/// ln 2 in two parts; the first has trailing zeros, so that its product with a power is exact.
inline constexpr float LN2_HI = 0x1.62e400p-1f, LN2_LO = 0x1.7f7d1cp-20f;
/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
template <class V>
inline constexpr float EXP_TAIL[] = {0x1p-1f, 0x1.555486p-3f, 0x1.5554ep-5f, 0x1.1241dp-7f,
                                     0x1.6d5736p-10f};
/// (e^2r - 1 - 2 r) / (2 r^2) for |r| <= ln(2) / 4.
template <class V>
inline constexpr float EXP_TAIL_OF_TWICE[] = {2 * EXP_TAIL<V>[0], 4 * EXP_TAIL<V>[1],
                                              8 * EXP_TAIL<V>[2], 16 * EXP_TAIL<V>[3],
                                              32 * EXP_TAIL<V>[4]};
/// (2^r - 1) / r for |r| <= 1/2.
template <class V>
inline constexpr float EXP2_TAIL[] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af6cp-5f,
                                      0x1.3b2a44p-7f, 0x1.5f12ccp-10f, 0x1.442a38p-13f};
/// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f in [sqrt(1/2), sqrt(2)].
template <class V>
inline constexpr float LOG_TAIL[] = {0x1.555548p-2f,  -0x1.000008p-2f, 0x1.99a478p-3f,
                                     -0x1.555b8ap-3f, 0x1.233af4p-3f,  -0x1.fc3ebap-4f,
                                     0x1.e6ddecp-4f,  -0x1.dd955p-4f,  0x1.13b67p-4f};

/// The integer nearest to x y, for |x y| < 2^22: the sum has no room for a fraction.
template <class V> POP_SIMD_INLINE V nearestProduct(V x, float y) {
  const V shift = V::splat(0x1.8p23f);
  return V::fma(x, V::splat(y), shift) - shift;
}

/// x = n ln 2 + r with |r| <= ln(2) / 2.
template <class V> POP_SIMD_INLINE V reduceExp(V x, V &n) {
  n = nearestProduct(x, LOG2E);
  return V::fnma(n, V::splat(LN2_LO), V::fnma(n, V::splat(LN2_HI), x));
}

/// The same; `power` is 2^(n + BIAS) where that is normal. Reads n from the lowest bits of the sum
/// whose rounding finds it: one operation. `half` halves r, for x / 2 given.
template <int BIAS, class V> POP_SIMD_INLINE V reduceExp(V x, V &power, float half = 1) {
  const V shift = V::splat(0x1.8p23f + (127 + BIAS));
  const V sum = V::fma(x, V::splat(LOG2E / half), shift), n = sum - shift;
  power = V::fromBits(sum.bits().template shiftLeft<23>());
  return V::fnma(n, V::splat(LN2_LO * half), V::fnma(n, V::splat(LN2_HI * half), x));
}

/// power e^r for |r| <= ln(2) / 2 and powers of 2, rounded once if all are normal: e^r - 1 and 1
/// are scaled before they are added.
template <class V> POP_SIMD_INLINE V scaledExp(V r, V power) {
  const V r2 = r * r;
  return V::fma(V::fma(r2, polynomial(r, r2, EXP_TAIL<V>), r), power, power);
}

/// e^x for x in [-170, 170], given its reduction.
template <class V> POP_SIMD_INLINE V expReduced(V r, V n) {
  const V r2 = r * r;
  const V value = V::fma(r2, polynomial(r, r2, EXP_TAIL<V>), r) + V::splat(1.f);
  return scaleByPower(value, n);
}

/// x between lo and hi; NaN stays.
template <class V> POP_SIMD_INLINE V clampKeepNan(V x, float lo, float hi) {
  return V::min(V::splat(hi), V::max(V::splat(lo), x));
}
} // namespace detail

/// Up to here e^x and e^-x are normal.
inline constexpr float EXP_EASY = 87;
/// e^x for |x| <= EXP_EASY, with the bits of exp(x).
template <class V> POP_SIMD_INLINE V expOfEasy(V x) {
  V power;
  const V r = detail::reduceExp<0>(x, power);
  return detail::scaledExp(r, power);
}

/// 1.1 ulp.
template <class V> POP_SIMD_INLINE V exp(V x) {
  V n;
  const V r = detail::reduceExp(detail::clampKeepNan(x, -104.f, 89.f), n);
  return detail::expReduced(r, n);
}

/// 1 ulp.
template <class V> POP_SIMD_INLINE V exp2(V x) {
  const V y = detail::clampKeepNan(x, -151.f, 129.f);
  const V n = V::nearest(y), r = y - n;
  const V value = V::fma(polynomial(r, detail::EXP2_TAIL<V>), r, V::splat(1.f));
  return scaleByPower(value, n);
}

/// e^x - 1; 2 ulp.
template <class V> POP_SIMD_INLINE V expm1(V x) {
  V n;
  const V r = detail::reduceExp(detail::clampKeepNan(x, -25.f, 89.f), n);
  const V r2 = r * r, p = V::fma(r2, polynomial(r, r2, detail::EXP_TAIL<V>), r);
  // 2^n (p + 1) - 1 as 2 (2^(n-1) p + 2^(n-1) - 1/2): 2^128 itself would overflow.
  const V s = halfOfPower(n);
  const V large = V::splat(2.f) * V::fma(p, s, s - V::splat(0.5f));
  const V result = V::select(n == V::zero(), p, large);
  return V::select(x == V::zero(), x, result);
}

namespace detail {
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

/// d / (d + 1) with d = (e^2|x| - 1) / 2, and the sign of x; 3 ulp.
template <class V> POP_SIMD_INLINE V tanh(V x) {
  using I = typename V::Int;
  const V a = V::min(V::splat(9.1f), V::abs(x)); // NaN stays; beyond, tanh rounds to 1
  V power;
  const V r = detail::reduceExp<0>(a, power, 0.5f), r2 = r * r;
  const V g = V::fma(r2, polynomial(r, r2, detail::EXP_TAIL_OF_TWICE<V>), r); // (e^2r - 1) / 2
  const V d = V::fma(g, power, V::fma(power, V::splat(0.5f), V::splat(-0.5f)));
  const V magnitude = d / (d + V::splat(1.f));
  return V::fromBits(magnitude.bits() | (x.bits() & I::splat(INT32_MIN)));
}

/// 1 / (1 + e^-x); 2 ulp where the result is normal.
template <class V> POP_SIMD_INLINE V sigmoid(V x) {
  const V one = V::splat(1.f);
  return one / (one + exp(-x));
}

/// The same for |x| <= EXP_EASY.
template <class V> POP_SIMD_INLINE V sigmoidOfEasy(V x) {
  const V one = V::splat(1.f);
  return one / (one + expOfEasy(-x));
}

namespace detail {
/// (sin r - r) / r^3 for |r| <= pi/2, in r^2.
template <class V>
inline constexpr float SIN_WIDE[] = {-0x1.555554p-3f, 0x1.110f46p-7f, -0x1.9f72d8p-13f,
                                     0x1.5d61eap-19f};
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
  return V::fromBits(a.bits() ^ ((n & I::splat(1 << Bit)).template shiftLeft<31 - Bit>()));
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
} // namespace detail

namespace detail {
inline constexpr float PI_PARTS[] = {0x1.921fb4p+1f, 0x1.4442dp-23f, 0x1.84698ap-47f};
/// x - n pi. The parts of pi are positive, so that -0 stays.
template <class V> POP_SIMD_INLINE V minusPi(V x, V n) {
  V r = V::fnma(n, V::splat(PI_PARTS[0]), x);
  r = V::fnma(n, V::splat(PI_PARTS[1]), r);
  return V::fnma(n, V::splat(PI_PARTS[2]), r);
}

/// sin r with the sign changed where the lowest bit of n is set; |r| <= pi/2.
template <class V> POP_SIMD_INLINE V sinOfHalfTurn(V r, typename V::Int n) {
  const V u = r * r; // added to 0 it is +0 for r = -0, and the result -0
  return negateIf<0>(V::fma(r, V::fma(u, polynomial(u, SIN_WIDE<V>), V::zero()), r), n);
}

inline constexpr float INVERSE_PI = 0x1.45f306p-2f;
/// Sums with this have the integer nearest to the other in their low bits.
inline constexpr float INTEGERS = 0x1.8p23f;
} // namespace detail

/// 2 ulp below TRIG_LIMIT.
template <class V> POP_SIMD_INLINE V sinOfSmall(V x) {
  const V magic = V::splat(detail::INTEGERS);
  const V n = V::fma(x, V::splat(detail::INVERSE_PI), magic);
  return detail::sinOfHalfTurn(detail::minusPi(x, n - magic), n.bits());
}
/// The same; beyond, the C library's.
template <class V> POP_SIMD_INLINE V sin(V x) {
  return detail::largeTrig(x, sinOfSmall(x), [](float a) { return __builtin_sinf(a); });
}

/// 2 ulp below TRIG_LIMIT.
template <class V> POP_SIMD_INLINE V cosOfSmall(V x) {
  const V magic = V::splat(detail::INTEGERS), half = V::splat(0.5f);
  const V n = V::fms(x, V::splat(detail::INVERSE_PI), half) + magic;
  const V r = detail::minusPi(x, (n - magic) + half);
  return detail::sinOfHalfTurn(r, n.bits() + V::Int::splat(1));
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
/// e^(a^2/2) times the normal distribution's tail beyond a, as P(a) / Q(a) for 0 <= a <= 14.5;
/// Q is 2^64 times that, so that 2^64 e^(-a^2/2), which is normal, is not rounded twice.
template <class V>
inline constexpr float TAIL_P[] = {0x1p-1f, 0x1.c0d204p-2f, 0x1.7745b2p-3f, 0x1.4cdf9ap-5f,
                                   0x1.0dc44cp-8f};
template <class V>
inline constexpr float TAIL_Q[] = {0x1p+64f,        0x1.acab32p+64f, 0x1.33d852p+64f,
                                   0x1.e0bf1ap+62f, 0x1.a138aap+60f, 0x1.52193ep+57f};

/// The probability that a standard normal number exceeds a >= 0; 0 beyond 14.5.
template <class V> POP_SIMD_INLINE V normalTail(V a) {
  const V b = V::min(V::splat(14.5f), a); // NaN stays
  const V half = b * V::splat(-0.5f), square = b * half, lost = V::fms(b, half, square);
  V power;
  const V r = reduceExp<64>(square, power) + lost;
  return scaledExp(r, power) * polynomial(b, TAIL_P<V>) / polynomial(b, TAIL_Q<V>);
}
} // namespace detail

/// Eight polynomials in |x|, and the sign of x; 3 ulp.
template <class V> POP_SIMD_INLINE V erf(V x) {
  const V z = V::min(V::splat(3.925f), V::abs(x)); // NaN stays; beyond, erf rounds to 1
  const V magic = V::splat(detail::INTEGERS);
  const V k = V::fma(z, V::splat(1 / detail::ERF_STEP), magic);
  const V t = V::fnma(k - magic, V::splat(detail::ERF_STEP), z);
  return copySign(pieces(t, k.bits(), detail::ERF<V>), x);
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
  const V a = V::min(V::splat(14.5f), V::abs(x)); // NaN stays
  return V::fnma(a, detail::normalTail(a), V::max(V::splat(-0.f), x));
}

/// d/dx geluErf = normalCdf(x) + x phi(x).
template <class V> POP_SIMD_INLINE V geluErfDerivative(V x) {
  const V a = V::min(V::splat(20.f), V::max(V::splat(-20.f), x));
  const V density = V::splat(0.398942280f) * exp(a * a * V::splat(-0.5f));
  return V::fma(a, density, normalCdf(x));
}

namespace detail {
/// 2 sqrt(2 / pi) (x + 0.044715 x^3): GELU is x sigmoid of it.
template <class V> POP_SIMD_INLINE V geluArgument(V x) {
  const V cubic = V::fma(x * x, V::splat(0.044715f), V::splat(1.f));
  return V::splat(1.59576912f) * x * cubic;
}
} // namespace detail

/// Up to here geluArgument is not beyond EXP_EASY.
inline constexpr float GELU_EASY = 9.75f;

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); relative error 3e-6 down to -5.
template <class V> POP_SIMD_INLINE V gelu(V x) {
  return V::max(V::splat(-__FLT_MAX__), x) * sigmoid(detail::geluArgument(x)); // -inf gives -0
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
  return V::max(V::splat(-__FLT_MAX__), x) * sigmoid(x); // NaN stays; -inf gives -0
}

/// d/dx swish.
template <class V> POP_SIMD_INLINE V swishDerivative(V x) {
  const V a = V::min(V::splat(100.f), V::max(V::splat(-100.f), x)), one = V::splat(1.f);
  const V s = sigmoid(a);
  return V::select(isNan(x), x, V::fma(a, s * (one - s), s));
}

/// 1 ulp.
template <class V> POP_SIMD_INLINE V cbrt(V x) {
  using I = typename V::Int;
  const V a = V::abs(x);
  // Away from both ends of the exponent range; 2^24 is a cube.
  const auto tiny = a<V::splat(0x1p-100f), huge = a> V::splat(0x1p100f);
  const V one = V::splat(1.f);
  const V m = a * V::select(tiny, V::splat(0x1p24f), V::select(huge, V::splat(0x1p-24f), one));
  // A third of the exponent, then two steps of Halley (each triples the digits) and one of Newton
  // whose residual is exact.
  const V third = V::fromInt(m.bits()) * V::splat(0.333333333f);
  V y = V::fromBits(third.toInt() + I::splat(0x2a5137a0));
  for (int step = 0; step < 2; ++step) {
    const V cube = y * y * y;
    y = y * ((cube + m + m) / (cube + cube + m));
  }
  const V square = y * y, squareLow = V::fms(y, y, square);
  const V residual = V::fma(squareLow, y, V::fms(square, y, m));
  y = y - residual / (V::splat(3.f) * square);
  y = y * V::select(tiny, V::splat(0x1p-8f), V::select(huge, V::splat(0x1p8f), one));
  const auto special = (a == V::zero()) | ~(a < V::splat(__builtin_inff()));
  return V::select(special, x, copySign(y, x));
}

/// Half away from zero.
template <class V> POP_SIMD_INLINE V roundAway(V x) {
  const V a = V::abs(x), t = V::trunc(a);
  const V up = V::select(a - t >= V::splat(0.5f), V::splat(1.f), V::zero());
  return copySign(t + up, x);
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

/// x - trunc(x / y) y, exact, with the sign of x; special cases of C's fmod.
template <class V> POP_SIMD_INLINE V remainder(V x, V y) {
  const V a = V::abs(x), b = V::abs(y), zero = V::zero();
  // The quotient may be one off; the remainder is exact while it has at most 23 bits.
  const V q = V::trunc(a / b);
  V r = V::fnma(q, b, a);
  r = V::select(r < zero, r + b, r);
  r = V::select(r >= b, r - b, r);
  const auto easy = (q < V::splat(0x1p22f)) & (b < V::splat(__builtin_inff())) &
                    (b > V::splat(0x1p-100f)) & (a < V::splat(0x1p100f));
  V result = copySign(r, x);
  if (!easy.all()) {
    float xs[V::width], ys[V::width], out[V::width];
    x.store(xs);
    y.store(ys);
    for (int i = 0; i < V::width; ++i)
      out[i] = __builtin_fmodf(xs[i], ys[i]);
    result = V::select(easy, result, V::load(out));
  }
  return result;
}

} // namespace cottonwood::math
