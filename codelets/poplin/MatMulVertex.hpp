/// \file MatMulVertex.hpp
/// Vertices of matrix products.
///
/// poplin::MatMul<In, Out>          for CPUs: products of strided operands on one core
///   a, b       Input<Vector<In, ONE_PTR>>: the shortest run of a variable that holds the operand.
///              Element (g, i, p) of A is a[aOffset + g * aBatch + i * aRow + p * aColumn], element
///              (g, p, j) of B is b[bOffset + g * bBatch + p * bRow + j * bColumn]; strides may be
///              0 or negative. If bPanel is not 0, column j of B is bPanel * (j / MATMUL_PANEL)
///              + j % MATMUL_PANEL elements away from the first
///   c          Vector<Output<Vector<Out, ONE_PTR>>>: either one region [batches, m, n], row-major,
///              or, if n > 1, a region of n elements for each of the batches * m rows
///   workspace  Output<Vector<float, ONE_PTR>>: kernels::matMulWorkspace() floats
///   m, n, k, batches   unsigned; nothing is read where k is 0, and C becomes zeros
///   method, blockRows, blockDepth, packA, packB, blockColumns, panelsA   kernels::MatMulBlocking
///
/// poplin::MatMulPartial<In, Out>   for tiles of an IPU (MultiVertex): one block of one product
///   a [m, k], b [k, n], c [m, n]: row-major; m, n, k unsigned. Priced as a vertex of the AMP.
///
/// Types <In, Out>: <float, float> <half, half> <half, float> <float, half>, and on tiles <quarter,
/// half>, whose operands are exact in float by their metadata. Sums are float and rounded to Out
/// once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poplin/MatMul.hpp>
#include <codelets/poplin/MatMulQuarter.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
#include <codelets/popops/QuarterEdge.hpp>

namespace cottonwood::vertices {

/// The fields of vertices for CPUs, and what they say.
template <class In, class Out> class MatMulFields : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> a;
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> b;
  poplar::Vector<poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>>> c;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> workspace;
  long long aOffset, aBatch, aRow, aColumn;
  long long bOffset, bBatch, bRow, bColumn, bPanel;
  unsigned m, n, k, batches;
  unsigned method, blockRows, blockDepth, packA, packB, blockColumns, panelsA;

protected:
  using KernelIn = KernelType<In>;
  using KernelOut = KernelType<Out>;

  POP_SIMD_INLINE kernels::MatMulBlocking blocking() const {
    return {static_cast<kernels::MatMulMethod>(method),
            blockRows,
            blockDepth,
            packA,
            packB,
            blockColumns,
            panelsA};
  }

  /// Product g of the vertex.
  POP_SIMD_INLINE kernels::MatMulArgs<KernelIn, KernelOut> product(unsigned g) {
    const KernelIn *aData = kernelPointer(a.data()) + (aOffset + g * aBatch);
    const KernelIn *bData = kernelPointer(b.data()) + (bOffset + g * bBatch);
    kernels::MatMulArgs<KernelIn, KernelOut> args{};
    args.m = m, args.n = n, args.k = k;
    args.a = {aData, static_cast<std::ptrdiff_t>(aRow), static_cast<std::ptrdiff_t>(aColumn)};
    args.b = {bData, static_cast<std::ptrdiff_t>(bRow), static_cast<std::ptrdiff_t>(bColumn)};
    args.bPanel = static_cast<std::ptrdiff_t>(bPanel);
    if (c.size() == 1) {
      args.c = kernelPointer(c[0].data()) + std::size_t{g} * m * n;
      args.cRow = n;
    } else {
      // An edge of this layout is a pointer and nothing else.
      static_assert(sizeof(c[0]) == sizeof(void *));
      args.cRows = reinterpret_cast<KernelOut *const *>(c.data()) + std::size_t{g} * m;
    }
    return args;
  }

  /// All of them.
  POP_SIMD_INLINE kernels::MatMulBatch<KernelIn, KernelOut> products() {
    return {product(0), static_cast<std::ptrdiff_t>(aBatch), static_cast<std::ptrdiff_t>(bBatch),
            batches};
  }
};

template <class Tag, class In, class Out> class MatMul : public MatMulFields<In, Out> {
public:
  bool compute() {
    if (this->batches == 1) // to fill in a batch takes a tenth of 13 x 17 x 19
      kernels::matMul<Tag>(this->product(0), this->blocking(), this->workspace.data());
    else if (this->batches != 0)
      kernels::matMuls<Tag>(this->products(), this->blocking(), this->workspace.data());
    return true;
  }
};

template <class Tag, class In, class Out> class MatMulPartial : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> a;
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> b;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> c;
  unsigned m, n, k;

  /// Workers share the rows, a few at a time, as the kernel for few rows wants them.
  bool compute(unsigned worker) {
    constexpr std::size_t ROWS = kernels::MATMUL_STREAMED_ROWS;
    const WorkerShare share = workerShare(m, worker, ROWS);
    kernels::MatMulArgs<KernelType<In>, KernelType<Out>> args{};
    args.n = n, args.k = k, args.cRow = n;
    args.b = {kernelPointer(b.data()), n, 1};
    for (std::size_t i = share.begin; i < share.end; i += ROWS) {
      args.m = share.end - i < ROWS ? share.end - i : ROWS;
      args.a = {kernelPointer(a.data()) + i * k, k, 1};
      args.c = kernelPointer(c.data()) + i * n;
      if constexpr (IS_QUARTER<In>)
        kernels::matMulQuarters<Tag>(args, quarterLayoutOf(a), quarterLayoutOf(b));
      else
        kernels::matMul<Tag>(args, {kernels::MatMulMethod::ROWS}, nullptr);
    }
    return true;
  }
};

/// The order of the registry's table.
struct MatMulFamily {
  template <class Tag>
  using Vertices =
      VertexList<MatMul<Tag, float, float>, MatMul<Tag, poplar::half, poplar::half>,
                 MatMul<Tag, poplar::half, float>, MatMul<Tag, float, poplar::half>,
                 MatMulPartial<Tag, float, float>, MatMulPartial<Tag, poplar::half, poplar::half>,
                 MatMulPartial<Tag, poplar::half, float>, MatMulPartial<Tag, float, poplar::half>,
                 MatMulPartial<Tag, quarter, poplar::half>>;

  template <class Tag> static VertexEntries entries();
  /// The kernels behind the vertices, for callers without a graph.
  template <class Tag> static kernels::MatMulKernels kernels();
};

} // namespace cottonwood::vertices
