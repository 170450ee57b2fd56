/// \file MultiSlice.hpp
/// Slices of a table at offsets known at run time: read, and overwritten.
///
/// Vertices (MultiVertex)
///   popops::MultiSlice<T>     slices = slices of the table at the offsets
///   popops::MultiUpdate<T>    slices of the table at the offsets = slices
///   popops::CombineSlices<T>  out = bitwise or of `parts` arrays one behind the other
/// Types: unsigned char, unsigned short, unsigned int, unsigned long long; others of these sizes
///   are reinterpreted.
/// Fields
///   base     Input/InOut<Vector<T>>    [outer, rows, inner]
///   offsets  Input<Vector<unsigned>>   [N]
///   slices   Output<Vector<T, SPAN>> or Input<Vector<T, ONE_PTR>>  [N, outer, sliceRows, inner]
///   outer, rows, begin, size, sliceRows, inner  unsigned; rows [begin, begin + rows) of `size`
///   flags    unsigned: bit 0 remaps offsets not below size to 0, bit 1 makes size name no row;
///            bit 2, for MultiSlice: slices are [outer, N, sliceRows, inner]
///
/// What a row is, and which are left out, is in SliceKernel.hpp.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/SliceKernel.hpp>

namespace cottonwood::vertices {

/// \tparam SIZE  bytes of what the kernel takes for an element.
template <std::size_t SIZE, class V>
POP_SIMD_INLINE kernels::SliceGeometry sliceGeometry(const V &v, unsigned worker) {
  kernels::SliceGeometry g;
  g.count = v.offsets.size();
  g.outer = v.outer;
  g.rows = v.rows;
  g.begin = v.begin;
  g.size = v.size;
  g.sliceRows = v.sliceRows;
  g.inner = v.inner * SIZE;
  g.remap = (v.flags & 1U) != 0;
  g.padding = (v.flags & 2U) != 0;
  g.outerFirst = (v.flags & 4U) != 0;
  g.worker = worker;
  g.workers = poplar::MultiVertex::numWorkers();
  return g;
}

template <class Tag, class T> class MultiSlice : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> base;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> slices;
  unsigned outer, rows, begin, size, sliceRows, inner, flags;

  bool compute(unsigned worker) {
    kernels::gatherSlices<Tag>(sliceGeometry<sizeof(T)>(*this, worker),
                               reinterpret_cast<const unsigned char *>(base.data()), offsets.data(),
                               reinterpret_cast<unsigned char *>(slices.data()));
    return true;
  }
};

template <class Tag, class T> class MultiUpdate : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> base;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> slices;
  unsigned outer, rows, begin, size, sliceRows, inner, flags;

  bool compute(unsigned worker) {
    kernels::scatterSlices<Tag>(
        sliceGeometry<sizeof(T)>(*this, worker), reinterpret_cast<unsigned char *>(base.data()),
        reinterpret_cast<const unsigned char *>(slices.data()), offsets.data());
    return true;
  }
};

template <class Tag, class T> class CombineSlices : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned parts;

  bool compute(unsigned worker) {
    const std::size_t bytes = out.size() * sizeof(T);
    const WorkerShare share = workerShare(bytes, worker, 64);
    kernels::orSlices<Tag>(reinterpret_cast<const unsigned char *>(in.data()), parts, bytes,
                           reinterpret_cast<unsigned char *>(out.data()), share.begin, share.end);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct MultiSliceFamily {
  template <class Tag, class T>
  using Forms = VertexList<MultiSlice<Tag, T>, MultiUpdate<Tag, T>, CombineSlices<Tag, T>>;
  template <class Tag>
  using Vertices = JoinLists<Forms<Tag, unsigned char>, Forms<Tag, unsigned short>,
                             Forms<Tag, unsigned>, Forms<Tag, unsigned long long>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
