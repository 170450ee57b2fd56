/// \file MatMulRepair.hpp
/// The way of complete sums from blocks to C, and elements of blocks that are computed again by
/// multiply-adds: those whose sums are not finite, and others that a method does not trust.
///
/// The decision looks at a sum, its row of A and its column of B: it is the same however C and K
/// are cut.
#pragma once

#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulTile.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>
#include <codelets/poplin/MatMulTiles.hpp>

#include <cstdint>
#include <limits>

namespace cottonwood::kernels::detail {

/// Elements of a block, a bit each, and the box that holds them.
struct BlockElements {
  std::uint32_t rows[MATMUL_TILE_BLOCK];
  TilePlace box; ///< within the block
};

/// True if a sum in so many whole rows of a block is not finite; a multiple of four vectors.
template <class Tag> POP_SIMD_INLINE bool blockNotFinite(const float *sums, std::size_t rows) {
  using V = simd<float, Tag>;
  constexpr auto W = static_cast<std::size_t>(V::width);
  V zeros[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
  for (std::size_t x = 0; x < rows * MATMUL_TILE_BLOCK; x += 4 * W)
    unroll<4>([&](auto y) POP_SIMD_LAMBDA {
      const V sum = V::load(sums + x + y * W);
      zeros[y] = V::fma(sum, V::zero(), zeros[y]); // NaN from then on
    });
  const float all = ((zeros[0] + zeros[1]) + (zeros[2] + zeros[3])).reduceAdd();
  return all != all;
}

/// The elements of a block that are not finite, or of which doubts(i, j, magnitude) is true.
template <class Tag, class Doubts>
BlockElements blockSuspects(const float *sums, const TilePlace &place, Doubts doubts) {
  BlockElements found{};
  std::size_t endI = 0, endJ = 0, i0 = place.rows, j0 = place.columns;
  for (std::size_t i = 0; i < place.rows; ++i)
    for (std::size_t j = 0; j < place.columns; ++j) {
      const float sum = sums[i * MATMUL_TILE_BLOCK + j];
      const float magnitude = sum < 0 ? -sum : sum;
      if (magnitude < std::numeric_limits<float>::infinity() && !doubts(i, j, magnitude))
        continue;
      found.rows[i] |= std::uint32_t{1} << j;
      i0 = i < i0 ? i : i0, endI = i + 1;
      j0 = j < j0 ? j : j0, endJ = j + 1 > endJ ? j + 1 : endJ;
    }
  found.box = {i0, j0, endI > i0 ? endI - i0 : 0, endJ > j0 ? endJ - j0 : 0};
  return found;
}

/// The sizes of C = A * B, and elements of it by chains of multiply-adds.
template <class Tag, class TIn> class MatMulChains {
public:
  /// \param fma  kernels::matMul of any set
  MatMulChains(const MatMulArgs<TIn, float> &args, MatMulFunction<TIn, float> fma)
      : args_(args), fma_(fma) {}

  std::size_t rows() const { return args_.m; }
  std::size_t columns() const { return args_.n; }
  std::size_t depth() const { return args_.k; }

  /// At most a block, in rows of MATMUL_TILE_BLOCK floats.
  /// \param accumulate  chains start from what is there
  /// \param space       what is left of MATMUL_REPAIR_BYTES behind a block
  void chains(const TilePlace &place, bool accumulate, float *to, float *space) const {
    MatMulArgs<TIn, float> args{};
    args.m = place.rows, args.n = place.columns;
    args.c = to, args.cRow = MATMUL_TILE_BLOCK;
    args.accumulate = accumulate;
    // Steps of K keep the workspace small; each goes on where the one before ended.
    const MatMulBlocking blocking{MatMulMethod::BLOCKED, MATMUL_TILE_BLOCK,
                                  MATMUL_TILE_REPAIR_DEPTH, std::is_same_v<TIn, float> ? 0U : 1U,
                                  0};
    std::size_t p = 0;
    do {
      args.k = args_.k - p < MATMUL_TILE_REPAIR_DEPTH ? args_.k - p : MATMUL_TILE_REPAIR_DEPTH;
      args.a = {args_.a.at(place.i, p), args_.a.row, args_.a.column};
      args.b = {args_.bAt(p, place.j), args_.b.row, args_.b.column};
      fma_(args, blocking, space);
      args.accumulate = true;
      p += args.k;
    } while (p < args_.k);
  }

protected:
  const MatMulArgs<TIn, float> &args_;

private:
  const MatMulFunction<TIn, float> fma_;
};

/// The way of complete sums to C.
/// \tparam Chains  has chains(), as MatMulChains
template <class Tag, class Chains> class BlockResult {
public:
  /// \param space  MATMUL_REPAIR_BYTES
  BlockResult(const Chains &chains, const TileOutput &output, float *space)
      : chains_(chains), output_(output), before_(space), repairSpace_(space + BLOCK) {}

  /// A block whose sums are complete, or rows of one.
  /// \param suspicious  some may have to be computed again
  /// \param doubts      which, as blockSuspects()
  template <class Doubts>
  POP_SIMD_INLINE void finish(const TilePlace &place, float *sums, bool suspicious, Doubts doubts) {
    if (output_.load)
      output_.load(output_.context, place, before_);
    if (suspicious) {
      const BlockElements wrong = blockSuspects<Tag>(sums, place, doubts);
      addBefore(sums, place);
      repair(place, wrong, sums);
    } else {
      addBefore(sums, place);
    }
    output_.finish(output_.context, place, sums);
  }

private:
  static constexpr std::size_t SIDE = MATMUL_TILE_BLOCK, BLOCK = SIDE * SIDE;

  POP_SIMD_INLINE void addBefore(float *sums, const TilePlace &place) const {
    using V = simd<float, Tag>;
    if (!output_.load)
      return;
    for (std::size_t x = 0; x < place.rows * SIDE; x += static_cast<std::size_t>(V::width))
      (V::load(before_ + x) + V::load(sums + x)).store(sums + x);
  }

  /// Replaces sums of a block by chains of multiply-adds, which start from what C holds.
  void repair(const TilePlace &place, const BlockElements &elements, float *sums) {
    const TilePlace &box = elements.box;
    if (box.rows == 0)
      return;
    chains_.chains({place.i + box.i, place.j + box.j, box.rows, box.columns},
                   output_.load != nullptr, before_ + box.i * SIDE + box.j, repairSpace_);
    for (std::size_t i = box.i; i < box.i + box.rows; ++i)
      for (std::size_t j = box.j; j < box.j + box.columns; ++j)
        if (elements.rows[i] >> j & 1)
          sums[i * SIDE + j] = before_[i * SIDE + j];
  }

  const Chains &chains_;
  const TileOutput &output_;
  float *const before_, *const repairSpace_;
};

} // namespace cottonwood::kernels::detail
