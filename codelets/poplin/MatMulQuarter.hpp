/// \file MatMulQuarter.hpp
/// Products of 8-bit floats: pieces of both operands become floats, whose products are summed.
#pragma once

#include <codelets/poplin/MatMulVector.hpp>
#include <codelets/popops/QuarterKernel.hpp>

namespace cottonwood::kernels {

/// Patterns of 8-bit floats, and what they mean.
struct QuarterMatrix {
  MatMulView<std::uint8_t> patterns;
  QuarterLayout layout;
};

namespace detail {

/// rows x columns elements from (i, j), rows `pitch` floats apart.
template <class Tag>
void widenQuarters(const QuarterMatrix &from, std::size_t i, std::size_t j, std::size_t rows,
                   std::size_t columns, float *to, std::size_t pitch) {
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint8_t *const row = from.patterns.at(i + r, j);
    float *const wide = to + r * pitch;
    if (from.patterns.column == 1)
      for (std::size_t c = 0; c < columns; ++c)
        wide[c] = decodeQuarter(row[c], from.layout);
    else
      for (std::size_t c = 0; c < columns; ++c)
        wide[c] = decodeQuarter(*from.patterns.at(i + r, j + c), from.layout);
  }
}

/// streamMatrix for 1 to MATMUL_STREAMED_ROWS rows of 8-bit floats. Exact but for the sums.
template <class Tag>
void streamQuarters(std::size_t rows, const QuarterMatrix &a, const QuarterMatrix &b, std::size_t k,
                    float *sums, std::size_t sumsRow, std::size_t columns) {
  constexpr std::size_t DEPTH = 32, COLUMNS = 64; // 8 KB of B
  alignas(64) float wideA[MATMUL_STREAMED_ROWS * DEPTH], wideB[DEPTH * COLUMNS];
  for (std::size_t p = 0; p < k; p += DEPTH) {
    const std::size_t depth = k - p < DEPTH ? k - p : DEPTH;
    widenQuarters<Tag>(a, 0, p, rows, depth, wideA, DEPTH);
    for (std::size_t j = 0; j < columns; j += COLUMNS) {
      const std::size_t some = columns - j < COLUMNS ? columns - j : COLUMNS;
      widenQuarters<Tag>(b, p, j, depth, some, wideB, COLUMNS);
      streamRowsOf<Tag>(std::make_index_sequence<MATMUL_STREAMED_ROWS>{}, rows,
                        MatMulView<float>{wideA, DEPTH, 1}, MatMulView<float>{wideB, COLUMNS, 1},
                        depth, sums + j, sumsRow, some, MATMUL_PAGE);
    }
  }
}

} // namespace detail

/// C[i,j] = sum over p of a[i,p] * b[p,j] for m <= MATMUL_STREAMED_ROWS rows; the columns of B lie
/// side by side. \param layoutA, layoutB  what the patterns mean
template <class Tag, class TOut>
void matMulQuarters(const MatMulArgs<std::uint8_t, TOut> &args, QuarterLayout layoutA,
                    QuarterLayout layoutB) {
  constexpr std::size_t BLOCK = 1024;
  alignas(64) float sums[MATMUL_STREAMED_ROWS * BLOCK];
  for (std::size_t j = 0; j < args.n; j += BLOCK) {
    const std::size_t columns = args.n - j < BLOCK ? args.n - j : BLOCK;
    for (std::size_t i = 0; i < args.m; ++i)
      for (std::size_t x = 0; x < columns; ++x)
        sums[i * BLOCK + x] = 0;
    const MatMulView<std::uint8_t> part{args.b.at(0, j), args.b.row, args.b.column};
    detail::streamQuarters<Tag>(args.m, {args.a, layoutA}, {part, layoutB}, args.k, sums, BLOCK,
                                columns);
    for (std::size_t i = 0; i < args.m; ++i)
      detail::copyFromFloat<Tag>(sums + i * BLOCK, columns, args.row(i) + j, 1);
  }
}

} // namespace cottonwood::kernels
