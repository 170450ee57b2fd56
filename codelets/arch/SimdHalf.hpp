/// \file SimdHalf.hpp
/// `simd<half, Tag>`: binary16 arithmetic, every operation rounded once to half. Included by
/// Simd.hpp.
///
/// + - * / and sqrt give the same bits on all tags: computing them in float and rounding again is
/// exact because float has more than 2 x 11 + 2 bits. fma differs: tags with HALF_ARITHMETIC round
/// a * b + c once, as AVX512-FP16 does; other tags compute it in float and round the float.
///
/// Face on all tags: zero load loadPartial broadcast store storePartial stream + - * / fma, x = s
/// for numbers s. On tags with HALF_ARITHMETIC, as in simd<float>: splat unary- min max abs,
/// comparisons, select.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood {

namespace arch {
/// A vector of Ts with all lanes equal to a number, which is converted to a T.
template <class T, class Tag, class S> POP_SIMD_INLINE simd<T, Tag> splatNumber(S s) {
  if constexpr (std::is_same_v<T, half>) {
    const half x{floatToHalf(static_cast<float>(s))};
    return simd<half, Tag>::broadcast(&x);
  } else {
    return simd<T, Tag>::splat(static_cast<T>(s));
  }
}
} // namespace arch

/// Tags without binary16 arithmetic: a float vector whose lanes are always half numbers.
template <class Tag>
requires(!Tag::HALF_ARITHMETIC) struct simd<half, Tag> {
  using Wide = simd<float, Tag>;
  static constexpr int width = Wide::width;
  using Element = half;
  using Mask = simdMask<Tag>;
  Wide r;

  POP_SIMD_INLINE static simd round(Wide x) {
    // The compiler keeps this in a register: it converts there and back.
    half lanes[static_cast<std::size_t>(width)];
    x.store(lanes);
    return {Wide::load(lanes)};
  }
  POP_SIMD_INLINE static simd zero() { return {Wide::zero()}; }
  POP_SIMD_INLINE static simd load(const half *p) { return {Wide::load(p)}; }
  POP_SIMD_INLINE static simd loadPartial(const half *p, std::size_t n) {
    return {Wide::loadPartial(p, n)};
  }
  POP_SIMD_INLINE static simd broadcast(const half *p) { return {Wide::broadcast(p)}; }
  template <arch::LaneNumber<half> S> POP_SIMD_INLINE simd &operator=(S s) {
    return *this = arch::splatNumber<half, Tag>(s);
  }
  POP_SIMD_INLINE void store(half *p) const { r.store(p); }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const { r.storePartial(p, n); }
  POP_SIMD_INLINE void stream(half *p) const { r.stream(p); }
  POP_SIMD_INLINE static void streamTwo(half *p, simd a, simd b) requires requires(Wide x) {
    Wide::streamTwo(p, x, x);
  }
  { Wide::streamTwo(p, a.r, b.r); }
  POP_SIMD_INLINE friend simd operator+(simd a, simd b) { return round(a.r + b.r); }
  POP_SIMD_INLINE friend simd operator-(simd a, simd b) { return round(a.r - b.r); }
  POP_SIMD_INLINE friend simd operator*(simd a, simd b) { return round(a.r * b.r); }
  POP_SIMD_INLINE friend simd operator/(simd a, simd b) { return round(a.r / b.r); }
  POP_SIMD_INLINE static simd fma(simd a, simd b, simd c) {
    return round(Wide::fma(a.r, b.r, c.r));
  }
};

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

namespace arch {
/// One truth value per lane of 16 bits.
template <class Tag> struct HalfMask {
  static constexpr int width = 32;
  __mmask32 m;

  POP_SIMD_INLINE static __mmask32 first(std::size_t n) {
    return n >= 32 ? ~__mmask32{0} : (__mmask32{1} << n) - 1;
  }
  POP_SIMD_INLINE static HalfMask loadBool(const void *p) {
    return fromBytes(_mm256_loadu_si256(static_cast<const __m256i *>(p)));
  }
  POP_SIMD_INLINE static HalfMask loadBoolPartial(const void *p, std::size_t n) {
    return fromBytes(_mm256_maskz_loadu_epi8(first(n), p));
  }
  POP_SIMD_INLINE void storeBool(void *p) const {
    _mm256_storeu_si256(static_cast<__m256i *>(p), _mm256_maskz_set1_epi8(m, 1));
  }
  POP_SIMD_INLINE void storeBoolPartial(void *p, std::size_t n) const {
    _mm256_mask_storeu_epi8(p, first(n), _mm256_maskz_set1_epi8(m, 1));
  }

private:
  POP_SIMD_INLINE static HalfMask fromBytes(__m256i b) { return {_mm256_test_epi8_mask(b, b)}; }
};
} // namespace arch

/// The software twin: 32 lanes, bits as AVX512-FP16 gives them. NaN results are quiet; which
/// operand's payload they carry is not promised.
template <class Tag>
requires(Tag::HALF_ARITHMETIC &&isa::isSoft(Tag::ID)) struct simd<half, Tag> {
  using Wide = simd<float, Tag>;
  static constexpr int width = 32;
  using Element = half;
  using Mask = arch::HalfMask<Tag>;
  __m256i lo, hi;

  POP_SIMD_INLINE static simd zero() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
  POP_SIMD_INLINE static simd splat(float x) {
    const __m256i v = narrow(_mm512_set1_ps(x));
    return {v, v};
  }
  POP_SIMD_INLINE static simd load(const half *p) {
    const __m256i *q = reinterpret_cast<const __m256i *>(p);
    return {_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
  }
  POP_SIMD_INLINE static simd loadPartial(const half *p, std::size_t n) {
    const std::size_t first = n < 16 ? n : 16;
    return {_mm256_maskz_loadu_epi16(arch::firstLanes16(first), p),
            _mm256_maskz_loadu_epi16(arch::firstLanes16(n - first), p + 16)};
  }
  POP_SIMD_INLINE static simd broadcast(const half *p) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, p, 2);
    const __m256i v = _mm256_set1_epi16(static_cast<short>(bits));
    return {v, v};
  }
  template <arch::LaneNumber<half> S> POP_SIMD_INLINE simd &operator=(S s) {
    return *this = arch::splatNumber<half, Tag>(s);
  }
  POP_SIMD_INLINE void store(half *p) const {
    __m256i *q = reinterpret_cast<__m256i *>(p);
    _mm256_storeu_si256(q, lo);
    _mm256_storeu_si256(q + 1, hi);
  }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    const std::size_t first = n < 16 ? n : 16;
    _mm256_mask_storeu_epi16(p, arch::firstLanes16(first), lo);
    _mm256_mask_storeu_epi16(p + 16, arch::firstLanes16(n - first), hi);
  }
  POP_SIMD_INLINE void stream(half *p) const {
    __m256i *q = reinterpret_cast<__m256i *>(p);
    _mm256_stream_si256(q, lo);
    _mm256_stream_si256(q + 1, hi);
  }
  POP_SIMD_INLINE friend simd operator+(simd a, simd b) {
    return each(a, b, [](__m512 x, __m512 y) { return _mm512_add_ps(x, y); });
  }
  POP_SIMD_INLINE friend simd operator-(simd a, simd b) {
    return each(a, b, [](__m512 x, __m512 y) { return _mm512_sub_ps(x, y); });
  }
  POP_SIMD_INLINE friend simd operator*(simd a, simd b) {
    return each(a, b, [](__m512 x, __m512 y) { return _mm512_mul_ps(x, y); });
  }
  POP_SIMD_INLINE friend simd operator/(simd a, simd b) {
    return each(a, b, [](__m512 x, __m512 y) { return _mm512_div_ps(x, y); });
  }
  POP_SIMD_INLINE friend simd operator-(simd a) {
    const __m256i sign = _mm256_set1_epi16(static_cast<short>(0x8000));
    return {_mm256_xor_si256(a.lo, sign), _mm256_xor_si256(a.hi, sign)};
  }
  POP_SIMD_INLINE static simd abs(simd a) {
    const __m256i rest = _mm256_set1_epi16(0x7fff);
    return {_mm256_and_si256(a.lo, rest), _mm256_and_si256(a.hi, rest)};
  }
  POP_SIMD_INLINE static simd min(simd a, simd b) {
    return each(a, b, [](__m512 x, __m512 y) { return _mm512_min_ps(x, y); });
  }
  POP_SIMD_INLINE static simd max(simd a, simd b) {
    return each(a, b, [](__m512 x, __m512 y) { return _mm512_max_ps(x, y); });
  }
  POP_SIMD_INLINE static simd fma(simd a, simd b, simd c) {
    return {fmaHalf(a.lo, b.lo, c.lo), fmaHalf(a.hi, b.hi, c.hi)};
  }
  POP_SIMD_INLINE friend Mask operator==(simd a, simd b) { return compare<_CMP_EQ_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator!=(simd a, simd b) { return compare<_CMP_NEQ_UQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<(simd a, simd b) { return compare<_CMP_LT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<=(simd a, simd b) { return compare<_CMP_LE_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>(simd a, simd b) { return compare<_CMP_GT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>=(simd a, simd b) { return compare<_CMP_GE_OQ>(a, b); }
  POP_SIMD_INLINE static simd select(Mask m, simd a, simd b) {
    return {_mm256_mask_blend_epi16(static_cast<__mmask16>(m.m), b.lo, a.lo),
            _mm256_mask_blend_epi16(static_cast<__mmask16>(m.m >> 16), b.hi, a.hi)};
  }

private:
  template <int C> POP_SIMD_INLINE static Mask compare(simd a, simd b) {
    const __mmask32 low = _mm512_cmp_ps_mask(_mm512_cvtph_ps(a.lo), _mm512_cvtph_ps(b.lo), C);
    const __mmask32 high = _mm512_cmp_ps_mask(_mm512_cvtph_ps(a.hi), _mm512_cvtph_ps(b.hi), C);
    return {low | high << 16};
  }
  template <class F> POP_SIMD_INLINE static simd each(simd a, simd b, F f) {
    return {narrow(f(_mm512_cvtph_ps(a.lo), _mm512_cvtph_ps(b.lo))),
            narrow(f(_mm512_cvtph_ps(a.hi), _mm512_cvtph_ps(b.hi)))};
  }
  POP_SIMD_INLINE static __m256i narrow(__m512 x) {
    return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  POP_SIMD_INLINE static __m256i fmaHalf(__m256i a, __m256i b, __m256i c) {
    const __m512 x = _mm512_cvtph_ps(a), y = _mm512_cvtph_ps(b), z = _mm512_cvtph_ps(c);
    const __m256 low =
        fmaToOdd(_mm512_castps512_ps256(x), _mm512_castps512_ps256(y), _mm512_castps512_ps256(z));
    const __m256 high = fmaToOdd(_mm512_extractf32x8_ps(x, 1), _mm512_extractf32x8_ps(y, 1),
                                 _mm512_extractf32x8_ps(z, 1));
    return narrow(_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1));
  }
  /// a * b + c, exact in double (22 + 42 bits of span fit into 53 wherever the smaller part can
  /// change a half), then rounded to odd in float so that the step to half rounds once.
  POP_SIMD_INLINE static __m256 fmaToOdd(__m256 a, __m256 b, __m256 c) {
    const __m512d exact =
        _mm512_fmadd_pd(_mm512_cvtps_pd(a), _mm512_cvtps_pd(b), _mm512_cvtps_pd(c));
    const __m256 down = _mm512_cvt_roundpd_ps(exact, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __mmask8 inexact = _mm512_cmp_pd_mask(_mm512_cvtps_pd(down), exact, _CMP_NEQ_OQ);
    const __m256i odd = _mm256_mask_or_epi32(_mm256_castps_si256(down), inexact,
                                             _mm256_castps_si256(down), _mm256_set1_epi32(1));
    return _mm256_castsi256_ps(odd);
  }
};
#endif

#if defined(__AVX512FP16__) && defined(__AVX512VL__)

/// The instructions themselves.
template <class Tag>
requires(Tag::HALF_ARITHMETIC && !isa::isSoft(Tag::ID)) struct simd<half, Tag> {
  using Wide = simd<float, Tag>;
  static constexpr int width = 32;
  using Element = half;
  using Mask = arch::HalfMask<Tag>;
  __m512h r;

  POP_SIMD_INLINE static simd zero() { return {_mm512_setzero_ph()}; }
  POP_SIMD_INLINE static simd splat(float x) { return {_mm512_set1_ph(static_cast<_Float16>(x))}; }
  POP_SIMD_INLINE static simd load(const half *p) { return {_mm512_loadu_ph(p)}; }
  POP_SIMD_INLINE static simd loadPartial(const half *p, std::size_t n) {
    return {_mm512_castsi512_ph(_mm512_maskz_loadu_epi16(Mask::first(n), p))};
  }
  POP_SIMD_INLINE static simd broadcast(const half *p) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, p, 2);
    return {_mm512_castsi512_ph(_mm512_set1_epi16(static_cast<short>(bits)))};
  }
  template <arch::LaneNumber<half> S> POP_SIMD_INLINE simd &operator=(S s) {
    return *this = arch::splatNumber<half, Tag>(s);
  }
  POP_SIMD_INLINE void store(half *p) const { _mm512_storeu_ph(p, r); }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    _mm512_mask_storeu_epi16(p, Mask::first(n), _mm512_castph_si512(r));
  }
  POP_SIMD_INLINE void stream(half *p) const {
    _mm512_stream_si512(reinterpret_cast<__m512i *>(p), _mm512_castph_si512(r));
  }
  POP_SIMD_INLINE friend simd operator+(simd a, simd b) { return {_mm512_add_ph(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator-(simd a, simd b) { return {_mm512_sub_ph(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator*(simd a, simd b) { return {_mm512_mul_ph(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator/(simd a, simd b) { return {_mm512_div_ph(a.r, b.r)}; }
  POP_SIMD_INLINE static simd fma(simd a, simd b, simd c) {
    return {_mm512_fmadd_ph(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE friend simd operator-(simd a) {
    const __m512i sign = _mm512_set1_epi16(static_cast<short>(0x8000));
    return {_mm512_castsi512_ph(_mm512_xor_si512(_mm512_castph_si512(a.r), sign))};
  }
  POP_SIMD_INLINE static simd abs(simd a) { return {_mm512_abs_ph(a.r)}; }
  POP_SIMD_INLINE static simd min(simd a, simd b) { return {_mm512_min_ph(a.r, b.r)}; }
  POP_SIMD_INLINE static simd max(simd a, simd b) { return {_mm512_max_ph(a.r, b.r)}; }
  POP_SIMD_INLINE friend Mask operator==(simd a, simd b) { return compare<_CMP_EQ_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator!=(simd a, simd b) { return compare<_CMP_NEQ_UQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<(simd a, simd b) { return compare<_CMP_LT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<=(simd a, simd b) { return compare<_CMP_LE_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>(simd a, simd b) { return compare<_CMP_GT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>=(simd a, simd b) { return compare<_CMP_GE_OQ>(a, b); }
  POP_SIMD_INLINE static simd select(Mask m, simd a, simd b) {
    return {_mm512_mask_blend_ph(m.m, b.r, a.r)};
  }

private:
  template <int C> POP_SIMD_INLINE static Mask compare(simd a, simd b) {
    return {_mm512_cmp_ph_mask(a.r, b.r, C)};
  }
};
#endif

} // namespace cottonwood
