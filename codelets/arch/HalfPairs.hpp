/// \file HalfPairs.hpp
/// Vectors of 16 pairs of halves, two neighbouring values of k each: what sums of products of
/// halves by half arithmetic are made of. For tags with that arithmetic.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/arch/SimdHalf.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// Operations on them; all are moves of bits but addTo() and sums().
template <class Tag> struct HalfPairs;

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

template <class Tag>
requires(Tag::HALF_ARITHMETIC) struct HalfPairs<Tag> {
  using V = simd<half, Tag>;
  using Floats = simd<float, Tag>;
  static constexpr std::size_t PAIRS = 16;

  /// The pair p[0], p[1] in all places.
  POP_SIMD_INLINE static V broadcast(const half *p) {
    std::int32_t pair;
    __builtin_memcpy(&pair, p, sizeof pair);
    return fromBits(_mm512_set1_epi32(pair));
  }

  /// to: pairs of low[i] and high[i], i < n, and zeros. Without `high` the second ones are zeros.
  POP_SIMD_INLINE static void zip(const half *low, const half *high, std::size_t n, half *to) {
    const auto words = [&](const half *p) POP_SIMD_LAMBDA {
      return _mm512_cvtepu16_epi32(n >= PAIRS
                                       ? _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))
                                       : _mm256_maskz_loadu_epi16(firstLanes16(n), p));
    };
    __m512i pairs = words(low);
    if (high)
      pairs = _mm512_or_si512(pairs, _mm512_slli_epi32(words(high), 16));
    _mm512_storeu_si512(to, pairs);
  }

  /// The pairs of n halves one behind another, and zeros, as floats of their bits.
  POP_SIMD_INLINE static Floats load(const half *p, std::size_t n) {
    return Floats{_mm512_castsi512_ps(n >= 2 * PAIRS ? _mm512_loadu_si512(p)
                                                     : _mm512_maskz_loadu_epi16(first(n), p))};
  }
  POP_SIMD_INLINE static void store(Floats pairs, half *to) {
    _mm512_storeu_si512(to, _mm512_castps_si512(pairs.r));
  }

  /// sums[i] += x[i], i < 32; or sums[i] = x[i].
  template <bool FIRST> POP_SIMD_INLINE static void addTo(float *sums, V x) {
    const __m512i bits = toBits(x);
    Floats low{_mm512_cvtph_ps(_mm512_castsi512_si256(bits))};
    Floats high{_mm512_cvtph_ps(_mm512_extracti64x4_epi64(bits, 1))};
    if constexpr (!FIRST)
      low = Floats::load(sums) + low, high = Floats::load(sums + PAIRS) + high;
    low.store(sums), high.store(sums + PAIRS);
  }
  /// Sums of the pairs of 32 floats.
  POP_SIMD_INLINE static Floats sums(const float *from) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512 low = _mm512_loadu_ps(from), high = _mm512_loadu_ps(from + PAIRS);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    return Floats{_mm512_add_ps(_mm512_permutex2var_ps(low, even, high),
                                _mm512_permutex2var_ps(low, odd, high))};
  }

private:
  POP_SIMD_INLINE static __mmask32 first(std::size_t n) { return HalfMask<Tag>::first(n); }
#if defined(__AVX512FP16__)
  static constexpr bool SOFT = isa::isSoft(Tag::ID);
#else
  static constexpr bool SOFT = true;
#endif
  POP_SIMD_INLINE static V fromBits(__m512i bits) {
    if constexpr (SOFT)
      return {_mm512_castsi512_si256(bits), _mm512_extracti64x4_epi64(bits, 1)};
#if defined(__AVX512FP16__)
    else
      return {_mm512_castsi512_ph(bits)};
#endif
  }
  POP_SIMD_INLINE static __m512i toBits(V x) {
    if constexpr (SOFT)
      return _mm512_inserti64x4(_mm512_castsi256_si512(x.lo), x.hi, 1);
#if defined(__AVX512FP16__)
    else
      return _mm512_castph_si512(x.r);
#endif
  }
};

#endif

} // namespace cottonwood::arch
