/// \file RowExtremes.hpp
/// The largest or the smallest elements of rows and where they are.
///
/// Vertices; T is float, half, int or unsigned int
///   popops::RowExtremes<T>         of elements
///     in       Input<Vector<T, ONE_PTR>>   [rows, n], row-major, n >= 1
///     values   Output<Vector<T, SPAN>>   [rows]
///     indices  Output<Vector<unsigned int, ONE_PTR>>   [rows]
///     n, firstIndex  unsigned; the index of a row's first element
///     largest  bool: else the smallest
///   popops::MergeRowExtremes<T>    of what RowExtremes found in n pieces of each row
///     in, found  Input<Vector<T, ONE_PTR>>, Input<Vector<unsigned int, ONE_PTR>>   [rows, n]:
///              values and indices, in order of index
///     values, indices, n, largest  as above
///
/// Of equal elements, which -0 and +0 are, the first counts; a zero in `values` is +0. NaN is above
/// infinity, and NaN among themselves have the order of TopK.hpp; in `values` they are quiet.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/RowExtremesKernel.hpp>
#include <codelets/popops/SplitsVectors.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class RowExtremes : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> values;
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  unsigned n, firstIndex;
  bool largest;

  bool compute() {
    if constexpr (kernels::HAS_COLUMNS<Tag>)
      if (n <= kernels::EXTREME_COLUMNS<Tag> && values.size() >= kernels::EXTREME_ROWS<Tag>) {
        kernels::rowExtremesOfColumns<Tag>(kernelPointer(in.data()), values.size(), n, largest,
                                           firstIndex, kernelPointer(values.data()),
                                           indices.data());
        return true;
      }
    const bool near = kernels::splitsVectors();
    for (std::size_t row = 0; row < values.size(); ++row) {
      const auto found =
          kernels::rowExtreme<Tag>(kernelPointer(in.data()) + row * n, n, largest, near);
      kernelPointer(values.data())[row] = found.value;
      indices[row] = firstIndex + static_cast<unsigned>(found.place);
    }
    return true;
  }
};

template <class Tag, class T> class MergeRowExtremes : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> found;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> values;
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  unsigned n;
  bool largest;

  bool compute() {
    const bool near = kernels::splitsVectors();
    for (std::size_t row = 0; row < values.size(); ++row) {
      const auto best =
          kernels::rowExtreme<Tag>(kernelPointer(in.data()) + row * n, n, largest, near);
      kernelPointer(values.data())[row] = best.value;
      indices[row] = found[row * n + best.place];
    }
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct RowExtremesFamily {
  template <class Tag, class T>
  using Forms = VertexList<RowExtremes<Tag, T>, MergeRowExtremes<Tag, T>>;
  template <class Tag>
  using Vertices =
      JoinLists<Forms<Tag, float>, Forms<Tag, poplar::half>, Forms<Tag, int>, Forms<Tag, unsigned>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
