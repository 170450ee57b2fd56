/// \file ConvGroups.hpp
/// poplin::ConvGroups<In, Out>   a convolution of groups of few channels (ConvGroupsKernel.hpp),
///                               for CPUs: some images, some of the first dimension of the field
///   in         Input<Vector<In, ONE_PTR>>: the run of a variable that holds the input; the first
///              element of the part is at inOffset
///   weights    the same for the weights, at weightsOffset
///   out        Vector<Output<Vector<Out, ONE_PTR>>>: for each image, or if outMaps is set for each
///              image and channel, its part of the output, dense
///   workspace  Output<Vector<float, ONE_PTR>>: kernels::convGroupsWorkspace()
///   shape      Vector<int>: kernels::ConvPlanesShape, as kernels::ConvGroupsArgs has it
///   phases     Vector<int>: kernels::ConvPhase of y, then of x
///   phasesY, phasesX, lines, width   how many, and the field of the output
///   strip, pieceOutputs, pieceLines  kernels::ConvGroupsCut
///   strides    Vector<long long>: of images, y, x and channels of the input; of groups, output
///              channels, input channels, y and x of weights
///   images, groups, columns   how many, and output channels of a group
///   outputs, inChannels, taps   outputs of all images in a channel, and what each is a sum over,
///                              on average
///
/// Types <In, Out>: <float, float> <half, half> <half, float> <float, half>. Sums are float and
/// rounded to Out once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/poplin/ConvFieldVertex.hpp>
#include <codelets/poplin/ConvGroupsKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class In, class Out> class ConvGroups : public ConvFieldVertex<In, Out> {
public:
  unsigned images, groups, columns;
  unsigned outputs, inChannels, taps, outMaps;
  poplar::Vector<int> phases;
  unsigned phasesY, phasesX, lines, width;
  unsigned strip, pieceOutputs, pieceLines;

  bool compute() {
    const auto stride = [&](unsigned i) { return this->stride(i); };
    kernels::ConvGroupsArgs<KernelType<In>, KernelType<Out>> args{};
    this->setField(args);
    args.cut = {static_cast<int>(strip), static_cast<int>(pieceOutputs),
                static_cast<int>(pieceLines)};
    args.lines = lines, args.width = width;
    args.phasesY = phasesY, args.phasesX = phasesX;
    args.phases = reinterpret_cast<const kernels::ConvPhase *>(phases.data());
    args.images = images, args.groups = groups;
    args.inChannels = inChannels, args.outChannels = columns;
    args.in = this->firstInput();
    args.inImage = stride(0), args.inY = stride(1), args.inX = stride(2);
    args.inChannel = stride(3);
    args.weights = this->firstWeight();
    args.weightsGroup = stride(4), args.weightsOut = stride(5), args.weightsIn = stride(6);
    args.weightsY = stride(7), args.weightsX = stride(8);
    args.outMaps = outMaps != 0;
    kernels::convolveGroups<Tag>(args);
    return true;
  }
};

/// The order of the registry's table.
struct ConvGroupsFamily {
  template <class Tag>
  using Vertices =
      VertexList<ConvGroups<Tag, float, float>, ConvGroups<Tag, poplar::half, poplar::half>,
                 ConvGroups<Tag, poplar::half, float>, ConvGroups<Tag, float, poplar::half>>;

  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
