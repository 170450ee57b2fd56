/// \file MatMulAmxGuard.hpp
/// Which sums of a product on matrix tiles are computed again by multiply-adds (MatMulRepair.hpp),
/// so that infinity, NaN, overflow and tiny numbers come out as IEEE arithmetic has them. Besides a
/// sum the decision looks at the magnitudes of its whole row of A and column of B.
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

namespace cottonwood::kernels::detail {

inline constexpr float AMX_LEAST_PIECES = 0x1p-103f, AMX_LEAST_PRODUCT = 0x1p-80f;

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

} // namespace cottonwood::kernels::detail
