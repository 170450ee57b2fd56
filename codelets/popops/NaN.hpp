/// \file NaN.hpp
/// Whether data has special numbers.
///
/// Vertex (MultiVertex; T is float or half): popops::HasSpecial<T>
/// Fields
///   in          Input<Vector<T, SPAN>>
///   found       Output<Vector<bool, ONE_PTR>>   one a worker context: its share of `in` has a NaN
///               or, with `infinities`, an infinity
///   infinities  bool
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/NaNKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class HasSpecial : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::SPAN>> in;
  poplar::Output<poplar::Vector<bool, poplar::VectorLayout::ONE_PTR>> found;
  bool infinities;

  bool compute(unsigned worker) {
    const WorkerShare share = workerShare(in.size(), worker, 64);
    found[worker] = kernels::hasSpecial<Tag>(kernelPointer(in.data()) + share.begin,
                                             share.end - share.begin, infinities);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct NaNFamily {
  template <class Tag>
  using Vertices = VertexList<HasSpecial<Tag, float>, HasSpecial<Tag, poplar::half>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
