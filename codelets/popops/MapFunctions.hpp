/// \file MapFunctions.hpp
/// The one-operand operations of MapProgram.hpp on lanes of floats.
#pragma once

#include <codelets/arch/SimdMathHalf.hpp>
#include <codelets/popops/MapProgram.hpp>

namespace cottonwood::kernels::detail {
using vertices::MapOp;

/// y = 1 / sqrt(x) for positive normal x, 3.5% off: half the exponent, negated.
template <class V> POP_SIMD_INLINE V rsqrtGuess(V x) {
  using I = typename V::Int;
  return V::fromBits(I::splat(0x5f3759df) - x.bits().template shiftRightArithmetic<1>());
}

/// z / sqrt(1 - e) for |e| <= 0.07, relative error 2^-29, or 2^-19.8 with two steps fewer.
template <bool TO_HALF, class V> POP_SIMD_INLINE V timesInverseRoot(V z, V e) {
  static constexpr float SHORT[] = {0x1.000006p-1f, 0x1.811aa6p-2f, 0x1.4067a6p-2f};
  static constexpr float LONG[] = {0x1p-1f, 0x1.7fff6cp-2f, 0x1.400022p-2f, 0x1.19887ep-2f,
                                   0x1.f927aep-3f};
  const V ze = z * e;
  if constexpr (TO_HALF)
    return V::fma(ze, math::polynomial(e, SHORT), z);
  else
    return V::fma(ze, math::polynomial(e, LONG), z);
}

/// 1 / sqrt(x) of positive normal x; 1.1 ulp, or a relative error of 2^-19. Root and quotient
/// occupy the divider for longer than these operations take.
template <bool TO_HALF, class V> POP_SIMD_INLINE V rsqrtOfNormal(V x) {
  const V y = rsqrtGuess(x);
  return timesInverseRoot<TO_HALF>(y, V::fnma(x * y, y, V::splat(1.f)));
}

template <bool TO_HALF, class V> POP_SIMD_INLINE V rsqrt(V x) {
  const V root = rsqrtOfNormal<TO_HALF>(x);
  return math::detail::anyNotPositiveNormal(x)
             ? V::select(math::detail::notPositiveNormal(x), V::splat(1.f) / V::sqrt(x), root)
             : root;
}

/// The operation on float lanes; the result is a vector, or a mask where it is BOOL.
template <MapOp OP, class V> POP_SIMD_INLINE auto floatUnary(V x) {
  const V one = V::splat(1.f), zero = V::zero(), inf = V::splat(__builtin_inff());
  if constexpr (OP == MapOp::ABSOLUTE)
    return V::abs(x);
  else if constexpr (OP == MapOp::ASIN)
    return math::asin(x);
  else if constexpr (OP == MapOp::CBRT)
    return math::cbrt(x);
  else if constexpr (OP == MapOp::CEIL)
    return V::ceil(x);
  else if constexpr (OP == MapOp::COS)
    return math::cos(x);
  else if constexpr (OP == MapOp::ERF)
    return math::erf(x);
  else if constexpr (OP == MapOp::EXPONENT)
    return math::exp(x);
  else if constexpr (OP == MapOp::EXPONENT_MINUS_ONE)
    return math::expm1(x);
  else if constexpr (OP == MapOp::EXPONENT2)
    return math::exp2(x);
  else if constexpr (OP == MapOp::FLOOR)
    return V::floor(x);
  else if constexpr (OP == MapOp::GELU_ERF)
    return math::geluErf(x);
  else if constexpr (OP == MapOp::INVERSE)
    return one / x;
  else if constexpr (OP == MapOp::IS_FINITE)
    return V::abs(x) < inf;
  else if constexpr (OP == MapOp::IS_INF)
    return V::abs(x) == inf;
  else if constexpr (OP == MapOp::IS_NAN)
    return x != x;
  else if constexpr (OP == MapOp::LOGARITHM)
    return math::log(x);
  else if constexpr (OP == MapOp::LOGARITHM_ONE_PLUS)
    return math::log1p(x);
  else if constexpr (OP == MapOp::NEGATE)
    return -x;
  else if constexpr (OP == MapOp::NEARBY_INT)
    return V::nearest(x);
  else if constexpr (OP == MapOp::RELU)
    return V::max(x, zero);
  else if constexpr (OP == MapOp::SIGNUM)
    return V::select(x > zero, one, V::select(x < zero, -one, zero));
  else if constexpr (OP == MapOp::SIN)
    return math::sin(x);
  else if constexpr (OP == MapOp::TAN)
    return math::tan(x);
  else if constexpr (OP == MapOp::TANH)
    return math::tanh(x);
  else if constexpr (OP == MapOp::ROUND)
    return math::roundAway(x);
  else if constexpr (OP == MapOp::SQRT)
    return V::sqrt(x);
  else if constexpr (OP == MapOp::SQUARE)
    return x * x;
  else if constexpr (OP == MapOp::SIGMOID)
    return math::sigmoid(x);
  else if constexpr (OP == MapOp::RSQRT)
    return rsqrt<false>(x);
  else if constexpr (OP == MapOp::TRUNC)
    return V::trunc(x);
  else if constexpr (OP == MapOp::GELU)
    return math::gelu(x);
  else if constexpr (OP == MapOp::SWISH)
    return math::swish(x);
  else {
    static_assert(OP == MapOp::HARD_SIGMOID);
    const V line = V::fma(x, V::splat(0.2f), V::splat(0.5f));
    return V::min(one, V::max(zero, line)); // NaN stays
  }
}

/// The same for operands that are halves, with a result that is rounded to half.
template <MapOp OP, class V> POP_SIMD_INLINE auto halfUnary(V x) {
  namespace ofHalf = math::ofHalf;
  if constexpr (OP == MapOp::COS)
    return ofHalf::cos(x);
  else if constexpr (OP == MapOp::ERF)
    return ofHalf::erf(x);
  else if constexpr (OP == MapOp::EXPONENT)
    return ofHalf::exp(x);
  else if constexpr (OP == MapOp::LOGARITHM)
    return ofHalf::log(x);
  else if constexpr (OP == MapOp::SIN)
    return ofHalf::sin(x);
  else if constexpr (OP == MapOp::TANH)
    return ofHalf::tanh(x);
  else if constexpr (OP == MapOp::SIGMOID)
    return ofHalf::sigmoid(x);
  else if constexpr (OP == MapOp::RSQRT)
    return rsqrt<true>(x);
  else if constexpr (OP == MapOp::GELU)
    return ofHalf::gelu(x);
  else if constexpr (OP == MapOp::GELU_ERF)
    return ofHalf::geluErf(x);
  else if constexpr (OP == MapOp::SWISH)
    return ofHalf::swish(x);
  else
    return floatUnary<OP>(x);
}

} // namespace cottonwood::kernels::detail
