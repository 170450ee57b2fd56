/// \file ConvUpdate.hpp
/// poplin::ConvUpdate<In, Out>   the gradient of the weights of some groups of few channels, from
///                               operands whose channels, or the columns of whose lines, lie side
///                               by side (ConvUpdateKernel.hpp), for CPUs: some lines of the
///                               weights, or all
///   in         Input<Vector<In, ONE_PTR>>: the run of a variable that holds the input; the first
///              element of the part is at inOffset
///   weights    the same for the deltas, at weightsOffset
///   out        Vector<Output<Vector<Out, ONE_PTR>>>: for each input channel of a group, line and
///              column of the weights its output channels of all groups of the part
///   workspace  Output<Vector<float, ONE_PTR>>: kernels::convUpdateWorkspace()
///   shape      Vector<int>: kernels::ConvPlanesShape
///   strides    Vector<long long>: of images, lines, columns and channels of the input, and of the
///              deltas
///   groups, columns   how many, and output channels of a group
///   outputs    sums of an output channel
///   inChannels, taps   of such a sum: images, and deltas of an image
///   channels   input channels of a group
///
/// Types <In, Out>: <float, float> <half, half> <half, float> <float, half>. Sums are float and
/// rounded to Out once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/poplin/ConvFieldVertex.hpp>
#include <codelets/poplin/ConvUpdateKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class In, class Out> class ConvUpdate : public ConvFieldVertex<In, Out> {
public:
  unsigned groups, columns, channels;
  unsigned outputs, inChannels, taps;

  bool compute() {
    const auto stride = [&](unsigned i) { return this->stride(i); };
    kernels::ConvUpdateArgs<KernelType<In>, KernelType<Out>> args{};
    this->setField(args);
    args.images = inChannels, args.groups = groups;
    args.inChannels = channels, args.outChannels = columns;
    args.in = this->firstInput();
    args.inImage = stride(0), args.inRow = stride(1), args.inColumn = stride(2);
    args.inChannel = stride(3);
    args.deltas = this->firstWeight();
    args.deltasImage = stride(4), args.deltasRow = stride(5), args.deltasColumn = stride(6);
    args.deltasChannel = stride(7);
    kernels::updateWeights<Tag>(args);
    return true;
  }
};

/// The order of the registry's table.
struct ConvUpdateFamily {
  template <class Tag>
  using Vertices =
      VertexList<ConvUpdate<Tag, float, float>, ConvUpdate<Tag, poplar::half, poplar::half>,
                 ConvUpdate<Tag, poplar::half, float>, ConvUpdate<Tag, float, poplar::half>>;

  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
