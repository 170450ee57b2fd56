/// \file MatMulSmall.hpp
/// Batches of small products, and products of many rows with few columns: no more work for a
/// product than its multiply-adds, moves of lanes between them and its bytes.
///
/// The lanes of a vector are elements of C in memory's order: some rows of one product, or all
/// elements of a few. What they multiply comes from vectors of A and of B by permutations, whose
/// indices say how operands lie. The chain of every element is that of MatMulTile.hpp.
#pragma once

#include <codelets/arch/SimdLines.hpp>
#include <codelets/arch/SimdTable.hpp>
#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulPack.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

/// Most columns of a single product for which a kernel of this file may be worth it.
template <class Tag>
inline constexpr std::size_t SMALL_MATMUL_COLUMNS = MatMulTileShape<Tag>::WIDTH / 2;

namespace detail {

/// Instruction sets with permutations of the lanes of two vectors of 16 floats.
template <class Tag> inline constexpr bool MATMUL_HAS_SMALL = simd<float, Tag>::width >= 16;

POP_SIMD_INLINE std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// Distance from the first element to the last of `count` at a distance, or more than any
/// vector if it is negative.
POP_SIMD_INLINE std::size_t smallReach(std::size_t count, std::ptrdiff_t distance) {
  constexpr std::size_t FAR = 1 << 20;
  return count <= 1     ? 0
         : distance < 0 ? FAR
                        : least(FAR, (count - 1) * static_cast<std::size_t>(distance));
}
/// Elements from the first to the last of a matrix.
template <class T>
POP_SIMD_INLINE std::size_t smallSpan(const MatMulView<T> &x, std::size_t rows,
                                      std::size_t columns) {
  return smallReach(rows, x.row) + smallReach(columns, x.column) + 1;
}

/// Products that fit into a vector of C, several at a time, with their operands in one vector each
/// or two.
template <class Tag, class TIn, class TOut> class SmallWhole {
public:
  explicit SmallWhole(const MatMulBatch<TIn, TOut> &batch) : batch_(batch) {
    const MatMulArgs<TIn, TOut> &x = batch.first;
    elements_ = x.m * x.n;
    if (elements_ > W || x.k > DEPTH)
      return;
    together_ = most(W);
    vectors_ = 1;
    if (together_ == 0)
      together_ = most(2 * W), vectors_ = 2;
  }
  explicit operator bool() const { return together_ != 0; }

  void run() const {
    switch (vectors_ == 1 ? batch_.first.k : 0) {
    case 2:
      return runOf<1, 2>();
    case 3:
      return runOf<1, 3>();
    case 4:
      return runOf<1, 4>();
    default:
      return vectors_ == 1 ? runOf<1, 0>() : runOf<2, 0>();
    }
  }

private:
  using V = simd<float, Tag>;
  using Int = typename V::Int;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width), DEPTH = 2 * W;

  POP_SIMD_INLINE std::size_t spanA(std::size_t products) const {
    return smallSpan(batch_.first.a, batch_.first.m, batch_.first.k) +
           smallReach(products, batch_.aBatch);
  }
  POP_SIMD_INLINE std::size_t spanB(std::size_t products) const {
    return smallSpan(batch_.first.b, batch_.first.k, batch_.first.n) +
           smallReach(products, batch_.bBatch);
  }
  /// Most products whose operands have so many elements each.
  POP_SIMD_INLINE std::size_t most(std::size_t elements) const {
    std::size_t products = least(W / elements_, batch_.batches);
    while (products != 0 && (spanA(products) > elements || spanB(products) > elements))
      --products;
    return products;
  }

  /// \tparam VECTORS  of each operand. \tparam K  values of k, or 0
  template <unsigned VECTORS, std::size_t K> void runOf() const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    alignas(64) std::int32_t fromA[W] = {}, fromB[W] = {};
    for (std::size_t l = 0; l < together_ * elements_; ++l) {
      const auto g = static_cast<std::ptrdiff_t>(l / elements_);
      const auto i = static_cast<std::ptrdiff_t>(l % elements_ / x.n);
      const auto j = static_cast<std::ptrdiff_t>(l % x.n);
      fromA[l] = static_cast<std::int32_t>(g * batch_.aBatch * (together_ > 1) + i * x.a.row);
      fromB[l] = static_cast<std::int32_t>(g * batch_.bBatch * (together_ > 1) + j * x.b.column);
    }
    const Int firstA = Int::load(fromA), firstB = Int::load(fromB);
    const Int stepA = Int::splat(static_cast<std::int32_t>(x.a.column));
    const Int stepB = Int::splat(static_cast<std::int32_t>(x.b.row));
    const std::size_t k = K == 0 ? x.k : K;
    const auto step = [&](std::size_t g, std::size_t ofA, std::size_t ofB, std::size_t lanes)
                          POP_SIMD_LAMBDA {
                            V a[VECTORS], b[VECTORS];
                            load(batch_.a(g), ofA, a);
                            load(batch_.b(g), ofB, b);
                            V sum = V::zero();
                            Int atA = firstA, atB = firstB;
                            const auto multiply = [&]() POP_SIMD_LAMBDA {
                              sum = V::fma(pick(a, atA), pick(b, atB), sum);
                              atA = atA + stepA, atB = atB + stepB;
                            };
                            if constexpr (K != 0)
                              repeat<K>([&](auto) POP_SIMD_LAMBDA { multiply(); });
                            else
                              for (std::size_t p = 0; p < k; ++p)
                                multiply();
                            sum.storePartial(batch_.c(g), lanes);
                          };
    const std::size_t together = together_, batches = batch_.batches;
    const std::size_t ofA = spanA(together), ofB = spanB(together), lanes = together * elements_;
    std::size_t g = 0;
    for (; g + together <= batches; g += together)
      step(g, ofA, ofB, lanes);
    if (const std::size_t rest = batches - g; rest != 0)
      step(g, spanA(rest), spanB(rest), rest * elements_);
  }

  template <unsigned VECTORS>
  POP_SIMD_INLINE static void load(const TIn *from, std::size_t span, V (&to)[VECTORS]) {
    to[0] = V::loadPartial(from, least(span, W));
    if constexpr (VECTORS == 2)
      to[1] = span > W ? V::loadPartial(from + W, span - W) : V::zero();
  }
  template <unsigned VECTORS> POP_SIMD_INLINE static V pick(const V (&x)[VECTORS], Int at) {
    if constexpr (VECTORS == 1)
      return arch::permuteLanes(x[0], at);
    else
      return arch::permuteTwo(x[0], x[1], at);
  }

  const MatMulBatch<TIn, TOut> &batch_;
  std::size_t elements_ = 0, together_ = 0, vectors_ = 0;
};

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

/// Products of a tile's columns and few rows, one after the other by register tiles, with nothing
/// between them but what brings halves and columns of B into shape.
template <class Tag, class TIn, class TOut> class SmallTiles {
public:
  explicit SmallTiles(const MatMulBatch<TIn, TOut> &batch) : batch_(batch) {
    const MatMulArgs<TIn, TOut> &x = batch.first;
    line_ = (x.n + W - 1) / W * W;
    packsB_ = x.b.column != 1 && x.n > 1;
    fits_ = x.n <= Shape::COLUMNS && x.m <= ROWS && x.k <= DEPTH && x.m * x.n * x.k <= WORK &&
            (FLOAT_IN || x.m * x.k <= VALUES_OF_A);
  }
  explicit operator bool() const { return fits_; }

  void run() const {
    if (packsB_)
      runFrom<MatMulSource::FLOAT>();
    else
      runFrom<FLOAT_IN ? MatMulSource::FLOAT : MatMulSource::HALF>();
  }

private:
  using Shape = MatMulTileShape<Tag>;
  static constexpr std::size_t W = Shape::WIDTH;
  static constexpr bool FLOAT_IN = std::is_same_v<TIn, float>;
  /// Beyond these the way through BlockedMatMul costs less than a tenth.
  static constexpr std::size_t ROWS = 48, DEPTH = 128, WORK = 32768, VALUES_OF_A = 2048;

  template <MatMulSource SOURCE> void runFrom() const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    alignas(64) float packedA[FLOAT_IN ? 1 : VALUES_OF_A], packedB[DEPTH * Shape::COLUMNS];
    const MatMulHeights heights = matMulHeights(x.m, Shape::ROWS);
    const MatMulTileFunction tall = matMulTileOf<Tag, SOURCE>(heights.height, x.n, MatMulRows::ANY);
    const MatMulTileFunction low =
        heights.tall < x.m ? matMulTileOf<Tag, SOURCE>(heights.height - 1, x.n, MatMulRows::ANY)
                           : tall;
    MatMulTileArgs tile{};
    tile.k = x.k, tile.columns = static_cast<unsigned>(x.n);
    tile.aRow = x.a.row, tile.aColumn = x.a.column;
    tile.bRow = packsB_ ? static_cast<std::ptrdiff_t>(line_) : x.b.row;
    tile.bPair = 2 * static_cast<std::ptrdiff_t>(W);
    tile.cOutRow = tile.cHalfRow = static_cast<std::ptrdiff_t>(x.n);
    for (std::size_t g = 0; g < batch_.batches; ++g) {
      const float *a = packedA;
      if constexpr (FLOAT_IN)
        a = batch_.a(g);
      else
        widen(batch_.a(g), packedA, tile);
      tile.b = batch_.b(g);
      if (packsB_) {
        packMatMulPanel<Tag>(MatMulView<TIn>{batch_.b(g), x.b.row, x.b.column}, x.k, tile.columns,
                             packedB);
        tile.b = packedB;
      }
      TOut *const c = batch_.c(g);
      for (std::size_t i = 0; i < x.m; i += heights.at(i)) {
        tile.a = a + static_cast<std::ptrdiff_t>(i) * tile.aRow;
        if constexpr (std::is_same_v<TOut, float>)
          tile.cOut = c + i * x.n;
        else
          tile.cHalf = c + i * x.n;
        (i < heights.tall ? tall : low)(tile);
      }
    }
  }

  /// A as floats, in the order of memory if it has no gaps.
  POP_SIMD_INLINE void widen(const TIn *from, float *to, MatMulTileArgs &tile) const {
    const MatMulArgs<TIn, TOut> &x = batch_.first;
    const auto m = static_cast<std::ptrdiff_t>(x.m), k = static_cast<std::ptrdiff_t>(x.k);
    if ((x.a.column == 1 && x.a.row == k) || (x.a.row == 1 && x.a.column == m))
      return copyLine<Tag>(from, x.m * x.k, to);
    packMatMulRows<Tag>(MatMulView<TIn>{from, x.a.row, x.a.column}, x.m, x.k, to, x.k);
    tile.aRow = k, tile.aColumn = 1;
  }

  const MatMulBatch<TIn, TOut> &batch_;
  std::size_t line_;
  bool packsB_, fits_;
};

/// A single column as a row: C^T = B^T * A^T.
template <class TIn, class TOut>
POP_SIMD_INLINE MatMulBatch<TIn, TOut> turnedColumn(const MatMulBatch<TIn, TOut> &batch) {
  MatMulBatch<TIn, TOut> turned = batch;
  const MatMulArgs<TIn, TOut> &x = batch.first;
  turned.first.a = {x.b.data, x.b.column, x.b.row};
  turned.first.b = {x.a.data, x.a.column, x.a.row};
  turned.first.m = x.n, turned.first.n = x.m;
  turned.first.cRow = static_cast<std::ptrdiff_t>(x.m);
  turned.aBatch = batch.bBatch, turned.bBatch = batch.aBatch;
  return turned;
}

template <class Tag, class TIn, class TOut>
bool smallMatMulsOf(const MatMulBatch<TIn, TOut> &batch) {
  if constexpr (MATMUL_HAS_SMALL<Tag>) {
    if (batch.batches > 1)
      if (const SmallWhole<Tag, TIn, TOut> whole(batch); whole)
        return whole.run(), true;
    if (const SmallRows<Tag, TIn, TOut> rows(batch); rows)
      return rows.run(), true;
  }
  if (batch.batches > 1)
    if (const SmallTiles<Tag, TIn, TOut> tiles(batch); tiles)
      return tiles.run(), true;
  return false;
}

} // namespace detail

/// Computes the products of a batch, or one of many rows, if a kernel of this file is worth it.
/// \returns  false if nothing was done
template <class Tag, class TIn, class TOut>
[[gnu::noinline]] bool smallMatMuls(const MatMulBatch<TIn, TOut> &batch) {
  if constexpr (simd<float, Tag>::width > 1) {
    const MatMulArgs<TIn, TOut> &x = batch.first;
    if (x.accumulate || x.cRows || x.bPanel != 0 || x.k == 0 || x.m == 0 || x.n == 0 ||
        batch.batches == 0 || (x.m > 1 && x.cRow != static_cast<std::ptrdiff_t>(x.n)))
      return false;
    if (x.n == 1 && x.m > 1 && batch.batches > 1)
      return detail::smallMatMulsOf<Tag>(detail::turnedColumn(batch));
    return detail::smallMatMulsOf<Tag>(batch);
  }
  return false;
}

} // namespace cottonwood::kernels
