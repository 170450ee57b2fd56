/// \file TopK.hpp
/// The k first elements of rows in an order; with k = n a sort.
///
/// Vertices; E is unsigned int or unsigned short: the bits of elements of 4 and 2 bytes; Item is
/// unsigned int (without indices) or unsigned long long (with)
///   popops::TopKRows<E, Item>    whole rows, to elements and indices
///     in       Input<Vector<E, ONE_PTR>>   [rows, n], row-major
///     values   Output<Vector<E, SPAN>>   [rows, k]
///     indices  Output<Vector<unsigned int, ONE_PTR>>   [rows, k]; any one element without indices
///     scratch  Output<Vector<Item, ONE_PTR>>   2 topKBuffer(n, k)
///     n, k     unsigned, 1 <= k <= n
///     kind     unsigned, a kernels::KeyKind
///     descending  bool: the largest come first, else the smallest
///     mirrored    bool: the selected ones are written last to first, ties in order of index
///   popops::TopKPiece<E, Item>   a piece of a row, to sorted items for popops::MergeRuns
///     in       Input<Vector<E, ONE_PTR>>   [n]
///     out      Output<Vector<Item, SPAN>>   [k]
///     scratch  as above; topKBuffer(n, k) if k = n
///     n, kind, descending  as above
///     firstIndex  unsigned: of in[0] in its row
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/TopKLanes.hpp>

namespace cottonwood::vertices {

template <class Tag, class E, class Item> class TopKRows : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<E, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<E, poplar::VectorLayout::SPAN>> values;
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  poplar::Output<poplar::Vector<Item, poplar::VectorLayout::ONE_PTR>> scratch;
  unsigned n, k, kind;
  bool descending, mirrored;

  bool compute() {
    const kernels::KeyCode code = kernels::keyCode(static_cast<kernels::KeyKind>(kind), descending);
    const std::size_t rows = values.size() / k;
    if constexpr (kernels::HAS_COLUMNS<Tag>)
      if (kernels::selectsColumns<Tag>(rows, n, k)) {
        kernels::topKColumns<Tag, sizeof(Item) == 8>(in.data(), rows, n, k, code, mirrored,
                                                     values.data(), indices.data());
        return true;
      }
    Item *const a = scratch.data(), *const b = a + kernels::topKBuffer(n, k);
    for (std::size_t row = 0; row < rows; ++row) {
      const kernels::TopKRow<E> source{in.data() + row * n, n, 0};
      const Item *const items = kernels::firstItems<Tag>(source, k, code, a, b);
      kernels::unpackItems<Tag>(items, k, code, mirrored, values.data() + row * k,
                                sizeof(Item) == 8 ? indices.data() + row * k : nullptr, 0, k);
    }
    return true;
  }
};

template <class Tag, class E, class Item> class TopKPiece : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<E, poplar::VectorLayout::ONE_PTR>> in;
  poplar::Output<poplar::Vector<Item, poplar::VectorLayout::SPAN>> out;
  poplar::Output<poplar::Vector<Item, poplar::VectorLayout::ONE_PTR>> scratch;
  unsigned n, firstIndex, kind;
  bool descending;

  bool compute() {
    const kernels::KeyCode code = kernels::keyCode(static_cast<kernels::KeyKind>(kind), descending);
    const std::size_t k = out.size();
    Item *const a = k == n ? out.data() : scratch.data();
    Item *const b = k == n ? scratch.data() : a + kernels::topKBuffer(n, k);
    const Item *const items =
        kernels::firstItems<Tag>(kernels::TopKRow<E>{in.data(), n, firstIndex}, k, code, a, b);
    if (items != out.data())
      __builtin_memcpy(out.data(), items, k * sizeof(Item));
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct TopKFamily {
  template <class Tag, class E, class Item>
  using Forms = VertexList<TopKRows<Tag, E, Item>, TopKPiece<Tag, E, Item>>;
  template <class Tag>
  using Vertices =
      JoinLists<Forms<Tag, unsigned, unsigned>, Forms<Tag, unsigned, kernels::LongItem>,
                Forms<Tag, unsigned short, unsigned>,
                Forms<Tag, unsigned short, kernels::LongItem>>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
