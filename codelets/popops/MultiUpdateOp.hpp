/// \file MultiUpdateOp.hpp
/// Slices of a table, at offsets known at run time, combined with other slices in place.
///
/// Vertex (MultiVertex): popops::MultiUpdateOp<T>
///   row = op(row, slice row): row + scale * slice, max, or row * slice, in the order of offsets.
/// Types: float, half, int, unsigned int.
/// Fields: as popops::MultiUpdate, and
///   scale  Input<S>, S = float for half, else T; ADD alone uses it
///   op     unsigned, a kernels::SliceOp
///
/// Halves are computed in float and rounded to half once an offset.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/MultiSlice.hpp>
#include <codelets/popops/MultiUpdateOpKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class MultiUpdateOp : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> base;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> slices;
  unsigned outer, rows, begin, size, sliceRows, inner, flags;
  poplar::Input<kernels::SliceScale<KernelType<T>>> scale;
  unsigned op;

  bool compute(unsigned worker) {
    kernels::updateSlicesWith<Tag>(static_cast<kernels::SliceOp>(op),
                                   sliceGeometry<1>(*this, worker), kernelPointer(base.data()),
                                   kernelPointer(slices.data()), offsets.data(), *scale);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct MultiUpdateOpFamily {
  template <class Tag>
  using Vertices = VertexList<MultiUpdateOp<Tag, float>, MultiUpdateOp<Tag, poplar::half>,
                              MultiUpdateOp<Tag, int>, MultiUpdateOp<Tag, unsigned>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
