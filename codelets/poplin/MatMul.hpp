/// \file MatMul.hpp
/// C = A * B or C += A * B on raw pointers, for one core: the kernels behind poplin::matMul.
///
/// Operands are float or half with any strides; sums are float, rounded once into C. All methods
/// and blockings but DOT give the same bits (see MatMulTile.hpp); NaN and infinity propagate as
/// IEEE says, since no product is left out.
#pragma once

#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulCost.hpp>
#include <codelets/poplin/MatMulPack.hpp>
#include <codelets/poplin/MatMulTile.hpp>
#include <codelets/poplin/MatMulVector.hpp>

namespace cottonwood::kernels {

namespace detail {

/// The blocked method; see chooseMatMulBlocking for the sizes.
template <class Tag, class TIn, class TOut> class BlockedMatMul {
public:
  BlockedMatMul(const MatMulArgs<TIn, TOut> &args, const MatMulBlocking &blocking, float *workspace)
      : args_(args), packA_(blocking.packA != 0 || !std::is_same_v<TIn, float>) {
    const std::size_t blocks = args.k == 0 ? 1 : (args.k + blocking.depth - 1) / blocking.depth;
    depth_ = (args.k + blocks - 1) / blocks;
    rows_ = args.m < blocking.rows ? args.m : blocking.rows;
    strip_ = align(workspace);
    sums_ = align(strip_ + depth_ * COLUMNS);
    packedA_ = sums_ + (rows_ + MATMUL_MAX_TILE_ROWS) * COLUMNS;
  }

  void run() {
    for (std::size_t i = 0; i < args_.m; i += rows_)
      runRows(i, args_.m - i < rows_ ? args_.m - i : rows_);
  }

private:
  using Shape = MatMulTileShape<Tag>;
  static constexpr std::size_t COLUMNS = Shape::COLUMNS;
  /// C's rows can take the tile's sums directly.
  static constexpr bool FLOAT_OUT = std::is_same_v<TOut, float>;
  static constexpr MatMulSource IN_PLACE =
      std::is_same_v<TIn, float> ? MatMulSource::FLOAT_IN_PLACE : MatMulSource::HALF_IN_PLACE;

  static float *align(float *p) {
    return reinterpret_cast<float *>((reinterpret_cast<std::uintptr_t>(p) + 63) &
                                     ~std::uintptr_t{63});
  }

  /// Rows [first, first + m) of C.
  void runRows(std::size_t first, std::size_t m) {
    const std::size_t panels = (m + Shape::ROWS - 1) / Shape::ROWS;
    height_ = (m + panels - 1) / panels; // equal panels, so that none is left with a row or two
    setA(first, m);
    for (std::size_t j = 0; j < args_.n; j += COLUMNS)
      runStrip(first, m, j, args_.n - j < COLUMNS ? args_.n - j : COLUMNS);
  }

  /// Decides where the tiles find A: element (i, p) of panel x is at
  /// a + x * aPanel + p * aDepth + i * aRow.
  void setA(std::size_t first, std::size_t m) {
    const MatMulView<TIn> a{args_.a.at(first, 0), args_.a.row, args_.a.column};
    const auto height = static_cast<std::ptrdiff_t>(height_);
    const auto k = static_cast<std::ptrdiff_t>(args_.k);
    if (packA_ && a.row == 1 && a.column != 1) {
      packMatMulPanelsOfA<Tag>(a, m, args_.k, packedA_, height_);
      a_ = packedA_, aPanel_ = height * k, aDepth_ = height, aRow_ = 1;
    } else if (packA_) {
      const std::size_t row = args_.k + MATMUL_ROW_PADDING;
      packMatMulRows<Tag>(a, m, args_.k, packedA_, row);
      aRow_ = static_cast<std::ptrdiff_t>(row), aPanel_ = height * aRow_;
      a_ = packedA_, aDepth_ = 1;
    } else if constexpr (std::is_same_v<TIn, float>) {
      a_ = a.data, aPanel_ = height * a.row, aDepth_ = a.column, aRow_ = a.row;
    }
  }

  /// Columns [j, j + columns) of the rows: all of K in steps that keep B's strip in L1 and L2. The
  /// first panel of rows reads B in place and packs it on the way.
  void runStrip(std::size_t first, std::size_t m, std::size_t j, std::size_t columns) {
    if (args_.accumulate)
      loadSums(first, m, j, columns);
    std::size_t p = 0;
    do {
      const std::size_t depth = args_.k - p < depth_ ? args_.k - p : depth_;
      const MatMulView<TIn> b{args_.b.at(p, j), args_.b.row, args_.b.column};
      const bool inPlace = b.column == 1 || columns == 1;
      if (!inPlace)
        packMatMulPanel<Tag>(b, depth, static_cast<unsigned>(columns), strip_);
      for (std::size_t i = 0, x = 0; i < m; i += height_, ++x)
        runPanel(first, i, m - i < height_ ? m - i : height_, x, p, depth, b, j, columns,
                 inPlace && i == 0);
      p += depth;
    } while (p < args_.k);
  }

  void runPanel(std::size_t first, std::size_t i, std::size_t rows, std::size_t panel,
                std::size_t p, std::size_t depth, MatMulView<TIn> b, std::size_t j,
                std::size_t columns, bool inPlace) {
    const bool last = p + depth >= args_.k;
    const bool direct = FLOAT_OUT && last && args_.cRows == nullptr;
    float *sums = sums_ + i * COLUMNS;
    MatMulTileArgs tile{};
    tile.k = depth;
    tile.a = a_ + static_cast<std::ptrdiff_t>(panel) * aPanel_ +
             static_cast<std::ptrdiff_t>(p) * aDepth_;
    tile.aRow = aRow_, tile.aColumn = aDepth_;
    tile.b = inPlace ? static_cast<const void *>(b.data) : strip_;
    tile.bRow = b.row, tile.packed = strip_;
    tile.cIn = p != 0 || args_.accumulate ? sums : nullptr, tile.cInRow = COLUMNS;
    tile.cOut = sums, tile.cOutRow = COLUMNS;
    if constexpr (FLOAT_OUT)
      if (direct)
        tile.cOut = args_.row(first + i) + j, tile.cOutRow = args_.cRow;
    tile.columns = static_cast<unsigned>(columns);
    if (inPlace)
      runMatMulTile<Tag, IN_PLACE>(static_cast<unsigned>(rows), tile);
    else
      runMatMulTile<Tag, MatMulSource::PACKED>(static_cast<unsigned>(rows), tile);
    for (std::size_t r = 0; last && !direct && r < rows; ++r)
      copyFromFloat<Tag>(sums + r * COLUMNS, columns, args_.row(first + i + r) + j, 1);
  }

  void loadSums(std::size_t first, std::size_t m, std::size_t j, std::size_t columns) {
    for (std::size_t i = 0; i < m; ++i)
      copyToFloat<Tag>(args_.row(first + i) + j, 1, columns, sums_ + i * COLUMNS);
  }

  const MatMulArgs<TIn, TOut> &args_;
  const bool packA_;
  std::size_t depth_, rows_, height_ = 0;
  float *strip_, *sums_, *packedA_;
  const float *a_ = nullptr;
  std::ptrdiff_t aPanel_ = 0, aDepth_ = 0, aRow_ = 0;
};

} // namespace detail

/// Computes one product with the given method. `workspace` has room for
/// matMulWorkspace(blocking, m, k) floats; half operands are always packed, so BLOCKED then needs
/// packA in its blocking. ROWS needs m <= MATMUL_MAX_STREAMED_ROWS and b.column == 1, COLUMN n == 1
/// and a.row == 1, DOT n == 1 or m == 1 and contiguous values along k.
template <class Tag, class TIn, class TOut>
void matMul(const MatMulArgs<TIn, TOut> &args, const MatMulBlocking &blocking, float *workspace) {
  const std::size_t m = args.m, n = args.n, k = args.k;
  if (m == 0 || n == 0)
    return;
  const auto rows = [&](std::size_t i) __attribute__((always_inline)) { return args.row(i); };
  switch (blocking.method) {
  case MatMulMethod::ROWS:
    matMulRows<Tag, TIn, TOut>(m, n, k, args.a, args.b, rows, 1, args.accumulate);
    return;
  case MatMulMethod::COLUMN:
    matMulRows<Tag, TIn, TOut>(1, m, k, {args.b.data, 0, args.b.row},
                               {args.a.data, args.a.column, args.a.row}, rows, args.cRow,
                               args.accumulate);
    return;
  case MatMulMethod::DOT:
    if (n == 1)
      matMulDot<Tag>(m, k, args.a.data, args.a.row, args.b.data, args.row(0), args.cRow,
                     args.accumulate);
    else
      matMulDot<Tag>(n, k, args.b.data, args.b.column, args.a.data, args.row(0), 1,
                     args.accumulate);
    return;
  case MatMulMethod::BLOCKED:
    break;
  }
  detail::BlockedMatMul<Tag, TIn, TOut>(args, blocking, workspace).run();
}

} // namespace cottonwood::kernels
