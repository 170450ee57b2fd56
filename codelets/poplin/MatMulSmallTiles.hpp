/// \file MatMulSmallTiles.hpp
/// Small products by register tiles. Included by MatMulSmall.hpp, which says how.
#pragma once

#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulPack.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels::detail {

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

} // namespace cottonwood::kernels::detail
