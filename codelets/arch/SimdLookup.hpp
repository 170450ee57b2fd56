/// \file SimdLookup.hpp
/// Tables of eight numbers, one permutation to look up in, or of sixteen, and functions made of as
/// many polynomials.
#pragma once

#include <codelets/arch/SimdTable.hpp>

namespace cottonwood::math {

/// table[i & 7] in every lane.
template <arch::ScalarTag Tag>
POP_SIMD_INLINE simd<float, Tag> lookup8(const float (&table)[8], simd<std::int32_t, Tag> i) {
  return simd<float, Tag>::splat(table[i.r & 7]);
}
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <arch::Avx2Tag Tag>
POP_SIMD_INLINE simd<float, Tag> lookup8(const float (&table)[8], simd<std::int32_t, Tag> i) {
  return simd<float, Tag>{_mm256_permutevar8x32_ps(_mm256_loadu_ps(table), i.r)};
}
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <arch::Avx512Tag Tag>
POP_SIMD_INLINE simd<float, Tag> lookup8(const float (&table)[8], simd<std::int32_t, Tag> i) {
  return simd<float, Tag>{
      _mm512_permutexvar_ps(i.r, _mm512_broadcast_f32x8(_mm256_loadu_ps(table)))};
}
#endif

/// table[i & 15] in every lane.
template <class Tag>
POP_SIMD_INLINE simd<float, Tag> lookup16(const float (&table)[16], simd<std::int32_t, Tag> i) {
  return arch::Table<Tag, 16>(table)(i);
}

/// The polynomial with the coefficients coefficient(0) to coefficient(N - 1) and x2 = x x at hand:
/// neighbouring terms first, then these pairs as a chain. No more operations than one chain, and
/// half as long until the sum is there.
template <std::size_t N, class V, class F>
POP_SIMD_INLINE V polynomialOfPairs(V x, V x2, F coefficient) {
  const auto pair = [&](std::size_t i) POP_SIMD_LAMBDA {
    return i + 1 == N ? coefficient(i) : V::fma(coefficient(i + 1), x, coefficient(i));
  };
  constexpr std::size_t LAST = (N - 1) / 2;
  V sum = pair(2 * LAST);
  arch::unrolled<LAST>([&](auto i)
                           POP_SIMD_LAMBDA { sum = V::fma(sum, x2, pair(2 * (LAST - 1 - i))); });
  return sum;
}
/// The polynomial of piece k at t, k modulo the number of pieces; c[power][piece].
template <class V, std::size_t N, std::size_t PIECES>
POP_SIMD_INLINE V pieces(V t, typename V::Int k, const float (&c)[N][PIECES]) {
  static_assert(PIECES == 8 || PIECES == 16);
  return polynomialOfPairs<N>(t, t * t, [&](std::size_t power) POP_SIMD_LAMBDA {
    if constexpr (PIECES == 8)
      return lookup8(c[power], k);
    else
      return lookup16(c[power], k);
  });
}

/// Which half of its binade a positive number lies in; consecutive halves count on by one, and
/// those of [1, 1.5) are 6 in the low three bits.
template <class V> POP_SIMD_INLINE typename V::Int halfBinade(V x) {
  return x.bits().template shiftRightArithmetic<22>();
}

} // namespace cottonwood::math
