/// \file MatMulTile.hpp
/// The register tile of matrix products: a block of C held in registers while K streams by.
///
/// Every element of C is one chain of fused multiply-adds over ascending k. The chain is the same
/// for all tile sizes, block sizes and instruction sets, so all of them give the same bits; that is
/// why C is loaded before the loop and not added after it.
#pragma once

#include <codelets/arch/SimdAccumulate.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace cottonwood::kernels {

/// Sizes of the register tile of one tag. 12 x 2 vectors of AVX-512 leave registers for B and for
/// the broadcast of A, and 24 independent chains cover the latency of the multiply-add; 6 x 2 is
/// the same balance in the 16 registers of AVX2. Wide strips have tiles of 6 x 4 vectors, with as
/// many chains: a step loads 10 vectors instead of 14. Without vectors tiles are small, here and in
/// the other kernels: large ones were a third of a program that is headers only, and of the time to
/// compile it.
template <class Tag> struct MatMulTileShape {
  static constexpr unsigned WIDTH = static_cast<unsigned>(simd<float, Tag>::width);
  static constexpr unsigned ROWS = WIDTH >= 16 ? 12 : WIDTH >= 8 ? 6 : 2;
  static constexpr unsigned VECTORS = 2;
  static constexpr unsigned COLUMNS = VECTORS * WIDTH;
  static constexpr unsigned WIDE_VECTORS = WIDTH >= 16 ? 4 : VECTORS;
  static constexpr unsigned WIDE_COLUMNS = WIDE_VECTORS * WIDTH;

  static constexpr unsigned WIDE_ROWS = WIDE_VECTORS > VECTORS ? 6 : ROWS;

  /// Values of k that a round of a loop takes: see SimdAccumulate.hpp.
  static constexpr std::size_t STEPS = WIDTH == 8 ? 4 : 1;

  /// Most rows of a tile of so many columns.
  static constexpr unsigned rowsOf(std::size_t columns) {
    return columns <= COLUMNS ? ROWS : WIDE_ROWS;
  }
};

/// How some rows are cut into tiles: the first `tall` into tiles of `height` rows, the others into
/// tiles of one row less.
struct MatMulHeights {
  std::size_t height, tall;

  POP_SIMD_INLINE std::size_t at(std::size_t row) const { return row < tall ? height : height - 1; }
};

/// As few tiles of at most `most` rows as there can be, none of them left with a row or two.
constexpr MatMulHeights matMulHeights(std::size_t rows, std::size_t most) {
  const std::size_t tiles = (rows + most - 1) / most;
  const std::size_t height = (rows + tiles - 1) / tiles;
  return {height, (rows - tiles * (height - 1)) * height};
}

/// What one register tile computes; all strides count elements.
/// C[i,j] = (cIn ? cIn[i,j] : 0) + sum over p < k of a[i,p] * b[p,j], j < columns.
struct MatMulTileArgs {
  std::size_t k;
  const float *a;
  std::ptrdiff_t aRow, aColumn;
  const void *b; ///< rows of float or half, `columns` side by side
  std::ptrdiff_t bRow;
  std::ptrdiff_t bPair; ///< from vectors 0 and 1 of a row of a wide tile to vectors 2 and 3
  /// What a tile that neither packs nor asks requests ahead of its use; 0 if B is near, since a
  /// request costs as much as a load.
  std::ptrdiff_t bAhead;
  std::size_t bAheadRows; ///< the last steps, which request nothing
  /// What a tile with bAhead and a panel of A asks for in its first steps besides, where vectors
  /// are as long as lines: rows of the next tile's sums, if not null, and then lines of the next
  /// strip.
  const float *cNext;
  std::ptrdiff_t cNextRow;
  const float *stripNext;
  std::size_t stripNextLines;
  /// What an asking tile asks for besides: rows of B that a later tile packs, one a step, and rows
  /// of A of a later tile, aNextStep bytes of each in MATMUL_LINE steps.
  const void *bNext, *aNext;
  std::ptrdiff_t bNextBytes, aNextRow, aNextStep;
  float *packed; ///< where a packing tile leaves the rows of B: floats, whole vectors
  const float *cIn;
  std::ptrdiff_t cInRow;
  float *cOut;
  std::ptrdiff_t cOutRow;
  half *cHalf; ///< if not null, where the sums go instead, rounded
  std::ptrdiff_t cHalfRow;
  bool pastCaches; ///< whole vectors of sums, at whole cache lines, are stored past the caches
  unsigned columns;
};

/// What a tile finds as B, and whether it leaves a packed copy for the tiles below it, or asks for
/// operands of later tiles.
enum class MatMulSource { FLOAT, HALF, FLOAT_PACKING, HALF_PACKING, FLOAT_ASKING };

/// How the values of A of a tile lie: at any distances, in rows (aColumn == 1), or in a panel of as
/// many rows as the tile (aRow == 1, aColumn == ROWS).
enum class MatMulRows { ANY, LINES, PANEL };

namespace detail {

template <class F, std::ptrdiff_t... I>
POP_SIMD_INLINE void unrolled(F &&f, std::integer_sequence<std::ptrdiff_t, I...>) {
  (f(std::integral_constant<std::ptrdiff_t, I>{}), ...);
}

/// f(0), ..., f(N - 1) with constant arguments, whatever the optimisation level.
template <unsigned N, class F> POP_SIMD_INLINE void unroll(F &&f) {
  unrolled(f, std::make_integer_sequence<std::ptrdiff_t, N>{});
}

/// arch::unrolled() with signed indices, as strides are: f may get variables.
template <unsigned N, class F> POP_SIMD_INLINE void repeat(F &&f) {
  arch::unrolled<N, std::ptrdiff_t>(f);
}

/// sums[j] = *p * b[j] + sums[j].
template <class V, unsigned VECTORS>
POP_SIMD_INLINE void accumulateAll(V (&sums)[VECTORS], const float *p, const V (&b)[VECTORS]) {
  if constexpr (VECTORS == 1) {
    arch::accumulateOne(sums[0], p, b[0]);
  } else {
    const V x = V::broadcast(p);
    unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { arch::accumulate(sums[j], x, b[j]); });
  }
}

/// Whether so many lanes, 1 at least, are a whole vector: known to the compiler for one lane.
template <class V> POP_SIMD_INLINE bool isWholeVector(std::size_t lanes) {
  return V::width == 1 || lanes == static_cast<std::size_t>(V::width);
}

/// A vector that is whole, or only its first `tail` lanes.
template <class V, bool WHOLE, class T> POP_SIMD_INLINE V loadVector(const T *p, std::size_t tail) {
  if constexpr (WHOLE)
    return V::load(p);
  else
    return V::loadPartial(p, tail);
}

} // namespace detail

/// Rows of B ahead of their use that are asked for when B is read in place: about 400 cycles, the
/// way to the last cache. Rows of a wide matrix lie in different pages, where no hardware
/// prefetcher follows.
inline constexpr std::ptrdiff_t MATMUL_PREFETCH_ROWS = 32;

/// The same for a B of a few hundred rows that tiles read where it is.
inline constexpr std::ptrdiff_t MATMUL_PREFETCH_IN_PLACE = 16;

/// The same for B in panels, which are read straight through.
inline constexpr std::ptrdiff_t MATMUL_PREFETCH_PANEL_ROWS = 64;

/// The same for packed strips in L2: 100 cycles, for a core that does not look ahead that far alone
/// when it shares its queues with another thread.
inline constexpr std::ptrdiff_t MATMUL_PREFETCH_STRIP_ROWS = 8;

/// Tiles with so many values of k request the places of their sums when they begin.
inline constexpr std::size_t MATMUL_LONG = 32;

/// Values of k between two requests for rows of A: a cache line.
inline constexpr std::size_t MATMUL_LINE = 16;

/// A tile of ROWS x VECTORS vectors, the last vector possibly partial.
template <class Tag, unsigned ROWS, unsigned VECTORS, MatMulSource SOURCE,
          MatMulRows A = MatMulRows::ANY>
void matMulTile(const MatMulTileArgs &args) {
  using arch::stepBy;
  using detail::accumulateAll;
  using detail::repeat;
  using detail::unroll;
  using V = simd<float, Tag>;
  constexpr bool PACKING =
      SOURCE == MatMulSource::FLOAT_PACKING || SOURCE == MatMulSource::HALF_PACKING;
  constexpr bool ASKING = SOURCE == MatMulSource::FLOAT_ASKING;
  constexpr bool FLOAT = SOURCE != MatMulSource::HALF && SOURCE != MatMulSource::HALF_PACKING;
  using B = std::conditional_t<FLOAT, float, half>;
  constexpr std::ptrdiff_t W = V::width;
  constexpr unsigned EACH = A == MatMulRows::PANEL ? ROWS : 3, GROUPS = (ROWS + EACH - 1) / EACH;
  constexpr std::size_t STEPS = MatMulTileShape<Tag>::STEPS;
  const std::size_t tail = args.columns - (VECTORS - 1) * static_cast<std::size_t>(W);
  const bool whole = detail::isWholeVector<V>(tail);
  const bool asksForC =
      !args.cIn && args.cNext == nullptr && args.k >= MATMUL_LONG && !args.pastCaches;
  // Where vectors are as long as lines, a tile that asks for nothing else has a row of C asked for
  // at each of its first steps: all at once keep the ports for loads from the first operands.
  constexpr bool SPREAD = STEPS == 1 && !PACKING && !ASKING && V::width == MATMUL_LINE;
  constexpr bool ASKS_FOR_NEXT = SPREAD && A == MatMulRows::PANEL;

  V sum[ROWS][VECTORS];
  const auto loadSums = [&](auto isWhole) POP_SIMD_LAMBDA {
    const float *const c = args.cIn;
    const std::ptrdiff_t row = args.cInRow;
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
        sum[i][j] = detail::loadVector<V, (isWhole || j + 1 < VECTORS)>(c + i * row + j * W, tail);
      });
    });
  };
  if (!args.cIn)
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
        if (!SPREAD && asksForC)
          __builtin_prefetch(args.cOut + i * args.cOutRow + j * W, 1);
        sum[i][j] = V::zero();
      });
    });
  else if (whole)
    loadSums(std::true_type{});
  else
    loadSums(std::false_type{});

  // Rows of A are reached from every third one: base, base + row and base + 2 row are address
  // modes, so that twelve rows need four pointers and any stride costs the same. Several values of
  // k at constant distances are reached without steps between them.
  constexpr bool CONSTANT = A != MatMulRows::ANY;
  const std::ptrdiff_t aRow = A == MatMulRows::PANEL ? 1 : args.aRow;
  const std::ptrdiff_t aColumn = A == MatMulRows::LINES   ? 1
                                 : A == MatMulRows::PANEL ? static_cast<std::ptrdiff_t>(ROWS)
                                                          : args.aColumn;
  const float *a[GROUPS];
  repeat<GROUPS>([&](auto g) POP_SIMD_LAMBDA { a[g] = args.a + g * EACH * aRow; });
  const auto multiply = [&](const V(&row)[VECTORS], std::ptrdiff_t at) POP_SIMD_LAMBDA {
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      const float *const value = a[i / EACH] + (i % EACH) * aRow + at * aColumn;
      accumulateAll(sum[i], value, row);
    });
  };
  const auto stepA = [&](std::ptrdiff_t n) POP_SIMD_LAMBDA {
    repeat<GROUPS>([&](auto g) POP_SIMD_LAMBDA { stepBy(a[g], n * aColumn); });
  };

  const auto stream = [&](auto isWhole) POP_SIMD_LAMBDA {
    const B *b = static_cast<const B *>(args.b);
    const std::ptrdiff_t bRow = args.bRow;
    const std::ptrdiff_t bPair = args.bPair;
    const auto vectorOf = [&](auto j) POP_SIMD_LAMBDA {
      return j < 2 || VECTORS <= MatMulTileShape<Tag>::VECTORS ? j * W : bPair + (j - 2) * W;
    };
    const auto load = [&](V(&row)[VECTORS]) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
        row[j] = detail::loadVector<V, (isWhole || j + 1 < VECTORS)>(b + vectorOf(j), tail);
      });
    };
    const auto multiplyRow = [&](std::ptrdiff_t at) POP_SIMD_LAMBDA {
      V row[VECTORS];
      load(row);
      multiply(row, at);
      stepBy(b, bRow);
    };
    const auto step = [&]() POP_SIMD_LAMBDA {
      multiplyRow(0);
      stepA(1);
    };
    // STEPS steps, f() before each of them.
    const auto round = [&](auto &&f) POP_SIMD_LAMBDA {
      repeat<STEPS>([&](auto at) POP_SIMD_LAMBDA {
        f();
        multiplyRow(CONSTANT ? at : 0);
        if constexpr (!CONSTANT)
          stepA(1);
      });
      if constexpr (CONSTANT)
        stepA(STEPS);
    };
    std::size_t k = args.k;
    if constexpr (PACKING) {
      float *packed = args.packed;
      for (; k != 0; --k, b += bRow, packed += VECTORS * W) {
        V row[VECTORS];
        load(row);
        // Never past the end: what lies there may be what another thread is writing.
        const std::ptrdiff_t line =
            k > static_cast<std::size_t>(MATMUL_PREFETCH_ROWS) ? MATMUL_PREFETCH_ROWS * bRow : 0;
        unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
          row[j].store(packed + j * W);
          __builtin_prefetch(b + line + vectorOf(j));
        });
        multiply(row, 0);
        stepA(1);
      }
    } else if constexpr (ASKING) {
      const char *next = static_cast<const char *>(args.bNext);
      const char *nextA = static_cast<const char *>(args.aNext);
      const auto ask = [&]() POP_SIMD_LAMBDA {
        unroll<(VECTORS * W * sizeof(float) + 63) / 64>(
            [&](auto j) POP_SIMD_LAMBDA { __builtin_prefetch(next + 64 * j); });
        stepBy(next, args.bNextBytes);
      };
      for (; k % MATMUL_LINE != 0; --k) {
        ask();
        step();
      }
      for (; k != 0; k -= MATMUL_LINE) {
        repeat<ROWS>([&](auto i)
                         POP_SIMD_LAMBDA { __builtin_prefetch(nextA + i * args.aNextRow, 0, 2); });
        nextA += args.aNextStep;
        for (std::size_t steps = 0; steps < MATMUL_LINE; steps += STEPS)
          round(ask);
      }
    } else {
      const std::ptrdiff_t ahead = args.bAhead;
      const auto askAhead = [&]() POP_SIMD_LAMBDA {
        unroll<VECTORS>([&](auto j)
                            POP_SIMD_LAMBDA { __builtin_prefetch(b + ahead + vectorOf(j)); });
      };
      if constexpr (ASKS_FOR_NEXT) {
        const float *c = args.cNext, *strip = args.stripNext;
        for (unsigned row = ahead != 0 && c ? 0 : ROWS; row < ROWS && k > args.bAheadRows;
             ++row, --k) {
          unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { __builtin_prefetch(c + j * W, 1); });
          stepBy(c, args.cNextRow);
          askAhead();
          step();
        }
        for (std::size_t n = ahead != 0 ? args.stripNextLines : 0; n != 0 && k > args.bAheadRows;
             --n, --k) {
          __builtin_prefetch(strip, 0, 2);
          strip += MATMUL_LINE;
          askAhead();
          step();
        }
      }
      for (; ahead != 0 && k > args.bAheadRows; --k) {
        askAhead();
        step();
      }
      if (SPREAD && asksForC && !args.cHalf && k >= ROWS) {
        const float *c = args.cOut;
        for (unsigned row = 0; row < ROWS; ++row, --k) {
          unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { __builtin_prefetch(c + j * W, 1); });
          stepBy(c, args.cOutRow);
          step();
        }
      }
      if constexpr (isWhole && STEPS > 1)
        for (; k >= STEPS; k -= STEPS)
          round([]() POP_SIMD_LAMBDA {});
      for (; k != 0; --k)
        step();
    }
  };
  if (whole)
    stream(std::true_type{});
  else
    stream(std::false_type{});

  const auto storeSums = [&](auto *c, std::ptrdiff_t row, auto isWhole) POP_SIMD_LAMBDA {
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
        if constexpr (isWhole || j + 1 < VECTORS)
          sum[i][j].store(c + i * row + j * W);
        else
          sum[i][j].storePartial(c + i * row + j * W, tail);
      });
    });
  };
  const auto storeTo = [&](auto *c, std::ptrdiff_t row) POP_SIMD_LAMBDA {
    if (whole)
      storeSums(c, row, std::true_type{});
    else
      storeSums(c, row, std::false_type{});
  };
  if (args.cHalf)
    storeTo(args.cHalf, args.cHalfRow);
  else if (args.pastCaches && whole)
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      unroll<VECTORS>(
          [&](auto j) POP_SIMD_LAMBDA { sum[i][j].stream(args.cOut + i * args.cOutRow + j * W); });
    });
  else
    storeTo(args.cOut, args.cOutRow);
}

using MatMulTileFunction = void (*)(const MatMulTileArgs &);

namespace detail {

/// The tile kernels of one source and number of vectors, one for each number of rows.
template <class Tag, MatMulSource SOURCE, unsigned VECTORS, class Indices> struct MatMulTiles;
template <class Tag, MatMulSource SOURCE, unsigned VECTORS, std::size_t... I>
struct MatMulTiles<Tag, SOURCE, VECTORS, std::index_sequence<I...>> {
  static constexpr MatMulTileFunction TABLE[] = {&matMulTile<Tag, I + 1, VECTORS, SOURCE>...};
};

/// The kernel for a number of vectors up to VECTORS.
template <class Tag, MatMulSource SOURCE, unsigned VECTORS>
POP_SIMD_INLINE MatMulTileFunction tileOfVectors(std::size_t rows, std::size_t vectors) {
  using Shape = MatMulTileShape<Tag>;
  using Rows = std::make_index_sequence<Shape::rowsOf(VECTORS * Shape::WIDTH)>;
  if constexpr (VECTORS > 1)
    if (vectors != VECTORS)
      return tileOfVectors<Tag, SOURCE, VECTORS - 1>(rows, vectors);
  return MatMulTiles<Tag, SOURCE, VECTORS, Rows>::TABLE[rows - 1];
}

/// The kernel of the most rows or one less, of all vectors.
template <class Tag, MatMulSource SOURCE, MatMulRows A, unsigned VECTORS>
POP_SIMD_INLINE MatMulTileFunction tallMatMulTile(std::size_t rows) {
  using Shape = MatMulTileShape<Tag>;
  constexpr unsigned ROWS = Shape::rowsOf(VECTORS * Shape::WIDTH);
  return rows == ROWS ? &matMulTile<Tag, ROWS, VECTORS, SOURCE, A>
                      : &matMulTile<Tag, ROWS - 1, VECTORS, SOURCE, A>;
}

} // namespace detail

/// The tile kernel for `columns` columns, 1 .. MatMulTileShape::COLUMNS or all vectors of
/// WIDE_COLUMNS, and `rows` rows, 1 .. rowsOf(columns).
/// \param a  how the tiles find A; tall tiles of several steps have kernels for each way
template <class Tag, MatMulSource SOURCE>
POP_SIMD_INLINE MatMulTileFunction matMulTileOf(std::size_t rows, std::size_t columns,
                                                MatMulRows a) {
  using Shape = MatMulTileShape<Tag>;
  const std::size_t vectors = (columns + Shape::WIDTH - 1) / Shape::WIDTH;
  if constexpr (Shape::WIDE_VECTORS > Shape::VECTORS) {
    using Rows = std::make_index_sequence<Shape::WIDE_ROWS>;
    if constexpr (SOURCE == MatMulSource::FLOAT)
      if (a == MatMulRows::PANEL && vectors == Shape::WIDE_VECTORS && rows + 1 >= Shape::WIDE_ROWS)
        return detail::tallMatMulTile<Tag, SOURCE, MatMulRows::PANEL, Shape::WIDE_VECTORS>(rows);
    if (vectors == Shape::WIDE_VECTORS)
      return detail::MatMulTiles<Tag, SOURCE, Shape::WIDE_VECTORS, Rows>::TABLE[rows - 1];
  }
  if constexpr (Shape::STEPS > 1 &&
                (SOURCE == MatMulSource::FLOAT || SOURCE == MatMulSource::FLOAT_ASKING))
    if (a != MatMulRows::ANY && rows + 1 >= Shape::ROWS && vectors == Shape::VECTORS)
      return a == MatMulRows::LINES
                 ? detail::tallMatMulTile<Tag, SOURCE, MatMulRows::LINES, Shape::VECTORS>(rows)
                 : detail::tallMatMulTile<Tag, SOURCE, MatMulRows::PANEL, Shape::VECTORS>(rows);
  return detail::tileOfVectors<Tag, SOURCE, Shape::VECTORS>(rows, vectors);
}

} // namespace cottonwood::kernels
