/// \file SimdElementBits.hpp
/// The bits of elements of 4 or 2 bytes in lanes of 32 bits; those of 2 bytes are the upper half of
/// a lane, whose lower half is 0 when loaded and ignored when stored.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

template <class Tag>
POP_SIMD_INLINE simd<std::int32_t, Tag> loadElementBits(const std::uint32_t *p) {
  return simd<float, Tag>::load(reinterpret_cast<const float *>(p)).bits();
}
template <class Tag>
POP_SIMD_INLINE void storeElementBits(std::uint32_t *p, simd<std::int32_t, Tag> bits) {
  simd<float, Tag>::fromBits(bits).store(reinterpret_cast<float *>(p));
}

template <ScalarTag Tag>
POP_SIMD_INLINE simd<std::int32_t, Tag> loadElementBits(const std::uint16_t *p) {
  return simd<std::int32_t, Tag>::splat(static_cast<std::int32_t>(std::uint32_t{*p} << 16));
}
template <ScalarTag Tag>
POP_SIMD_INLINE void storeElementBits(std::uint16_t *p, simd<std::int32_t, Tag> bits) {
  *p = static_cast<std::uint16_t>(static_cast<std::uint32_t>(bits.first()) >> 16);
}

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <Avx2Tag Tag>
POP_SIMD_INLINE simd<std::int32_t, Tag> loadElementBits(const std::uint16_t *p) {
  const __m256i u = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
  return simd<std::int32_t, Tag>{_mm256_slli_epi32(u, 16)};
}
template <Avx2Tag Tag>
POP_SIMD_INLINE void storeElementBits(std::uint16_t *p, simd<std::int32_t, Tag> bits) {
  const __m256i u = _mm256_srli_epi32(bits.r, 16);
  const __m256i halves = _mm256_permute4x64_epi64(_mm256_packus_epi32(u, u), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i *>(p), _mm256_castsi256_si128(halves));
}
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <Avx512Tag Tag>
POP_SIMD_INLINE simd<std::int32_t, Tag> loadElementBits(const std::uint16_t *p) {
  const __m512i u = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
  return simd<std::int32_t, Tag>{_mm512_slli_epi32(u, 16)};
}
template <Avx512Tag Tag>
POP_SIMD_INLINE void storeElementBits(std::uint16_t *p, simd<std::int32_t, Tag> bits) {
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(p),
                      _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits.r, 16)));
}
#endif

} // namespace cottonwood::arch
