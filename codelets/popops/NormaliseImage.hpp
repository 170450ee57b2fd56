/// \file NormaliseImage.hpp
/// Pixels of three channels to normalised ones of four.
///
/// Vertex (MultiVertex): popops::NormaliseImage<In, Out>
///   out[p, c] = (in[p, c] * inScale - offsets[c]) * scales[c] for c < 3, out[p, 3] = 0
/// Types <In, Out>: <unsigned char, half> <half, half> <float, float>
/// Fields
///   in       Input<Vector<In, ONE_PTR>>   [pixels, 3]
///   offsets, scales  Input<Vector<Out, ONE_PTR>>   [3]
///   out      Output<Vector<Out, SPAN>>   [pixels, 4]
///   inScale  float
/// Computed in float and rounded once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/NormaliseImageKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class In, class Out> class NormaliseImage : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<In, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<Out, poplar::VectorLayout::ONE_PTR>> offsets, scales;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  float inScale;

  bool compute(unsigned worker) {
    const WorkerShare share = workerShare(out.size() / 4, worker, 16);
    kernels::normaliseImage<Tag>(kernelPointer(in.data()) + 3 * share.begin,
                                 kernelPointer(offsets.data()), kernelPointer(scales.data()),
                                 kernelPointer(out.data()) + 4 * share.begin,
                                 share.end - share.begin, inScale);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct NormaliseImageFamily {
  template <class Tag>
  using Vertices = VertexList<NormaliseImage<Tag, unsigned char, poplar::half>,
                              NormaliseImage<Tag, poplar::half, poplar::half>,
                              NormaliseImage<Tag, float, float>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
