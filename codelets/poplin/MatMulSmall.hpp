/// \file MatMulSmall.hpp
/// Batches of small products, and products of many rows with few columns: no more work for a
/// product than its multiply-adds, moves of lanes between them and its bytes.
///
/// The lanes of a vector are elements of C in memory's order: some rows of one product, or all
/// elements of a few. What they multiply comes from vectors of A and of B by permutations, whose
/// indices say how operands lie. The chain of every element is that of MatMulTile.hpp.
#pragma once

#include <codelets/poplin/MatMulSmallRows.hpp>
#include <codelets/poplin/MatMulSmallTiles.hpp>
#include <codelets/poplin/MatMulSmallWhole.hpp>

namespace cottonwood::kernels {

namespace detail {

/// Instruction sets with permutations of the lanes of two vectors of 16 floats.
template <class Tag> inline constexpr bool MATMUL_HAS_SMALL = simd<float, Tag>::width >= 16;

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

/// Computes the products of a batch, or one of many rows, if one of these kernels is worth it.
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
