/// \file MatMul.hpp
/// C = A * B or C += A * B on raw pointers, for one core: the kernels behind poplin::matMul.
///
/// Operands are float or half with any strides; sums are float, rounded once into C. All methods
/// and blockings but DOT give the same bits (see MatMulTile.hpp); NaN and infinity propagate as
/// IEEE says, since no product is left out.
#pragma once

#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulBlocked.hpp>
#include <codelets/poplin/MatMulCost.hpp>
#include <codelets/poplin/MatMulVector.hpp>

namespace cottonwood::kernels {

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
