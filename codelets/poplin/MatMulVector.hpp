/// \file MatMulVector.hpp
/// Products of few rows with a matrix: bound by the one pass over the matrix, not by arithmetic.
#pragma once

#include <codelets/poplin/Finish.hpp>
#include <codelets/poplin/MatMulBlocking.hpp>
#include <codelets/poplin/MatMulPack.hpp>

namespace cottonwood::kernels {

namespace detail {

/// Bytes of each of several rows that are fetched ahead of their use. Hardware prefetchers stop at
/// the ends of pages, which rows of a few pages have many of.
inline constexpr std::size_t MATMUL_STREAM_AHEAD = 1024;

/// One step of matMulRows: sums[i][j] continues its chain over K values of k, j < columns. Rows of
/// B stream by side by side while the sums stay in L1. After them those from `next` on will.
/// \tparam VECTORS  read of each row before the next row
/// \param asked  bytes of each page of a row that are asked for
template <class Tag, unsigned ROWS, unsigned K, unsigned VECTORS, class T>
POP_SIMD_INLINE void streamRows(const T *a, std::ptrdiff_t aRow, std::ptrdiff_t aColumn, const T *b,
                                std::ptrdiff_t bRow, const T *next, float *sums,
                                std::size_t sumsRow, std::size_t columns, std::size_t asked) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  constexpr std::size_t AHEAD = MATMUL_STREAM_AHEAD / sizeof(T), LINE = 64 / sizeof(T);
  constexpr bool ASKS = K > 1 && VECTORS == 1;
  V factor[ROWS][K];
  for (unsigned i = 0; i < ROWS; ++i)
    for (unsigned p = 0; p < K; ++p)
      factor[i][p] = V::broadcast(a + i * aRow + p * aColumn);
  std::size_t j = 0;
  for (; j + VECTORS * W <= columns; j += VECTORS * W) {
    if (ASKS && asked != 0 && j % LINE < W) {
      const T *const ahead = j + AHEAD < columns ? b + j + AHEAD : next + (j + AHEAD - columns);
      unroll<K>([&](auto p) POP_SIMD_LAMBDA {
        const T *const line = ahead + p * bRow;
        if (reinterpret_cast<std::uintptr_t>(line) % MATMUL_PAGE < asked)
          __builtin_prefetch(line);
      });
    }
    V row[K][VECTORS];
    unroll<K>([&](auto p) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
        row[p][v] = V::load(b + p * bRow + static_cast<std::ptrdiff_t>(j + v * W));
      });
    });
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      float *at = sums + static_cast<std::size_t>(i) * sumsRow + j;
      unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
        V sum = V::load(at + v * W);
        unroll<K>([&](auto p) POP_SIMD_LAMBDA { sum = V::fma(factor[i][p], row[p][v], sum); });
        sum.store(at + v * W);
      });
    });
  }
  for (; j < columns; j += W) {
    const std::size_t lanes = columns - j < W ? columns - j : W;
    for (unsigned i = 0; i < ROWS; ++i) {
      float *at = sums + i * sumsRow + j;
      V sum = V::loadPartial(at, lanes);
      for (unsigned p = 0; p < K; ++p) {
        const T *from = b + p * bRow + static_cast<std::ptrdiff_t>(j);
        sum = V::fma(factor[i][p], V::loadPartial(from, lanes), sum);
      }
      sum.storePartial(at, lanes);
    }
  }
}

/// Rows of B that streamMatrix reads at a time, so that factors, rows and sums fit into the
/// registers, and vectors of each.
struct StreamShape {
  unsigned rows, vectors;
};

/// One row by short vectors leaves registers for a line, and time for the hardware's prefetchers to
/// follow all rows of B: asking them too made it 1.1 to 1.3 times slower on Zen 3. Where nothing is
/// asked for, long vectors read two lines of four rows: on Zen 5 as fast as the one after the other
/// from the last cache, and 1.1 times as fast as a line of eight rows from memory.
/// \param asking  something may be asked for
template <class Tag> constexpr StreamShape streamShape(unsigned rows, bool asking) {
  if (MatMulTileShape<Tag>::WIDTH >= 16)
    return asking ? StreamShape{rows <= 2 ? 8U : 4U, 1} : StreamShape{4, 2};
  return rows == 1 ? StreamShape{8, simd<float, Tag>::width == 8 ? 2U : 1U} : StreamShape{2, 1};
}

/// sums[i][j] continues its chain over all k.
template <class Tag, unsigned ROWS, bool ASKING, class T>
void streamMatrix(MatMulView<T> a, MatMulView<T> b, std::size_t k, float *sums, std::size_t sumsRow,
                  std::size_t columns, std::size_t asked) {
  constexpr StreamShape SHAPE = streamShape<Tag>(ROWS, ASKING);
  constexpr unsigned TOGETHER = SHAPE.rows;
  std::size_t p = 0;
  for (; p + TOGETHER <= k; p += TOGETHER) {
    const std::size_t after = p + 2 * TOGETHER <= k ? p + TOGETHER : p;
    streamRows<Tag, ROWS, TOGETHER, SHAPE.vectors>(a.at(0, p), a.row, a.column, b.at(p, 0), b.row,
                                                   b.at(after, 0), sums, sumsRow, columns, asked);
  }
  for (; p < k; ++p)
    streamRows<Tag, ROWS, 1, SHAPE.vectors>(a.at(0, p), a.row, a.column, b.at(p, 0), b.row,
                                            b.at(p, 0), sums, sumsRow, columns, asked);
}

/// streamMatrix for m rows.
template <class Tag, class T, std::size_t... I>
POP_SIMD_INLINE void streamRowsOf(std::index_sequence<I...>, std::size_t m, MatMulView<T> a,
                                  MatMulView<T> b, std::size_t k, float *sums, std::size_t sumsRow,
                                  std::size_t columns, std::size_t asked) {
  using Function = void (*)(MatMulView<T>, MatMulView<T>, std::size_t, float *, std::size_t,
                            std::size_t, std::size_t);
  constexpr bool LONG = MatMulTileShape<Tag>::WIDTH >= 16; // others have one shape
  constexpr Function asking[] = {&streamMatrix<Tag, static_cast<unsigned>(I + 1), true, T>...};
  constexpr Function quiet[] = {&streamMatrix < Tag, static_cast<unsigned>(I + 1), !LONG || I >= 2,
                                T > ...};
  (asked != 0 ? asking : quiet)[m - 1](a, b, k, sums, sumsRow, columns, asked);
}

} // namespace detail

/// C[i,j] (+)= sum over p of a[i,p] * b[p,j] for m <= MATMUL_MAX_STREAMED_ROWS rows and a matrix
/// with b.column == 1. Element (i, j) of C is at cRows(i)[j * cColumn].
/// \param depth  as in MatMulBlocking
template <class Tag, class TIn, class TOut, class Rows, class Finish = StoreSums>
void matMulRows(std::size_t m, std::size_t n, std::size_t k, MatMulView<TIn> a, MatMulView<TIn> b,
                Rows cRows, std::ptrdiff_t cColumn, bool accumulate, std::uint32_t depth,
                const Finish &finish = {}) {
  const std::size_t asked = depth * sizeof(TIn);
  // 16 KB of sums: a third to a half of L1. One row by long vectors passes over more of them less
  // often: on Zen 5 by 8192 columns 1.08 times as fast.
  constexpr std::size_t SUMS = 4096, ONE_ROW = MatMulTileShape<Tag>::WIDTH >= 16 ? 2 * SUMS : SUMS;
  alignas(64) float sums[ONE_ROW];
  const std::size_t block = m == 1 ? ONE_ROW : SUMS / m / 64 * 64;
  for (std::size_t j = 0; j < n; j += block) {
    const std::size_t columns = n - j < block ? n - j : block;
    for (std::size_t i = 0; i < m; ++i) {
      const TOut *c = cRows(i) + static_cast<std::ptrdiff_t>(j) * cColumn;
      if (accumulate)
        detail::copyToFloat<Tag>(c, cColumn, columns, sums + i * block);
      else
        for (std::size_t x = 0; x < columns; ++x)
          sums[i * block + x] = 0;
    }
    const MatMulView<TIn> part{b.at(0, j), b.row, b.column};
    detail::streamRowsOf<Tag>(std::make_index_sequence<MATMUL_MAX_STREAMED_ROWS>{}, m, a, part, k,
                              sums, block, columns, asked);
    for (std::size_t i = 0; i < m; ++i)
      finish.template row<Tag>(sums + i * block, columns,
                               cRows(i) + static_cast<std::ptrdiff_t>(j) * cColumn, cColumn, i, j);
  }
}

namespace detail {

/// Partial sums of one dot product: lane k mod 64, the same for every instruction set.
inline constexpr std::size_t MATMUL_DOT_LANES = 64;

/// Most rows that are read side by side: as many as there are registers for, so that hardware
/// prefetchers follow them all. Short vectors keep the chains of four rows from beyond the caches
/// in L1: 1.3 times as fast as one row on Zen 3 (to ask for what comes takes longer there).
template <class Tag, bool ASKING>
inline constexpr unsigned MATMUL_DOT_ROWS = simd<float, Tag>::width >= 16  ? (ASKING ? 4 : 7)
                                            : simd<float, Tag>::width >= 8 ? (ASKING ? 1 : 4)
                                                                           : 1;

/// Dot products of ROWS rows with contiguous values, each with 64 chains that are folded onto each
/// other by halves: 32, 16, ... 1 apart.
/// \tparam ASKING  values ahead are asked for
template <class Tag, unsigned ROWS, bool ASKING, class T>
void dotProducts(const T *a, std::ptrdiff_t aRow, const T *x, std::size_t k, float (&dots)[ROWS]) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  constexpr std::size_t PARTS = MATMUL_DOT_LANES / W;
  constexpr std::size_t AHEAD = 2048 / sizeof(T);
  V chain[ROWS][PARTS]; // in registers where they are as many
  repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
    repeat<PARTS>([&](auto v) POP_SIMD_LAMBDA { chain[i][v] = V::zero(); });
  });
  std::size_t p = 0;
  for (; p + MATMUL_DOT_LANES <= k; p += MATMUL_DOT_LANES) {
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      for (std::size_t line = 0; ASKING && line < MATMUL_DOT_LANES; line += 64 / sizeof(T))
        __builtin_prefetch(a + i * aRow + p + line + AHEAD);
    });
    repeat<PARTS>([&](auto v) POP_SIMD_LAMBDA {
      const std::size_t at = p + static_cast<std::size_t>(v) * W;
      const V factor = V::load(x + at);
      repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
        chain[i][v] = V::fma(V::load(a + i * aRow + at), factor, chain[i][v]);
      });
    });
  }
  repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
    V sum[PARTS];
    repeat<PARTS>([&](auto v) POP_SIMD_LAMBDA { sum[v] = chain[i][v]; });
    for (std::size_t v = 0, q = p; q < k; ++v, q += W) {
      const std::size_t lanes = k - q < W ? k - q : W;
      sum[v] =
          V::fma(V::loadPartial(a + i * aRow + q, lanes), V::loadPartial(x + q, lanes), sum[v]);
    }
    for (std::size_t half = PARTS / 2; half > 0; half /= 2)
      for (std::size_t v = 0; v < half; ++v)
        sum[v] = sum[v] + sum[v + half];
    dots[i] = sum[0].reduceAdd();
  });
}

} // namespace detail

/// out[i * outStep] (+)= dot(row i of a, x) for `rows` rows with contiguous elements.
/// \param blocking  its rows and depth count
template <class Tag, class TIn, class TOut, class Finish = StoreSums>
void matMulDot(std::size_t rows, std::size_t k, const TIn *a, std::ptrdiff_t aRow, const TIn *x,
               TOut *out, std::ptrdiff_t outStep, bool accumulate, const MatMulBlocking &blocking,
               const Finish &finish = {}) {
  using One = simd<float, isa::scalar>;
  const auto end = [&](std::size_t i, float value) POP_SIMD_LAMBDA {
    TOut *const to = out + static_cast<std::ptrdiff_t>(i) * outStep;
    const One dot = One::splat(value);
    const One sum = accumulate ? One::load(to) + dot : dot;
    if constexpr (Finish::ACTIVE) {
      const float total = sum.first();
      finish.template row<Tag>(&total, 1, to, 1, 0, i);
    } else {
      sum.store(to);
    }
  };
  std::size_t i = 0;
  const auto run = [&](auto together, auto asking) POP_SIMD_LAMBDA {
    if constexpr (together <= detail::MATMUL_DOT_ROWS<Tag, asking>)
      for (; (together == 1 || together <= blocking.rows) && i + together <= rows;
           i += together, a += together * aRow) {
        float dots[together];
        detail::dotProducts<Tag, together, asking>(a, aRow, x, k, dots);
        for (unsigned r = 0; r < together; ++r)
          end(i + r, dots[r]);
      }
  };
  const auto runAll = [&](auto asking) POP_SIMD_LAMBDA {
    run(std::integral_constant<unsigned, 7>{}, asking);
    run(std::integral_constant<unsigned, 4>{}, asking);
    run(std::integral_constant<unsigned, 1>{}, asking);
  };
  if (blocking.depth == MATMUL_ASK_ALL)
    runAll(std::true_type{});
  else
    runAll(std::false_type{});
}

} // namespace cottonwood::kernels
