/// \file Fill.hpp
/// The same value everywhere.
///
/// Vertex (MultiVertex): popops::Fill<T>, out[i] = value.
/// Types: float, half, int, unsigned int, short, unsigned short, char, signed char, unsigned char,
///   bool, long long, unsigned long long.
/// Fields
///   out    Output<Vector<T, SPAN>>
///   value  T
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/FillKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class Fill : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  T value;

  bool compute(Workers workers) {
    const WorkerShare share = workerShare(out.size(), workers, 64);
    const bool past = out.size() * sizeof(T) >= kernels::FILL_STREAM_BYTES &&
                      reinterpret_cast<std::uintptr_t>(out.data()) % 64 == 0;
    kernels::fillBytes<Tag, sizeof(T)>(out.data() + share.begin, &value, share.end - share.begin,
                                       past);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct FillFamily {
  template <class Tag>
  using Vertices = VertexList<Fill<Tag, float>, Fill<Tag, poplar::half>, Fill<Tag, int>,
                              Fill<Tag, unsigned>, Fill<Tag, short>, Fill<Tag, unsigned short>,
                              Fill<Tag, char>, Fill<Tag, signed char>, Fill<Tag, unsigned char>,
                              Fill<Tag, bool>, Fill<Tag, long long>, Fill<Tag, unsigned long long>>;
  template <class Tag> static VertexEntries entries();
  /// The kernels behind the vertices, for callers without a graph.
  template <class Tag> static kernels::FillKernels kernels();
};

} // namespace cottonwood::vertices
