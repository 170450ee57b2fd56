/// \file SimdLanes.hpp
/// Registers of 16-byte lanes, and squares of elements transposed in every lane of as many
/// registers as a lane has elements. What the elements mean is of no matter.
///
/// Face of OneLane<Tag> (on every machine), TwoLanes<Tag> (avx2) and FourLanes<Tag> (avx512):
///   load(p, distance)  lane i from p + i * distance bytes     loadPacked(p), store(p)
///   storePast(p)  past the caches where that exists; p is aligned to the register
///   low<BYTES>(a, b), high<BYTES>(a, b)  the lower and upper halves of each lane of a and b,
///   element
///     by element in turn
/// and of TwoLanes and FourLanes alone:
///   storeLane(p, i)  lane i, a number that is known when this is compiled
///   storeLanes(p, distance)  lane i to p + i * distance bytes
///   shuffled(bytes)  byte i of each lane is its byte bytes[i], or 0 for 0x80
///   joinedWith(x)    the bits of either
/// and of FourLanes alone:
///   exchangeLanes(v)  lane i of v[j] and lane j of v[i] change places
///   elementsOf<N>(a, b, from)  element i, of N bytes, is element from[i] of a and of b behind it
///   replacedBy<N>(x, bits)  element i is that of x where bit i is set
#pragma once

#include <codelets/arch/Isa.hpp>

#include <codelets/arch/Intrinsics.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cottonwood::arch {

/// An integer of that size.
template <std::size_t BYTES>
using LaneElement = std::conditional_t<
    BYTES == 1, std::uint8_t,
    std::conditional_t<BYTES == 2, std::uint16_t,
                       std::conditional_t<BYTES == 4, std::uint32_t, std::uint64_t>>>;

template <class Tag> struct TwoLanes;
template <class Tag> struct FourLanes;

/// The baseline's vectors, through the compiler's own types.
template <class Tag> struct OneLane {
  static constexpr std::size_t BYTES = 16;
  template <std::size_t N> using Vector __attribute__((vector_size(16))) = LaneElement<N>;
  Vector<8> r;

  static POP_SIMD_INLINE OneLane load(std::byte const *p, std::int64_t) {
    OneLane v;
    std::memcpy(&v.r, p, sizeof v.r);
    return v;
  }
  static POP_SIMD_INLINE OneLane loadPacked(std::byte const *p) { return load(p, 0); }
  POP_SIMD_INLINE void store(std::byte *p) const { std::memcpy(p, &r, sizeof r); }
  POP_SIMD_INLINE void storePast(std::byte *p) const {
#if defined(__SSE2__) && __has_builtin(__builtin_nontemporal_store)
    __builtin_nontemporal_store(r, reinterpret_cast<Vector<8> *>(p));
#elif defined(__SSE2__) && __has_builtin(__builtin_ia32_movntdq)
    using Quads __attribute__((vector_size(16))) = long long;
    __builtin_ia32_movntdq(reinterpret_cast<Quads *>(p), reinterpret_cast<Quads>(r));
#else
    store(p);
#endif
  }
  template <std::size_t N> static POP_SIMD_INLINE OneLane low(OneLane a, OneLane b) {
    return interleaved<N, 0>(a, b, std::make_index_sequence<16 / N>());
  }
  template <std::size_t N> static POP_SIMD_INLINE OneLane high(OneLane a, OneLane b) {
    return interleaved<N, 8 / N>(a, b, std::make_index_sequence<16 / N>());
  }

private:
  template <std::size_t N, std::size_t FROM, std::size_t... I>
  static POP_SIMD_INLINE OneLane interleaved(OneLane a, OneLane b, std::index_sequence<I...>) {
    Vector<N> const x = reinterpret_cast<Vector<N>>(a.r), y = reinterpret_cast<Vector<N>>(b.r);
#if __has_builtin(__builtin_shufflevector)
    Vector<N> const mixed = __builtin_shufflevector(x, y, (FROM + I / 2 + I % 2 * (16 / N))...);
#else
    Vector<N> const mixed = {(I % 2 == 0 ? x : y)[FROM + I / 2]...};
#endif
    return {reinterpret_cast<Vector<8>>(mixed)};
  }
};

#if defined(__AVX2__)
template <class Tag> struct TwoLanes {
  static constexpr std::size_t BYTES = 32;
  __m256i r;

  static POP_SIMD_INLINE TwoLanes load(std::byte const *p, std::int64_t distance) {
    __m256i const first = _mm256_castsi128_si256(lane(p));
    return {_mm256_inserti128_si256(first, lane(p + distance), 1)};
  }
  static POP_SIMD_INLINE __m128i lane(std::byte const *p) {
    return _mm_loadu_si128(reinterpret_cast<__m128i const *>(p));
  }
  static POP_SIMD_INLINE TwoLanes loadPacked(std::byte const *p) {
    return {_mm256_loadu_si256(reinterpret_cast<__m256i const *>(p))};
  }
  POP_SIMD_INLINE void store(std::byte *p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), r);
  }
  POP_SIMD_INLINE void storePast(std::byte *p) const {
    _mm256_stream_si256(reinterpret_cast<__m256i *>(p), r);
  }
  POP_SIMD_INLINE void storeLane(std::byte *p, std::size_t i) const {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(p),
                     i == 0 ? _mm256_castsi256_si128(r) : _mm256_extracti128_si256(r, 1));
  }
  POP_SIMD_INLINE void storeLanes(std::byte *p, std::int64_t distance) const {
    storeLane(p, 0);
    storeLane(p + distance, 1);
  }
  POP_SIMD_INLINE TwoLanes shuffled(std::uint8_t const *bytes) const {
    __m128i const lane = _mm_loadu_si128(reinterpret_cast<__m128i const *>(bytes));
    return {_mm256_shuffle_epi8(r, _mm256_broadcastsi128_si256(lane))};
  }
  POP_SIMD_INLINE TwoLanes joinedWith(TwoLanes o) const { return {_mm256_or_si256(r, o.r)}; }
  template <std::size_t N> static POP_SIMD_INLINE TwoLanes low(TwoLanes a, TwoLanes b) {
    if constexpr (N == 1)
      return {_mm256_unpacklo_epi8(a.r, b.r)};
    else if constexpr (N == 2)
      return {_mm256_unpacklo_epi16(a.r, b.r)};
    else if constexpr (N == 4)
      return {_mm256_unpacklo_epi32(a.r, b.r)};
    else
      return {_mm256_unpacklo_epi64(a.r, b.r)};
  }
  template <std::size_t N> static POP_SIMD_INLINE TwoLanes high(TwoLanes a, TwoLanes b) {
    if constexpr (N == 1)
      return {_mm256_unpackhi_epi8(a.r, b.r)};
    else if constexpr (N == 2)
      return {_mm256_unpackhi_epi16(a.r, b.r)};
    else if constexpr (N == 4)
      return {_mm256_unpackhi_epi32(a.r, b.r)};
    else
      return {_mm256_unpackhi_epi64(a.r, b.r)};
  }
};
#endif

#if defined(__AVX512BW__)
template <class Tag> struct FourLanes {
  static constexpr std::size_t BYTES = 64;
  __m512i r;

  static POP_SIMD_INLINE FourLanes load(std::byte const *p, std::int64_t distance) {
    __m512i v = _mm512_castsi128_si512(lane(p));
    v = _mm512_inserti32x4(v, lane(p + distance), 1);
    v = _mm512_inserti32x4(v, lane(p + 2 * distance), 2);
    return {_mm512_inserti32x4(v, lane(p + 3 * distance), 3)};
  }
  static POP_SIMD_INLINE __m128i lane(std::byte const *p) {
    return _mm_loadu_si128(reinterpret_cast<__m128i const *>(p));
  }
  static POP_SIMD_INLINE FourLanes loadPacked(std::byte const *p) {
    return {_mm512_loadu_si512(p)};
  }
  POP_SIMD_INLINE void store(std::byte *p) const { _mm512_storeu_si512(p, r); }
  POP_SIMD_INLINE void storePast(std::byte *p) const {
    _mm512_stream_si512(reinterpret_cast<__m512i *>(p), r);
  }
  POP_SIMD_INLINE void storeLane(std::byte *p, std::size_t i) const {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(p), i == 0   ? _mm512_castsi512_si128(r)
                                                     : i == 1 ? _mm512_extracti32x4_epi32(r, 1)
                                                     : i == 2 ? _mm512_extracti32x4_epi32(r, 2)
                                                              : _mm512_extracti32x4_epi32(r, 3));
  }
  POP_SIMD_INLINE void storeLanes(std::byte *p, std::int64_t distance) const {
    storeLane(p, 0);
    storeLane(p + distance, 1);
    storeLane(p + 2 * distance, 2);
    storeLane(p + 3 * distance, 3);
  }
  POP_SIMD_INLINE FourLanes shuffled(std::uint8_t const *bytes) const {
    __m128i const lane = _mm_loadu_si128(reinterpret_cast<__m128i const *>(bytes));
    return {_mm512_shuffle_epi8(r, _mm512_broadcast_i32x4(lane))};
  }
  POP_SIMD_INLINE FourLanes joinedWith(FourLanes o) const { return {_mm512_or_si512(r, o.r)}; }
  template <std::size_t N> static POP_SIMD_INLINE FourLanes low(FourLanes a, FourLanes b) {
    if constexpr (N == 1)
      return {_mm512_unpacklo_epi8(a.r, b.r)};
    else if constexpr (N == 2)
      return {_mm512_unpacklo_epi16(a.r, b.r)};
    else if constexpr (N == 4)
      return {_mm512_unpacklo_epi32(a.r, b.r)};
    else
      return {_mm512_unpacklo_epi64(a.r, b.r)};
  }
  template <std::size_t N> static POP_SIMD_INLINE FourLanes high(FourLanes a, FourLanes b) {
    if constexpr (N == 1)
      return {_mm512_unpackhi_epi8(a.r, b.r)};
    else if constexpr (N == 2)
      return {_mm512_unpackhi_epi16(a.r, b.r)};
    else if constexpr (N == 4)
      return {_mm512_unpackhi_epi32(a.r, b.r)};
    else
      return {_mm512_unpackhi_epi64(a.r, b.r)};
  }
  template <std::size_t N>
  static POP_SIMD_INLINE FourLanes elementsOf(FourLanes a, FourLanes b,
                                              LaneElement<N> const *from) {
    static_assert(N == 2 || N == 4);
    __m512i const index = _mm512_loadu_si512(from);
    if constexpr (N == 2)
      return {_mm512_permutex2var_epi16(a.r, index, b.r)};
    else
      return {_mm512_permutex2var_epi32(a.r, index, b.r)};
  }
  template <std::size_t N>
  POP_SIMD_INLINE FourLanes replacedBy(FourLanes x, std::uint32_t bits) const {
    static_assert(N == 2 || N == 4);
    if constexpr (N == 2)
      return {_mm512_mask_mov_epi16(r, bits, x.r)};
    else
      return {_mm512_mask_mov_epi32(r, static_cast<__mmask16>(bits), x.r)};
  }
  static POP_SIMD_INLINE void exchangeLanes(FourLanes (&v)[4]) {
    __m512i const even01 = _mm512_shuffle_i32x4(v[0].r, v[1].r, 0x88);
    __m512i const odd01 = _mm512_shuffle_i32x4(v[0].r, v[1].r, 0xdd);
    __m512i const even23 = _mm512_shuffle_i32x4(v[2].r, v[3].r, 0x88);
    __m512i const odd23 = _mm512_shuffle_i32x4(v[2].r, v[3].r, 0xdd);
    v[0].r = _mm512_shuffle_i32x4(even01, even23, 0x88);
    v[1].r = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    v[2].r = _mm512_shuffle_i32x4(even01, even23, 0xdd);
    v[3].r = _mm512_shuffle_i32x4(odd01, odd23, 0xdd);
  }
};
#endif

/// The longest registers of the tag: with vectors, whole lines are stored past the caches by one or
/// two of them.
template <class Tag>
using WidestLanes =
    std::conditional_t<Tag::VECTOR_BYTES >= 64, FourLanes<Tag>,
                       std::conditional_t<Tag::VECTOR_BYTES >= 32, TwoLanes<Tag>, OneLane<Tag>>>;

/// In every lane of elements of N bytes: element i of v[j] and element j of v[i] change places, by
/// as many perfect shuffles of the square's elements as an element's number has bits.
template <std::size_t N, class Lanes> POP_SIMD_INLINE void transposeLanes(Lanes (&v)[16 / N]) {
  constexpr std::size_t SIDE = 16 / N;
#pragma GCC unroll 4
  for (std::size_t step = 1; step < SIDE; step *= 2) {
    Lanes old[SIDE];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < SIDE; ++i)
      old[i] = v[i];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < SIDE / 2; ++i) {
      v[2 * i] = Lanes::template low<N>(old[i], old[i + SIDE / 2]);
      v[2 * i + 1] = Lanes::template high<N>(old[i], old[i + SIDE / 2]);
    }
  }
}

/// Makes stores past the caches visible before all later ones.
POP_SIMD_INLINE void finishStoresPast() {
#if defined(__SSE2__) && __has_builtin(__builtin_ia32_sfence)
  __builtin_ia32_sfence();
#endif
}

} // namespace cottonwood::arch
