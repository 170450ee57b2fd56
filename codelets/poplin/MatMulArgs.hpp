/// \file MatMulArgs.hpp
/// The arguments of matrix product kernels: plain pointers and strides, no instructions.
#pragma once

#include <codelets/arch/Half.hpp>
#include <codelets/arch/Isa.hpp>
#include <codelets/poplin/MatMulBlocking.hpp>

#include <cstddef>

namespace cottonwood::kernels {

/// A strided matrix of float or half in memory; strides count elements and may be 0 or negative.
template <class T> struct MatMulView {
  const T *data;
  std::ptrdiff_t row, column;

  POP_SIMD_INLINE const T *at(std::size_t i, std::size_t j) const {
    return data + static_cast<std::ptrdiff_t>(i) * row + static_cast<std::ptrdiff_t>(j) * column;
  }
};

/// One product: A is [m, k], B [k, n], C [m, n] with contiguous rows.
template <class TIn, class TOut> struct MatMulArgs {
  std::size_t m, n, k;
  MatMulView<TIn> a, b;
  /// 0, or B lies in panels of MATMUL_PANEL columns: element (p, j) is at b.data + j / MATMUL_PANEL
  /// * bPanel + p * b.row + j % MATMUL_PANEL. Only for the method BLOCKED.
  std::ptrdiff_t bPanel;
  TOut *c; ///< row i starts at c + i * cRow ...
  std::ptrdiff_t cRow;
  TOut *const *cRows; ///< ... or, if this is not null, at cRows[i]
  bool accumulate;    ///< C += A * B instead of C = A * B

  /// Element (p, j) of B.
  POP_SIMD_INLINE const TIn *bAt(std::size_t p, std::size_t j) const {
    if (bPanel == 0)
      return b.at(p, j);
    return b.at(p, j % MATMUL_PANEL) + static_cast<std::ptrdiff_t>(j / MATMUL_PANEL) * bPanel;
  }
  POP_SIMD_INLINE TOut *row(std::size_t i) const {
    return cRows ? cRows[i] : c + static_cast<std::ptrdiff_t>(i) * cRow;
  }
};

template <class In, class Out>
using MatMulFunction = void (*)(const MatMulArgs<In, Out> &, const MatMulBlocking &, float *);

/// Products of one shape: operands of one are as far from those of the next for all of them, and
/// results lie one behind another, in a table of rows if the first has one.
template <class TIn, class TOut> struct MatMulBatch {
  MatMulArgs<TIn, TOut> first;
  std::ptrdiff_t aBatch, bBatch;
  std::size_t batches;

  POP_SIMD_INLINE const TIn *a(std::size_t g) const {
    return first.a.data + static_cast<std::ptrdiff_t>(g) * aBatch;
  }
  POP_SIMD_INLINE const TIn *b(std::size_t g) const {
    return first.b.data + static_cast<std::ptrdiff_t>(g) * bBatch;
  }
  /// Where the result of product g begins, without a table.
  POP_SIMD_INLINE TOut *c(std::size_t g) const { return first.c + g * first.m * first.n; }
};

template <class In, class Out>
using MatMulBatchFunction = void (*)(const MatMulBatch<In, Out> &, const MatMulBlocking &, float *);

struct ErasedFinish;
/// The same for one product with an epilogue, see Finish.hpp.
template <class In, class Out>
using FinishedMatMulFunction = void (*)(const MatMulArgs<In, Out> &, const MatMulBlocking &,
                                        float *, const ErasedFinish &);

/// kernels::matMul, finishedMatMul and matMuls of one instruction set for all element types.
struct MatMulKernels {
  MatMulFunction<float, float> floatToFloat;
  MatMulFunction<half, half> halfToHalf;
  MatMulFunction<half, float> halfToFloat;
  MatMulFunction<float, half> floatToHalf;
  FinishedMatMulFunction<float, float> finishedFloatToFloat;
  FinishedMatMulFunction<half, half> finishedHalfToHalf;
  FinishedMatMulFunction<half, float> finishedHalfToFloat;
  FinishedMatMulFunction<float, half> finishedFloatToHalf;
  MatMulBatchFunction<float, float> batchFloatToFloat;
  MatMulBatchFunction<half, half> batchHalfToHalf;
  MatMulBatchFunction<half, float> batchHalfToFloat;
  MatMulBatchFunction<float, half> batchFloatToHalf;

  template <class In, class Out> POP_SIMD_INLINE auto finished() const {
    if constexpr (sizeof(In) == sizeof(float))
      return pick<Out>(finishedFloatToFloat, finishedFloatToHalf);
    else
      return pick<Out>(finishedHalfToFloat, finishedHalfToHalf);
  }
  template <class In, class Out> POP_SIMD_INLINE auto batch() const {
    if constexpr (sizeof(In) == sizeof(float))
      return pick<Out>(batchFloatToFloat, batchFloatToHalf);
    else
      return pick<Out>(batchHalfToFloat, batchHalfToHalf);
  }

private:
  template <class Out, class F, class H> POP_SIMD_INLINE static auto pick(F toFloat, H toHalf) {
    if constexpr (sizeof(Out) == sizeof(float))
      return toFloat;
    else
      return toHalf;
  }
};

} // namespace cottonwood::kernels
