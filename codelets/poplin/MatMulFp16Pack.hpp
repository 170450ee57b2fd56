/// \file MatMulFp16Pack.hpp
/// Operands of products by half arithmetic, in pairs of neighbouring values of k (HalfPairs.hpp).
///
/// Packed A holds the rows of one tile: rows of pairs one behind another, or, if A lies transposed,
/// the pairs of all rows for one step of k after another. Packed B is a list of strips of 32
/// columns; a strip has for each step the pairs of its columns in two vectors, or in one if it has
/// at most 16. What lies beyond the operand is zero.
#pragma once

#include <codelets/arch/HalfPairs.hpp>
#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

namespace cottonwood::kernels::detail {

/// Packed rows of A; distances in halves.
struct Fp16Rows {
  const half *first;
  std::ptrdiff_t row, step; ///< from a row to the next, from a step of two values of k to the next
};

/// Halves from a packed row of pairs to the next.
inline constexpr std::size_t FP16_ROW = MATMUL_FP16_DEPTH + MATMUL_FP16_PADDING;

/// Rows of pairs, FP16_ROW halves apart, of which `rows` are there: the others become zeros.
POP_SIMD_INLINE Fp16Rows fp16Lines(std::size_t rows, std::size_t height, std::size_t depth,
                                   half *to) {
  for (std::size_t i = rows; i < height; ++i)
    __builtin_memset(static_cast<void *>(to + i * FP16_ROW), 0, (depth + 1) / 2 * 2 * sizeof(half));
  return {to, FP16_ROW, 2};
}

/// Vectors of a strip of so many columns.
constexpr std::size_t fp16Vectors(std::size_t columns) { return columns > 16 ? 2 : 1; }

/// Rows [0, rows) of A for a tile of `height` rows, `depth` values of k.
template <class Tag>
Fp16Rows packFp16Rows(const MatMulView<half> &a, std::size_t rows, std::size_t height,
                      std::size_t depth, half *to) {
  using Pairs = arch::HalfPairs<Tag>;
  const std::size_t steps = (depth + 1) / 2;
  if (a.row == 1 && a.column != 1) {
    // Each store ends in what the next one overwrites, the last in room for a vector.
    for (std::size_t s = 0; s < steps; ++s)
      Pairs::zip(a.at(0, 2 * s), 2 * s + 1 < depth ? a.at(0, 2 * s + 1) : nullptr, rows,
                 to + 2 * s * height);
    return {to, 2, static_cast<std::ptrdiff_t>(2 * height)};
  }
  for (std::size_t i = 0; i < rows; ++i) {
    half *const row = to + i * FP16_ROW;
    if (a.column == 1)
      __builtin_memcpy(row, a.at(i, 0), depth * sizeof(half));
    else
      for (std::size_t p = 0; p < depth; ++p)
        row[p] = *a.at(i, p);
    if (depth % 2 != 0)
      row[depth] = half{};
  }
  return fp16Lines(rows, height, depth, to);
}

/// Columns [j, j + columns) of B that lie transposed: pairs lie one behind another already.
template <class Tag>
void packFp16Turned(const MatMulView<half> &b, std::size_t columns, std::size_t depth, half *to) {
  using Pairs = arch::HalfPairs<Tag>;
  constexpr std::size_t SIDE = Pairs::PAIRS;
  const std::size_t vectors = fp16Vectors(columns), steps = (depth + 1) / 2;
  for (std::size_t s = 0; s < steps; s += SIDE)
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t x = v * SIDE, values = depth - 2 * s;
      simd<float, Tag> square[SIDE];
      arch::unrolled<SIDE>([&](auto y) POP_SIMD_LAMBDA {
        square[y] =
            x + y < columns ? Pairs::load(b.at(2 * s, x + y), values) : simd<float, Tag>::zero();
      });
      arch::transpose<Tag>(square);
      for (std::size_t y = 0; y < SIDE && s + y < steps; ++y)
        Pairs::store(square[y], to + ((s + y) * vectors + v) * 2 * SIDE);
    }
}

/// At most a strip of columns of B, and `depth` values of k.
template <class Tag>
void packFp16Strip(const MatMulView<half> &b, std::size_t columns, std::size_t depth, half *to) {
  using Pairs = arch::HalfPairs<Tag>;
  constexpr std::size_t W = Pairs::PAIRS;
  if (b.row == 1 && b.column != 1)
    return packFp16Turned<Tag>(b, columns, depth, to);
  // Rows of B lie in pages of their own, to which no hardware prefetcher follows.
  constexpr std::size_t AHEAD = 16;
  for (std::size_t q = 0; q < depth; q += 2) {
    const bool pair = q + 1 < depth;
    for (std::size_t x = 0; x < columns; x += W, to += 2 * W) {
      const std::size_t n = columns - x < W ? columns - x : W;
      if (b.column == 1) {
        if (q + AHEAD + 1 < depth)
          __builtin_prefetch(b.at(q + AHEAD, x)), __builtin_prefetch(b.at(q + AHEAD + 1, x));
        Pairs::zip(b.at(q, x), pair ? b.at(q + 1, x) : nullptr, n, to);
        continue;
      }
      for (std::size_t y = 0; y < W; ++y) {
        to[2 * y] = y < n ? *b.at(q, x + y) : half{};
        to[2 * y + 1] = y < n && pair ? *b.at(q + 1, x + y) : half{};
      }
    }
  }
}

} // namespace cottonwood::kernels::detail
