/// \file QuarterVertex.hpp
/// Vertices of products and convolutions of 8-bit floats, for tiles of an IPU (MultiVertex): those
/// of MatMulVertex.hpp and ConvVertex.hpp with the same fields, for operands with metadata.
///
/// poplin::MatMulPartial<quarter, half>, poplin::ConvPartial<quarter, half>
///
/// Operands are exact in float, whatever their scales are; sums are float and rounded to half once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poplin/ConvStream.hpp>

#include <poplar/QuarterFloat.hpp>

namespace cottonwood::vertices {

namespace detail {

template <class Edge> const std::uint8_t *patternsOf(const Edge &edge) {
  static_assert(sizeof(quarter) == 1);
  return reinterpret_cast<const std::uint8_t *>(edge.data());
}
template <class Edge> kernels::QuarterLayout layoutOfEdge(const Edge &edge) {
  return kernels::quarterLayout(*edge.getMetadata());
}

} // namespace detail

template <class Tag, class Out> class QuarterMatMulPartial : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<quarter, poplar::VectorLayout::ONE_PTR>> a;
  poplar::Input<poplar::Vector<quarter, poplar::VectorLayout::ONE_PTR>> b;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> c;
  unsigned m, n, k;

  /// Workers share the rows.
  bool compute(unsigned worker) {
    constexpr std::size_t ROWS = kernels::MATMUL_STREAMED_ROWS;
    const WorkerShare share = workerShare(m, worker, ROWS);
    const kernels::QuarterMatrix all{{detail::patternsOf(b), n, 1}, detail::layoutOfEdge(b)};
    for (std::size_t i = share.begin; i < share.end; i += ROWS) {
      const kernels::QuarterMatrix rows{{detail::patternsOf(a) + i * k, k, 1},
                                        detail::layoutOfEdge(a)};
      kernels::matMulQuarters<Tag>(share.end - i < ROWS ? share.end - i : ROWS, n, k, rows, all,
                                   kernelPointer(c.data()) + i * n, n);
    }
    return true;
  }
};

template <class Tag, class Out> class QuarterConvPartial : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<quarter, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<quarter, poplar::VectorLayout::ONE_PTR>> weights;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Vector<int> table;
  poplar::Vector<long long> strides;
  unsigned dims, columns;
  unsigned outputs, inChannels, taps;

  bool compute(unsigned worker) {
    const kernels::ConvStreamArgs<std::uint8_t, KernelType<Out>> args{
        kernels::ConvGeometry(dims, table.data(), strides.data()),
        columns,
        detail::patternsOf(in),
        detail::patternsOf(weights),
        kernelPointer(out.data()),
        detail::layoutOfEdge(in),
        detail::layoutOfEdge(weights)};
    kernels::convolveStreamed<Tag>(args, worker, numWorkers());
    return true;
  }
};

/// The order of the registry's table.
struct QuarterProductFamily {
  template <class Tag>
  using Vertices =
      VertexList<QuarterMatMulPartial<Tag, poplar::half>, QuarterConvPartial<Tag, poplar::half>>;

  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
