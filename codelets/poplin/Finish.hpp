/// \file Finish.hpp
/// What kernels do with finished sums: store them, or hand them to an epilogue on the way.
///
/// A Finish has
///   ACTIVE     false if sums that already lie in C as floats can stay as they are
///   row<Tag>(sums, n, to, step, i, j)      to[x * step] = result of sums[x] for element (i, j + x)
///   column<Tag>(sums, n, to, step, i, j)   the same for element (i + x, j)
/// of the part of the result that the kernel was given; `sums` may be `to` itself. Every element is
/// finished once, from a sum that was not rounded to the result's type.
#pragma once

#include <codelets/poplin/MatMulPack.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// Sums of rows [0, rows) by columns [0, columns) and where their results go: sum (x, y) is
/// sums[x * sumsRow + y], its result that of element (i + x, j + y) and becomes element x * toRow +
/// y * toStep of `to`. If `down` is set there is one row, which is a column of the result: sum y is
/// that of element (i + y, j).
struct FinishBlock {
  const float *sums;
  std::ptrdiff_t sumsRow;
  std::size_t rows, columns;
  void *to; ///< float or half
  std::ptrdiff_t toRow, toStep;
  std::size_t i, j;
  bool toHalf, down;
};

/// Hands sums to a function that kernels do not know, a block at a time: the kernels are
/// instantiated once for all epilogues, and the application has only the function.
struct ErasedFinish {
  static constexpr bool ACTIVE = true;
  const void *context;
  void (*run)(const void *context, const FinishBlock &block);

  template <class TOut> static constexpr bool IS_HALF = !std::is_same_v<TOut, float>;

  template <class Tag, class TOut>
  POP_SIMD_INLINE void row(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                           std::size_t i, std::size_t j) const {
    run(context, {sums, 0, 1, n, to, 0, step, i, j, IS_HALF<TOut>, false});
  }
  template <class Tag, class TOut>
  POP_SIMD_INLINE void column(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                              std::size_t i, std::size_t j) const {
    run(context, {sums, 0, 1, n, to, 0, step, i, j, IS_HALF<TOut>, true});
  }
  template <class TOut>
  POP_SIMD_INLINE void block(const float *sums, std::ptrdiff_t sumsRow, std::size_t rows,
                             std::size_t columns, TOut *to, std::ptrdiff_t toRow, std::size_t i,
                             std::size_t j) const {
    run(context, {sums, sumsRow, rows, columns, to, toRow, 1, i, j, IS_HALF<TOut>, false});
  }
};

/// Rounds sums to the type of the result.
struct StoreSums {
  static constexpr bool ACTIVE = false;

  template <class Tag, class TOut>
  POP_SIMD_INLINE void row(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                           std::size_t, std::size_t) const {
    detail::copyFromFloat<Tag>(sums, n, to, step);
  }
  template <class Tag, class TOut>
  POP_SIMD_INLINE void column(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                              std::size_t, std::size_t) const {
    detail::copyFromFloat<Tag>(sums, n, to, step);
  }
};

namespace detail {

/// The finish of the transposed result.
template <class Finish> struct TransposedFinish {
  static constexpr bool ACTIVE = Finish::ACTIVE;
  const Finish &finish;

  template <class Tag, class TOut>
  POP_SIMD_INLINE void row(const float *sums, std::size_t n, TOut *to, std::ptrdiff_t step,
                           std::size_t i, std::size_t j) const {
    finish.template column<Tag>(sums, n, to, step, j, i);
  }
};

} // namespace detail

} // namespace cottonwood::kernels
