/// \file TopKMerge.hpp
/// What follows popops::TopKPiece: merging, back to elements, and moving values by indices.
///
/// Vertices (MultiVertex); E and Item as in TopK.hpp
///   popops::MergeRuns<Item>        the first out.size() of two sorted runs
///     a, b     Input<Vector<Item, SPAN>>
///     out      Output<Vector<Item, SPAN>>, at most a.size() + b.size() items
///   popops::UnpackItems<E, Item>   elements and indices of one row's items
///     in       Input<Vector<Item, ONE_PTR>>   [k]
///     values   Output<Vector<E, SPAN>>   [k]
///     indices, kind, descending, mirrored  as of popops::TopKRows
///   popops::GatherInRows<E>        out[r, j] = in[r, indices[r, j]]
///     in       Input<Vector<E, ONE_PTR>>   [rows, n]
///     indices  Input<Vector<unsigned int, ONE_PTR>>   [rows, k], below n
///     out      Output<Vector<E, SPAN>>   [rows, k]
///     n, k     unsigned
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/TopKKernel.hpp>

namespace cottonwood::vertices {

template <class Tag, class Item> class MergeRuns : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<Item, poplar::VectorLayout::SPAN>> a, b;
  poplar::Output<poplar::Vector<Item, poplar::VectorLayout::SPAN>> out;

  bool compute(unsigned worker) {
    const WorkerShare share = workerShare(out.size(), worker, 64);
    if (share.begin == share.end)
      return true;
    const std::size_t fromA =
        kernels::mergeSplit<Tag>(a.data(), a.size(), b.data(), b.size(), share.begin);
    const std::size_t fromB = share.begin - fromA;
    kernels::mergeRuns<Tag>(a.data() + fromA, a.size() - fromA, b.data() + fromB, b.size() - fromB,
                            out.data() + share.begin, share.end - share.begin);
    return true;
  }
};

template <class Tag, class E, class Item> class UnpackItems : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<Item, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<E, poplar::VectorLayout::SPAN>> values;
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  unsigned kind;
  bool descending, mirrored;

  bool compute(unsigned worker) {
    const kernels::KeyCode code = kernels::keyCode(static_cast<kernels::KeyKind>(kind), descending);
    const WorkerShare share = workerShare(values.size(), worker, 64);
    kernels::unpackItems<Tag>(in.data(), values.size(), code, mirrored, values.data(),
                              indices.data(), share.begin, share.end);
    return true;
  }
};

template <class Tag, class E> class GatherInRows : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<E, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  poplar::Output<poplar::Vector<E, poplar::VectorLayout::SPAN>> out;
  unsigned n, k;

  bool compute(unsigned worker) {
    const WorkerShare share = workerShare(out.size(), worker, 64);
    for (std::size_t i = share.begin; i < share.end;) {
      const std::size_t row = i / k;
      const std::size_t rowEnd = (row + 1) * k < share.end ? (row + 1) * k : share.end;
      const E *const source = in.data() + row * n;
      for (; i < rowEnd; ++i)
        out[i] = source[indices[i]];
    }
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct TopKMergeFamily {
  static constexpr bool MOVES_BYTES = true;
  template <class Tag>
  using Vertices =
      VertexList<MergeRuns<Tag, unsigned>, MergeRuns<Tag, kernels::LongItem>,
                 UnpackItems<Tag, unsigned, unsigned>, UnpackItems<Tag, unsigned short, unsigned>,
                 UnpackItems<Tag, unsigned, kernels::LongItem>,
                 UnpackItems<Tag, unsigned short, kernels::LongItem>, GatherInRows<Tag, unsigned>,
                 GatherInRows<Tag, unsigned short>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
