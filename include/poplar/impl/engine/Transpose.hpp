// Copies between two matrices of which one is stored by rows and the other by columns.
//
// Squares are transposed in 16-byte vectors of the baseline instruction set, through the compiler's
// vector types, and put together to blocks of whole cache lines on both sides: where strides are
// powers of two, a line that is touched in parts is evicted in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::engine::detail {

/// A vector of 16 bytes in lanes of the size of T.
template <class T> using Vector16 __attribute__((vector_size(16))) = T;

template <std::size_t BYTES>
using LaneOf = std::conditional_t<
    BYTES == 1, std::uint8_t,
    std::conditional_t<BYTES == 2, std::uint16_t,
                       std::conditional_t<BYTES == 4, std::uint32_t, std::uint64_t>>>;

/// a[FROM], b[FROM], a[FROM + 1], b[FROM + 1], ...
template <std::size_t FROM, class V, std::size_t... I>
POP_ALWAYS_INLINE V interleaved(V a, V b, std::index_sequence<I...>) {
  constexpr std::size_t LANES = sizeof...(I);
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(a, b, (FROM + I / 2 + I % 2 * LANES)...);
#else
  static_cast<void>(LANES);
  return V{(I % 2 == 0 ? a : b)[FROM + I / 2]...};
#endif
}

/// Lane i of v[j] and lane j of v[i] change places: as many perfect shuffles of the square's
/// elements as a lane number has bits.
template <class V, std::size_t LANES> POP_ALWAYS_INLINE void transposeSquare(V (&v)[LANES]) {
  using Lanes = std::make_index_sequence<LANES>;
#pragma GCC unroll 4
  for (std::size_t step = 1; step < LANES; step *= 2) {
    V old[LANES];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < LANES; ++i)
      old[i] = v[i];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < LANES / 2; ++i) {
      v[2 * i] = interleaved<0>(old[i], old[i + LANES / 2], Lanes());
      v[2 * i + 1] = interleaved<LANES / 2>(old[i], old[i + LANES / 2], Lanes());
    }
  }
}

/// A store past the caches, to an address of a multiple of 16 bytes; a plain one where there is
/// none.
template <class V> POP_ALWAYS_INLINE void storePast(std::byte *to, V v) {
#if defined(__SSE2__) && __has_builtin(__builtin_nontemporal_store)
  __builtin_nontemporal_store(v, reinterpret_cast<V *>(to));
#elif defined(__SSE2__) && __has_builtin(__builtin_ia32_movntdq)
  using Quads __attribute__((vector_size(16))) = long long;
  __builtin_ia32_movntdq(reinterpret_cast<Quads *>(to), reinterpret_cast<Quads>(v));
#else
  std::memcpy(to, &v, sizeof v);
#endif
}

/// Makes stores past the caches visible before all later ones.
POP_ALWAYS_INLINE void finishStoresPast() {
#if defined(__SSE2__) && __has_builtin(__builtin_ia32_sfence)
  __builtin_ia32_sfence();
#endif
}

/// dst[column, row] = src[row, column]. Strides are of src's rows and dst's, in bytes; elements
/// within them are packed.
struct TransposePlane {
  std::byte const *src;
  std::byte *dst;
  std::int64_t srcStride, dstStride;
  std::uint64_t rows, columns;
};

/// Of at most a cache line of elements each way: whole vectors.
template <std::size_t BYTES, bool PAST> void transposeBlock(TransposePlane const &p) {
  constexpr std::size_t LANES = 16 / BYTES;
  using V = Vector16<LaneOf<BYTES>>;
  std::size_t const rowVectors = p.rows / LANES, columnVectors = p.columns / LANES;
  alignas(64) V block[4 * LANES][4];
  for (std::size_t g = 0; g < rowVectors; ++g)
    for (std::size_t c = 0; c < columnVectors; ++c) {
      V v[LANES];
#pragma GCC unroll 16
      for (std::size_t r = 0; r < LANES; ++r)
        std::memcpy(&v[r], p.src + static_cast<std::int64_t>(g * LANES + r) * p.srcStride + 16 * c,
                    16);
      transposeSquare(v);
#pragma GCC unroll 16
      for (std::size_t r = 0; r < LANES; ++r)
        block[c * LANES + r][g] = v[r];
    }
  for (std::size_t r = 0; r < columnVectors * LANES; ++r)
    for (std::size_t g = 0; g < rowVectors; ++g) {
      std::byte *const to = p.dst + static_cast<std::int64_t>(r) * p.dstStride + 16 * g;
      if constexpr (PAST)
        storePast(to, block[r][g]);
      else
        std::memcpy(to, &block[r][g], 16);
    }
}

/// Block by block: along the rows of src where stores go past the caches, so that it is read in
/// order, else along those of dst. \param p  rows and columns are whole vectors.
template <std::size_t BYTES, bool PAST> void transposeBlocks(TransposePlane const &p) {
  constexpr std::uint64_t LINE = 64 / BYTES;
  std::uint64_t const outerEnd = PAST ? p.rows : p.columns, innerEnd = PAST ? p.columns : p.rows;
  auto const least = [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; };
  for (std::uint64_t outer = 0; outer < outerEnd; outer += LINE)
    for (std::uint64_t inner = 0; inner < innerEnd; inner += LINE) {
      std::uint64_t const row = PAST ? outer : inner, column = PAST ? inner : outer;
      transposeBlock<BYTES, PAST>(
          {p.src + static_cast<std::int64_t>(row) * p.srcStride + column * BYTES,
           p.dst + static_cast<std::int64_t>(column) * p.dstStride + row * BYTES, p.srcStride,
           p.dstStride, least(LINE, p.rows - row), least(LINE, p.columns - column)});
    }
}

/// Elements of BYTES; rows and columns are whole vectors. \param past  write past the caches if the
/// destination is aligned for it.
template <std::size_t BYTES> void transposeVectors(TransposePlane const &p, bool past) {
  bool const aligned =
      (reinterpret_cast<std::uintptr_t>(p.dst) | static_cast<std::uintptr_t>(p.dstStride)) % 16 ==
      0;
  if (past && aligned)
    transposeBlocks<BYTES, true>(p);
  else
    transposeBlocks<BYTES, false>(p);
}

/// The lanes of a vector of elements of that size; 0 if there are none.
inline std::uint64_t transposeLanes(std::uint64_t elementBytes) {
  return elementBytes == 1 || elementBytes == 2 || elementBytes == 4 || elementBytes == 8
             ? 16 / elementBytes
             : 0;
}

} // namespace cottonwood::engine::detail
