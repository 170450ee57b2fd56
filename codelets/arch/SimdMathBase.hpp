/// \file SimdMathBase.hpp
/// What the functions of SimdMath.hpp are built from.
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

/// The same with x2 = x x at hand, by pairs of terms.
template <class V, std::size_t N> POP_SIMD_INLINE V polynomial(V x, V x2, const float (&c)[N]) {
  return polynomialOfPairs<N>(x, x2, [&](std::size_t i) POP_SIMD_LAMBDA { return V::splat(c[i]); });
}

/// The magnitude of a with the sign of b.
template <class V> POP_SIMD_INLINE V copySign(V a, V b) {
  using I = typename V::Int;
  const I sign = I::splat(INT32_MIN);
  return V::fromBits((V::abs(a).bits()) | (b.bits() & sign));
}

/// The magnitude a >= 0, or NaN, with the sign of b.
template <class V> POP_SIMD_INLINE V giveSign(V a, V b) {
  return V::fromBits(a.bits() | (b.bits() & V::Int::splat(INT32_MIN)));
}

/// True where the sign bit is set.
template <class V> POP_SIMD_INLINE typename V::Mask signBit(V a) {
  return a.bits() < V::Int::zero();
}

template <class V> POP_SIMD_INLINE typename V::Mask isNan(V a) { return a != a; }

/// Whether functions raise the floating-point exceptions that C's do, and no other: one lane, as
/// vectors compute lanes that nobody asked for.
template <class V> inline constexpr bool RAISES = V::width == 1;

namespace detail {
/// Raises the exception of a / b, whose value is of no interest.
POP_SIMD_INLINE void raiseByDividing(float a, float b) {
  const volatile float divisor = b;
  [[maybe_unused]] const volatile float quotient = a / divisor;
}
POP_SIMD_INLINE void raiseDivisionByZero() { raiseByDividing(1, 0); }
POP_SIMD_INLINE void raiseInvalid() { raiseByDividing(0, 0); }

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

/// x between lo and hi; NaN stays.
template <class V> POP_SIMD_INLINE V clampKeepNan(V x, float lo, float hi) {
  return V::min(V::splat(hi), V::max(V::splat(lo), x));
}

/// Sums with this have the integer nearest to the other in their low bits.
inline constexpr float INTEGERS = 0x1.8p23f;
} // namespace detail

} // namespace cottonwood::math
