/// \file MapFunctions.hpp
/// The one-operand operations of MapProgram.hpp on lanes of floats.
#pragma once

#include <codelets/arch/SimdHalfBits.hpp>
#include <codelets/arch/SimdMathHalf.hpp>
#include <codelets/arch/SimdRoot.hpp>
#include <codelets/popops/MapProgram.hpp>

namespace cottonwood::kernels::detail {
using vertices::MapOp;

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
    return math::rsqrt(x);
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
  else if constexpr (OP == MapOp::SQRT)
    return ofHalf::sqrt(x);
  else if constexpr (OP == MapOp::RSQRT)
    return ofHalf::rsqrt(x);
  else if constexpr (OP == MapOp::GELU)
    return ofHalf::gelu(x);
  else if constexpr (OP == MapOp::GELU_ERF)
    return ofHalf::geluErf(x);
  else if constexpr (OP == MapOp::SWISH)
    return ofHalf::swish(x);
  else
    return floatUnary<OP>(x);
}

template <class V> inline constexpr bool IS_HALF_BITS = false;
template <class Tag> inline constexpr bool IS_HALF_BITS<arch::HalfBits<Tag>> = true;

/// The same on the bits of halves.
template <MapOp OP, class V> POP_SIMD_INLINE auto bitsUnary(V x) {
  if constexpr (OP == MapOp::ABSOLUTE)
    return x.abs();
  else if constexpr (OP == MapOp::IS_FINITE)
    return x.isFinite();
  else if constexpr (OP == MapOp::IS_INF)
    return x.isInf();
  else if constexpr (OP == MapOp::IS_NAN)
    return x.isNan();
  else if constexpr (OP == MapOp::NEGATE)
    return -x;
  else if constexpr (OP == MapOp::SIGNUM)
    return x.signum();
  else {
    static_assert(OP == MapOp::RELU);
    return x.relu();
  }
}

} // namespace cottonwood::kernels::detail
