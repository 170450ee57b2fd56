/// \file MatMulSmallRows.hpp
/// Products of rows with few columns. Included by MatMulSmall.hpp, which says how.
#pragma once

#include <codelets/arch/SimdLines.hpp>
#include <codelets/arch/SimdTable.hpp>
#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/MatMulSmallSpan.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

/// Most columns of a single product for which a kernel of MatMulSmall.hpp may be worth it.
template <class Tag>
inline constexpr std::size_t SMALL_MATMUL_COLUMNS = MatMulTileShape<Tag>::WIDTH / 2;

namespace detail {

/// Rows of a product with few columns, as many at a time as a vector of C holds. Rows of B lie
/// ready in vectors, repeated for each row of C.
template <class Tag, class TIn, class TOut> class SmallRows {
public:
  explicit SmallRows(const MatMulBatch<TIn, TOut> &batch) : batch_(batch) {
    const MatMulArgs<TIn, TOut> &x = batch.first;
    if (x.n < 2 || x.n > SMALL_MATMUL_COLUMNS<Tag> || x.k > DEPTH)
      return;
    rows_ = least(least(W / x.n, x.m), 8);
    if (rows_ < 2)
      return;
    const std::size_t span = smallSpan(x.a, rows_, x.k);
    if (span <= W) {
      source_ = ONE;
    } else if (span <= 2 * W) {
      source_ = TWO;
    } else if (x.a.column == 1 && x.k <= PIECED) {
      if (rows_ > 4 && rows_ < 8)
        rows_ = 4;
      source_ = rows_ <= 2 ? LINES2 : rows_ <= 4 ? LINES4 : LINES8;
    } else if (x.a.row == 1) {
      rows_ = least(rows_, W / TOGETHER);
      source_ = TURNED;
    }
    // Preparing a row of B costs as much as a row of a tile.
    if (batch.batches > 1 && batch.bBatch != 0 && x.m < 2 * rows_)
      source_ = NONE;
    if (batch.batches == 1 && x.m < 4 * rows_)
      source_ = NONE;
  }
  explicit operator bool() const { return source_ != NONE; }

  void run() const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    alignas(64) std::int32_t columns[W], rows[W];
    const std::ptrdiff_t row = source_ == ONE || source_ == TWO ? x.a.row
                               : source_ == TURNED
                                   ? 1
                                   : static_cast<std::ptrdiff_t>(W / linesOf(source_));
    for (std::size_t l = 0; l < W; ++l) {
      columns[l] = static_cast<std::int32_t>(l % x.n);
      rows[l] =
          static_cast<std::int32_t>(static_cast<std::ptrdiff_t>(least(l / x.n, rows_ - 1)) * row);
    }
    const Int indices = Int::load(rows);
    alignas(64) float ready[DEPTH * W];
    for (std::size_t g = 0; g < batch_.batches; ++g) {
      if (g == 0 || batch_.bBatch != 0)
        prepare(batch_.b(g), columns, ready);
      switch (source_) {
      case ONE:
        product<ONE>(g, indices, ready);
        break;
      case TWO:
        product<TWO>(g, indices, ready);
        break;
      case LINES2:
        product<LINES2>(g, indices, ready);
        break;
      case LINES4:
        product<LINES4>(g, indices, ready);
        break;
      case TURNED:
        product<TURNED>(g, indices, ready);
        break;
      default:
        product<LINES8>(g, indices, ready);
      }
    }
  }

private:
  using V = simd<float, Tag>;
  using Int = typename V::Int;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width), DEPTH = 64;
  static constexpr std::size_t TOGETHER = 4; ///< vectors of C, whose chains overlap
  /// Values of k up to which pieces of rows cost less than turning squares of A, measured on Zen 5:
  /// of halves, which arrive by half vectors, twice as many.
  static constexpr std::size_t PIECED = sizeof(TIn) == 4 ? W : 2 * W;

  /// How the values of A that a vector of C needs come into two vectors: as they lie, in one or
  /// two, or in pieces of as many rows; or the rows of one column of A at a time, side by side.
  enum Source { NONE, ONE, TWO, LINES2, LINES4, LINES8, TURNED };
  static constexpr std::size_t linesOf(Source source) {
    return source == LINES8 ? 4 : source == LINES4 ? 2 : 1;
  }

  /// Row p of B, repeated for each row of a vector, at ready + p * W.
  POP_SIMD_INLINE void prepare(const TIn *b, const std::int32_t *from, float *ready) const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    const Int columns = Int::load(from);
    if (x.b.column == 1) {
      for (std::size_t p = 0; p < x.k; ++p, b += x.b.row)
        arch::permuteLanes(V::loadPartial(b, x.n), columns).store(ready + p * W);
    } else if (x.b.row == 1) {
      for (std::size_t p = 0; p < x.k; p += W, b += W) {
        V turned[W];
        repeat<W>([&](auto j) POP_SIMD_LAMBDA {
          turned[j] = static_cast<std::size_t>(j) < x.n
                          ? V::loadPartial(b + j * x.b.column, least(x.k - p, W))
                          : V::zero();
        });
        arch::transpose<Tag>(turned);
        repeat<W>([&](auto q) POP_SIMD_LAMBDA {
          if (const std::size_t step = p + static_cast<std::size_t>(q); step < x.k)
            arch::permuteLanes(turned[q], columns).store(ready + step * W);
        });
      }
    } else {
      using One = simd<float, isa::scalar>;
      for (std::size_t p = 0; p < x.k; ++p, b += x.b.row)
        for (std::size_t l = 0; l < W; ++l)
          One::load(b + from[l] * x.b.column).store(ready + p * W + l);
    }
  }

  template <Source SOURCE>
  POP_SIMD_INLINE void product(std::size_t g, Int indices, const float *ready) const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    std::size_t i = 0;
    for (; i + TOGETHER * rows_ <= x.m; i += TOGETHER * rows_)
      vectors<SOURCE, TOGETHER>(g, i, indices, ready);
    // The last vector begins early enough to be whole: some rows are computed twice, alike.
    for (; i < x.m; i += rows_)
      vectors<SOURCE, 1>(g, least(i, x.m - rows_), indices, ready);
  }

  /// VECTORS vectors of C from row i on.
  template <Source SOURCE, std::size_t VECTORS>
  POP_SIMD_INLINE void vectors(std::size_t g, std::size_t i, Int indices,
                               const float *ready) const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    constexpr std::size_t LINES = linesOf(SOURCE), PIECE = W / LINES;
    const std::size_t rows = rows_, k = x.k;
    const std::ptrdiff_t down = static_cast<std::ptrdiff_t>(rows) * x.a.row;
    const TIn *a = batch_.a(g) + static_cast<std::ptrdiff_t>(i) * x.a.row;
    V sum[VECTORS], low[VECTORS], high[VECTORS];
    repeat<VECTORS>([&](auto v) POP_SIMD_LAMBDA { sum[v] = V::zero(); });
    const auto steps = [&](std::size_t depth, Int step) POP_SIMD_LAMBDA {
      Int at = indices;
      for (std::size_t p = 0; p < depth; ++p, ready += W, at = at + step) {
        const V b = V::loadAligned(ready);
        repeat<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
          const V factor = SOURCE == ONE ? arch::permuteLanes(low[v], at)
                                         : arch::permuteTwo(low[v], high[v], at);
          sum[v] = V::fma(factor, b, sum[v]);
        });
      }
    };
    if constexpr (SOURCE == TURNED) {
      const Int next = Int::splat(static_cast<std::int32_t>(rows));
      Int at[VECTORS];
      at[0] = indices;
      for (std::size_t v = 1; v < VECTORS; ++v)
        at[v] = at[v - 1] + next;
      for (std::size_t p = 0; p < k; ++p, ready += W, a += x.a.column) {
        const V b = V::loadAligned(ready), column = V::loadPartial(a, VECTORS * rows);
        repeat<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
          sum[v] = V::fma(arch::permuteLanes(column, at[v]), b, sum[v]);
        });
      }
    } else if constexpr (SOURCE == ONE || SOURCE == TWO) {
      const std::size_t span = smallSpan(x.a, rows, k);
      repeat<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
        low[v] = V::loadPartial(a + v * down, least(span, W));
        if constexpr (SOURCE == TWO)
          high[v] = V::loadPartial(a + v * down + W, span - W);
      });
      steps(k, Int::splat(static_cast<std::int32_t>(x.a.column)));
    } else {
      for (std::size_t p = 0; p < k; p += PIECE, a += PIECE) {
        const std::size_t depth = least(k - p, PIECE);
        repeat<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
          low[v] = lines<LINES>(a + v * down, depth, rows);
          high[v] = lines<LINES>(a + v * down + static_cast<std::ptrdiff_t>(LINES) * x.a.row, depth,
                                 rows - LINES);
        });
        steps(depth, Int::splat(1));
      }
    }
    repeat<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
      sum[v].storePartial(batch_.c(g) + (i + static_cast<std::size_t>(v) * rows) * x.n, rows * x.n);
    });
  }

  /// Pieces of LINES rows, of which there may be one less than that.
  template <std::size_t LINES>
  POP_SIMD_INLINE V lines(const TIn *a, std::size_t depth, std::size_t rows) const {
    const std::ptrdiff_t row = batch_.first.a.row;
    if (LINES == 1 || rows >= LINES)
      return arch::loadLines<Tag, LINES>(a, row, depth);
    return V::loadPartial(a, depth); // one of two
  }

  const MatMulBatch<TIn, TOut> &batch_;
  std::size_t rows_ = 0;
  Source source_ = NONE;
};

} // namespace detail

} // namespace cottonwood::kernels
