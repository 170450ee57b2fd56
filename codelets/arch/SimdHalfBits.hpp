/// \file SimdHalfBits.hpp
/// Operations on halves whose results are their operands' bits, a sign or a truth value: whole
/// numbers of 16 bits, twice as many a vector as there are floats, and no conversions. Results are
/// those of the same operations on floats.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// A vector of halves as their bits. For tags without vectors there is none.
///
/// Face, as far as simd<float> has it the same: load loadPartial store stream storePartial,
/// comparisons, select, unary minus; abs relu signum; isNan isInf isFinite; maximum minimum
/// reluGradient. NaN keep their bits where they are results.
template <class Tag> struct HalfBits;

template <class Tag>
concept HasHalfBits = requires {
  HalfBits<Tag>::width;
};

/// What follows from Self's order of whole numbers and its logic of masks.
template <class Self> struct HalfBitsOrder {
  POP_SIMD_INLINE friend auto operator==(Self a, Self b) {
    return Self::equal(a.order(), b.order(), a.isNumber());
  }
  POP_SIMD_INLINE friend auto operator!=(Self a, Self b) { return Self::inverse(a == b); }
  POP_SIMD_INLINE friend auto operator>(Self a, Self b) {
    return Self::greater(a.order(), b.order(), areNumbers(a, b));
  }
  POP_SIMD_INLINE friend auto operator<=(Self a, Self b) {
    return Self::without(Self::greater(a.order(), b.order()), areNumbers(a, b));
  }
  POP_SIMD_INLINE friend auto operator<(Self a, Self b) { return b > a; }
  POP_SIMD_INLINE friend auto operator>=(Self a, Self b) { return b <= a; }

  POP_SIMD_INLINE friend Self operator-(Self a) { return a ^ Self::splat(-0x8000); }

  /// The one of two that is a number; b of equal ones, a of NaN.
  POP_SIMD_INLINE static Self maximum(Self a, Self b) {
    return Self::select(Self::either(Self::greater(a.order(), b.order(), a.isNumber()), b.isNan()),
                        a, b);
  }
  POP_SIMD_INLINE static Self minimum(Self a, Self b) {
    return Self::select(Self::either(Self::greater(b.order(), a.order(), a.isNumber()), b.isNan()),
                        a, b);
  }
  /// b where a > 0, else 0.
  POP_SIMD_INLINE static Self reluGradient(Self a, Self b) {
    return Self::keep(Self::greater(a, Self::splat(0), a.isNumber()), b);
  }
  /// The larger of each and 0; 0 for NaN.
  POP_SIMD_INLINE Self relu() const { return reluGradient(self(), self()); }
  /// 1, -1 or, for zeros and NaN, 0.
  POP_SIMD_INLINE Self signum() const {
    constexpr std::int16_t ONE = 0x3c00;
    const Self size = self().abs();
    return Self::keep(Self::greater(size, Self::splat(0), isNumber()),
                      (self() ^ size) | Self::splat(ONE));
  }

  POP_SIMD_INLINE auto isNan() const { return Self::greater(self().abs(), infinity()); }
  POP_SIMD_INLINE auto isNumber() const { return Self::greater(nan(), self().abs()); }
  POP_SIMD_INLINE auto isInf() const { return Self::equal(self().abs(), infinity()); }
  POP_SIMD_INLINE auto isFinite() const { return Self::greater(infinity(), self().abs()); }

private:
  POP_SIMD_INLINE const Self &self() const { return static_cast<const Self &>(*this); }
  POP_SIMD_INLINE static Self infinity() { return Self::splat(0x7c00); }
  POP_SIMD_INLINE static Self nan() { return Self::splat(0x7c01); }
  POP_SIMD_INLINE static auto areNumbers(Self a, Self b) {
    return Self::greater(nan(), Self::larger(a.abs(), b.abs()));
  }
};

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <Avx2Tag Tag> struct HalfBits<Tag> : HalfBitsOrder<HalfBits<Tag>> {
  static constexpr int width = 16;
  __m256i r;

  struct Mask {
    __m256i m;

    POP_SIMD_INLINE static Mask loadBool(const void *p) {
      return fromBytes(_mm_loadu_si128(static_cast<const __m128i *>(p)));
    }
    POP_SIMD_INLINE static Mask loadBoolPartial(const void *p, std::size_t n) {
      alignas(16) unsigned char bytes[16] = {};
      __builtin_memcpy(bytes, p, n);
      return loadBool(bytes);
    }
    POP_SIMD_INLINE void storeBool(void *p) const {
      const __m128i bytes =
          _mm_packs_epi16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
      _mm_storeu_si128(static_cast<__m128i *>(p), _mm_and_si128(bytes, _mm_set1_epi8(1)));
    }
    POP_SIMD_INLINE void storeBoolPartial(void *p, std::size_t n) const {
      alignas(16) unsigned char bytes[16];
      storeBool(bytes);
      __builtin_memcpy(p, bytes, n);
    }

  private:
    POP_SIMD_INLINE static Mask fromBytes(__m128i bytes) {
      return {_mm256_cmpgt_epi16(_mm256_cvtepu8_epi16(bytes), _mm256_setzero_si256())};
    }
  };

  POP_SIMD_INLINE static HalfBits of(__m256i r) { return {{}, r}; }
  POP_SIMD_INLINE static HalfBits splat(std::int16_t bits) { return of(_mm256_set1_epi16(bits)); }
  POP_SIMD_INLINE static HalfBits load(const half *p) {
    return of(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
  }
  POP_SIMD_INLINE static HalfBits loadPartial(const half *p, std::size_t n) {
    alignas(32) unsigned char bytes[32] = {};
    __builtin_memcpy(bytes, p, n * sizeof(half));
    return of(_mm256_load_si256(reinterpret_cast<const __m256i *>(bytes)));
  }
  POP_SIMD_INLINE void store(half *p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), r);
  }
  POP_SIMD_INLINE void stream(half *p) const {
    _mm256_stream_si256(reinterpret_cast<__m256i *>(p), r);
  }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    alignas(32) unsigned char bytes[32];
    _mm256_store_si256(reinterpret_cast<__m256i *>(bytes), r);
    __builtin_memcpy(static_cast<void *>(p), bytes, n * sizeof(half));
  }

  POP_SIMD_INLINE HalfBits abs() const {
    return of(_mm256_and_si256(r, _mm256_set1_epi16(0x7fff)));
  }
  /// Numbers in the order of the halves, equal for both zeros.
  POP_SIMD_INLINE HalfBits order() const { return of(_mm256_sign_epi16(abs().r, r)); }
  POP_SIMD_INLINE static Mask greater(HalfBits a, HalfBits b) {
    return {_mm256_cmpgt_epi16(a.r, b.r)};
  }
  POP_SIMD_INLINE static Mask equal(HalfBits a, HalfBits b) {
    return {_mm256_cmpeq_epi16(a.r, b.r)};
  }
  /// Where `among` is set, too.
  POP_SIMD_INLINE static Mask greater(HalfBits a, HalfBits b, Mask among) {
    return {_mm256_and_si256(greater(a, b).m, among.m)};
  }
  POP_SIMD_INLINE static Mask equal(HalfBits a, HalfBits b, Mask among) {
    return {_mm256_and_si256(equal(a, b).m, among.m)};
  }
  POP_SIMD_INLINE static HalfBits larger(HalfBits a, HalfBits b) {
    return of(_mm256_max_epi16(a.r, b.r));
  }
  POP_SIMD_INLINE static Mask either(Mask a, Mask b) { return {_mm256_or_si256(a.m, b.m)}; }
  POP_SIMD_INLINE static Mask inverse(Mask a) {
    return {_mm256_xor_si256(a.m, _mm256_set1_epi32(-1))};
  }
  /// b and not a
  POP_SIMD_INLINE static Mask without(Mask a, Mask b) { return {_mm256_andnot_si256(a.m, b.m)}; }
  POP_SIMD_INLINE static HalfBits select(Mask m, HalfBits a, HalfBits b) {
    return of(_mm256_blendv_epi8(b.r, a.r, m.m));
  }
  /// a where m is set, else 0.
  POP_SIMD_INLINE static HalfBits keep(Mask m, HalfBits a) {
    return of(_mm256_and_si256(a.r, m.m));
  }
  POP_SIMD_INLINE friend HalfBits operator^(HalfBits a, HalfBits b) {
    return of(_mm256_xor_si256(a.r, b.r));
  }
  POP_SIMD_INLINE friend HalfBits operator|(HalfBits a, HalfBits b) {
    return of(_mm256_or_si256(a.r, b.r));
  }
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <Avx512Tag Tag> struct HalfBits<Tag> : HalfBitsOrder<HalfBits<Tag>> {
  static constexpr int width = 32;
  using Mask = HalfMask<Tag>;
  __m512i r;

  POP_SIMD_INLINE static HalfBits of(__m512i r) { return {{}, r}; }
  POP_SIMD_INLINE static HalfBits splat(std::int16_t bits) { return of(_mm512_set1_epi16(bits)); }
  POP_SIMD_INLINE static HalfBits load(const half *p) { return of(_mm512_loadu_si512(p)); }
  POP_SIMD_INLINE static HalfBits loadPartial(const half *p, std::size_t n) {
    return of(_mm512_maskz_loadu_epi16(Mask::first(n), p));
  }
  POP_SIMD_INLINE void store(half *p) const { _mm512_storeu_si512(p, r); }
  POP_SIMD_INLINE void stream(half *p) const {
    _mm512_stream_si512(reinterpret_cast<__m512i *>(p), r);
  }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    _mm512_mask_storeu_epi16(p, Mask::first(n), r);
  }

  POP_SIMD_INLINE HalfBits abs() const {
    return of(_mm512_and_si512(r, _mm512_set1_epi16(0x7fff)));
  }
  /// Numbers in the order of the halves, equal for both zeros.
  POP_SIMD_INLINE HalfBits order() const {
    constexpr int A_XOR_B_AND_C = 0x78;
    const __m512i negative = _mm512_srai_epi16(r, 15);
    return of(_mm512_sub_epi16(
        _mm512_ternarylogic_epi32(r, negative, _mm512_set1_epi16(0x7fff), A_XOR_B_AND_C),
        negative));
  }
  POP_SIMD_INLINE static Mask greater(HalfBits a, HalfBits b) {
    return {_mm512_cmpgt_epi16_mask(a.r, b.r)};
  }
  POP_SIMD_INLINE static Mask equal(HalfBits a, HalfBits b) {
    return {_mm512_cmpeq_epi16_mask(a.r, b.r)};
  }
  /// Where `among` is set, too.
  POP_SIMD_INLINE static Mask greater(HalfBits a, HalfBits b, Mask among) {
    return {_mm512_mask_cmpgt_epi16_mask(among.m, a.r, b.r)};
  }
  POP_SIMD_INLINE static Mask equal(HalfBits a, HalfBits b, Mask among) {
    return {_mm512_mask_cmpeq_epi16_mask(among.m, a.r, b.r)};
  }
  POP_SIMD_INLINE static HalfBits larger(HalfBits a, HalfBits b) {
    return of(_mm512_max_epi16(a.r, b.r));
  }
  POP_SIMD_INLINE static Mask either(Mask a, Mask b) { return {_kor_mask32(a.m, b.m)}; }
  POP_SIMD_INLINE static Mask inverse(Mask a) { return {_knot_mask32(a.m)}; }
  /// b and not a
  POP_SIMD_INLINE static Mask without(Mask a, Mask b) { return {_kandn_mask32(a.m, b.m)}; }
  POP_SIMD_INLINE static HalfBits select(Mask m, HalfBits a, HalfBits b) {
    return of(_mm512_mask_blend_epi16(m.m, b.r, a.r));
  }
  /// a where m is set, else 0.
  POP_SIMD_INLINE static HalfBits keep(Mask m, HalfBits a) {
    return of(_mm512_maskz_mov_epi16(m.m, a.r));
  }
  POP_SIMD_INLINE friend HalfBits operator^(HalfBits a, HalfBits b) {
    return of(_mm512_xor_si512(a.r, b.r));
  }
  POP_SIMD_INLINE friend HalfBits operator|(HalfBits a, HalfBits b) {
    return of(_mm512_or_si512(a.r, b.r));
  }
};
#endif

} // namespace cottonwood::arch
