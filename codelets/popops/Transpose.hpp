/// \file Transpose.hpp
/// Transposed matrices.
///
/// Vertex (MultiVertex): popops::Transpose<T>, out[m, c, r] = in[m, r, c]
/// Types: unsigned char, unsigned short, unsigned int, unsigned long long: bits of elements of 1,
/// 2,
///   4 and 8 bytes.
/// Fields
///   in       Input<Vector<T, ONE_PTR>>   [matrices, rows, columns], row-major
///   out      Output<Vector<T, SPAN>>   [matrices, columns, rows]
///   rows, columns  unsigned, at least 1
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/TransposeKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class T> class Transpose : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned rows, columns;

  bool compute(Workers workers) {
    // Workers share the rows of all results.
    const WorkerShare share = workerShare(out.size() / rows, workers, 16);
    kernels::transposeRows<Tag>(in.data(), out.data(), rows, columns, share.begin, share.end);
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct TransposeFamily {
  static constexpr bool MOVES_BYTES = true;
  template <class Tag>
  using Vertices = VertexList<Transpose<Tag, unsigned char>, Transpose<Tag, unsigned short>,
                              Transpose<Tag, unsigned>, Transpose<Tag, unsigned long long>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
