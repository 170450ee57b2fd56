/// \file TransposeKernel.hpp
/// Copies between two matrices of which one is stored by rows and the other by columns.
///
/// Tiles are transposed in registers and put together to blocks of whole cache lines of each row
/// that is written, two lines or, past the caches, four, since lines of rows that are powers of two
/// apart evict each other when they are touched in parts. Blocks follow the rows of the source,
/// which the processor fetches ahead.
#pragma once

#include <codelets/arch/SimdLanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cottonwood::kernels {

/// dst[column, row] = src[row, column]. Strides are of src's rows and dst's, in bytes; elements
/// within them are packed. There are at least transposeSide() rows and columns.
struct TransposePlane {
  std::byte const *src;
  std::byte *dst;
  std::int64_t srcStride, dstStride;
  std::uint64_t rows, columns;
};

/// How the destination is written: as it comes, with its lines fetched ahead, or past the caches
/// (where it is not aligned for that: as for Far).
enum class PlaneStores : std::uint8_t { Near, Far, Past };

/// The least rows and columns for elements of that size; 0 if they cannot be transposed.
constexpr std::uint64_t transposeSide(std::uint64_t elementBytes) {
  return elementBytes == 1 || elementBytes == 2 || elementBytes == 4 || elementBytes == 8
             ? 16 / elementBytes
             : 0;
}

namespace detail {

inline constexpr std::size_t TRANSPOSE_LINE = 64;
/// Bytes of a destination row in a block: two lines, which are fetched together.
inline constexpr std::size_t TRANSPOSE_ROW_BYTES = 2 * TRANSPOSE_LINE;
/// Lines of the source's rows that are fetched ahead, into the second cache: rows that are powers
/// of two apart have few places in the first.
inline constexpr std::uint64_t TRANSPOSE_AHEAD = 3;

POP_SIMD_INLINE std::int64_t signedOf(std::uint64_t x) { return static_cast<std::int64_t>(x); }

/// A register's worth of rows by a lane of columns.
template <std::size_t N, class Lanes>
POP_SIMD_INLINE void transposeTile(std::byte const *src, std::int64_t srcStride, std::byte *dst,
                                   std::int64_t dstStride) {
  constexpr std::size_t SIDE = 16 / N;
  Lanes v[SIDE];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < SIDE; ++i)
    v[i] = Lanes::load(src + signedOf(i) * srcStride, signedOf(SIDE) * srcStride);
  arch::transposeLanes<N>(v);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < SIDE; ++i)
    v[i].store(dst + signedOf(i) * dstStride);
}

/// Any block of at least one tile; where tiles do not fill it, the last ones overlap.
template <std::size_t N, class Lanes>
void transposePart(TransposePlane const &p, std::uint64_t row, std::uint64_t column,
                   std::uint64_t rows, std::uint64_t columns) {
  constexpr std::uint64_t SIDE = 16 / N, TALL = Lanes::BYTES / N;
  std::byte const *const src = p.src + signedOf(row) * p.srcStride + column * N;
  std::byte *const dst = p.dst + signedOf(column) * p.dstStride + row * N;
  for (std::uint64_t r = 0; r < rows; r += TALL) {
    std::uint64_t const y = r + TALL <= rows ? r : rows - TALL;
    for (std::uint64_t c = 0; c < columns; c += SIDE) {
      std::uint64_t const x = c + SIDE <= columns ? c : columns - SIDE;
      transposeTile<N, Lanes>(src + signedOf(y) * p.srcStride + x * N, p.srcStride,
                              dst + signedOf(x) * p.dstStride + y * N, p.dstStride);
    }
  }
}

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

/// Parts of at least a tile: the last columns of `rows` rows from `row` on, from `column` to the
/// end, which overlap what is done already if they are fewer.
template <std::size_t N, class Lanes>
POP_SIMD_INLINE void transposeLastColumns(TransposePlane const &p, std::uint64_t row,
                                          std::uint64_t rows, std::uint64_t column) {
  constexpr std::uint64_t SIDE = 16 / N;
  std::uint64_t const left = p.columns - column, wide = left == 0 || left >= SIDE ? left : SIDE;
  if (wide != 0)
    transposePart<N, Lanes>(p, row, p.columns - wide, rows, wide);
}

/// Parts of at least a tile: the rows from `row` to the end, which may overlap, too.
template <std::size_t N, class Lanes>
void transposeLastRows(TransposePlane const &p, std::uint64_t row) {
  constexpr std::uint64_t SIDE = 16 / N, TALL = Lanes::BYTES / N, COLUMNS = TRANSPOSE_LINE / N;
  std::uint64_t const left = p.rows - row, tall = left == 0 || left >= TALL ? left : TALL;
  if (tall == 0)
    return;
  for (std::uint64_t c = 0; c < p.columns; c += COLUMNS) {
    std::uint64_t const n = p.columns - c < COLUMNS ? p.columns - c : COLUMNS;
    std::uint64_t const taken = n < SIDE ? SIDE : n;
    transposePart<N, Lanes>(p, p.rows - tall, c + n - taken, tall, taken);
  }
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

/// The distance of TRANSPOSE_AHEAD lines from line `at` of the `count` of a row.
POP_SIMD_INLINE std::int64_t aheadOf(std::uint64_t at, std::uint64_t count, std::int64_t nextRow) {
  std::uint64_t const to = at + TRANSPOSE_AHEAD;
  if (to < count) [[likely]]
    return signedOf(TRANSPOSE_AHEAD * TRANSPOSE_LINE);
  return signedOf(to / count) * nextRow +
         (signedOf(to % count) - signedOf(at)) * signedOf(TRANSPOSE_LINE);
}

/// Rows of the destination that are put together and wait for being stored past the caches.
template <std::size_t PITCH> struct StagedRows {
  std::byte const *staged = nullptr;
  std::byte *dst = nullptr;
  std::size_t rows = 0, bytes = 0; ///< bytes of each
  std::size_t stored = 0;          ///< of the first one

  /// Some lines of rows of PITCH bytes.
  template <class Lanes, std::size_t COUNT>
  POP_SIMD_INLINE void storeLines(std::int64_t dstStride) {
    constexpr std::size_t RUN = COUNT * TRANSPOSE_LINE < PITCH ? COUNT * TRANSPOSE_LINE : PITCH;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < COUNT * TRANSPOSE_LINE; i += RUN, staged += RUN) {
#pragma GCC unroll 16
      for (std::size_t b = 0; b < RUN; b += Lanes::BYTES)
        Lanes::loadPacked(staged + b).storePast(dst + b);
      dst += RUN;
      stored += RUN;
      if (RUN == PITCH || stored == PITCH) {
        dst += dstStride - signedOf(PITCH);
        stored = 0;
      }
    }
  }
  /// All rows, of which none is begun.
  template <class Lanes> POP_SIMD_INLINE void storeAll(std::int64_t dstStride) {
    for (; rows != 0; --rows, staged += PITCH, dst += dstStride)
      for (std::size_t b = 0; b < bytes; b += Lanes::BYTES)
        Lanes::loadPacked(staged + b).storePast(dst + b);
  }
};

/// Past the caches, in blocks of a line of columns by four lines of rows that follow the rows of
/// src. Beside every tile that is put together a few lines of the block before it are stored and a
/// few of a later one are fetched: a whole block at once waits for the memory, and keeps what
/// follows waiting. There is a tile at least.
template <std::size_t N, class Lanes> void transposePast(TransposePlane const &p) {
  constexpr std::size_t SIDE = 16 / N, TALL = Lanes::BYTES / N, SQUARE = TRANSPOSE_LINE / N,
                        LINES = 4, PITCH = LINES * TRANSPOSE_LINE, STRIP = TALL < 4 ? 4 : TALL,
                        TILES = TRANSPOSE_LINE / 16, EACH = STRIP / TILES;
  alignas(TRANSPOSE_LINE) std::byte stages[2][SQUARE][PITCH];
  StagedRows<PITCH> waiting;
  std::int64_t const srcStride = p.srcStride, dstStride = p.dstStride;
  std::uint64_t const tall = p.rows / SQUARE, wide = p.columns / SQUARE;
  std::size_t stage = 0;
  for (std::uint64_t r = 0; r < tall; r += LINES) {
    std::size_t const bytes = tall - r < LINES ? (tall - r) * TRANSPOSE_LINE : PITCH;
    std::int64_t const nextRow = r + LINES < tall ? signedOf(LINES * SQUARE) * srcStride : 0;
    for (std::uint64_t c = 0; c < wide; ++c, stage ^= 1) {
      std::byte const *src = p.src + signedOf(r * SQUARE) * srcStride + c * TRANSPOSE_LINE;
      std::int64_t const ahead = aheadOf(c, wide, nextRow);
      bool const isWhole = bytes == PITCH && waiting.bytes == PITCH;
      for (std::size_t b = 0; b < bytes; b += STRIP * N, src += signedOf(STRIP) * srcStride) {
        std::byte const *later = src + ahead;
        for (std::size_t tile = 0; tile < TILES; ++tile) {
          for (std::size_t i = 0; i < STRIP; i += TALL)
            transposeTile<N, Lanes>(src + signedOf(i) * srcStride + tile * 16, srcStride,
                                    stages[stage][tile * SIDE] + b + i * N, PITCH);
          for (std::size_t i = 0; i < EACH; ++i, later += srcStride)
            __builtin_prefetch(later, 0, 2);
          if (isWhole) [[likely]]
            waiting.template storeLines<Lanes, EACH>(dstStride);
        }
      }
      if (!isWhole)
        waiting.template storeAll<Lanes>(dstStride);
      waiting = {stages[stage][0], p.dst + signedOf(c * SQUARE) * dstStride + r * TRANSPOSE_LINE,
                 SQUARE, bytes};
    }
  }
  waiting.template storeAll<Lanes>(dstStride);
  std::uint64_t const rows = tall * SQUARE, columns = wide * SQUARE;
  if (rows != 0)
    transposeLastColumns<N, Lanes>(p, 0, rows, columns);
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
                                      std::size_t alignment = TRANSPOSE_LINE) {
  using One = arch::OneLane<Tag>;
  using Two = arch::TwoLanes<Tag>;
  using Four = arch::FourLanes<Tag>;
  // Past the caches an AMD Zen 5 core transposes 16 x 64 x 12544 floats at 55 GB/s four rows at a
  // time, and at 46 GB/s eight at a time. Lines of rows that are pages apart share a set: 4096 x
  // 4096 floats take 40 and 44 GB/s, 4096 x 8192 halves 40 GB/s eight rows at a time, 37 sixteen.
  bool const sharesSets = p.srcStride % 4096 == 0;
  bool const fewRows = STORES == PlaneStores::Past && p.columns >= TRANSPOSE_LINE / N &&
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
  if (stores == PlaneStores::Near)
    detail::transposeStoring<Tag, N, PlaneStores::Near>(p);
  else if (stores == PlaneStores::Far || places % 16 != 0)
    detail::transposeStoring<Tag, N, PlaneStores::Far>(p);
  else
    detail::transposeStoring<Tag, N, PlaneStores::Past>(p, places & -places);
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
