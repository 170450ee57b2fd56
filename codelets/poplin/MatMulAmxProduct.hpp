/// \file MatMulAmxProduct.hpp
/// The loops of a product on matrix tiles: packing, blocks, and the way of their sums to C.
#pragma once

#include <codelets/poplin/MatMulAmxBlock.hpp>
#include <codelets/poplin/MatMulAmxGuard.hpp>
#include <codelets/poplin/MatMulRepair.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>

namespace cottonwood::kernels::detail {

/// The way of complete sums to C.
template <class Tag, MatMulMethod METHOD, class Operands> class AmxResult {
public:
  static constexpr bool RANGES = amxHasRanges(METHOD);

  /// \param space  as MatMulTileSpace::repair
  AmxResult(const Operands &operands, const TileOutput &output, float *space)
      : operands_(operands), result_(operands, output, space) {}

  /// The part of a block that has no tiles becomes zero.
  static void clearRest(float *sums, std::size_t tileRows, std::size_t tileColumns) {
    if (tileColumns == 1)
      for (std::size_t i = 0; i < SIDE; ++i)
        simd<float, Tag>::zero().store(sums + i * SIDE + AMX_LANES);
    if (tileRows == 1)
      __builtin_memset(sums + AMX_LANES * SIDE, 0, AMX_LANES * SIDE * sizeof(float));
  }

  /// True if sums of a block [32, 32] may have to be computed again.
  POP_SIMD_INLINE static bool suspicious(const float *sums, const AmxBounds &a,
                                         const AmxBounds &b) {
    return blockNotFinite<Tag>(sums, SIDE) || (RANGES && amxMayLose(a, b));
  }

  /// A block whose sums are complete, or rows of one. The ranges begin at its first row and column;
  /// they count if it is suspicious.
  POP_SIMD_INLINE void finish(const TilePlace &place, const AmxRanges &a, const AmxRanges &b,
                              bool isSuspicious, float *sums) {
    result_.finish(place, sums, isSuspicious, [&](std::size_t i, std::size_t j, float magnitude) {
      return RANGES && magnitude < amxLeastSum(a, i, b, j, operands_.depth());
    });
  }

private:
  static constexpr std::size_t SIDE = MATMUL_TILE_BLOCK;

  const Operands &operands_;
  BlockResult<Tag, Operands> result_;
};

/// One product of the rows and columns of Operands:
///   rows(), columns(), depth()   sizes; the depth counts all values that are packed
///   packA(i, rows, p, depth, to, range)      rows of A, some values of k (AmxPacker)
///   packB(j, columns, p, depth, to, range)   columns of B, as many of 32 from a multiple of 32 on
///   rangesOfRows(i, rows, ranges), rangesOfColumns(j, columns, ranges)   at most 32, all of k
///   chains(place, accumulate, to, space)      elements of C by chains of multiply-adds, in rows of
///                                             MATMUL_TILE_BLOCK floats
template <class Tag, MatMulMethod METHOD, class Operands> class AmxProduct {
public:
  AmxProduct(const Operands &operands, const MatMulBlocking &blocking, float *workspace,
             const TileOutput &output)
      : operands_(operands),
        keepsA_(matMulTilesKeepA(blocking, operands.rows(), operands.columns(), operands.depth())),
        space_(matMulTileSpace(blocking, operands.rows(), operands.columns(), operands.depth())),
        packedA_(reinterpret_cast<unsigned char *>(alignedToLine(workspace))),
        packedB_(packedA_ + space_.a), sums_(reinterpret_cast<float *>(packedB_ + space_.b)),
        result_(operands, output, sums_ + (space_.sums + space_.ranges) / sizeof(float)) {
    const std::size_t depth = blocking.depth, k = operands.depth();
    const std::size_t passes = k <= depth ? 1 : (k + depth - 1) / depth;
    // Equal passes of whole steps.
    depth_ = ((k + passes - 1) / passes + AMX_STEP - 1) / AMX_STEP * AMX_STEP;
    rows_ = operands.rows() < blocking.rows ? operands.rows() : blocking.rows;
    float *const ranges = sums_ + space_.sums / sizeof(float);
    const std::size_t rows = whole(rows_), columns = whole(columnsOf(0));
    rangesA_ = {ranges, ranges + rows};
    rangesB_ = {ranges + 2 * rows, ranges + 2 * rows + columns};
  }

  void run() {
    const std::size_t m = operands_.rows();
    for (std::size_t i = 0; i < m; i += rows_)
      for (std::size_t j = 0; j < operands_.columns(); j += MATMUL_TILE_COLUMNS)
        runPart({i, j, m - i < rows_ ? m - i : rows_, columnsOf(j)});
  }

private:
  static constexpr std::size_t SIDE = MATMUL_TILE_BLOCK, BLOCK = SIDE * SIDE;
  static constexpr bool RANGES = amxHasRanges(METHOD);
  using Range = AmxRange<Tag, RANGES>;

  std::size_t panelBytes() const { return matMulTilePanelBytes(METHOD, depth_ / AMX_STEP); }
  static std::size_t whole(std::size_t size) { return (size + SIDE - 1) / SIDE * SIDE; }
  std::size_t columnsOf(std::size_t j) const {
    const std::size_t left = operands_.columns() - j;
    return left < MATMUL_TILE_COLUMNS ? left : MATMUL_TILE_COLUMNS;
  }

  /// As many rows and columns as the workspace has sums for, all of K.
  void runPart(const TilePlace &part) {
    const bool packsA = !keepsA_ || part.j == 0;
    boundsB_ = {};
    rangesB_.forget(whole(part.columns));
    if (packsA) {
      boundsA_ = {};
      rangesA_.forget(whole(part.rows));
    }
    const std::size_t k = operands_.depth();
    std::size_t p = 0;
    do {
      const std::size_t depth = k - p < depth_ ? k - p : depth_;
      Range rangeB;
      operands_.packB(part.j, part.columns, p, depth, packedB_, rangeB);
      boundsB_.add(rangeB.bounds());
      for (std::size_t i = 0; i < part.rows; i += MATMUL_TILE_ROWS) {
        const std::size_t rows =
            part.rows - i < MATMUL_TILE_ROWS ? part.rows - i : MATMUL_TILE_ROWS;
        unsigned char *const a =
            packedA_ + (keepsA_ ? p / depth_ * (whole(rows) / SIDE) * panelBytes() : 0);
        if (packsA) {
          Range rangeA;
          operands_.packA(part.i + i, rows, p, depth, a, rangeA);
          boundsA_.add(rangeA.bounds());
        }
        runRows(part, i, rows, p, depth, a);
      }
      p += depth;
    } while (p < k);
  }

  /// Rows [i, i + rows) of a part, values [p, p + depth) of k.
  void runRows(const TilePlace &part, std::size_t i, std::size_t rows, std::size_t p,
               std::size_t depth, const unsigned char *a) {
    const std::size_t steps = (depth + AMX_STEP - 1) / AMX_STEP;
    const bool last = p + depth >= operands_.depth();
    const std::size_t panel = matMulTilePanelBytes(METHOD, steps);
    AmxBlockArgs block{packedB_, steps, sums_, p == 0};
    for (std::size_t x = 0; x < rows; x += SIDE, a += panel) {
      const auto tilesOfA = [&](auto r) { return AmxPanelOfA<METHOD, r>{a}; };
      block.b = packedB_;
      for (std::size_t j = 0; j < part.columns; j += SIDE, block.b += panel) {
        const TilePlace place{i + x, j, rows - x < SIDE ? rows - x : SIDE,
                              part.columns - j < SIDE ? part.columns - j : SIDE};
        if (operands_.depth() > depth_) // sums wait for the next pass
          block.sums = sums_ + ((i + x) / SIDE * (whole(part.columns) / SIDE) + j / SIDE) * BLOCK;
        const std::size_t tileRows = amxTiles(place.rows), tileColumns = amxTiles(place.columns);
        runAmxBlock<Tag, METHOD>(tiles_, tileRows, tileColumns, tilesOfA, block);
        if (last) {
          result_.clearRest(block.sums, tileRows, tileColumns);
          finish({part.i + place.i, part.j + place.j, place.rows, place.columns},
                 rangesA_.from(place.i), rangesB_.from(place.j), block.sums);
        }
      }
    }
  }

  POP_SIMD_INLINE void finish(const TilePlace &place, const AmxRanges &a, const AmxRanges &b,
                              float *sums) {
    const bool suspicious = result_.suspicious(sums, boundsA_, boundsB_);
    if (RANGES && suspicious) {
      if (!a.known())
        operands_.rangesOfRows(place.i, place.rows, a);
      if (!b.known())
        operands_.rangesOfColumns(place.j, place.columns, b);
    }
    result_.finish(place, a, b, suspicious, sums);
  }

  arch::Tiles<Tag> tiles_;
  const Operands &operands_;
  const bool keepsA_;
  const MatMulTileSpace space_;
  std::size_t depth_, rows_;
  unsigned char *const packedA_, *const packedB_;
  float *const sums_;
  AmxResult<Tag, METHOD, Operands> result_;
  AmxRanges rangesA_, rangesB_; ///< found where they matter, a panel at a time
  AmxBounds boundsA_, boundsB_; ///< of everything packed for a part
};

} // namespace cottonwood::kernels::detail
