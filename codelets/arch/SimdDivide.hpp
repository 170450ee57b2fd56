/// \file SimdDivide.hpp
/// Quotients of 32-bit integers, truncated.
///
/// By way of double: a quotient of integers below 2^32 that is no integer is at least 1 / |b| away
/// from the next one, and its rounding error is at most |a / b| 2^-53 < 1 / |b|, so truncation
/// gives the right one.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

#include <cstdint>

namespace cottonwood::arch {

/// a / b of every lane, b != 0; INT32_MIN / -1 wraps. Raises none of the floating-point exceptions
/// but that of inexact results.
template <class T, ScalarTag Tag>
POP_SIMD_INLINE simd<T, Tag> quotient(simd<T, Tag> a, simd<T, Tag> b) {
  if constexpr (std::is_signed_v<T>)
    if (b.first() == -1)
      return -a;
  return simd<T, Tag>::splat(a.first() / b.first());
}

namespace detail {
/// f(a, b) of lanes, the divisor -1 of signed ones, whose quotient may overflow, being taken apart.
template <class I, class F> POP_SIMD_INLINE I withoutOverflow(I a, I b, F f) {
  if constexpr (std::is_signed_v<typename I::Element>) {
    const auto negates = b == I::splat(-1);
    return I::select(negates, -a, f(a, I::select(negates, I::splat(1), b)));
  } else {
    return f(a, b);
  }
}
} // namespace detail

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <class T, Avx2Tag Tag>
POP_SIMD_INLINE simd<T, Tag> quotient(simd<T, Tag> a, simd<T, Tag> b) {
  constexpr bool SIGNED = std::is_signed_v<T>;
  const __m256i top = _mm256_set1_epi32(INT32_MIN); // unsigned lanes are shifted to signed ones
  const __m256d offset = _mm256_set1_pd(0x1p31);
  const auto toDouble = [&](__m128i x) POP_SIMD_LAMBDA {
    const __m256d d =
        _mm256_cvtepi32_pd(SIGNED ? x : _mm_xor_si128(x, _mm256_castsi256_si128(top)));
    return SIGNED ? d : _mm256_add_pd(d, offset);
  };
  const auto divide = [&](__m128i x, __m128i y) POP_SIMD_LAMBDA {
    const __m256d q = _mm256_div_pd(toDouble(x), toDouble(y));
    if constexpr (SIGNED)
      return _mm256_cvttpd_epi32(q);
    else
      return _mm_xor_si128(_mm256_cvttpd_epi32(_mm256_sub_pd(_mm256_floor_pd(q), offset)),
                           _mm256_castsi256_si128(top));
  };
  return detail::withoutOverflow(a, b, [&](simd<T, Tag> x, simd<T, Tag> y) POP_SIMD_LAMBDA {
    const __m128i low = divide(_mm256_castsi256_si128(x.r), _mm256_castsi256_si128(y.r));
    const __m128i high = divide(_mm256_extracti128_si256(x.r, 1), _mm256_extracti128_si256(y.r, 1));
    return simd<T, Tag>{_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1)};
  });
}
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <class T, Avx512Tag Tag>
POP_SIMD_INLINE simd<T, Tag> quotient(simd<T, Tag> a, simd<T, Tag> b) {
  constexpr bool SIGNED = std::is_signed_v<T>;
  const auto toDouble = [](__m256i x) POP_SIMD_LAMBDA {
    return SIGNED ? _mm512_cvtepi32_pd(x) : _mm512_cvtepu32_pd(x);
  };
  const auto divide = [&](__m256i x, __m256i y) POP_SIMD_LAMBDA {
    const __m512d q = _mm512_div_pd(toDouble(x), toDouble(y));
    return SIGNED ? _mm512_cvttpd_epi32(q) : _mm512_cvttpd_epu32(q);
  };
  return detail::withoutOverflow(a, b, [&](simd<T, Tag> x, simd<T, Tag> y) POP_SIMD_LAMBDA {
    const __m256i low = divide(_mm512_castsi512_si256(x.r), _mm512_castsi512_si256(y.r));
    const __m256i high =
        divide(_mm512_extracti64x4_epi64(x.r, 1), _mm512_extracti64x4_epi64(y.r, 1));
    return simd<T, Tag>{_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1)};
  });
}
#endif

} // namespace cottonwood::arch
