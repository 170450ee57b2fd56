/// \file TransposeKernel.hpp
/// Copies between two matrices of which one is stored by rows and the other by columns.
///
/// Tiles are transposed in registers and put together to blocks of two whole cache lines of each
/// row that is written, since lines of rows that are powers of two apart evict each other when they
/// are touched in parts. Blocks follow the rows of the source, which the processor fetches ahead.
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

/// Bytes of a destination row in a block: two lines, which are fetched together. Past the caches
/// more rows of the source take part, for longer runs in memory on both sides.
constexpr std::size_t transposeRowBytes(bool past) { return past ? 256 : 128; }
/// Blocks of the source that are fetched ahead, into the second cache: rows that are powers of two
/// apart have few places in the first.
inline constexpr std::uint64_t TRANSPOSE_AHEAD = 2;
/// Bytes of a narrow source that are gone through column by column: they stay in the second cache.
inline constexpr std::uint64_t TRANSPOSE_NARROW = std::uint64_t{1} << 17;

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

/// transposeRowBytes() of rows by WIDE bytes of columns, put together beside the caches' sets.
/// \param ahead  how far behind a line of the source another one is fetched, if PAST
template <std::size_t N, class Lanes, std::size_t WIDE, bool PAST>
POP_SIMD_INLINE void transposeStaged(std::byte const *src, std::int64_t srcStride, std::byte *dst,
                                     std::int64_t dstStride, std::int64_t ahead) {
  constexpr std::size_t SIDE = 16 / N, TALL = Lanes::BYTES / N, BYTES = transposeRowBytes(PAST);
  alignas(64) std::byte block[WIDE / N][BYTES];
  for (std::size_t r = 0; r < BYTES / N; r += TALL) {
    std::byte const *const from = src + signedOf(r) * srcStride;
    if constexpr (PAST)
      for (std::size_t i = 0; i < TALL; ++i)
        for (std::size_t b = 0; b < WIDE; b += 64)
          __builtin_prefetch(from + signedOf(i) * srcStride + ahead + signedOf(b), 0, 2);
    for (std::size_t c = 0; c < WIDE / N; c += SIDE)
      transposeTile<N, Lanes>(from + c * N, srcStride, block[c] + r * N, BYTES);
  }
  for (std::size_t c = 0; c < WIDE / N; ++c, dst += dstStride)
#pragma GCC unroll 8
    for (std::size_t b = 0; b < BYTES; b += Lanes::BYTES) {
      Lanes const v = Lanes::load(block[c] + b, 16);
      PAST ? v.storePast(dst + b) : v.store(dst + b);
    }
}

/// The same, tile by tile to where it belongs: registers are whole lines.
template <std::size_t N, class Lanes, std::size_t WIDE>
POP_SIMD_INLINE void transposeDirect(std::byte const *src, std::int64_t srcStride, std::byte *dst,
                                     std::int64_t dstStride) {
  constexpr std::size_t SIDE = 16 / N, TALL = Lanes::BYTES / N, ROWS = transposeRowBytes(false) / N;
  for (std::size_t r = 0; r < ROWS; r += TALL)
    for (std::size_t c = 0; c < WIDE / N; c += SIDE)
      transposeTile<N, Lanes>(src + signedOf(r) * srcStride + c * N, srcStride,
                              dst + signedOf(c) * dstStride + r * N, dstStride);
}

/// Asks for the destination of a block.
template <std::size_t WIDE>
POP_SIMD_INLINE void fetchLines(std::byte *dst, std::int64_t stride, std::size_t columns) {
  constexpr std::size_t BYTES = transposeRowBytes(false);
  for (std::size_t c = 0; c < columns; ++c, dst += stride)
#pragma GCC unroll 2
    for (std::size_t b = 0; b < BYTES; b += 64)
      __builtin_prefetch(dst + b, 1);
}

/// The distance of TRANSPOSE_AHEAD blocks from that of index `at` of `count` of a row of blocks.
POP_SIMD_INLINE std::int64_t aheadOf(std::uint64_t at, std::uint64_t count, std::size_t wide,
                                     std::int64_t nextRow) {
  std::uint64_t const to = at + TRANSPOSE_AHEAD;
  if (to < count) [[likely]]
    return signedOf(TRANSPOSE_AHEAD * wide);
  return signedOf(to / count) * nextRow + (signedOf(to % count) - signedOf(at)) * signedOf(wide);
}

/// Whole blocks along the rows of src, then what is left on two sides. There is a tile at least.
template <std::size_t N, class Lanes, PlaneStores STORES>
void transposeBlocks(TransposePlane const &p) {
  constexpr bool PAST = STORES == PlaneStores::Past;
  constexpr std::size_t WIDE = 64;
  constexpr std::uint64_t ROWS = transposeRowBytes(PAST) / N, COLUMNS = WIDE / N, SIDE = 16 / N,
                          TALL = Lanes::BYTES / N;
  std::uint64_t const rows = p.rows / ROWS * ROWS, columns = p.columns / COLUMNS * COLUMNS;
  // What is left is at least a tile.
  std::uint64_t const leftRows = p.rows - rows, leftColumns = p.columns - columns;
  std::uint64_t const tall = leftRows == 0 || leftRows >= TALL ? leftRows : TALL,
                      wide = leftColumns == 0 || leftColumns >= SIDE ? leftColumns : SIDE;
  const auto block = [&](std::uint64_t r, std::uint64_t c, [[maybe_unused]] std::int64_t ahead) {
    std::byte const *const src = p.src + signedOf(r) * p.srcStride + c * N;
    std::byte *const dst = p.dst + signedOf(c) * p.dstStride + r * N;
    if constexpr (Lanes::BYTES == 64)
      transposeDirect<N, Lanes, WIDE>(src, p.srcStride, dst, p.dstStride);
    else
      transposeStaged<N, Lanes, WIDE, PAST>(src, p.srcStride, dst, p.dstStride, ahead);
  };
  std::int64_t const nextRow = signedOf(ROWS) * p.srcStride;
  // Of few columns many rows are taken, and written column by column, so that what is written at a
  // time is long.
  std::uint64_t const many = TRANSPOSE_NARROW / (columns * N + 1) / ROWS * ROWS;
  bool const narrow = PAST && columns * N <= 512 && many > ROWS;
  std::uint64_t const step = narrow ? many : ROWS;
  for (std::uint64_t first = 0; first < rows; first += step) {
    std::uint64_t const last = first + step < rows ? first + step : rows;
    for (std::uint64_t c = 0; c < columns; c += COLUMNS) {
      if constexpr (STORES == PlaneStores::Far)
        if (c + COLUMNS < columns)
          fetchLines<WIDE>(p.dst + signedOf(c + COLUMNS) * p.dstStride + first * N, p.dstStride,
                           COLUMNS);
      for (std::uint64_t r = first; r < last; r += ROWS)
        block(r, c,
              narrow ? signedOf(TRANSPOSE_AHEAD) * nextRow
                     : aheadOf(c / COLUMNS, columns / COLUMNS, WIDE, nextRow));
    }
    if (wide != 0)
      transposePart<N, Lanes>(p, first, p.columns - wide, last - first, wide);
  }
  if (tall != 0)
    for (std::uint64_t c = 0; c < p.columns; c += COLUMNS) {
      std::uint64_t const n = p.columns - c < COLUMNS ? p.columns - c : COLUMNS;
      std::uint64_t const taken = n < SIDE ? SIDE : n;
      transposePart<N, Lanes>(p, p.rows - tall, c + n - taken, tall, taken);
    }
}

/// Registers of the widest kind that the plane has rows for.
template <std::size_t N, PlaneStores STORES, class Lanes, class... Narrower>
POP_SIMD_INLINE void transposeWith(TransposePlane const &p) {
  if constexpr (sizeof...(Narrower) == 0)
    transposeBlocks<N, Lanes, STORES>(p);
  else if (p.rows >= Lanes::BYTES / N)
    transposeBlocks<N, Lanes, STORES>(p);
  else
    transposeWith<N, STORES, Narrower...>(p);
}

template <class Tag, std::size_t N, PlaneStores STORES>
POP_SIMD_INLINE void transposeStoring(TransposePlane const &p) {
  using One = arch::OneLane<Tag>;
  using Two = arch::TwoLanes<Tag>;
  using Four = arch::FourLanes<Tag>;
  if constexpr (Tag::VECTOR_BYTES < 32)
    transposeWith<N, STORES, One>(p);
  else if constexpr (Tag::VECTOR_BYTES == 32 || STORES == PlaneStores::Past)
    transposeWith<N, STORES, Two, One>(p);
  else
    transposeWith<N, STORES, Four, Two, One>(p);
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
  else if (places % 32 != 0)
    detail::transposeBlocks<N, arch::OneLane<Tag>, PlaneStores::Past>(p);
  else
    detail::transposeStoring<Tag, N, PlaneStores::Past>(p);
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

/// transposeKernelsOf<Tag>() from the objects that are compiled for the tag's instructions.
struct TransposeFamily {
  template <class Tag> static TransposeKernels kernels();
};

} // namespace cottonwood::kernels
