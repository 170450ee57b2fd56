/// \file SimdTable.hpp
/// Floats in registers that every lane picks one of, and lanes moved from vector to vector.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::arch {

/// table(index) is values[index % N] in each lane. N is 16, or 32 with AVX-512.
template <class Tag, std::size_t N> struct Table;

template <ScalarTag Tag> struct Table<Tag, 16> {
  using V = simd<float, Tag>;
  const float *values;

  POP_SIMD_INLINE explicit Table(const float *p) : values(p) {}
  POP_SIMD_INLINE V operator()(typename V::Int index) const {
    return V::load(values + (index.r & 15));
  }
};

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <Avx2Tag Tag> struct Table<Tag, 16> {
  using V = simd<float, Tag>;
  __m256 low, high;

  POP_SIMD_INLINE explicit Table(const float *p)
      : low(_mm256_loadu_ps(p)), high(_mm256_loadu_ps(p + 8)) {}
  POP_SIMD_INLINE V operator()(typename V::Int index) const {
    const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(index.r, 28)); // bit 3 as the sign
    return V{_mm256_blendv_ps(_mm256_permutevar8x32_ps(low, index.r),
                              _mm256_permutevar8x32_ps(high, index.r), upper)};
  }
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <Avx512Tag Tag> struct Table<Tag, 16> {
  using V = simd<float, Tag>;
  __m512 all;

  POP_SIMD_INLINE explicit Table(const float *p) : all(_mm512_loadu_ps(p)) {}
  POP_SIMD_INLINE V operator()(typename V::Int index) const {
    return V{_mm512_permutexvar_ps(index.r, all)};
  }
};
template <Avx512Tag Tag> struct Table<Tag, 32> {
  using V = simd<float, Tag>;
  __m512 low, high;

  POP_SIMD_INLINE explicit Table(const float *p)
      : low(_mm512_loadu_ps(p)), high(_mm512_loadu_ps(p + 16)) {}
  POP_SIMD_INLINE V operator()(typename V::Int index) const {
    return V{_mm512_permutex2var_ps(low, index.r, high)};
  }
};
#endif

/// Lane i of the result is lane index[i] of x, modulo their number.
template <class V, class Tag>
requires(V::width == 1) POP_SIMD_INLINE V permuteLanes(V x, simd<std::int32_t, Tag>) { return x; }
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <class V, Avx2Tag Tag>
requires(sizeof(V) == 32) POP_SIMD_INLINE V permuteLanes(V x, simd<std::int32_t, Tag> index) {
  using R = decltype(V::r);
  return V{bitCast<R>(_mm256_permutevar8x32_epi32(bitCast<__m256i>(x.r), index.r))};
}
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <class V, Avx512Tag Tag>
requires(sizeof(V) == 64) POP_SIMD_INLINE V permuteLanes(V x, simd<std::int32_t, Tag> index) {
  using R = decltype(V::r);
  return V{bitCast<R>(_mm512_permutexvar_epi32(index.r, bitCast<__m512i>(x.r)))};
}
#endif

/// Lane i of the result is lane index[i] of a and of b behind it, modulo their number.
template <class V, class Tag>
POP_SIMD_INLINE V permuteTwo(V a, V b, simd<std::int32_t, Tag> index) {
  constexpr std::size_t W = V::width;
  typename V::Element lanes[2 * W], result[W];
  std::int32_t from[W];
  a.store(lanes);
  b.store(lanes + W);
  index.store(from);
  for (std::size_t i = 0; i < W; ++i)
    result[i] = lanes[static_cast<std::size_t>(from[i]) % (2 * W)];
  return V::load(result);
}
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <Avx512Tag Tag>
POP_SIMD_INLINE simd<float, Tag> permuteTwo(simd<float, Tag> a, simd<float, Tag> b,
                                            simd<std::int32_t, Tag> index) {
  return simd<float, Tag>{_mm512_permutex2var_ps(a.r, index.r, b.r)};
}
#endif

/// Lanes n, n + 1, ... of a, and the first n lanes of b behind them; n is at most their number.
template <class V> POP_SIMD_INLINE V lanesFrom(V a, V b, std::size_t n) {
  typename V::Element lanes[2 * V::width];
  a.store(lanes);
  b.store(lanes + V::width);
  return V::load(lanes + n);
}
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <class V>
requires(sizeof(V) == 64 && sizeof(typename V::Element) == 4) POP_SIMD_INLINE V
    lanesFrom(V a, V b, std::size_t n) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i from = _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<int>(n)));
  __m512i low, high;
  __builtin_memcpy(&low, &a, 64);
  __builtin_memcpy(&high, &b, 64);
  // An index has five bits: those from 16 on are the lanes of b.
  const __m512i lanes = _mm512_permutex2var_epi32(low, from, high);
  V result;
  __builtin_memcpy(&result, &lanes, 64);
  return result;
}
#endif

} // namespace cottonwood::arch
