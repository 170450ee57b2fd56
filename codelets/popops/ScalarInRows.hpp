/// \file ScalarInRows.hpp
/// One element of each row, named by an index.
///
/// Vertices (MultiVertex; T is float or half)
///   popops::SelectScalarFromRows<T>   out[r] = params[r, indices[r]]; NaN for an index beyond the
///                                     row, 0 for MASKED_LABEL_CODE
///     params   Input<Vector<T, ONE_PTR>>   [rows, columns], row-major
///     indices  Input<Vector<unsigned int, ONE_PTR>>   [rows]
///     out      Output<Vector<T, SPAN>>   [rows]
///     columns  unsigned
///   popops::UpdateScalarInRows<T>     params[r, indices[r]] -= 1; an index beyond the row makes
///                                     all of it NaN, MASKED_LABEL_CODE leaves it. Of a row-major
///                                     matrix the elements from `column` of the first row on
///     params   InOut<Vector<T, SPAN>>
///     indices  Input<Vector<unsigned int, ONE_PTR>>   of the rows that `params` has a part of
///     columns  unsigned, at least 1
///     column   unsigned, below columns
/// One element a row is worth no vectors: the family is compiled once.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/ScalarInRowsKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class SelectScalarFromRows : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> params;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned columns;

  bool compute(Workers workers) {
    const WorkerShare rows = workerShare(out.size(), workers, 32);
    kernels::selectScalarFromRows<Tag>(kernelPointer(params.data()), indices.data(),
                                       kernelPointer(out.data()), rows.begin, rows.end, columns);
    return true;
  }
};

template <class Tag, class T> class UpdateScalarInRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> params;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  unsigned columns, column;

  bool compute(Workers workers) {
    const WorkerShare share = workerShare(params.size(), workers, 64);
    kernels::updateScalarInRows<Tag>(kernelPointer(params.data()), indices.data(), column,
                                     share.begin, share.end, columns);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct ScalarInRowsFamily {
  static constexpr bool MOVES_BYTES = true;
  template <class Tag>
  using Vertices =
      VertexList<SelectScalarFromRows<Tag, float>, SelectScalarFromRows<Tag, poplar::half>,
                 UpdateScalarInRows<Tag, float>, UpdateScalarInRows<Tag, poplar::half>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
