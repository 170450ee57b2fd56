/// \file TransposePast.hpp
/// Transposes of matrices that are written past the caches.
#pragma once

#include <codelets/poplar/TransposeParts.hpp>

namespace cottonwood::kernels::detail {

/// Lines of the source's rows that are fetched ahead, into the second cache: rows that are powers
/// of two apart have few places in the first.
inline constexpr std::uint64_t TRANSPOSE_AHEAD = 3;

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

/// Elements in a line, and lines of a row that are fetched together where lines are stored at once:
/// as many as leave a row for every quarter of a square.
template <std::size_t N> inline constexpr std::size_t LINE_ELEMENTS = TRANSPOSE_LINE / N;
template <std::size_t N>
inline constexpr std::size_t LINES_TOGETHER = LINE_ELEMENTS<N> < 16 ? LINE_ELEMENTS<N> / 4 : 4;

/// A line of each of as many rows as a line has elements, to as many lines past the caches, by
/// registers of a line. Where their square takes many registers, lanes are brought together first:
/// rows that are powers of two apart have few places in the first cache, and each line is read once
/// so. Beside every quarter of the lines, others are fetched from `later` on.
template <std::size_t N, class Lanes>
POP_SIMD_INLINE void transposeLines(std::byte const *src, std::int64_t srcStride, std::byte *dst,
                                    std::int64_t dstStride, std::byte const *later) {
  constexpr std::size_t SIDE = 16 / N, QUARTERS = 4, TOGETHER = LINES_TOGETHER<N>,
                        FETCHED = LINE_ELEMENTS<N> / TOGETHER / QUARTERS;
  constexpr bool STAGES = SIDE > 4;
  std::int64_t const distance = signedOf(SIDE) * srcStride;
  [[maybe_unused]] Lanes staged[STAGES ? QUARTERS : 1][SIDE];
  if constexpr (STAGES) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < SIDE; ++i) {
      std::byte const *const row = src + signedOf(i) * srcStride;
      Lanes v[QUARTERS];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < QUARTERS; ++k)
        v[k] = Lanes::loadPacked(row + signedOf(k) * distance);
      Lanes::exchangeLanes(v);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < QUARTERS; ++k)
        staged[k][i] = v[k];
    }
  }
  for (std::size_t k = 0; k < QUARTERS; ++k) {
#pragma GCC unroll 2
    for (std::size_t row = 0; row < FETCHED; ++row, later += signedOf(TOGETHER) * srcStride)
#pragma GCC unroll 4
      for (std::size_t line = 0; line < TOGETHER; ++line)
        __builtin_prefetch(later + line * TRANSPOSE_LINE, 0, 2);
    Lanes v[SIDE];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < SIDE; ++i)
      if constexpr (STAGES)
        v[i] = staged[k][i];
      else
        v[i] = Lanes::load(src + signedOf(i) * srcStride + k * 16, distance);
    arch::transposeLanes<N>(v);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < SIDE; ++i, dst += dstStride)
      v[i].storePast(dst);
  }
}

/// Past the caches, with whole lines from registers at once, in blocks of a line of columns by some
/// lines of rows that follow the rows of src. How fast memory is hangs on how many lines that lie
/// together it writes and reads together: 4096 x 4160 floats take 10 GB/s on an AMD Zen 5 core with
/// blocks of one line, 20 and 34 with two and four, 43 with eight or sixteen, and a tenth less
/// where lines are fetched one by one; transposePast() takes 30, a copy 52. Where rows of dst are
/// short, and so lie together, fewer lines of more rows of src are better. There is a square of
/// lines at least.
template <std::size_t N, class Lanes> void transposePastAtOnce(TransposePlane const &p) {
  constexpr std::size_t SQUARE = LINE_ELEMENTS<N>, LEAST = 2, MOST = N < 4 ? 16 : 8;
  std::int64_t const srcStride = p.srcStride, dstStride = p.dstStride;
  std::uint64_t const tall = p.rows / SQUARE, wide = p.columns / SQUARE;
  std::uint64_t const block = tall / 2 < LEAST ? LEAST : tall / 2 < MOST ? tall / 2 : MOST;
  for (std::uint64_t r = 0; r < tall; r += block) {
    std::uint64_t const lines = tall - r < block ? tall - r : block;
    std::int64_t const nextRow = r + block < tall ? signedOf(block * SQUARE) * srcStride : 0;
    for (std::uint64_t c = 0; c < wide; ++c) {
      std::byte const *src = p.src + signedOf(r * SQUARE) * srcStride + c * TRANSPOSE_LINE;
      std::byte *dst = p.dst + signedOf(c * SQUARE) * dstStride + r * TRANSPOSE_LINE;
      // One of every few rows in turn, some lines of each.
      std::int64_t const ahead =
          aheadOf(c, wide, nextRow) + signedOf(c % LINES_TOGETHER<N>) * srcStride;
      for (std::uint64_t i = 0; i < lines; ++i) {
        transposeLines<N, Lanes>(src, srcStride, dst, dstStride, src + ahead);
        src += signedOf(SQUARE) * srcStride;
        dst += TRANSPOSE_LINE;
      }
    }
  }
  std::uint64_t const rows = tall * SQUARE;
  transposeLastColumns<N, Lanes>(p, 0, rows, wide * SQUARE);
  transposeLastRows<N, Lanes>(p, rows);
}

} // namespace cottonwood::kernels::detail
