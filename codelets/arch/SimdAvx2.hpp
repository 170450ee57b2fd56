/// \file SimdAvx2.hpp
/// Eight 32-bit lanes on AVX2, FMA and F16C. Included by Simd.hpp.
#pragma once

#include <codelets/arch/SimdShared.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood {

namespace arch {
/// All-ones in the first n of eight lanes.
POP_SIMD_INLINE __m256i firstLanes256(std::size_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Parts of a vector are two pieces of a power of two that may overlap: masked stores are many
// operations on some processors (Zen), and a copy of so many bytes is a call.

/// The first n of eight 16-bit elements, others 0; reads nothing beyond them.
POP_SIMD_INLINE __m128i loadFirst16(const void *p, std::size_t n) {
  const char *const bytes = static_cast<const char *>(p);
  const auto shifted = [](__m128i v, std::size_t lanes) POP_SIMD_LAMBDA {
    return _mm_srl_epi64(v, _mm_cvtsi64_si128(static_cast<long long>(16 * lanes)));
  };
  if (n >= 8)
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes));
  if (n >= 4)
    return _mm_unpacklo_epi64(_mm_loadu_si64(bytes),
                              shifted(_mm_loadu_si64(bytes + 2 * n - 8), 8 - n));
  if (n >= 2)
    return _mm_unpacklo_epi32(_mm_loadu_si32(bytes),
                              shifted(_mm_loadu_si32(bytes + 2 * n - 4), 4 - n));
  return n == 0 ? _mm_setzero_si128() : _mm_loadu_si16(bytes);
}
POP_SIMD_INLINE void storeFirst16(void *p, std::size_t n, __m128i v) {
  char *const bytes = static_cast<char *>(p);
  // The lanes from `lane` on, at most 4, in the lower half.
  const auto from = [&](std::size_t lane) POP_SIMD_LAMBDA {
    const auto bits = [](std::size_t lanes) POP_SIMD_LAMBDA {
      return _mm_cvtsi64_si128(static_cast<long long>(16 * lanes));
    };
    return _mm_or_si128(_mm_srl_epi64(v, bits(lane)),
                        _mm_sll_epi64(_mm_unpackhi_epi64(v, v), bits(4 - lane)));
  };
  if (n >= 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(bytes), v);
  } else if (n >= 4) {
    _mm_storeu_si64(bytes, v);
    _mm_storeu_si64(bytes + 2 * n - 8, from(n - 4));
  } else if (n >= 2) {
    _mm_storeu_si32(bytes, v);
    _mm_storeu_si32(bytes + 2 * n - 4, from(n - 2));
  } else if (n != 0) {
    _mm_storeu_si16(bytes, v);
  }
}
/// The first n of eight 32-bit elements.
POP_SIMD_INLINE void storeFirst32(void *p, std::size_t n, __m256i v) {
  char *const bytes = static_cast<char *>(p);
  const auto from = [&](std::size_t lane) POP_SIMD_LAMBDA {
    const __m256i first = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i lanes = _mm256_add_epi32(first, _mm256_set1_epi32(static_cast<int>(lane)));
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(v, lanes));
  };
  const __m128i low = _mm256_castsi256_si128(v);
  if (n >= 8) {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(bytes), v);
  } else if (n >= 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(bytes), low);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(bytes + 4 * n - 16), from(n - 4));
  } else if (n >= 2) {
    _mm_storeu_si64(bytes, low);
    _mm_storeu_si64(bytes + 4 * n - 8, from(n - 2));
  } else if (n != 0) {
    _mm_storeu_si32(bytes, low);
  }
}
} // namespace arch

template <arch::Avx2Tag Tag> struct simdMask<Tag> {
  static constexpr int width = 8;
  __m256i m;

  POP_SIMD_INLINE static simdMask loadBool(const void *p) {
    std::uint64_t bytes;
    __builtin_memcpy(&bytes, p, 8);
    return fromBytes(bytes);
  }
  POP_SIMD_INLINE static simdMask loadBoolPartial(const void *p, std::size_t n) {
    std::uint64_t bytes = 0;
    if (n != 0)
      __builtin_memcpy(&bytes, p, n);
    return fromBytes(bytes);
  }
  POP_SIMD_INLINE void storeBool(void *p) const {
    const std::uint64_t b = bytes();
    __builtin_memcpy(p, &b, 8);
  }
  POP_SIMD_INLINE void storeBoolPartial(void *p, std::size_t n) const {
    const std::uint64_t b = bytes();
    if (n != 0)
      __builtin_memcpy(p, &b, n);
  }
  POP_SIMD_INLINE bool any() const { return !_mm256_testz_si256(m, m); }
  POP_SIMD_INLINE bool all() const { return _mm256_movemask_ps(_mm256_castsi256_ps(m)) == 0xff; }
  POP_SIMD_INLINE friend simdMask operator&(simdMask a, simdMask b) {
    return {_mm256_and_si256(a.m, b.m)};
  }
  POP_SIMD_INLINE friend simdMask operator|(simdMask a, simdMask b) {
    return {_mm256_or_si256(a.m, b.m)};
  }
  POP_SIMD_INLINE friend simdMask operator^(simdMask a, simdMask b) {
    return {_mm256_xor_si256(a.m, b.m)};
  }
  POP_SIMD_INLINE friend simdMask operator~(simdMask a) {
    return {_mm256_xor_si256(a.m, _mm256_set1_epi32(-1))};
  }

private:
  POP_SIMD_INLINE static simdMask fromBytes(std::uint64_t b) {
    const __m256i wide = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(b)));
    return {_mm256_cmpgt_epi32(wide, _mm256_setzero_si256())};
  }
  POP_SIMD_INLINE std::uint64_t bytes() const {
    const __m128i half16 =
        _mm_packs_epi32(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
    const __m128i packed = _mm_packs_epi16(half16, half16);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(packed)) & 0x0101010101010101u;
  }
};

namespace arch {
/// What INT and UNSIGNED_INT share at eight lanes.
template <class Self, class T, class Tag> struct Avx2Int : IntLanes<Self, T, Tag> {
  static constexpr int width = 8;
  using Mask = simdMask<Tag>;
  using IntLanes<Self, T, Tag>::self;

  POP_SIMD_INLINE static Self zero() { return Self{_mm256_setzero_si256()}; }
  POP_SIMD_INLINE static Self splat(T x) { return Self{_mm256_set1_epi32(static_cast<int>(x))}; }
  POP_SIMD_INLINE static Self load(const T *p) {
    return Self{_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))};
  }
  POP_SIMD_INLINE static Self loadAligned(const T *p) {
    return Self{_mm256_load_si256(reinterpret_cast<const __m256i *>(p))};
  }
  POP_SIMD_INLINE static Self loadPartial(const T *p, std::size_t n) {
    return Self{_mm256_maskload_epi32(reinterpret_cast<const int *>(p), firstLanes256(n))};
  }
  POP_SIMD_INLINE void store(T *p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), self().r);
  }
  POP_SIMD_INLINE void storeAligned(T *p) const {
    _mm256_store_si256(reinterpret_cast<__m256i *>(p), self().r);
  }
  POP_SIMD_INLINE void stream(T *p) const {
    _mm256_stream_si256(reinterpret_cast<__m256i *>(p), self().r);
  }
  POP_SIMD_INLINE void storePartial(T *p, std::size_t n) const { storeFirst32(p, n, self().r); }
  POP_SIMD_INLINE friend Self operator+(Self a, Self b) { return Self{_mm256_add_epi32(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator-(Self a, Self b) { return Self{_mm256_sub_epi32(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator*(Self a, Self b) {
    return Self{_mm256_mullo_epi32(a.r, b.r)};
  }
  POP_SIMD_INLINE friend Self operator&(Self a, Self b) { return Self{_mm256_and_si256(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator|(Self a, Self b) { return Self{_mm256_or_si256(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator^(Self a, Self b) { return Self{_mm256_xor_si256(a.r, b.r)}; }
  POP_SIMD_INLINE friend Self operator~(Self a) {
    return Self{_mm256_xor_si256(a.r, _mm256_set1_epi32(-1))};
  }
  POP_SIMD_INLINE static Self shiftLeft(Self a, Self n) {
    return Self{_mm256_sllv_epi32(a.r, n.r)};
  }
  POP_SIMD_INLINE static Self shiftRight(Self a, Self n) {
    return Self{_mm256_srlv_epi32(a.r, n.r)};
  }
  POP_SIMD_INLINE static Self shiftRightArithmetic(Self a, Self n) {
    return Self{_mm256_srav_epi32(a.r, n.r)};
  }
  template <int N> POP_SIMD_INLINE Self shiftLeft() const {
    return Self{_mm256_slli_epi32(self().r, N)};
  }
  template <int N> POP_SIMD_INLINE Self shiftRight() const {
    return Self{_mm256_srli_epi32(self().r, N)};
  }
  template <int N> POP_SIMD_INLINE Self shiftRightArithmetic() const {
    return Self{_mm256_srai_epi32(self().r, N)};
  }
  /// By halving: no AVX2 instruction counts leading zeros.
  POP_SIMD_INLINE static Self countLeadingZeros(Self a) {
    Self x = a;
    x = x | x.template shiftRight<1>();
    x = x | x.template shiftRight<2>();
    x = x | x.template shiftRight<4>();
    x = x | x.template shiftRight<8>();
    x = x | x.template shiftRight<16>();
    return Self::populationCount(~x);
  }
  POP_SIMD_INLINE friend Mask operator==(Self a, Self b) { return {_mm256_cmpeq_epi32(a.r, b.r)}; }
  POP_SIMD_INLINE friend Mask operator!=(Self a, Self b) { return ~(a == b); }
  POP_SIMD_INLINE friend Mask operator>(Self a, Self b) {
    return {_mm256_cmpgt_epi32(Self::ordered(a.r), Self::ordered(b.r))};
  }
  POP_SIMD_INLINE friend Mask operator<(Self a, Self b) { return b > a; }
  POP_SIMD_INLINE static Self select(Mask m, Self a, Self b) {
    return Self{_mm256_blendv_epi8(b.r, a.r, m.m)};
  }
  POP_SIMD_INLINE T first() const { return static_cast<T>(_mm256_cvtsi256_si32(self().r)); }
  template <class F> POP_SIMD_INLINE T fold(F f) const {
    Self v = self();
    v = f(v, Self{_mm256_permute2x128_si256(v.r, v.r, 0x01)});
    v = f(v, Self{_mm256_shuffle_epi32(v.r, 0x4e)});
    v = f(v, Self{_mm256_shuffle_epi32(v.r, 0xb1)});
    return v.first();
  }
};
} // namespace arch

template <arch::Avx2Tag Tag>
struct simd<std::int32_t, Tag> : arch::Avx2Int<simd<std::int32_t, Tag>, std::int32_t, Tag> {
  __m256i r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(__m256i x) : r(x) {}
  POP_SIMD_OF_NUMBER(std::int32_t)
  POP_SIMD_INLINE static simd iota() { return simd{_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)}; }
  POP_SIMD_INLINE static __m256i ordered(__m256i x) { return x; }
  POP_SIMD_INLINE static __m256i minRegister(__m256i a, __m256i b) {
    return _mm256_min_epi32(a, b);
  }
  POP_SIMD_INLINE static __m256i maxRegister(__m256i a, __m256i b) {
    return _mm256_max_epi32(a, b);
  }
};

template <arch::Avx2Tag Tag>
struct simd<std::uint32_t, Tag> : arch::Avx2Int<simd<std::uint32_t, Tag>, std::uint32_t, Tag> {
  __m256i r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(__m256i x) : r(x) {}
  POP_SIMD_OF_NUMBER(std::uint32_t)
  POP_SIMD_INLINE simd<std::int32_t, Tag> asInt() const { return simd<std::int32_t, Tag>{r}; }
  POP_SIMD_INLINE static simd iota() { return simd{_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)}; }
  POP_SIMD_INLINE static simd multiplyWide(simd a, simd b, simd &high) {
    const __m256i even = _mm256_mul_epu32(a.r, b.r), odd = oddProducts(a, b);
    high = simd{_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa)};
    return simd{_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa)};
  }
  POP_SIMD_INLINE static simd multiplyHigh(simd a, simd b) {
    const __m256i even = _mm256_mul_epu32(a.r, b.r);
    return simd{_mm256_blend_epi32(_mm256_srli_epi64(even, 32), oddProducts(a, b), 0xaa)};
  }
  /// Signed comparison orders unsigned numbers once their top bit is flipped.
  POP_SIMD_INLINE static __m256i ordered(__m256i x) {
    return _mm256_xor_si256(x, _mm256_set1_epi32(INT_MIN));
  }
  POP_SIMD_INLINE static __m256i minRegister(__m256i a, __m256i b) {
    return _mm256_min_epu32(a, b);
  }
  POP_SIMD_INLINE static __m256i maxRegister(__m256i a, __m256i b) {
    return _mm256_max_epu32(a, b);
  }

private:
  /// 64-bit products of the odd lanes.
  POP_SIMD_INLINE static __m256i oddProducts(simd a, simd b) {
    return _mm256_mul_epu32(_mm256_srli_epi64(a.r, 32), _mm256_srli_epi64(b.r, 32));
  }
};

template <arch::Avx2Tag Tag> struct simd<float, Tag> : arch::Reductions<simd<float, Tag>, float> {
  static constexpr int width = 8;
  using Element = float;
  using Int = simd<std::int32_t, Tag>;
  using Uint = simd<std::uint32_t, Tag>;
  using Mask = simdMask<Tag>;
  __m256 r;

  simd() = default;
  POP_SIMD_INLINE explicit simd(__m256 x) : r(x) {}
  POP_SIMD_OF_NUMBER(float)

  POP_SIMD_INLINE static simd zero() { return simd{_mm256_setzero_ps()}; }
  POP_SIMD_INLINE static simd splat(float x) { return simd{_mm256_set1_ps(x)}; }
  POP_SIMD_INLINE static simd load(const float *p) { return simd{_mm256_loadu_ps(p)}; }
  POP_SIMD_INLINE static simd loadAligned(const float *p) { return simd{_mm256_load_ps(p)}; }
  POP_SIMD_INLINE static simd broadcast(const float *p) { return simd{_mm256_broadcast_ss(p)}; }
  POP_SIMD_INLINE static simd loadPartial(const float *p, std::size_t n) {
    return simd{_mm256_maskload_ps(p, arch::firstLanes256(n))};
  }
  POP_SIMD_INLINE void store(float *p) const { _mm256_storeu_ps(p, r); }
  POP_SIMD_INLINE void storeAligned(float *p) const { _mm256_store_ps(p, r); }
  POP_SIMD_INLINE void stream(float *p) const { _mm256_stream_ps(p, r); }
  POP_SIMD_INLINE void storePartial(float *p, std::size_t n) const {
    arch::storeFirst32(p, n, _mm256_castps_si256(r));
  }
  POP_SIMD_INLINE static simd load(const half *p) {
    return simd{_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)))};
  }
  POP_SIMD_INLINE static simd loadAligned(const half *p) {
    return simd{_mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i *>(p)))};
  }
  POP_SIMD_INLINE static simd broadcast(const half *p) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, p, 2);
    return simd{_mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(bits)))};
  }
  POP_SIMD_INLINE static simd loadPartial(const half *p, std::size_t n) {
    return simd{_mm256_cvtph_ps(arch::loadFirst16(p, n))};
  }
  POP_SIMD_INLINE void store(half *p) const {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(p), toHalfRegister());
  }
  POP_SIMD_INLINE void storeAligned(half *p) const {
    _mm_store_si128(reinterpret_cast<__m128i *>(p), toHalfRegister());
  }
  POP_SIMD_INLINE void stream(half *p) const {
    _mm_stream_si128(reinterpret_cast<__m128i *>(p), toHalfRegister());
  }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    arch::storeFirst16(p, n, toHalfRegister());
  }

  POP_SIMD_INLINE friend simd operator+(simd a, simd b) { return simd{_mm256_add_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator-(simd a, simd b) { return simd{_mm256_sub_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator*(simd a, simd b) { return simd{_mm256_mul_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator/(simd a, simd b) { return simd{_mm256_div_ps(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator-(simd a) {
    return simd{_mm256_xor_ps(a.r, _mm256_set1_ps(-0.f))};
  }
  POP_SIMD_INLINE static simd fma(simd a, simd b, simd c) {
    return simd{_mm256_fmadd_ps(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd fnma(simd a, simd b, simd c) {
    return simd{_mm256_fnmadd_ps(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd fms(simd a, simd b, simd c) {
    return simd{_mm256_fmsub_ps(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd min(simd a, simd b) { return simd{_mm256_min_ps(a.r, b.r)}; }
  POP_SIMD_INLINE static simd max(simd a, simd b) { return simd{_mm256_max_ps(a.r, b.r)}; }
  POP_SIMD_INLINE static simd sqrt(simd a) { return simd{_mm256_sqrt_ps(a.r)}; }
  POP_SIMD_INLINE static simd abs(simd a) {
    return simd{_mm256_andnot_ps(_mm256_set1_ps(-0.f), a.r)};
  }
  POP_SIMD_INLINE static simd floor(simd a) {
    return simd{_mm256_round_ps(a.r, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE static simd ceil(simd a) {
    return simd{_mm256_round_ps(a.r, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE static simd trunc(simd a) {
    return simd{_mm256_round_ps(a.r, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE static simd nearest(simd a) {
    return simd{_mm256_round_ps(a.r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }
  POP_SIMD_INLINE Int bits() const { return Int{_mm256_castps_si256(r)}; }
  POP_SIMD_INLINE static simd fromBits(Int x) { return simd{_mm256_castsi256_ps(x.r)}; }
  POP_SIMD_INLINE Int toInt() const { return Int{_mm256_cvttps_epi32(r)}; }
  POP_SIMD_INLINE Uint toUint() const {
    const simd limit = splat(0x1p31f);
    const Mask large = *this >= limit;
    const __m256i low = _mm256_cvttps_epi32(select(large, *this - limit, *this).r);
    const __m256i top = _mm256_and_si256(large.m, _mm256_set1_epi32(INT_MIN));
    const Mask fits = (*this > splat(-1.f)) & (*this < splat(0x1p32f));
    return Uint::select(fits, Uint{_mm256_xor_si256(low, top)}, Uint{_mm256_set1_epi32(-1)});
  }
  POP_SIMD_INLINE static simd fromInt(Int x) { return simd{_mm256_cvtepi32_ps(x.r)}; }
  /// Both halves convert exactly, so the sum is rounded once.
  POP_SIMD_INLINE static simd fromUint(Uint x) {
    const __m256 high = _mm256_cvtepi32_ps(_mm256_srli_epi32(x.r, 16));
    const __m256 low = _mm256_cvtepi32_ps(_mm256_and_si256(x.r, _mm256_set1_epi32(0xffff)));
    return simd{_mm256_fmadd_ps(high, _mm256_set1_ps(65536.f), low)};
  }
  POP_SIMD_INLINE friend Mask operator==(simd a, simd b) { return compare<_CMP_EQ_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator!=(simd a, simd b) { return compare<_CMP_NEQ_UQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<(simd a, simd b) { return compare<_CMP_LT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator<=(simd a, simd b) { return compare<_CMP_LE_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>(simd a, simd b) { return compare<_CMP_GT_OQ>(a, b); }
  POP_SIMD_INLINE friend Mask operator>=(simd a, simd b) { return compare<_CMP_GE_OQ>(a, b); }
  POP_SIMD_INLINE static simd select(Mask m, simd a, simd b) {
    return simd{_mm256_blendv_ps(b.r, a.r, _mm256_castsi256_ps(m.m))};
  }
  POP_SIMD_INLINE float first() const { return _mm256_cvtss_f32(r); }
  POP_SIMD_INLINE static simd roundToHalf(simd a) {
    return simd{_mm256_cvtph_ps(a.toHalfRegister())};
  }
  POP_SIMD_INLINE __m128i toHalfRegister() const {
    return _mm256_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT);
  }
  template <class F> POP_SIMD_INLINE float fold(F f) const {
    simd v = *this;
    v = f(v, simd{_mm256_permute2f128_ps(v.r, v.r, 0x01)});
    v = f(v, simd{_mm256_permute_ps(v.r, 0x4e)});
    v = f(v, simd{_mm256_permute_ps(v.r, 0xb1)});
    return v.first();
  }

private:
  template <int C> POP_SIMD_INLINE static Mask compare(simd a, simd b) {
    return {_mm256_castps_si256(_mm256_cmp_ps(a.r, b.r, C))};
  }
};

template <arch::Avx2Tag Tag> struct simd<std::uint8_t, Tag> {
  static constexpr int width = 32;
  __m256i r;

  POP_SIMD_INLINE static simd splat(std::uint8_t x) {
    return {_mm256_set1_epi8(static_cast<char>(x))};
  }
  POP_SIMD_INLINE static simd load(const void *p) {
    return {_mm256_loadu_si256(static_cast<const __m256i *>(p))};
  }
  POP_SIMD_INLINE static simd loadPartial(const void *p, std::size_t n) {
    unsigned char lanes[32] = {};
    if (n != 0)
      __builtin_memcpy(lanes, p, n);
    return load(lanes);
  }
  POP_SIMD_INLINE void store(void *p) const { _mm256_storeu_si256(static_cast<__m256i *>(p), r); }
  POP_SIMD_INLINE void storePartial(void *p, std::size_t n) const {
    unsigned char lanes[32];
    store(lanes);
    if (n != 0)
      __builtin_memcpy(p, lanes, n);
  }
  POP_SIMD_INLINE friend simd operator&(simd a, simd b) { return {_mm256_and_si256(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator|(simd a, simd b) { return {_mm256_or_si256(a.r, b.r)}; }
  POP_SIMD_INLINE friend simd operator^(simd a, simd b) { return {_mm256_xor_si256(a.r, b.r)}; }
  POP_SIMD_INLINE bool anyBit() const { return !_mm256_testz_si256(r, r); }
  POP_SIMD_INLINE bool operator==(simd b) const { return !(*this ^ b).anyBit(); }
};

} // namespace cottonwood
