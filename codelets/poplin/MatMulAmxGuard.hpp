/// \file MatMulAmxGuard.hpp
/// Which sums of a product on matrix tiles are computed again by multiply-adds, so that infinity,
/// NaN, overflow and tiny numbers come out as IEEE arithmetic has them.
///
/// The decision looks at a sum, and at the magnitudes of its whole row of A and column of B: it is
/// the same however C and K are cut.
///
/// - A sum that is not finite is computed again. Infinity and NaN in an operand make all sums of
///   their row or column so, and so do floats that round to infinity in 8 bits, which do not split.
/// - Tiles take denormal numbers as zero. With l(A), l(B) the least magnitudes above zero, pieces
///   are normal from l = 2^-103 on, and nothing that a chain adds or holds is below
///   2^-46 l(A) l(B): if that is at least 2^-126, nothing is lost. Else less than
///   K (7 * 2^-126 + 2^-125 (g(A) + g(B))) is, with the greatest magnitudes g(B) and g(A) counting
///   only if pieces of the other side may be denormal; where this might exceed 2^-25 of the sum,
///   the sum is computed again.
#pragma once

#include <codelets/poplin/MatMulAmxPack.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>
#include <codelets/poplin/MatMulTiles.hpp>

namespace cottonwood::kernels::detail {

/// Elements of a block, a bit each, and the box that holds them.
struct AmxElements {
  std::uint32_t rows[MATMUL_TILE_BLOCK];
  TilePlace box; ///< within the block
};

inline constexpr float AMX_LEAST_PIECES = 0x1p-103f, AMX_LEAST_PRODUCT = 0x1p-80f;

/// True if a sum of the block [32, 32] is not finite.
template <class Tag> POP_SIMD_INLINE bool amxNotFinite(const float *sums) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = AMX_LANES;
  V zeros[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
  for (std::size_t x = 0; x < MATMUL_TILE_BLOCK * MATMUL_TILE_BLOCK; x += 4 * W)
    unroll<4>([&](auto y) POP_SIMD_LAMBDA {
      const V sum = V::load(sums + x + y * W);
      zeros[y] = V::fma(sum, V::zero(), zeros[y]); // NaN from then on
    });
  const float all = ((zeros[0] + zeros[1]) + (zeros[2] + zeros[3])).reduceAdd();
  return all != all;
}

/// True if something may be lost where operands have these bounds.
POP_SIMD_INLINE bool amxMayLose(const AmxBounds &a, const AmxBounds &b) {
  return a.least < AMX_LEAST_PIECES || b.least < AMX_LEAST_PIECES ||
         a.least * b.least < AMX_LEAST_PRODUCT;
}

/// The magnitude below which sums of a row and a column are computed again. Sixteen times what the
/// bound at the top of this file asks for.
POP_SIMD_INLINE float amxLeastSum(const AmxRanges &a, std::size_t i, const AmxRanges &b,
                                  std::size_t j, std::size_t k) {
  const float leastA = a.least[i], leastB = b.least[j];
  const bool piecesA = leastA < AMX_LEAST_PIECES, piecesB = leastB < AMX_LEAST_PIECES;
  if (!piecesA && !piecesB && leastA * leastB >= AMX_LEAST_PRODUCT)
    return 0;
  const float scale = 1 + (piecesA ? b.most[j] : 0) + (piecesB ? a.most[i] : 0);
  return static_cast<float>(k) * 0x1p-96f * scale;
}

/// The elements of a block to compute again. `ranges` false: magnitudes do not matter.
template <class Tag, bool RANGES>
AmxElements amxSuspects(const float *sums, const TilePlace &place, const AmxRanges &a,
                        const AmxRanges &b, std::size_t k) {
  AmxElements found{};
  std::size_t endI = 0, endJ = 0, i0 = place.rows, j0 = place.columns;
  for (std::size_t i = 0; i < place.rows; ++i)
    for (std::size_t j = 0; j < place.columns; ++j) {
      const float sum = sums[i * MATMUL_TILE_BLOCK + j];
      const float magnitude = sum < 0 ? -sum : sum;
      bool suspect = !(magnitude < std::numeric_limits<float>::infinity());
      if constexpr (RANGES)
        suspect = suspect || magnitude < amxLeastSum(a, i, b, j, k);
      if (!suspect)
        continue;
      found.rows[i] |= std::uint32_t{1} << j;
      i0 = i < i0 ? i : i0, endI = i + 1;
      j0 = j < j0 ? j : j0, endJ = j + 1 > endJ ? j + 1 : endJ;
    }
  found.box = {i0, j0, endI > i0 ? endI - i0 : 0, endJ > j0 ? endJ - j0 : 0};
  return found;
}

} // namespace cottonwood::kernels::detail
