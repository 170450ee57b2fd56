/// \file SplineBasis.hpp
/// B-spline basis products of edges.
///
/// Vertex (MultiVertex; T is float or half): popops::SplineBasis<T>, S = (degree + 1)^dims
/// Fields
///   pseudo       Input<Vector<T, ONE_PTR>>   [edges, dims]
///   kernelSize   Input<Vector<int, ONE_PTR>>   [dims]; less than 1 counts as 1
///   isOpen       Input<Vector<unsigned char, ONE_PTR>>   [dims]
///   basis        Output<Vector<T, SPAN>>   [edges, S]
///   weightIndex  Output<Vector<int, ONE_PTR>>   [edges, S]
///   dims, degree, numSplines  unsigned; dims <= SPLINE_DIMS, degree 1 to 3, S
/// Computed in float and rounded once. Compiled once: a few operations an edge, none of them wide.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/SplineBasisKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class SplineBasis : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> pseudo;
  poplar::Input<poplar::Vector<int, poplar::VectorLayout::ONE_PTR>> kernelSize;
  poplar::Input<poplar::Vector<unsigned char, poplar::VectorLayout::ONE_PTR>> isOpen;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> basis;
  poplar::Output<poplar::Vector<int, poplar::VectorLayout::ONE_PTR>> weightIndex;
  unsigned dims, degree, numSplines;

  bool compute(unsigned worker) {
    const WorkerShare edges = workerShare(basis.size() / numSplines, worker, 16);
    const kernels::SplineShape shape{kernelSize.data(), isOpen.data(), dims, degree, numSplines};
    for (std::size_t e = edges.begin; e < edges.end; ++e)
      kernels::splineBasis<Tag>(kernelPointer(pseudo.data()) + e * dims, shape,
                                kernelPointer(basis.data()) + e * numSplines,
                                weightIndex.data() + e * numSplines);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct SplineBasisFamily {
  static constexpr bool MOVES_BYTES = true;
  template <class Tag>
  using Vertices = VertexList<SplineBasis<Tag, float>, SplineBasis<Tag, poplar::half>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
