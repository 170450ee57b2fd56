/// \file Encoding.hpp
/// Tensors made from indices.
///
/// Vertices (MultiVertex)
///   popops::OneHot<T>   T is unsigned int or unsigned short: bits of 4 and 2 bytes. Of a row-major
///                       matrix [rows, columns] the elements from `column` of the first row on:
///                       on where the element's column is the index of its row, else off
///     indices  Input<Vector<unsigned int, ONE_PTR>>   of the rows that `out` has a part of
///     out      Output<Vector<T, SPAN>>
///     on, off  Input<T>
///     columns  unsigned, at least 1
///     column   unsigned, below columns
///   popops::Iota        out[i] = start + i, wrapping
///     out      Output<Vector<unsigned int, SPAN>>
///     start    unsigned
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/EncodingKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class OneHot : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  poplar::Input<T> on, off;
  unsigned columns, column;

  bool compute(unsigned worker) {
    const WorkerShare share = workerShare(out.size(), worker, 64);
    kernels::oneHot<Tag, T>(indices.data(), out.data(), column, share.begin, share.end, columns,
                            *on, *off);
    return true;
  }
};

template <class Tag> class Iota : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> out;
  unsigned start;

  bool compute(unsigned worker) {
    const WorkerShare share = workerShare(out.size(), worker, 64);
    kernels::iota<Tag>(out.data() + share.begin, share.end - share.begin,
                       start + static_cast<unsigned>(share.begin));
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct EncodingFamily {
  template <class Tag>
  using Vertices = VertexList<OneHot<Tag, unsigned>, OneHot<Tag, unsigned short>, Iota<Tag>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
