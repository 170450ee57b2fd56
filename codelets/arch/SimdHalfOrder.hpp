/// \file SimdHalfOrder.hpp
/// The least and the most of halves without converting them: their bits in the order of whole
/// numbers.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// Halves are compared as whole numbers: those with a sign have their other bits turned over, so
/// that -0 is below +0 and NaN lie beyond the infinities, which are these.
inline constexpr std::int16_t HALF_LEAST = -0x7c01, HALF_MOST = 0x7c00;

/// The extremes of what take() was given, `width` neighbouring halves at a time. For tags without
/// vectors there is none.
template <class Tag> class HalfExtremes;

template <class Tag>
concept HasHalfExtremes = requires {
  HalfExtremes<Tag>::width;
};

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <Avx2Tag Tag> class HalfExtremes<Tag> {
public:
  static constexpr std::size_t width = 16;

  POP_SIMD_INLINE HalfExtremes()
      : least_(_mm256_set1_epi16(0x7fff)), most_(_mm256_set1_epi16(-0x8000)) {}

  POP_SIMD_INLINE void take(const half *in) {
    const __m256i order = inOrder(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(in)));
    least_ = _mm256_min_epi16(least_, order);
    most_ = _mm256_max_epi16(most_, order);
  }
  /// Whether one was a NaN.
  POP_SIMD_INLINE bool anyNan() const {
    const __m256i nan = _mm256_or_si256(_mm256_cmpgt_epi16(_mm256_set1_epi16(HALF_LEAST), least_),
                                        _mm256_cmpgt_epi16(most_, _mm256_set1_epi16(HALF_MOST)));
    return !_mm256_testz_si256(nan, nan);
  }
  /// Lane by lane, once something was taken and no NaN.
  POP_SIMD_INLINE void store(half *least, half *most) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(least), inOrder(least_));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(most), inOrder(most_));
  }

private:
  POP_SIMD_INLINE static __m256i inOrder(__m256i x) {
    return _mm256_xor_si256(x,
                            _mm256_and_si256(_mm256_srai_epi16(x, 15), _mm256_set1_epi16(0x7fff)));
  }

  __m256i least_, most_;
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__)
template <Avx512Tag Tag> class HalfExtremes<Tag> {
public:
  static constexpr std::size_t width = 32;

  POP_SIMD_INLINE HalfExtremes()
      : least_(_mm512_set1_epi16(0x7fff)), most_(_mm512_set1_epi16(-0x8000)) {}

  POP_SIMD_INLINE void take(const half *in) {
    const __m512i order = inOrder(_mm512_loadu_si512(in));
    least_ = _mm512_min_epi16(least_, order);
    most_ = _mm512_max_epi16(most_, order);
  }
  POP_SIMD_INLINE bool anyNan() const {
    return (_mm512_cmpgt_epi16_mask(_mm512_set1_epi16(HALF_LEAST), least_) |
            _mm512_cmpgt_epi16_mask(most_, _mm512_set1_epi16(HALF_MOST))) != 0;
  }
  POP_SIMD_INLINE void store(half *least, half *most) const {
    _mm512_storeu_si512(least, inOrder(least_));
    _mm512_storeu_si512(most, inOrder(most_));
  }

private:
  POP_SIMD_INLINE static __m512i inOrder(__m512i x) {
    constexpr int A_XOR_B_AND_C = 0x78;
    return _mm512_ternarylogic_epi32(x, _mm512_srai_epi16(x, 15), _mm512_set1_epi16(0x7fff),
                                     A_XOR_B_AND_C);
  }

  __m512i least_, most_;
};
#endif

} // namespace cottonwood::arch
