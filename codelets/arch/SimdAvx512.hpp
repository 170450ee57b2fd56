/// \file SimdAvx512.hpp
/// Sixteen 32-bit lanes on AVX-512 F, BW, DQ, VL; all tags of 64 bytes. Included by Simd.hpp.
#pragma once

#include <codelets/arch/SimdShared.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood {

namespace arch {
/// Ones for the first n of up to 16 lanes.
POP_SIMD_INLINE __mmask16 firstLanes16(std::size_t n) {
  return static_cast<__mmask16>((1u << n) - 1u);
}
POP_SIMD_INLINE __mmask64 firstLanes64(std::size_t n) {
  return n >= 64 ? ~__mmask64{0} : (__mmask64{1} << n) - 1;
}
} // namespace arch

template <arch::Avx512Tag Tag> struct simdMask<Tag> {
  static constexpr int width = 16;
  __mmask16 m;

  POP_SIMD_INLINE static simdMask loadBool(const void *p) {
    return fromBytes(_mm_loadu_si128(static_cast<const __m128i *>(p)));
  }
  POP_SIMD_INLINE static simdMask loadBoolPartial(const void *p, std::size_t n) {
    return fromBytes(_mm_maskz_loadu_epi8(arch::firstLanes16(n), p));
  }
  POP_SIMD_INLINE void storeBool(void *p) const {
    _mm_storeu_si128(static_cast<__m128i *>(p), _mm_maskz_set1_epi8(m, 1));
  }
  POP_SIMD_INLINE void storeBoolPartial(void *p, std::size_t n) const {
    _mm_mask_storeu_epi8(p, arch::firstLanes16(n), _mm_maskz_set1_epi8(m, 1));
  }
  POP_SIMD_INLINE bool any() const { return m != 0; }
  POP_SIMD_INLINE bool all() const { return m == 0xffff; }
  POP_SIMD_INLINE friend simdMask operator&(simdMask a, simdMask b) {
    return {_kand_mask16(a.m, b.m)};
  }
  POP_SIMD_INLINE friend simdMask operator|(simdMask a, simdMask b) {
    return {_kor_mask16(a.m, b.m)};
  }
  POP_SIMD_INLINE friend simdMask operator^(simdMask a, simdMask b) {
    return {_kxor_mask16(a.m, b.m)};
  }
  POP_SIMD_INLINE friend simdMask operator~(simdMask a) { return {_knot_mask16(a.m)}; }

private:
  POP_SIMD_INLINE static simdMask fromBytes(__m128i b) { return {_mm_test_epi8_mask(b, b)}; }
};

namespace arch {
/// What INT and UNSIGNED_INT share at sixteen lanes.
template <class Self, class T, class Tag> struct Avx512Int : IntLanes<Self, T, Tag> {
  static constexpr int width = 16;
  using Mask = simdMask<Tag>;
  using IntLanes<Self, T, Tag>::self;

  POP_SIMD_INLINE static Self zero() { return Self{_mm512_setzero_si512()}; }
  POP_SIMD_INLINE static Self splat(T x) { return Self{_mm512_set1_epi32(static_cast<int>(x))}; }
  POP_SIMD_INLINE static Self load(const T *p) { return Self{_mm512_loadu_si512(p)}; }
  POP_SIMD_INLINE static Self loadAligned(const T *p) { return Self{_mm512_load_si512(p)}; }
  POP_SIMD_INLINE static Self loadPartial(const T *p, std::size_t n) {
    return Self{_mm512_maskz_loadu_epi32(firstLanes16(n), p)};
  }
  POP_SIMD_INLINE void store(T *p) const { _mm512_storeu_si512(p, self().r); }
  POP_SIMD_INLINE void storeAligned(T *p) const { _mm512_store_si512(p, self().r); }
  POP_SIMD_INLINE void stream(T *p) const {
    _mm512_stream_si512(reinterpret_cast<__m512i *>(p), self().r);
  }
  POP_SIMD_INLINE void storePartial(T *p, std::size_t n) const {
    _mm512_mask_storeu_epi32(p, firstLanes16(n), self().r);
  }
  POP_SIMD_INLINE friend Self operator+(Self a, Self b) { return Self{_mm512_add_epi32(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator-(Self a, Self b) { return Self{_mm512_sub_epi32(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator*(Self a, Self b) {
    return Self{_mm512_mullo_epi32(a.r, b.r)};
  }
  POP_SIMD_INLINE friend Self operator&(Self a, Self b) { return Self{_mm512_and_si512(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator|(Self a, Self b) { return Self{_mm512_or_si512(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator^(Self a, Self b) { return Self{_mm512_xor_si512(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator~(Self a) {
    return Self{_mm512_xor_si512(a.r, _mm512_set1_epi32(-1))};
  }
  POP_SIMD_INLINE static Self shiftLeft(Self a, Self n) {
    return Self{_mm512_sllv_epi32(a.r, n.r)};
  }
  POP_SIMD_INLINE static Self shiftRight(Self a, Self n) {
    return Self{_mm512_srlv_epi32(a.r, n.r)};
  }
  POP_SIMD_INLINE static Self shiftRightArithmetic(Self a, Self n) {
    return Self{_mm512_srav_epi32(a.r, n.r)};
  }
  template <int N> POP_SIMD_INLINE Self shiftLeft() const {
    return Self{_mm512_slli_epi32(self().r, N)};
  }
  template <int N> POP_SIMD_INLINE Self shiftRight() const {
    return Self{_mm512_srli_epi32(self().r, N)};
  }
  template <int N> POP_SIMD_INLINE Self shiftRightArithmetic() const {
    return Self{_mm512_srai_epi32(self().r, N)};
  }
  POP_SIMD_INLINE static Self countLeadingZeros(Self a) { return Self{_mm512_lzcnt_epi32(a.r)}; }
  POP_SIMD_INLINE friend Mask operator==(Self a, Self b) {
    return {_mm512_cmpeq_epi32_mask(a.r, b.r)};
  }
  POP_SIMD_INLINE friend Mask operator!=(Self a, Self b) {
    return {_mm512_cmpneq_epi32_mask(a.r, b.r)};
  }
  POP_SIMD_INLINE friend Mask operator<(Self a, Self b) { return {Self::less(a.r, b.r)}; }
  POP_SIMD_INLINE friend Mask operator>(Self a, Self b) { return {Self::less(b.r, a.r)}; }
  POP_SIMD_INLINE static Self select(Mask m, Self a, Self b) {
    return Self{_mm512_mask_mov_epi32(b.r, m.m, a.r)};
  }
  POP_SIMD_INLINE T first() const { return static_cast<T>(_mm512_cvtsi512_si32(self().r)); }
  template <class F> POP_SIMD_INLINE T fold(F f) const {
    Self v = self();
    v = f(v, Self{_mm512_shuffle_i32x4(v.r, v.r, 0x4e)});
    v = f(v, Self{_mm512_shuffle_i32x4(v.r, v.r, 0xb1)});
    v = f(v, Self{_mm512_shuffle_epi32(v.r, static_cast<_MM_PERM_ENUM>(0x4e))});
    v = f(v, Self{_mm512_shuffle_epi32(v.r, static_cast<_MM_PERM_ENUM>(0xb1))});
    return v.first();
  }
};
} // namespace arch

template <arch::Avx512Tag Tag>
struct simd<std::int32_t, Tag> : arch::Avx512Int<simd<std::int32_t, Tag>, std::int32_t, Tag> {
  __m512i r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(__m512i x) : r(x) {}
  POP_SIMD_OF_NUMBER(std::int32_t)
  POP_SIMD_INLINE static simd iota() {
    return simd{_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
  }
  POP_SIMD_INLINE static __mmask16 less(__m512i a, __m512i b) {
    return _mm512_cmplt_epi32_mask(a, b);
  }
  POP_SIMD_INLINE static __m512i minRegister(__m512i a, __m512i b) {
    return _mm512_min_epi32(a, b);
  }
  POP_SIMD_INLINE static __m512i maxRegister(__m512i a, __m512i b) {
    return _mm512_max_epi32(a, b);
  }
};

template <arch::Avx512Tag Tag>
struct simd<std::uint32_t, Tag> : arch::Avx512Int<simd<std::uint32_t, Tag>, std::uint32_t, Tag> {
  __m512i r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(__m512i x) : r(x) {}
  POP_SIMD_OF_NUMBER(std::uint32_t)
  POP_SIMD_INLINE simd<std::int32_t, Tag> asInt() const { return simd<std::int32_t, Tag>{r}; }
  POP_SIMD_INLINE static simd iota() { return simd{simd<std::int32_t, Tag>::iota().r}; }
  POP_SIMD_INLINE static simd multiplyWide(simd a, simd b, simd &high) {
    const __m512i even = _mm512_mul_epu32(a.r, b.r), odd = oddProducts(a, b);
    high = simd{_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xaaaa, odd)};
    return simd{_mm512_mask_mov_epi32(even, 0xaaaa, _mm512_slli_epi64(odd, 32))};
  }
  POP_SIMD_INLINE static simd multiplyHigh(simd a, simd b) {
    const __m512i even = _mm512_mul_epu32(a.r, b.r);
    return simd{_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xaaaa, oddProducts(a, b))};
  }
  POP_SIMD_INLINE static __mmask16 less(__m512i a, __m512i b) {
    return _mm512_cmplt_epu32_mask(a, b);
  }
  POP_SIMD_INLINE static __m512i minRegister(__m512i a, __m512i b) {
    return _mm512_min_epu32(a, b);
  }
  POP_SIMD_INLINE static __m512i maxRegister(__m512i a, __m512i b) {
    return _mm512_max_epu32(a, b);
  }

private:
  /// 64-bit products of the odd lanes.
  POP_SIMD_INLINE static __m512i oddProducts(simd a, simd b) {
    return _mm512_mul_epu32(_mm512_srli_epi64(a.r, 32), _mm512_srli_epi64(b.r, 32));
  }
};

template <arch::Avx512Tag Tag> struct simd<float, Tag> : arch::Reductions<simd<float, Tag>, float> {
  static constexpr int width = 16;
  using Element = float;
  using Int = simd<std::int32_t, Tag>;
  using Uint = simd<std::uint32_t, Tag>;
  using Mask = simdMask<Tag>;
  __m512 r;

  simd() = default;
  POP_SIMD_INLINE explicit simd(__m512 x) : r(x) {}
  POP_SIMD_OF_NUMBER(float)

  POP_SIMD_INLINE static simd zero() { return simd{_mm512_setzero_ps()}; }
  POP_SIMD_INLINE static simd splat(float x) { return simd{_mm512_set1_ps(x)}; }
  POP_SIMD_INLINE static simd load(const float *p) { return simd{_mm512_loadu_ps(p)}; }
  POP_SIMD_INLINE static simd loadAligned(const float *p) { return simd{_mm512_load_ps(p)}; }
  /// Kept in a register: folded into the multiplication as {1to16} it costs Zen 5 6-14% of peak.
  POP_SIMD_INLINE static simd broadcast(const float *p) {
    __m512 v = _mm512_set1_ps(*p);
    __asm__("" : "+v"(v));
    return simd{v};
  }
  POP_SIMD_INLINE static simd loadPartial(const float *p, std::size_t n) {
    return simd{_mm512_maskz_loadu_ps(arch::firstLanes16(n), p)};
  }
  POP_SIMD_INLINE void store(float *p) const { _mm512_storeu_ps(p, r); }
  POP_SIMD_INLINE void storeAligned(float *p) const { _mm512_store_ps(p, r); }
  POP_SIMD_INLINE void stream(float *p) const { _mm512_stream_ps(p, r); }
  POP_SIMD_INLINE void storePartial(float *p, std::size_t n) const {
    _mm512_mask_storeu_ps(p, arch::firstLanes16(n), r);
  }
  POP_SIMD_INLINE static simd load(const half *p) {
    return simd{_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)))};
  }
  POP_SIMD_INLINE static simd loadAligned(const half *p) {
    return simd{_mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i *>(p)))};
  }
  POP_SIMD_INLINE static simd broadcast(const half *p) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, p, 2);
    return simd{_mm512_cvtph_ps(_mm256_set1_epi16(static_cast<short>(bits)))};
  }
  POP_SIMD_INLINE static simd loadPartial(const half *p, std::size_t n) {
    return simd{_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(arch::firstLanes16(n), p))};
  }
  POP_SIMD_INLINE void store(half *p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), toHalfRegister());
  }
  POP_SIMD_INLINE void storeAligned(half *p) const {
    _mm256_store_si256(reinterpret_cast<__m256i *>(p), toHalfRegister());
  }
  POP_SIMD_INLINE void stream(half *p) const {
    _mm256_stream_si256(reinterpret_cast<__m256i *>(p), toHalfRegister());
  }
  /// Both past the caches, behind each other, as one line.
  POP_SIMD_INLINE static void streamTwo(half *p, simd first, simd second) {
    const __m512i low = _mm512_castsi256_si512(first.toHalfRegister());
    _mm512_stream_si512(reinterpret_cast<__m512i *>(p),
                        _mm512_inserti64x4(low, second.toHalfRegister(), 1));
  }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    _mm256_mask_storeu_epi16(p, arch::firstLanes16(n), toHalfRegister());
  }

  POP_SIMD_INLINE friend simd operator+(simd a, simd b) { return simd{_mm512_add_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator-(simd a, simd b) { return simd{_mm512_sub_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator*(simd a, simd b) { return simd{_mm512_mul_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator/(simd a, simd b) { return simd{_mm512_div_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator-(simd a) {
    return simd{_mm512_xor_ps(a.r, _mm512_set1_ps(-0.f))};
  }
  POP_SIMD_INLINE static simd fma(simd a, simd b, simd c) {
    return simd{_mm512_fmadd_ps(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd fnma(simd a, simd b, simd c) {
    return simd{_mm512_fnmadd_ps(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd fms(simd a, simd b, simd c) {
    return simd{_mm512_fmsub_ps(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd min(simd a, simd b) { return simd{_mm512_min_ps(a.r, b.r)}; }
  POP_SIMD_INLINE static simd max(simd a, simd b) { return simd{_mm512_max_ps(a.r, b.r)}; }
  POP_SIMD_INLINE static simd sqrt(simd a) { return simd{_mm512_sqrt_ps(a.r)}; }
  POP_SIMD_INLINE static simd abs(simd a) { return simd{_mm512_abs_ps(a.r)}; }
  POP_SIMD_INLINE static simd floor(simd a) {
    return simd{_mm512_roundscale_ps(a.r, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE static simd ceil(simd a) {
    return simd{_mm512_roundscale_ps(a.r, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE static simd trunc(simd a) {
    return simd{_mm512_roundscale_ps(a.r, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE static simd nearest(simd a) {
    return simd{_mm512_roundscale_ps(a.r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE static simd scale(simd a, simd n) { return simd{_mm512_scalef_ps(a.r, n.r)}; }
  POP_SIMD_INLINE static simd inverseSqrtEstimate(simd a) { return simd{_mm512_rsqrt14_ps(a.r)}; }
  // Of the kinds of x - quiet and signalling NaN, zero, 1, -inf, inf, negative, positive - the
  // digits from the last one on say what the result is: 0 y, 1 x, 2 x as a quiet NaN, 3 NaN, 6
  // infinity with the sign of x, 8 zero.
  POP_SIMD_INLINE static simd fixSqrt(simd y, simd x) {
    return simd{_mm512_fixupimm_ps(y.r, x.r, _mm512_set1_epi32(0x03130122), 0)};
  }
  POP_SIMD_INLINE static simd fixInverseSqrt(simd y, simd x) {
    return simd{_mm512_fixupimm_ps(y.r, x.r, _mm512_set1_epi32(0x03830622), 0)};
  }
  POP_SIMD_INLINE Int bits() const { return Int{_mm512_castps_si512(r)}; }
  POP_SIMD_INLINE static simd fromBits(Int x) { return simd{_mm512_castsi512_ps(x.r)}; }
  POP_SIMD_INLINE Int toInt() const { return Int{_mm512_cvttps_epi32(r)}; }
  POP_SIMD_INLINE Uint toUint() const { return Uint{_mm512_cvttps_epu32(r)}; }
  POP_SIMD_INLINE static simd fromInt(Int x) { return simd{_mm512_cvtepi32_ps(x.r)}; }
  POP_SIMD_INLINE static simd fromUint(Uint x) { return simd{_mm512_cvtepu32_ps(x.r)}; }
  POP_SIMD_INLINE friend Mask operator==(simd a, simd b) { return compare<_CMP_EQ_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator!=(simd a, simd b) { return compare<_CMP_NEQ_UQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<(simd a, simd b) { return compare<_CMP_LT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<=(simd a, simd b) { return compare<_CMP_LE_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>(simd a, simd b) { return compare<_CMP_GT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>=(simd a, simd b) { return compare<_CMP_GE_OQ>(a, b); }
  POP_SIMD_INLINE static simd select(Mask m, simd a, simd b) {
    return simd{_mm512_mask_mov_ps(b.r, m.m, a.r)};
  }
  POP_SIMD_INLINE float first() const { return _mm512_cvtss_f32(r); }
  POP_SIMD_INLINE static simd roundToHalf(simd a) {
    return simd{_mm512_cvtph_ps(a.toHalfRegister())};
  }
  POP_SIMD_INLINE __m256i toHalfRegister() const {
    return _mm512_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  template <class F> POP_SIMD_INLINE float fold(F f) const {
    simd v = *this;
    v = f(v, simd{_mm512_shuffle_f32x4(v.r, v.r, 0x4e)});
    v = f(v, simd{_mm512_shuffle_f32x4(v.r, v.r, 0xb1)});
    v = f(v, simd{_mm512_permute_ps(v.r, 0x4e)});
    v = f(v, simd{_mm512_permute_ps(v.r, 0xb1)});
    return v.first();
  }

private:
  template <int C> POP_SIMD_INLINE static Mask compare(simd a, simd b) {
    return {_mm512_cmp_ps_mask(a.r, b.r, C)};
  }
};

template <arch::Avx512Tag Tag> struct simd<std::uint8_t, Tag> {
  static constexpr int width = 64;
  __m512i r;

  POP_SIMD_INLINE static simd splat(std::uint8_t x) {
    return {_mm512_set1_epi8(static_cast<char>(x))};
  }
  POP_SIMD_INLINE static simd load(const void *p) { return {_mm512_loadu_si512(p)}; }
  POP_SIMD_INLINE static simd loadPartial(const void *p, std::size_t n) {
    return {_mm512_maskz_loadu_epi8(arch::firstLanes64(n), p)};
  }
  POP_SIMD_INLINE void store(void *p) const { _mm512_storeu_si512(p, r); }
  POP_SIMD_INLINE void storePartial(void *p, std::size_t n) const {
    _mm512_mask_storeu_epi8(p, arch::firstLanes64(n), r);
  }
  POP_SIMD_INLINE friend simd operator&(simd a, simd b) { return {_mm512_and_si512(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator|(simd a, simd b) { return {_mm512_or_si512(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator^(simd a, simd b) { return {_mm512_xor_si512(a.r, b.r)}; }
  POP_SIMD_INLINE bool anyBit() const { return _mm512_test_epi8_mask(r, r) != 0; }
  POP_SIMD_INLINE bool operator==(simd b) const { return _mm512_cmpeq_epi8_mask(r, b.r) == ~0ull; }
};

} // namespace cottonwood
