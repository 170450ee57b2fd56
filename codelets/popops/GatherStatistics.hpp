/// \file GatherStatistics.hpp
/// Counts of elements between levels.
///
/// Vertex (MultiVertex; T is float or half): popops::Histogram<T>
///   counts[0] = #(x < levels[0]), counts[i] = #(levels[i - 1] <= x < levels[i]), the last is
///   #(x >= the last level); NaN counts nowhere
/// Fields
///   in        Input<Vector<T, SPAN>>
///   levels    Input<Vector<T, SPAN>>   ascending, at least one
///   counts    Output<Vector<unsigned int, ONE_PTR>>   [worker contexts, levels.size() + 1]: each
///             worker's own
///   absolute  bool: x is |in|
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/GatherStatisticsKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class Histogram : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::SPAN>> in;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::SPAN>> levels;
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> counts;
  bool absolute;

  bool compute(unsigned worker) {
    const WorkerShare share = workerShare(in.size(), worker, 64);
    kernels::histogram<Tag>(kernelPointer(in.data()) + share.begin, share.end - share.begin,
                            kernelPointer(levels.data()), levels.size(),
                            counts.data() + worker * (levels.size() + 1), absolute);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct GatherStatisticsFamily {
  template <class Tag>
  using Vertices = VertexList<Histogram<Tag, float>, Histogram<Tag, poplar::half>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
