/// \file SplineWeighting.hpp
/// Edge features weighted by spline bases.
///
/// Vertex (MultiVertex; T is float or half): popops::SplineWeighting<T>
///   out[e, o] = sum over p, i of basis[e, p] * weight[weightIndex[e, p], i, o] * input[e, i]
/// Fields
///   input        Input<Vector<T, ONE_PTR>>   [edges, inChannels]
///   weight       Input<Vector<T, ONE_PTR>>   [kernels, inChannels, outChannels]
///   basis        Input<Vector<T, ONE_PTR>>   [edges, splines]
///   weightIndex  Input<Vector<int, ONE_PTR>>   [edges, splines]; terms of indices outside
///                [0, kernels) are left out
///   out          Output<Vector<T, SPAN>>   [edges, outChannels]
///   kernels, inChannels, outChannels, splines  unsigned; outChannels at least 1
/// Summed in float by fma, i inside p, and rounded once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/SplineWeightingKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class SplineWeighting : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> input, weight, basis;
  poplar::Input<poplar::Vector<int, poplar::VectorLayout::ONE_PTR>> weightIndex;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned kernels, inChannels, outChannels, splines;

  bool compute(unsigned worker) {
    const WorkerShare edges = workerShare(out.size() / outChannels, worker, 1);
    const cottonwood::kernels::SplineWeights<KernelType<T>> weights{
        kernelPointer(weight.data()), kernels, inChannels, outChannels, splines};
    for (std::size_t e = edges.begin; e < edges.end; ++e)
      cottonwood::kernels::splineWeighting<Tag>(kernelPointer(input.data()) + e * inChannels,
                                                weights, kernelPointer(basis.data()) + e * splines,
                                                weightIndex.data() + e * splines,
                                                kernelPointer(out.data()) + e * outChannels);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct SplineWeightingFamily {
  template <class Tag>
  using Vertices = VertexList<SplineWeighting<Tag, float>, SplineWeighting<Tag, poplar::half>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
