/// \file MatMulNarrow.hpp
/// Matrix products with few columns, or the last columns of wider ones.
///
/// A vector of such a row of C would be mostly empty, so lanes hold rows: squares of A are turned
/// in registers. The chain of every element is that of MatMulTile.hpp.
#pragma once

#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

/// Most columns that are ever cheaper with rows in lanes; 0 where vectors are too short for that.
template <class Tag>
inline constexpr std::size_t MATMUL_NARROW_COLUMNS = simd<float, Tag>::width >= 16 ? 10 : 0;

/// True if rows in lanes are cheaper than tiles whose rows are vectors with empty lanes. Turning a
/// square of A costs as much as three columns, and a tile as much a row whatever its columns:
/// blocks * (columns + 3) * W multiply-adds against m * W, measured on Zen 4. Instruction counts
/// say the same of cores with one port for shuffles, which turning keeps busy.
template <class Tag> constexpr bool matMulNarrowWins(std::size_t m, std::size_t columns) {
  constexpr std::size_t W = static_cast<std::size_t>(simd<float, Tag>::width);
  const std::size_t blocks = (m + W - 1) / W;
  return columns <= MATMUL_NARROW_COLUMNS<Tag> && m >= W && blocks * (columns + 3) < m;
}

namespace detail {

/// Columns of a square of A: values [0, depth) of k of rows [0, rows), zeros elsewhere.
template <class Tag, class T>
POP_SIMD_INLINE void loadTurned(const T *a, std::ptrdiff_t aRow, std::size_t rows,
                                std::size_t depth,
                                simd<float, Tag> (&square)[simd<float, Tag>::width]) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  if (rows >= W && depth >= W)
    repeat<W>([&](auto i) POP_SIMD_LAMBDA { square[i] = V::load(a + i * aRow); });
  else
    repeat<W>([&](auto i) POP_SIMD_LAMBDA {
      square[i] =
          static_cast<std::size_t>(i) < rows ? V::loadPartial(a + i * aRow, depth) : V::zero();
    });
  arch::transpose<Tag>(square);
}

/// Values [0, depth) of k of COLUMNS columns of B, as rows of a square.
template <class Tag, std::size_t COLUMNS, class T>
POP_SIMD_INLINE void copyNarrow(MatMulView<T> b, std::size_t depth,
                                float (&values)[simd<float, Tag>::width][simd<float, Tag>::width]) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  if (b.column == 1 || COLUMNS == 1) {
    for (std::size_t q = 0; q < depth; ++q)
      V::loadPartial(b.at(q, 0), COLUMNS).store(values[q]);
  } else if (b.row == 1) {
    V turned[W];
    loadTurned<Tag>(b.data, b.column, COLUMNS, depth, turned);
    repeat<W>([&](auto q) POP_SIMD_LAMBDA { turned[q].store(values[q]); });
  } else {
    using One = simd<float, isa::scalar>;
    for (std::size_t q = 0; q < depth; ++q)
      for (std::size_t j = 0; j < COLUMNS; ++j)
        One::load(b.at(q, j)).store(&values[q][j]);
  }
}

/// sums[j] continues its chains over `depth` values of k.
template <class Tag, std::size_t COLUMNS>
POP_SIMD_INLINE void
continueChains(const simd<float, Tag> (&square)[simd<float, Tag>::width],
               const float (&values)[simd<float, Tag>::width][simd<float, Tag>::width],
               std::size_t depth, float (&sums)[COLUMNS][simd<float, Tag>::width]) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  V sum[COLUMNS];
  unroll<COLUMNS>([&](auto j) POP_SIMD_LAMBDA { sum[j] = V::load(sums[j]); });
  const auto step = [&](auto q) POP_SIMD_LAMBDA {
    unroll<COLUMNS>([&](auto j)
                        POP_SIMD_LAMBDA { arch::accumulateOne(sum[j], &values[q][j], square[q]); });
  };
  if (depth == W)
    repeat<W>(step);
  else
    repeat<W>([&](auto q) POP_SIMD_LAMBDA {
      if (static_cast<std::size_t>(q) < depth)
        step(q);
    });
  unroll<COLUMNS>([&](auto j) POP_SIMD_LAMBDA { sum[j].store(sums[j]); });
}

} // namespace detail

/// C[i,j] = (cIn ? cIn[i,j] : 0) + sum over p < k of a[i,p] * b[p,j] for i < m and j < COLUMNS;
/// rows of A are contiguous.
template <class Tag, std::size_t COLUMNS, class TA, class T>
void matMulNarrow(std::size_t m, std::size_t k, const TA *a, std::ptrdiff_t aRow, MatMulView<T> b,
                  const float *cIn, std::ptrdiff_t cInRow, float *cOut, std::ptrdiff_t cOutRow) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  // The chains of several blocks of rows overlap.
  constexpr std::size_t BLOCKS = 4;
  for (std::size_t first = 0; first < m; first += BLOCKS * W) {
    const std::size_t rows = m - first < BLOCKS * W ? m - first : BLOCKS * W;
    const std::size_t blocks = (rows + W - 1) / W;
    // The last block begins early enough to be whole: some rows are computed twice, alike.
    const auto begin = [&](std::size_t x) POP_SIMD_LAMBDA {
      return rows >= W && x * W + W > rows ? rows - W : x * W;
    };
    alignas(64) float sums[BLOCKS][COLUMNS][W] = {};
    for (std::size_t x = 0; cIn && x < blocks; ++x)
      for (std::size_t j = 0; j < COLUMNS; ++j)
        for (std::size_t i = 0; i < W && begin(x) + i < rows; ++i)
          sums[x][j][i] = cIn[static_cast<std::ptrdiff_t>(first + begin(x) + i) * cInRow +
                              static_cast<std::ptrdiff_t>(j)];
    for (std::size_t p = 0; p < k; p += W) {
      const std::size_t depth = k - p < W ? k - p : W;
      alignas(64) float values[W][W];
      detail::copyNarrow<Tag, COLUMNS>(MatMulView<T>{b.at(p, 0), b.row, b.column}, depth, values);
      for (std::size_t x = 0; x < blocks; ++x) {
        const TA *corner = a + static_cast<std::ptrdiff_t>(first + begin(x)) * aRow +
                           static_cast<std::ptrdiff_t>(p);
        V square[W];
        detail::loadTurned<Tag>(corner, aRow, rows - begin(x), depth, square);
        detail::continueChains<Tag, COLUMNS>(square, values, depth, sums[x]);
      }
    }
    for (std::size_t x = 0; x < blocks; ++x) {
      V turned[W];
      detail::repeat<W>([&](auto j) POP_SIMD_LAMBDA {
        turned[j] = static_cast<std::size_t>(j) < COLUMNS ? V::load(sums[x][j]) : V::zero();
      });
      arch::transpose<Tag>(turned);
      float *const to = cOut + static_cast<std::ptrdiff_t>(first + begin(x)) * cOutRow;
      detail::repeat<W>([&](auto i) POP_SIMD_LAMBDA {
        if (begin(x) + static_cast<std::size_t>(i) < rows)
          turned[i].storePartial(to + i * cOutRow, COLUMNS);
      });
    }
  }
}

namespace detail {

/// The kernels for float or half operands, one for each number of columns.
template <class Tag, class TA, class T, class Indices> struct MatMulNarrows;
template <class Tag, class TA, class T, std::size_t... I>
struct MatMulNarrows<Tag, TA, T, std::index_sequence<I...>> {
  static constexpr decltype(&matMulNarrow<Tag, 1, TA, T>) TABLE[] = {
      &matMulNarrow<Tag, I + 1, TA, T>...};
};

} // namespace detail

/// The kernel for `columns` columns, 1 .. MATMUL_NARROW_COLUMNS.
template <class Tag, class TA, class T> POP_SIMD_INLINE auto matMulNarrowOf(std::size_t columns) {
  using Counts = std::make_index_sequence<MATMUL_NARROW_COLUMNS<Tag>>;
  return detail::MatMulNarrows<Tag, TA, T, Counts>::TABLE[columns - 1];
}

} // namespace cottonwood::kernels
