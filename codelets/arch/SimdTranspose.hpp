/// \file SimdTranspose.hpp
/// Transposes a square of registers: W vectors of W floats, W = simd<float, Tag>::width.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// Lane i of v[j] and lane j of v[i] change places.
template <ScalarTag Tag> POP_SIMD_INLINE void transpose(simd<float, Tag> (&)[1]) {}

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
/// Pairs and fours within 128-bit lanes, then the lanes themselves.
template <Avx2Tag Tag> POP_SIMD_INLINE void transpose(simd<float, Tag> (&v)[8]) {
  __m256d fours[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    const __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(v[i].r, v[i + 1].r));
    const __m256d high01 = _mm256_castps_pd(_mm256_unpackhi_ps(v[i].r, v[i + 1].r));
    const __m256d low23 = _mm256_castps_pd(_mm256_unpacklo_ps(v[i + 2].r, v[i + 3].r));
    const __m256d high23 = _mm256_castps_pd(_mm256_unpackhi_ps(v[i + 2].r, v[i + 3].r));
    fours[i] = _mm256_unpacklo_pd(low01, low23);
    fours[i + 1] = _mm256_unpackhi_pd(low01, low23);
    fours[i + 2] = _mm256_unpacklo_pd(high01, high23);
    fours[i + 3] = _mm256_unpackhi_pd(high01, high23);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m256 a = _mm256_castpd_ps(fours[i]), b = _mm256_castpd_ps(fours[i + 4]);
    v[i].r = _mm256_permute2f128_ps(a, b, 0x20);
    v[i + 4].r = _mm256_permute2f128_ps(a, b, 0x31);
  }
}
#endif

#if !defined(__AVX512F__) && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
/// By quarters of 8 x 8.
template <Avx512Tag Tag> POP_SIMD_INLINE void transpose(simd<float, Tag> (&v)[16]) {
  using Part = simd<float, isa::avx2>;
  Part corners[4][8];
  for (int i = 0; i < 8; ++i) {
    corners[0][i] = v[i].r.low, corners[1][i] = v[i + 8].r.low;
    corners[2][i] = v[i].r.high, corners[3][i] = v[i + 8].r.high;
  }
  for (Part(&corner)[8] : corners)
    transpose<isa::avx2>(corner);
  for (int i = 0; i < 8; ++i) {
    v[i].r = {corners[0][i], corners[1][i]};
    v[i + 8].r = {corners[2][i], corners[3][i]};
  }
}
#endif

#if defined(__AVX512F__)
/// Pairs and fours within 128-bit lanes, then the 4 x 4 square of lanes in two steps.
template <Avx512Tag Tag> POP_SIMD_INLINE void transpose(simd<float, Tag> (&v)[16]) {
  __m512 fours[16];
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    const __m512d low01 = _mm512_castps_pd(_mm512_unpacklo_ps(v[i].r, v[i + 1].r));
    const __m512d high01 = _mm512_castps_pd(_mm512_unpackhi_ps(v[i].r, v[i + 1].r));
    const __m512d low23 = _mm512_castps_pd(_mm512_unpacklo_ps(v[i + 2].r, v[i + 3].r));
    const __m512d high23 = _mm512_castps_pd(_mm512_unpackhi_ps(v[i + 2].r, v[i + 3].r));
    fours[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(low01, low23));
    fours[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low01, low23));
    fours[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high01, high23));
    fours[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high01, high23));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512 even01 = _mm512_shuffle_f32x4(fours[i], fours[i + 4], 0x88);
    const __m512 odd01 = _mm512_shuffle_f32x4(fours[i], fours[i + 4], 0xdd);
    const __m512 even23 = _mm512_shuffle_f32x4(fours[i + 8], fours[i + 12], 0x88);
    const __m512 odd23 = _mm512_shuffle_f32x4(fours[i + 8], fours[i + 12], 0xdd);
    v[i].r = _mm512_shuffle_f32x4(even01, even23, 0x88);
    v[i + 8].r = _mm512_shuffle_f32x4(even01, even23, 0xdd);
    v[i + 4].r = _mm512_shuffle_f32x4(odd01, odd23, 0x88);
    v[i + 12].r = _mm512_shuffle_f32x4(odd01, odd23, 0xdd);
  }
}
#endif

} // namespace cottonwood::arch
