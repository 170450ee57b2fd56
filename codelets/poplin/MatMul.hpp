/// \file MatMul.hpp
/// C = A * B or C += A * B on raw pointers, for one core: the kernels behind poplin::matMul.
///
/// Operands are float or half with any strides; sums are float, rounded once into C. All methods
/// and blockings but DOT, FP16 and those on matrix tiles (MatMulTiles.hpp) give the same bits (see
/// MatMulTile.hpp); NaN and infinity propagate as IEEE says, since no product is left out.
#pragma once

#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulBlocked.hpp>
#include <codelets/poplin/MatMulSmall.hpp>
#include <codelets/poplin/MatMulTiles.hpp>
#include <codelets/poplin/MatMulVector.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
#include <codelets/popops/SplitsVectors.hpp>
#if defined(POPLAR_HEADER_ONLY)
#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/MatMulAmx.hpp>
#include <codelets/poplin/MatMulFp16.hpp>
#endif

namespace cottonwood::kernels {

namespace detail {
/// finishedMatMul for the methods that pass over a matrix once.
template <class Tag, class TIn, class TOut, class Finish>
void vectorMatMul(const MatMulArgs<TIn, TOut> &args, const MatMulBlocking &blocking,
                  const Finish &finish) {
  const std::size_t m = args.m, n = args.n, k = args.k;
  const TransposedFinish<Finish> turned{finish};
  const auto rows = [&](std::size_t i) POP_SIMD_LAMBDA { return args.row(i); };
  if (blocking.method == MatMulMethod::ROWS)
    matMulRows<Tag, TIn, TOut>(m, n, k, args.a, args.b, rows, 1, args.accumulate, blocking.depth,
                               finish);
  else if (blocking.method == MatMulMethod::COLUMN)
    matMulRows<Tag, TIn, TOut>(1, m, k, {args.b.data, 0, args.b.row},
                               {args.a.data, args.a.column, args.a.row}, rows, args.cRow,
                               args.accumulate, blocking.depth, turned);
  else if (n == 1)
    matMulDot<Tag>(m, k, args.a.data, args.a.row, args.b.data, args.row(0), args.cRow,
                   args.accumulate, blocking, turned);
  else
    matMulDot<Tag>(n, k, args.b.data, args.b.column, args.a.data, args.row(0), 1, args.accumulate,
                   blocking, finish);
}

/// Whether a kernel of eight lanes may serve a set with sixteen where instructions on 512 bits run
/// as two: those that convert 16 halves take as long as three of 8. On Zen 4 dot products of halves
/// take two thirds of the time so, and rows by matrices from memory .9; by others 1.1 times as
/// long.
template <class Tag, class TIn, class Finish>
inline constexpr bool EIGHT_LANES_MAY_SERVE = arch::Avx512Tag<Tag> &&std::is_same_v<TIn, half> &&
                                              (std::is_same_v<Finish, StoreSums> ||
                                               std::is_same_v<Finish, ErasedFinish>);

#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
extern template void vectorMatMul<isa::avx2>(const MatMulArgs<half, half> &, const MatMulBlocking &,
                                             const StoreSums &);
extern template void vectorMatMul<isa::avx2>(const MatMulArgs<half, float> &,
                                             const MatMulBlocking &, const StoreSums &);
extern template void vectorMatMul<isa::avx2>(const MatMulArgs<half, half> &, const MatMulBlocking &,
                                             const ErasedFinish &);
extern template void vectorMatMul<isa::avx2>(const MatMulArgs<half, float> &,
                                             const MatMulBlocking &, const ErasedFinish &);
#endif
} // namespace detail

/// Computes one product with the given method. `workspace` has room for
/// matMulWorkspace(blocking, m, k, n) floats; half operands are always packed, so BLOCKED then
/// needs packA in its blocking. ROWS needs m <= MATMUL_MAX_STREAMED_ROWS and b.column == 1, COLUMN
/// n == 1 and a.row == 1, DOT n == 1 or m == 1 and contiguous values along k, FP16 and methods on
/// matrix tiles a set in use that has them.
/// \param finish  what becomes of the sums, see Finish.hpp
template <class Tag, class TIn, class TOut, class Finish>
void finishedMatMul(const MatMulArgs<TIn, TOut> &args, const MatMulBlocking &blocking,
                    float *workspace, const Finish &finish) {
  if (args.m == 0 || args.n == 0)
    return;
  switch (blocking.method) {
  case MatMulMethod::ROWS:
  case MatMulMethod::COLUMN:
  case MatMulMethod::DOT:
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
    if constexpr (detail::EIGHT_LANES_MAY_SERVE<Tag, TIn, Finish>)
      if ((blocking.method == MatMulMethod::DOT || blocking.depth != 0) && splitsVectors())
        return detail::vectorMatMul<isa::avx2>(args, blocking, finish);
#endif
    return detail::vectorMatMul<Tag>(args, blocking, finish);
  case MatMulMethod::AMX6:
  case MatMulMethod::AMX4:
  case MatMulMethod::AMX3:
  case MatMulMethod::AMX1:
  case MatMulMethod::FP16:
    detail::tileMatMul<Tag>(args, blocking, workspace, finish);
    return;
  case MatMulMethod::BLOCKED:
    break;
  }
  detail::BlockedMatMul<Tag, TIn, TOut, Finish>(args, blocking, workspace, finish).run();
}

/// All products of a batch, with the sums as they are.
template <class Tag, class TIn, class TOut>
void matMuls(const MatMulBatch<TIn, TOut> &batch, const MatMulBlocking &blocking,
             float *workspace) {
  if (isMatMulChain(blocking.method) && smallMatMuls<Tag>(batch))
    return;
  MatMulArgs<TIn, TOut> args = batch.first;
  for (std::size_t g = 0; g < batch.batches; ++g) {
    finishedMatMul<Tag>(args, blocking, workspace, StoreSums{});
    args.a.data += batch.aBatch, args.b.data += batch.bBatch;
    if (args.cRows)
      args.cRows += args.m;
    else
      args.c += args.m * args.n;
  }
}

/// One product, with the sums as they are.
template <class Tag, class TIn, class TOut>
void matMul(const MatMulArgs<TIn, TOut> &args, const MatMulBlocking &blocking, float *workspace) {
  if (args.n <= SMALL_MATMUL_COLUMNS<Tag>)
    matMuls<Tag, TIn, TOut>({args, 0, 0, 1}, blocking, workspace);
  else
    finishedMatMul<Tag>(args, blocking, workspace, StoreSums{});
}

/// The kernels of a tag.
template <class Tag> MatMulKernels matMulKernelsOf() {
  return {&matMul<Tag, float, float>,
          &matMul<Tag, half, half>,
          &matMul<Tag, half, float>,
          &matMul<Tag, float, half>,
          &finishedMatMul<Tag, float, float, ErasedFinish>,
          &finishedMatMul<Tag, half, half, ErasedFinish>,
          &finishedMatMul<Tag, half, float, ErasedFinish>,
          &finishedMatMul<Tag, float, half, ErasedFinish>,
          &matMuls<Tag, float, float>,
          &matMuls<Tag, half, half>,
          &matMuls<Tag, half, float>,
          &matMuls<Tag, float, half>};
}

#if defined(POPLAR_HEADER_ONLY)
inline const MatMulTileKernels &matMulTileKernels() {
  static const MatMulTileKernels all = [] {
    MatMulTileKernels kernels{};
    if constexpr (isa::TileTag<isa::native>) {
      static_cast<void>(isa::cpuFeatures()); // gets the process permission to use tiles
      kernels = matMulTileKernelsOf<isa::native>();
    } else if constexpr (isa::native::HALF_ARITHMETIC) {
      kernels.fp16 = matMulFp16KernelOf<isa::native>();
    }
    kernels.floatChains = &matMul<isa::native, float, float>;
    kernels.halfChains = &matMul<isa::native, half, float>;
    return kernels;
  }();
  return all;
}
#endif

} // namespace cottonwood::kernels
