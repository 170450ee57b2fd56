/// \file SimdLines.hpp
/// The beginnings of several lines of memory side by side in one vector.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

#include <cstddef>

namespace cottonwood::arch {

/// Lane l is p[(l / P) * distance + l % P] as a float, P = W / LINES, or 0 where l % P is not below
/// `length`. What is not below it is not read.
template <class Tag, unsigned LINES, class T>
POP_SIMD_INLINE simd<float, Tag> loadLines(const T *p, std::ptrdiff_t distance,
                                           std::size_t length) {
  using V = simd<float, Tag>;
  constexpr std::size_t P = static_cast<std::size_t>(V::width) / LINES;
  if constexpr (LINES == 1) {
    return V::loadPartial(p, length);
  } else {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    if constexpr (Avx512Tag<Tag>) {
      const unsigned lanes = (1U << length) - 1U;
      if constexpr (LINES == 2 && sizeof(T) == 4) {
        const auto line = [&](std::ptrdiff_t i) POP_SIMD_LAMBDA {
          return _mm256_maskz_loadu_ps(static_cast<__mmask8>(lanes), p + i * distance);
        };
        return V{_mm512_insertf32x8(_mm512_castps256_ps512(line(0)), line(1), 1)};
      } else if constexpr (LINES == 2) {
        const auto line = [&](std::ptrdiff_t i) POP_SIMD_LAMBDA {
          return _mm_maskz_loadu_epi16(static_cast<__mmask8>(lanes), p + i * distance);
        };
        return V{
            _mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(line(0)), line(1), 1))};
      } else if constexpr (sizeof(T) == 4) {
        static_assert(LINES == 4);
        const auto line = [&](std::ptrdiff_t i) POP_SIMD_LAMBDA {
          return _mm_maskz_loadu_ps(static_cast<__mmask8>(lanes), p + i * distance);
        };
        const __m256 low = _mm256_insertf32x4(_mm256_castps128_ps256(line(0)), line(1), 1);
        const __m256 high = _mm256_insertf32x4(_mm256_castps128_ps256(line(2)), line(3), 1);
        return V{_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1)};
      } else {
        static_assert(LINES == 4);
        const auto line = [&](std::ptrdiff_t i) POP_SIMD_LAMBDA {
          return _mm_maskz_loadu_epi16(static_cast<__mmask8>(lanes), p + i * distance);
        };
        const __m128i low = _mm_unpacklo_epi64(line(0), line(1));
        const __m128i high = _mm_unpacklo_epi64(line(2), line(3));
        return V{_mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1))};
      }
    }
#endif
    float lanes[V::width] = {};
    for (unsigned i = 0; i < LINES; ++i)
      for (std::size_t x = 0; x < length; ++x)
        simd<float, isa::scalar>::load(p + static_cast<std::ptrdiff_t>(i) * distance + x)
            .store(lanes + i * P + x);
    return V::load(lanes);
  }
}

} // namespace cottonwood::arch
