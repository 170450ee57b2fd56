/// \file TransposeKernel.hpp
/// Copies between two matrices of which one is stored by rows and the other by columns.
///
/// Tiles are transposed in registers and put together to blocks of whole cache lines of each row
/// that is written, two lines or, past the caches, more, since lines of rows that are powers of two
/// apart evict each other when they are touched in parts. Blocks follow the rows of the source,
/// which the processor fetches ahead.
#pragma once

#include <codelets/poplar/TransposePast.hpp>

namespace cottonwood::kernels {

/// How the destination is written: as it comes, with its lines fetched ahead, or past the caches,
/// where it is not aligned for that as for Far. Past puts lines together from the rows of one lane
/// or two at a time, PastTall always of two, PastAtOnce stores whole lines from registers if these
/// are as long.
enum class PlaneStores : std::uint8_t { Near, Far, Past, PastTall, PastAtOnce };

namespace detail {

/// Bytes of a destination row in a block: two lines, which are fetched together.
inline constexpr std::size_t TRANSPOSE_ROW_BYTES = 2 * TRANSPOSE_LINE;
/// TRANSPOSE_ROW_BYTES of rows by WIDE bytes of columns, put together beside the caches' sets.
template <std::size_t N, class Lanes, std::size_t WIDE>
POP_SIMD_INLINE void transposeStaged(std::byte const *src, std::int64_t srcStride, std::byte *dst,
                                     std::int64_t dstStride) {
  constexpr std::size_t SIDE = 16 / N, TALL = Lanes::BYTES / N, BYTES = TRANSPOSE_ROW_BYTES;
  alignas(TRANSPOSE_LINE) std::byte block[WIDE / N][BYTES];
  for (std::size_t r = 0; r < BYTES / N; r += TALL)
    for (std::size_t c = 0; c < WIDE / N; c += SIDE)
      transposeTile<N, Lanes>(src + signedOf(r) * srcStride + c * N, srcStride, block[c] + r * N,
                              BYTES);
  for (std::size_t c = 0; c < WIDE / N; ++c, dst += dstStride)
#pragma GCC unroll 8
    for (std::size_t b = 0; b < BYTES; b += Lanes::BYTES)
      Lanes::loadPacked(block[c] + b).store(dst + b);
}

/// The same, tile by tile to where it belongs: registers are whole lines.
template <std::size_t N, class Lanes, std::size_t WIDE>
POP_SIMD_INLINE void transposeDirect(std::byte const *src, std::int64_t srcStride, std::byte *dst,
                                     std::int64_t dstStride) {
  constexpr std::size_t SIDE = 16 / N, TALL = Lanes::BYTES / N, ROWS = TRANSPOSE_ROW_BYTES / N;
  for (std::size_t r = 0; r < ROWS; r += TALL)
    for (std::size_t c = 0; c < WIDE / N; c += SIDE)
      transposeTile<N, Lanes>(src + signedOf(r) * srcStride + c * N, srcStride,
                              dst + signedOf(c) * dstStride + r * N, dstStride);
}

/// Asks for the destination of a block.
template <std::size_t WIDE>
POP_SIMD_INLINE void fetchLines(std::byte *dst, std::int64_t stride, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c, dst += stride)
#pragma GCC unroll 2
    for (std::size_t b = 0; b < TRANSPOSE_ROW_BYTES; b += TRANSPOSE_LINE)
      __builtin_prefetch(dst + b, 1);
}

/// Whole blocks along the rows of src, then what is left on two sides. There is a tile at least.
template <std::size_t N, class Lanes, PlaneStores STORES>
void transposeBlocks(TransposePlane const &p) {
  constexpr std::size_t WIDE = TRANSPOSE_LINE;
  constexpr std::uint64_t ROWS = TRANSPOSE_ROW_BYTES / N, COLUMNS = WIDE / N;
  std::uint64_t const rows = p.rows / ROWS * ROWS, columns = p.columns / COLUMNS * COLUMNS;
  for (std::uint64_t r = 0; r < rows; r += ROWS) {
    for (std::uint64_t c = 0; c < columns; c += COLUMNS) {
      std::byte const *const src = p.src + signedOf(r) * p.srcStride + c * N;
      std::byte *const dst = p.dst + signedOf(c) * p.dstStride + r * N;
      if constexpr (STORES == PlaneStores::Far)
        if (c + COLUMNS < columns)
          fetchLines<WIDE>(dst + signedOf(COLUMNS) * p.dstStride, p.dstStride, COLUMNS);
      if constexpr (Lanes::BYTES == TRANSPOSE_LINE)
        transposeDirect<N, Lanes, WIDE>(src, p.srcStride, dst, p.dstStride);
      else
        transposeStaged<N, Lanes, WIDE>(src, p.srcStride, dst, p.dstStride);
    }
    transposeLastColumns<N, Lanes>(p, r, ROWS, columns);
  }
  transposeLastRows<N, Lanes>(p, rows);
}

/// Registers of the widest kind that the plane has rows for, and the destination places.
/// \param alignment  of all rows of the destination, or of a line if it does not matter
template <std::size_t N, PlaneStores STORES, class Lanes, class... Narrower>
POP_SIMD_INLINE void transposeWith(TransposePlane const &p, std::size_t alignment) {
  if constexpr (sizeof...(Narrower) != 0)
    if (p.rows < Lanes::BYTES / N || alignment < Lanes::BYTES)
      return transposeWith<N, STORES, Narrower...>(p, alignment);
  if constexpr (STORES == PlaneStores::Past)
    transposePast<N, Lanes>(p);
  else
    transposeBlocks<N, Lanes, STORES>(p);
}

template <class Tag, std::size_t N, PlaneStores STORES>
POP_SIMD_INLINE void transposeStoring(TransposePlane const &p,
                                      std::size_t alignment = TRANSPOSE_LINE, bool tall = false) {
  using One = arch::OneLane<Tag>;
  using Two = arch::TwoLanes<Tag>;
  using Four = arch::FourLanes<Tag>;
  // Past the caches an AMD Zen 5 core transposes 16 x 64 x 12544 floats at 55 GB/s four rows at a
  // time, and at 46 GB/s eight at a time. Lines of rows that are pages apart share a set: 4096 x
  // 4096 floats take 40 and 44 GB/s, 4096 x 8192 halves 40 GB/s eight rows at a time, 37 sixteen.
  bool const sharesSets = p.srcStride % 4096 == 0;
  // A core of the Emerald Rapids class does best with two lanes of either: 1.03 to 1.17 times as
  // fast as with one.
  bool const fewRows = STORES == PlaneStores::Past && !tall && p.columns >= TRANSPOSE_LINE / N &&
                       ((N == 4 && !sharesSets) || (N < 4 && sharesSets));
  if (Tag::VECTOR_BYTES < 32 || fewRows)
    return transposeWith<N, STORES, One>(p, alignment);
  if constexpr (Tag::VECTOR_BYTES == 32 || (Tag::VECTOR_BYTES > 32 && STORES == PlaneStores::Past))
    transposeWith<N, STORES, Two, One>(p, alignment);
  else if constexpr (Tag::VECTOR_BYTES > 32)
    transposeWith<N, STORES, Four, Two, One>(p, alignment);
}

} // namespace detail

/// Elements of N bytes.
template <class Tag, std::size_t N>
void transposePlane(TransposePlane const &p, PlaneStores stores) {
  auto const places =
      reinterpret_cast<std::uintptr_t>(p.dst) | static_cast<std::uintptr_t>(p.dstStride);
  // A square of bytes takes more registers and sets of the caches than there are.
  if constexpr (Tag::VECTOR_BYTES == detail::TRANSPOSE_LINE && N > 1)
    if (stores == PlaneStores::PastAtOnce && places % detail::TRANSPOSE_LINE == 0 &&
        p.rows >= detail::LINE_ELEMENTS<N>)
      return detail::transposePastAtOnce<N, arch::FourLanes<Tag>>(p);
  if (stores == PlaneStores::Near)
    detail::transposeStoring<Tag, N, PlaneStores::Near>(p);
  else if (stores == PlaneStores::Far || places % 16 != 0)
    detail::transposeStoring<Tag, N, PlaneStores::Far>(p);
  else
    detail::transposeStoring<Tag, N, PlaneStores::Past>(p, places & -places,
                                                        stores == PlaneStores::PastTall);
}

/// By size of the element.
struct TransposeKernels {
  using Kernel = void (*)(TransposePlane const &, PlaneStores);
  Kernel bytes1, bytes2, bytes4, bytes8;
  Kernel of(std::uint64_t elementBytes) const {
    return elementBytes == 1   ? bytes1
           : elementBytes == 2 ? bytes2
           : elementBytes == 4 ? bytes4
                               : bytes8;
  }
};
template <class Tag> POP_SIMD_INLINE TransposeKernels transposeKernelsOf() {
  return {&transposePlane<Tag, 1>, &transposePlane<Tag, 2>, &transposePlane<Tag, 4>,
          &transposePlane<Tag, 8>};
}

} // namespace cottonwood::kernels
