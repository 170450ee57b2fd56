/// \file TransposeParts.hpp
/// Tiles of matrices that are transposed in registers, and what is left beside whole blocks of
/// them.
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

/// The least rows and columns for elements of that size; 0 if they cannot be transposed.
constexpr std::uint64_t transposeSide(std::uint64_t elementBytes) {
  return elementBytes == 1 || elementBytes == 2 || elementBytes == 4 || elementBytes == 8
             ? 16 / elementBytes
             : 0;
}

namespace detail {

inline constexpr std::size_t TRANSPOSE_LINE = 64;

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

} // namespace detail
} // namespace cottonwood::kernels
