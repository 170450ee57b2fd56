/// \file ConvVertex.hpp
/// Vertices of convolutions. All know their geometry (ConvGeometry.hpp) by
///   table      Vector<int>: for each of `dims` dimensions its outputs, taps, number of classes and
///              classes
///   strides    Vector<long long>: for each dimension the distances of neighbours in the input and
///              in the weights
///
/// For CPUs, on one core:
/// poplin::Conv<Weights, Out>         some output channels of some groups, one group after another
/// poplin::ConvTiles<half, Out>       the same with half inputs, for methods whose sums come in
/// blocks poplin::ConvChannels<In, Out>      groups of one channel in and out: `columns` are the
/// groups
///   in         Input<Vector<float or In, ONE_PTR>>: the run of a variable that holds the input;
///              the first element of the part is inOffset
///   weights    the same for the weights: column j of group g is at weightsOffset + g *
///              weightsGroup + j / weightsBlock * weightsBlockStride + j % weightsBlock *
///              weightsColumn; ConvChannels wants columns side by side
///   out        Vector<Output<Vector<Out, ONE_PTR>>>: either one region in which output p of
///              group g starts at p * outPixel + g * columns, or a region an output
///   workspace  Output<Vector<float, ONE_PTR>>: kernels::convWorkspace() floats, or
///              convTileWorkspace()
///   depth, enough, pixels, method, setRows, copyBytes, blockColumns   kernels::ConvBlocking
///   outputs, inChannels, taps   what one group costs: its outputs, input channels, taps
///
/// poplin::ConvPartial<In, Out>       for tiles of an IPU (MultiVertex): a part of one group
///   in, weights, out   out [outputs, columns] row-major; in weights columns lie side by side.
///              Priced as a vertex of the AMP.
///
/// Types <Weights or In, Out>: <float, float> <half, half> <half, float> <float, half>, and on
/// tiles <quarter, half>, whose operands are exact in float by their metadata. Sums are float and
/// rounded to Out once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poplin/Conv.hpp>
#include <codelets/poplin/ConvStream.hpp>
#include <codelets/popops/QuarterEdge.hpp>

namespace cottonwood::vertices {

/// The fields of both vertices for CPUs.
template <class In, class Weights, class Out> class ConvFields : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<Weights, poplar::VectorLayout::ONE_PTR>> weights;
  poplar::Vector<poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>>> out;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> workspace;
  poplar::Vector<int> table;
  poplar::Vector<long long> strides;
  long long inOffset, inGroup;
  long long weightsOffset, weightsGroup, weightsColumn, weightsBlockStride;
  unsigned weightsBlock, outPixel, dims, groups, columns;
  unsigned depth, enough, pixels, method;
  unsigned outputs, inChannels, taps;
  unsigned setRows, copyBytes, blockColumns;

protected:
  using Args = kernels::ConvArgs<KernelType<In>, KernelType<Weights>, KernelType<Out>>;

  POP_SIMD_INLINE Args args() {
    const bool oneRegion = out.size() == 1;
    // An edge of this layout is a pointer and nothing else.
    static_assert(sizeof(out[0]) == sizeof(void *));
    return {kernels::ConvGeometry(dims, table.data(), strides.data()),
            groups,
            columns,
            kernelPointer(in.data()) + inOffset,
            static_cast<std::ptrdiff_t>(inGroup),
            kernelPointer(weights.data()) + weightsOffset,
            static_cast<std::ptrdiff_t>(weightsGroup),
            static_cast<std::ptrdiff_t>(weightsColumn),
            static_cast<std::ptrdiff_t>(weightsBlockStride),
            weightsBlock,
            oneRegion ? kernelPointer(out[0].data()) : nullptr,
            outPixel,
            oneRegion ? nullptr : reinterpret_cast<KernelType<Out> *const *>(out.data()),
            {depth, enough, pixels, static_cast<kernels::MatMulMethod>(method), setRows, copyBytes,
             blockColumns},
            workspace.data()};
  }
};

template <class Tag, class Weights, class Out> class Conv : public ConvFields<float, Weights, Out> {
public:
  bool compute() {
    const auto args = this->args();
    kernels::convolve<Tag>(args);
    return true;
  }
};

template <class Tag, class In, class Out> class ConvTiles : public ConvFields<In, In, Out> {
public:
  bool compute() {
    kernels::detail::tileConvolve<Tag>(this->args(), kernels::StoreSums{});
    return true;
  }
};

template <class Tag, class In, class Out> class ConvChannels : public ConvFields<In, In, Out> {
public:
  bool compute() {
    const auto args = this->args();
    kernels::convolveChannels<Tag>(args);
    return true;
  }
};

template <class Tag, class In, class Out> class ConvPartial : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> weights;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Vector<int> table;
  poplar::Vector<long long> strides;
  unsigned dims, columns;
  unsigned outputs, inChannels, taps;

  bool compute(unsigned worker) {
    const kernels::ConvStreamArgs<KernelType<In>, KernelType<Out>> args{
        kernels::ConvGeometry(dims, table.data(), strides.data()),
        columns,
        kernelPointer(in.data()),
        kernelPointer(weights.data()),
        kernelPointer(out.data()),
        quarterLayoutOf(in),
        quarterLayoutOf(weights)};
    kernels::convolveStreamed<Tag>(args, worker, numWorkers());
    return true;
  }
};

/// The order of the registry's table.
struct ConvFamily {
  template <class Tag>
  using Vertices =
      VertexList<Conv<Tag, float, float>, Conv<Tag, poplar::half, poplar::half>,
                 Conv<Tag, poplar::half, float>, Conv<Tag, float, poplar::half>,
                 ConvTiles<Tag, poplar::half, poplar::half>, ConvTiles<Tag, poplar::half, float>,
                 ConvChannels<Tag, float, float>, ConvChannels<Tag, poplar::half, poplar::half>,
                 ConvChannels<Tag, poplar::half, float>, ConvChannels<Tag, float, poplar::half>,
                 ConvPartial<Tag, float, float>, ConvPartial<Tag, poplar::half, poplar::half>,
                 ConvPartial<Tag, poplar::half, float>, ConvPartial<Tag, float, poplar::half>,
                 ConvPartial<Tag, quarter, poplar::half>>;

  template <class Tag> static VertexEntries entries();
  /// The kernels behind the vertices, for callers without a graph.
  template <class Tag> static kernels::ConvKernels kernels();
};

} // namespace cottonwood::vertices
