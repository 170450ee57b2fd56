// Names, fields and costs of the vertices of slices and updates.
// The indices that a cost function asks for are the positions of the fields in their class.
#pragma once

#include <codelets/popops/MultiSlice.hpp>
#include <codelets/popops/MultiSliceCost.hpp>
#include <codelets/popops/MultiUpdateOp.hpp>
#include <codelets/popops/SequenceSlice.hpp>
#include <codelets/popops/SequenceSliceCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

namespace cottonwood::vertices {

using codelet::Cost;
using codelet::VertexSizes;
using model::Machine;
using poputil::templateName;
using poputil::VertexText;

inline SliceCostProblem sliceCostProblem(VertexSizes const &sizes, unsigned elementBytes) {
  constexpr unsigned OFFSETS = 1, OUTER = 3, ROWS = 4, SIZE = 6, SLICE_ROWS = 7, INNER = 8;
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  SliceCostProblem problem;
  problem.offsets = sizes.elements(OFFSETS);
  problem.outer = value(OUTER);
  problem.rows = value(ROWS);
  problem.size = value(SIZE);
  problem.sliceRows = value(SLICE_ROWS);
  problem.inner = value(INNER);
  problem.elementBytes = elementBytes;
  return problem;
}

template <unsigned BYTES, bool READS>
Cost costOfMultiSlice(VertexSizes const &sizes, Machine const &machine) {
  return {multiSliceCycles(sliceCostProblem(sizes, BYTES), READS, machine.workers), 0};
}

template <class V, class T, bool READS> VertexText describeMultiSlice(std::string const &name) {
  return {templateName<T>(name),
          {POP_FIELD(V, base), POP_FIELD(V, offsets), POP_FIELD(V, slices), POP_FIELD(V, outer),
           POP_FIELD(V, rows), POP_FIELD(V, begin), POP_FIELD(V, size), POP_FIELD(V, sliceRows),
           POP_FIELD(V, inner), POP_FIELD(V, flags)},
          &costOfMultiSlice<sizeof(T), READS>};
}
template <class Tag, class T> VertexText describeVertex(MultiSlice<Tag, T> *) {
  return describeMultiSlice<MultiSlice<Tag, T>, T, true>("popops::MultiSlice");
}
template <class Tag, class T> VertexText describeVertex(MultiUpdate<Tag, T> *) {
  return describeMultiSlice<MultiUpdate<Tag, T>, T, false>("popops::MultiUpdate");
}

template <unsigned BYTES>
Cost costOfCombineSlices(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1, PARTS = 2;
  auto const parts = static_cast<std::uint64_t>(sizes.stateInt(PARTS));
  return {combineSlicesCycles(parts, sizes.elements(OUT) * BYTES, machine.workers), 0};
}
template <class Tag, class T> VertexText describeVertex(CombineSlices<Tag, T> *) {
  using V = CombineSlices<Tag, T>;
  return {templateName<T>("popops::CombineSlices"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, parts)},
          &costOfCombineSlices<sizeof(T)>};
}

template <unsigned BYTES>
Cost costOfMultiUpdateOp(VertexSizes const &sizes, Machine const &machine) {
  auto const problem = sliceCostProblem(sizes, BYTES);
  return {multiUpdateOpCycles(problem, machine.workers), 2 * expectedRows(problem) * problem.inner};
}
template <class Tag, class T> VertexText describeVertex(MultiUpdateOp<Tag, T> *) {
  using V = MultiUpdateOp<Tag, T>;
  return {templateName<T>("popops::MultiUpdateOp"),
          {POP_FIELD(V, base), POP_FIELD(V, offsets), POP_FIELD(V, slices), POP_FIELD(V, outer),
           POP_FIELD(V, rows), POP_FIELD(V, begin), POP_FIELD(V, size), POP_FIELD(V, sliceRows),
           POP_FIELD(V, inner), POP_FIELD(V, flags), POP_FIELD(V, scale), POP_FIELD(V, op)},
          &costOfMultiUpdateOp<sizeof(T)>};
}

template <unsigned BYTES>
Cost costOfSequenceSlice(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1, COUNTS = 2;
  return {sequenceSliceCycles(sizes.elements(COUNTS), sizes.elements(OUT) * BYTES, machine.workers),
          0};
}
template <class Tag, class T> VertexText describeVertex(SequenceSlice<Tag, T> *) {
  using V = SequenceSlice<Tag, T>;
  return {templateName<T>("popops::SequenceSlice"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, counts), POP_FIELD(V, inOffsets),
           POP_FIELD(V, outOffsets), POP_FIELD(V, inRows), POP_FIELD(V, rows), POP_FIELD(V, begin),
           POP_FIELD(V, inner), POP_FIELD(V, zeroUnused)},
          &costOfSequenceSlice<sizeof(T)>};
}

} // namespace cottonwood::vertices
