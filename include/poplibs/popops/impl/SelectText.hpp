// Names, fields and costs of the vertices that test, encode, select and sort.
// The indices that a cost function asks for are the positions of the fields in their class.
#pragma once

#include <codelets/popops/Encoding.hpp>
#include <codelets/popops/EncodingCost.hpp>
#include <codelets/popops/NaN.hpp>
#include <codelets/popops/NaNCost.hpp>
#include <codelets/popops/RowExtremes.hpp>
#include <codelets/popops/RowExtremesCost.hpp>
#include <codelets/popops/ScalarInRows.hpp>
#include <codelets/popops/ScalarInRowsCost.hpp>
#include <codelets/popops/TopK.hpp>
#include <codelets/popops/TopKCost.hpp>
#include <codelets/popops/TopKMerge.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

namespace cottonwood::vertices {

using codelet::Cost;
using codelet::VertexSizes;
using model::Machine;
using poputil::templateName;
using poputil::VertexText;

template <unsigned BYTES> Cost costOfHasSpecial(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned IN = 0;
  return {hasSpecialCycles(BYTES, sizes.elements(IN), machine.workers), 0};
}

template <class Tag, class T> VertexText describeVertex(HasSpecial<Tag, T> *) {
  using V = HasSpecial<Tag, T>;
  return {templateName<T>("popops::HasSpecial"),
          {POP_FIELD(V, in), POP_FIELD(V, found), POP_FIELD(V, infinities)},
          &costOfHasSpecial<sizeof(T)>};
}

template <unsigned BYTES> Cost costOfOneHot(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1, COLUMNS = 4;
  return {oneHotCycles(BYTES, sizes.elements(OUT),
                       static_cast<std::uint64_t>(sizes.stateInt(COLUMNS)), machine.workers),
          0};
}

inline Cost costOfIota(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 0;
  return {iotaCycles(sizes.elements(OUT), machine.workers), 0};
}

template <class Tag, class T> VertexText describeVertex(OneHot<Tag, T> *) {
  using V = OneHot<Tag, T>;
  return {templateName<T>("popops::OneHot"),
          {POP_FIELD(V, indices), POP_FIELD(V, out), POP_FIELD(V, on), POP_FIELD(V, off),
           POP_FIELD(V, columns), POP_FIELD(V, column)},
          &costOfOneHot<sizeof(T)>};
}
template <class Tag> VertexText describeVertex(Iota<Tag> *) {
  using V = Iota<Tag>;
  return {"popops::Iota", {POP_FIELD(V, out), POP_FIELD(V, start)}, &costOfIota};
}

/// \tparam ROWS   a field with one element a row
/// \tparam FLOPS  a row
template <unsigned ROWS, unsigned FLOPS>
Cost costOfScalarInRows(VertexSizes const &sizes, Machine const &machine) {
  std::uint64_t const rows = sizes.elements(ROWS);
  return {scalarInRowsCycles(rows, machine.workers), FLOPS * rows};
}

template <class Tag, class T> VertexText describeVertex(SelectScalarFromRows<Tag, T> *) {
  using V = SelectScalarFromRows<Tag, T>;
  return {templateName<T>("popops::SelectScalarFromRows"),
          {POP_FIELD(V, params), POP_FIELD(V, indices), POP_FIELD(V, out), POP_FIELD(V, columns)},
          &costOfScalarInRows<2, 0>};
}
template <class Tag, class T> VertexText describeVertex(UpdateScalarInRows<Tag, T> *) {
  using V = UpdateScalarInRows<Tag, T>;
  return {
      templateName<T>("popops::UpdateScalarInRows"),
      {POP_FIELD(V, params), POP_FIELD(V, indices), POP_FIELD(V, columns), POP_FIELD(V, column)},
      &costOfScalarInRows<1, 1>};
}

/// \tparam VALUES, N  the fields with one element a row, and with the elements of a row
template <unsigned VALUES, unsigned N>
Cost costOfRowExtremes(VertexSizes const &sizes, Machine const &) {
  std::uint64_t const rows = sizes.elements(VALUES),
                      n = static_cast<std::uint64_t>(sizes.stateInt(N));
  return {rowExtremesCycles(rows, n), rows * n};
}

template <class Tag, class T> VertexText describeVertex(RowExtremes<Tag, T> *) {
  using V = RowExtremes<Tag, T>;
  return {templateName<T>("popops::RowExtremes"),
          {POP_FIELD(V, in), POP_FIELD(V, values), POP_FIELD(V, indices), POP_FIELD(V, n),
           POP_FIELD(V, firstIndex), POP_FIELD(V, largest)},
          &costOfRowExtremes<1, 3>};
}
template <class Tag, class T> VertexText describeVertex(MergeRowExtremes<Tag, T> *) {
  using V = MergeRowExtremes<Tag, T>;
  return {templateName<T>("popops::MergeRowExtremes"),
          {POP_FIELD(V, in), POP_FIELD(V, found), POP_FIELD(V, values), POP_FIELD(V, indices),
           POP_FIELD(V, n), POP_FIELD(V, largest)},
          &costOfRowExtremes<2, 4>};
}

inline Cost costOfTopKRows(VertexSizes const &sizes, Machine const &) {
  constexpr unsigned VALUES = 1, N = 4, K = 5;
  auto const n = static_cast<std::uint64_t>(sizes.stateInt(N)),
             k = static_cast<std::uint64_t>(sizes.stateInt(K));
  return {k == 0 ? 0 : sizes.elements(VALUES) / k * (topKCycles(n, k) + 8 * k), 0};
}

inline Cost costOfTopKPiece(VertexSizes const &sizes, Machine const &) {
  constexpr unsigned OUT = 1, N = 3;
  return {topKCycles(static_cast<std::uint64_t>(sizes.stateInt(N)), sizes.elements(OUT)), 0};
}

/// \tparam OUT   the field with the elements that are made
/// \tparam EACH  cycles an element
template <unsigned OUT, unsigned EACH>
Cost costOfTopKStep(VertexSizes const &sizes, Machine const &machine) {
  return {perElementCycles(sizes.elements(OUT), EACH, machine.workers), 0};
}

template <class Tag, class E, class Item> VertexText describeVertex(TopKRows<Tag, E, Item> *) {
  using V = TopKRows<Tag, E, Item>;
  return {templateName<E, Item>("popops::TopKRows"),
          {POP_FIELD(V, in), POP_FIELD(V, values), POP_FIELD(V, indices), POP_FIELD(V, scratch),
           POP_FIELD(V, n), POP_FIELD(V, k), POP_FIELD(V, kind), POP_FIELD(V, descending),
           POP_FIELD(V, mirrored)},
          &costOfTopKRows};
}
template <class Tag, class E, class Item> VertexText describeVertex(TopKPiece<Tag, E, Item> *) {
  using V = TopKPiece<Tag, E, Item>;
  return {templateName<E, Item>("popops::TopKPiece"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, scratch), POP_FIELD(V, n),
           POP_FIELD(V, firstIndex), POP_FIELD(V, kind), POP_FIELD(V, descending)},
          &costOfTopKPiece};
}
template <class Tag, class Item> VertexText describeVertex(MergeRuns<Tag, Item> *) {
  using V = MergeRuns<Tag, Item>;
  return {templateName<Item>("popops::MergeRuns"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, out)},
          &costOfTopKStep<2, 8>};
}
template <class Tag, class E, class Item> VertexText describeVertex(UnpackItems<Tag, E, Item> *) {
  using V = UnpackItems<Tag, E, Item>;
  return {templateName<E, Item>("popops::UnpackItems"),
          {POP_FIELD(V, in), POP_FIELD(V, values), POP_FIELD(V, indices), POP_FIELD(V, kind),
           POP_FIELD(V, descending), POP_FIELD(V, mirrored)},
          &costOfTopKStep<1, 8>};
}
template <class Tag, class E> VertexText describeVertex(GatherInRows<Tag, E> *) {
  using V = GatherInRows<Tag, E>;
  return {templateName<E>("popops::GatherInRows"),
          {POP_FIELD(V, in), POP_FIELD(V, indices), POP_FIELD(V, out), POP_FIELD(V, n),
           POP_FIELD(V, k)},
          &costOfTopKStep<2, 4>};
}

} // namespace cottonwood::vertices
