/// \file ConvPlanes.hpp
/// poplin::ConvPlanes<In, Out>   a convolution of groups of one channel whose field lies side by
///                               side (ConvPlanesKernel.hpp), for CPUs: some groups of
///                               some of a batch, one plane after another
///   in         Input<Vector<In, ONE_PTR>>: the run of a variable that holds the input; the first
///              element of the part is at inOffset
///   weights    the same for the weights, at weightsOffset
///   out        Output<Vector<Out, ONE_PTR>>: the planes of the output, dense
///   workspace  Output<Vector<float, ONE_PTR>>: kernels::convPlanesWorkspace()
///   shape      Vector<int>: kernels::ConvPlanesShape
///   strides    Vector<long long>: of planes and rows of the input; of planes, y and x of weights
///   planes, outputs, taps   how many, and outputs and taps of each
///   first, groups   the group of the first plane, and the number of groups, which follow each
///   other
///              again and again
///
/// Types <In, Out>: <float, float> <half, half> <half, float> <float, half>. Sums are float and
/// rounded to Out once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/poplin/ConvPlanesKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class In, class Out> class ConvPlanes : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> weights;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> workspace;
  poplar::Vector<int> shape;
  poplar::Vector<long long> strides;
  long long inOffset, weightsOffset;
  unsigned planes, outputs, taps;
  unsigned first, groups;

  bool compute() {
    const auto stride = [&](unsigned i) { return static_cast<std::ptrdiff_t>(strides[i]); };
    kernels::ConvPlanesArgs<KernelType<In>, KernelType<Out>> args{};
    __builtin_memcpy(&args.shape, shape.data(), sizeof args.shape);
    args.planes = planes, args.first = first, args.groups = groups;
    args.in = kernelPointer(in.data()) + inOffset;
    args.inPlane = stride(0), args.inRow = stride(1);
    args.weights = kernelPointer(weights.data()) + weightsOffset;
    args.weightsPlane = stride(2), args.weightsY = stride(3), args.weightsX = stride(4);
    args.out = kernelPointer(out.data());
    args.workspace = workspace.data();
    kernels::convolvePlanes<Tag>(args);
    return true;
  }
};

/// The order of the registry's table.
struct ConvPlanesFamily {
  template <class Tag>
  using Vertices =
      VertexList<ConvPlanes<Tag, float, float>, ConvPlanes<Tag, poplar::half, poplar::half>,
                 ConvPlanes<Tag, poplar::half, float>, ConvPlanes<Tag, float, poplar::half>>;

  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
