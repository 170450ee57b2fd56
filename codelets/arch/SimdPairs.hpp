/// \file SimdPairs.hpp
/// Takes pairs of neighbouring lanes apart; lanes of two vectors in any order.
#pragma once

#include <codelets/arch/SimdTable.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// Of the 2 W lanes of a and b, one behind the other: those of even index and those of odd index.
template <ScalarTag Tag>
POP_SIMD_INLINE void splitPairs(simd<float, Tag> a, simd<float, Tag> b, simd<float, Tag> &even,
                                simd<float, Tag> &odd) {
  even = a, odd = b;
}

/// Lane i is lane from[i] of a, or from[i] - W of b.
template <ScalarTag Tag>
POP_SIMD_INLINE simd<float, Tag> lanesOfTwo(simd<float, Tag> a, simd<float, Tag> b,
                                            simd<std::int32_t, Tag> from) {
  return from.r == 0 ? a : b;
}

/// Lane i is lane from[i] of a, lane from[i] - 16 of b, or 0 where `keep` is false.
template <class Tag>
simd<float, Tag> lanesOfBoth(simd<float, Tag> a, simd<float, Tag> b, simd<std::int32_t, Tag> from,
                             simdMask<Tag> keep) = delete; // there are 16 lanes

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <Avx2Tag Tag>
POP_SIMD_INLINE void splitPairs(simd<float, Tag> a, simd<float, Tag> b, simd<float, Tag> &even,
                                simd<float, Tag> &odd) {
  const auto inOrder = [](__m256 lanes) POP_SIMD_LAMBDA {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(lanes), 0xd8));
  };
  even.r = inOrder(_mm256_shuffle_ps(a.r, b.r, 0x88));
  odd.r = inOrder(_mm256_shuffle_ps(a.r, b.r, 0xdd));
}

template <Avx2Tag Tag>
POP_SIMD_INLINE simd<float, Tag> lanesOfTwo(simd<float, Tag> a, simd<float, Tag> b,
                                            simd<std::int32_t, Tag> from) {
  const __m256 isOfB = _mm256_castsi256_ps(_mm256_slli_epi32(from.r, 28));
  return simd<float, Tag>{
      _mm256_blendv_ps(permuteLanes(a, from).r, permuteLanes(b, from).r, isOfB)};
}
#endif

#if defined(__AVX512F__)
template <Avx512Tag Tag>
POP_SIMD_INLINE void splitPairs(simd<float, Tag> a, simd<float, Tag> b, simd<float, Tag> &even,
                                simd<float, Tag> &odd) {
  const __m512i index =
      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  even.r = _mm512_permutex2var_ps(a.r, index, b.r);
  odd.r = _mm512_permutex2var_ps(a.r, _mm512_add_epi32(index, _mm512_set1_epi32(1)), b.r);
}

template <Avx512Tag Tag>
POP_SIMD_INLINE simd<float, Tag> lanesOfTwo(simd<float, Tag> a, simd<float, Tag> b,
                                            simd<std::int32_t, Tag> from) {
  return simd<float, Tag>{_mm512_permutex2var_ps(a.r, from.r, b.r)};
}

template <Avx512Tag Tag>
POP_SIMD_INLINE simd<float, Tag> lanesOfBoth(simd<float, Tag> a, simd<float, Tag> b,
                                             simd<std::int32_t, Tag> from, simdMask<Tag> keep) {
  return simd<float, Tag>{_mm512_maskz_permutex2var_ps(keep.m, a.r, from.r, b.r)};
}
#endif

} // namespace cottonwood::arch
