/// \file MatMulFp16.hpp
/// Sums of products of halves by half arithmetic: the method FP16, for tags that have it; and how
/// they are cut, whatever the operands are.
///
/// Rounding is that of chains of at most MATMUL_FP16_CHAIN half multiply-adds (MatMulFp16Tile.hpp),
/// whose sums are added in float, and the same for every way to cut rows, columns and k at
/// multiples of MATMUL_FP16_DEPTH. Sums that are not finite, since operands are not or a chain
/// leaves the range of halves, are computed again by float multiply-adds.
#pragma once

#include <codelets/poplin/MatMulFp16Tile.hpp>
#include <codelets/poplin/MatMulRepair.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>

namespace cottonwood::kernels {

namespace detail {

/// What a matrix product multiplies.
template <class Tag> class Fp16Operands : public MatMulChains<Tag, half> {
  using Chains = MatMulChains<Tag, half>;
  using Chains::args_;

public:
  using Chains::Chains;

  Fp16Rows packRows(std::size_t i, std::size_t rows, std::size_t height, std::size_t p,
                    std::size_t depth, half *to) const {
    return packFp16Rows<Tag>({args_.a.at(i, p), args_.a.row, args_.a.column}, rows, height, depth,
                             to);
  }
  void packStrip(std::size_t j, std::size_t columns, std::size_t p, std::size_t depth,
                 half *to) const {
    packFp16Strip<Tag>({args_.bAt(p, j), args_.b.row, args_.b.column}, columns, depth, to);
  }
};

/// \tparam Operands  as Fp16Operands, with chains() for BlockResult. Rows are packed for a tile of
/// an even height, columns for a strip of MATMUL_TILE_BLOCK: see MatMulFp16Pack.hpp.
template <class Tag, class Operands> class Fp16Product {
public:
  /// \param workspace  matMulFp16Space() of the operands' sizes, and a cache line
  Fp16Product(const Operands &operands, const MatMulBlocking &blocking, float *workspace,
              const TileOutput &output)
      : operands_(operands), depth_(operands.depth()),
        space_(matMulFp16Space(blocking, operands.rows(), operands.columns(), depth_)),
        a_(reinterpret_cast<half *>(alignedToLine(workspace))), b_(a_ + space_.a / sizeof(half)),
        pairs_(reinterpret_cast<float *>(b_ + space_.b / sizeof(half))),
        sums_(pairs_ + space_.pairs / sizeof(float)),
        result_(operands, output, sums_ + space_.sums / sizeof(float)) {
    const std::size_t all = operands.rows(), parts = (all + blocking.rows - 1) / blocking.rows;
    rows_ = (all + parts - 1) / parts;
  }

  void run() {
    const std::size_t m = operands_.rows(), n = operands_.columns();
    for (std::size_t i = 0; i < m; i += rows_)
      for (std::size_t j = 0; j < n; j += MATMUL_FP16_COLUMNS)
        runPart({i, j, least(m - i, rows_), least(n - j, MATMUL_FP16_COLUMNS)});
  }

private:
  static constexpr std::size_t SIDE = MATMUL_TILE_BLOCK, DEPTH = MATMUL_FP16_DEPTH;
  static constexpr std::size_t BLOCK = MATMUL_MAX_TILE_ROWS * SIDE;

  static constexpr std::size_t least(std::size_t x, std::size_t y) { return x < y ? x : y; }

  /// As many rows and columns as the workspace has room for, all of K.
  void runPart(const TilePlace &part) {
    const MatMulHeights heights = matMulHeights(part.rows, MATMUL_MAX_TILE_ROWS);
    std::size_t p = 0;
    do {
      const std::size_t depth = least(depth_ - p, DEPTH);
      for (std::size_t j = 0; j < part.columns; j += SIDE)
        operands_.packStrip(part.j + j, least(part.columns - j, SIDE), p, depth,
                            b_ + j * space_.depth);
      float *sums = sums_;
      for (std::size_t i = 0, rows; i < part.rows; i += rows) {
        rows = heights.at(i);
        runRows({part.i + i, part.j, rows, part.columns}, p, depth, sums);
      }
      p += depth;
    } while (p < depth_);
  }

  /// The rows of a tile, values [p, p + depth) of k.
  /// \param sums  where blocks wait for more values of k
  void runRows(const TilePlace &rows, std::size_t p, std::size_t depth, float *&sums) {
    const std::size_t height = fp16Height(rows.rows);
    Fp16TileArgs tile{};
    tile.a = operands_.packRows(rows.i, rows.rows, height, p, depth, a_);
    tile.steps = (depth + 1) / 2, tile.sums = pairs_;
    const bool last = p + depth == depth_;
    for (std::size_t j = 0; j < rows.columns; j += SIDE) {
      const TilePlace place{rows.i, rows.j + j, rows.rows, least(rows.columns - j, SIDE)};
      const std::size_t vectors = fp16Vectors(place.columns);
      tile.b = b_ + j * space_.depth;
      fp16TileOf<Tag>(height, vectors)(tile);
      addPairs(place.rows, vectors, p != 0, sums);
      if (last)
        result_.finish(place, sums, blockNotFinite<Tag>(sums, place.rows), NoDoubts{});
      if (depth_ > DEPTH)
        sums += BLOCK;
    }
  }

  struct NoDoubts {
    POP_SIMD_INLINE bool operator()(std::size_t, std::size_t, float) const { return false; }
  };

  /// A block from the sums of even and odd values of k that a tile left.
  void addPairs(std::size_t rows, std::size_t vectors, bool more, float *to) const {
    using V = simd<float, Tag>;
    constexpr auto W = static_cast<std::size_t>(V::width);
    const float *from = pairs_;
    for (std::size_t i = 0; i < rows; ++i, to += SIDE)
      for (std::size_t v = 0; v < 2; ++v) {
        V sum = V::zero();
        if (v < vectors)
          sum = arch::HalfPairs<Tag>::sums(from), from += 2 * W;
        if (more)
          sum = V::load(to + v * W) + sum;
        sum.store(to + v * W);
      }
  }

  const Operands &operands_;
  const std::size_t depth_; ///< all values of k
  const MatMulFp16Space space_;
  half *const a_, *const b_;
  float *const pairs_, *const sums_;
  std::size_t rows_ = 0;
  BlockResult<Tag, Operands> result_;
};

template <class Tag>
void fp16MatMul(const MatMulArgs<half, float> &args, const MatMulBlocking &blocking,
                float *workspace, MatMulFunction<half, float> fma, const TileOutput &output) {
  const Fp16Operands<Tag> operands(args, fma);
  Fp16Product<Tag, Fp16Operands<Tag>>(operands, blocking, workspace, output).run();
}

} // namespace detail

template <class Tag> MatMulTileFunctionOf<half> matMulFp16KernelOf() {
  return &detail::fp16MatMul<Tag>;
}

} // namespace cottonwood::kernels
