/// \file SimdMath.hpp
/// Elementary functions of simd<float, Tag>.
///
/// Built from correctly rounded operations alone (+ - * / fma sqrt, conversions, bits), in the same
/// order for every tag: results are the same bits on every instruction set. Polynomials are
/// weighted minimax fits of ours (Lawson's algorithm in 40 digits, coefficients rounded to float
/// one by one); the bound beside each function is the largest error seen against a double
/// reference, in units in the last place of the float result.
#pragma once

#include <codelets/arch/SimdExp.hpp>
#include <codelets/arch/SimdLog.hpp>
#include <codelets/arch/SimdNormal.hpp>
#include <codelets/arch/SimdTrig.hpp>

namespace cottonwood::math {

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
