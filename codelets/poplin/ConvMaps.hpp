/// \file ConvMaps.hpp
/// poplin::ConvMaps<In, Out>   a convolution whose field lies side by side in input and output
///                             (ConvMapsKernel.hpp), for CPUs: some groups, images, lines of the
///                             field and output channels
///   in         Input<Vector<In, ONE_PTR>>: the run of a variable that holds the input; the first
///              element of the part is at inOffset
///   weights    the same for the weights, at weightsOffset
///   out        Vector<Output<Vector<Out, ONE_PTR>>>: for each group, image and channel its part of
///              the output, dense
///   workspace  Output<Vector<float, ONE_PTR>>: kernels::convMapsWorkspace()
///   shape      Vector<int>: kernels::ConvPlanesShape
///   lines      kernels::convMapsBand()
///   strides    Vector<long long>: of groups, images, channels and rows of the input; of groups,
///              blocks of output channels, output channels of a block, input channels, y and x of
///              weights
///   weightsBlock   output channels of a block
///   groups, images, columns   how many, and output channels of a group
///   outputs, inChannels, taps   of an image and channel of the output
///
/// Types <In, Out>: <float, float> <half, half> <half, float> <float, half>. Sums are float and
/// rounded to Out once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/poplin/ConvFieldVertex.hpp>
#include <codelets/poplin/ConvMapsKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class In, class Out> class ConvMaps : public ConvFieldVertex<In, Out> {
public:
  unsigned lines, groups, images, columns, weightsBlock;
  unsigned outputs, inChannels, taps;

  bool compute() {
    const auto stride = [&](unsigned i) { return this->stride(i); };
    kernels::ConvMapsArgs<KernelType<In>, KernelType<Out>> args{};
    this->setField(args);
    args.lines = static_cast<int>(lines);
    args.groups = groups, args.images = images;
    args.inChannels = inChannels, args.outChannels = columns;
    args.in = this->firstInput();
    args.inGroup = stride(0), args.inImage = stride(1);
    args.inChannel = stride(2), args.inRow = stride(3);
    args.weights = this->firstWeight();
    args.weightsGroup = stride(4);
    args.weightsBlock = weightsBlock, args.weightsBlockStride = stride(5);
    args.weightsOut = stride(6), args.weightsIn = stride(7);
    args.weightsY = stride(8), args.weightsX = stride(9);
    kernels::convolveMaps<Tag>(args);
    return true;
  }
};

/// The order of the registry's table.
struct ConvMapsFamily {
  template <class Tag>
  using Vertices =
      VertexList<ConvMaps<Tag, float, float>, ConvMaps<Tag, poplar::half, poplar::half>,
                 ConvMaps<Tag, poplar::half, float>, ConvMaps<Tag, float, poplar::half>>;

  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
