#pragma once

#include <popops/codelets.hpp>
#include <popops/impl/Config.hpp>

#include <codelets/popops/Cast.hpp>
#include <codelets/popops/CastCost.hpp>
#include <codelets/popops/Encoding.hpp>
#include <codelets/popops/EncodingCost.hpp>
#include <codelets/popops/Fill.hpp>
#include <codelets/popops/FillCost.hpp>
#include <codelets/popops/GatherStatistics.hpp>
#include <codelets/popops/GatherStatisticsCost.hpp>
#include <codelets/popops/Map.hpp>
#include <codelets/popops/MapCost.hpp>
#include <codelets/popops/MultiSlice.hpp>
#include <codelets/popops/MultiSliceCost.hpp>
#include <codelets/popops/MultiUpdateOp.hpp>
#include <codelets/popops/NaN.hpp>
#include <codelets/popops/NaNCost.hpp>
#include <codelets/popops/NormaliseImage.hpp>
#include <codelets/popops/NormaliseImageCost.hpp>
#include <codelets/popops/Reduce.hpp>
#include <codelets/popops/ReduceCost.hpp>
#include <codelets/popops/ScalarInRows.hpp>
#include <codelets/popops/ScalarInRowsCost.hpp>
#include <codelets/popops/ScaledAdd.hpp>
#include <codelets/popops/ScaledAddCost.hpp>
#include <codelets/popops/SequenceSlice.hpp>
#include <codelets/popops/SequenceSliceCost.hpp>
#include <codelets/popops/SplineBasis.hpp>
#include <codelets/popops/SplineBasisCost.hpp>
#include <codelets/popops/SplineWeighting.hpp>
#include <codelets/popops/SplineWeightingCost.hpp>
#include <codelets/popops/TopK.hpp>
#include <codelets/popops/TopKCost.hpp>
#include <codelets/popops/TopKMerge.hpp>
#include <codelets/popops/Transpose.hpp>
#include <codelets/popops/TransposeCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/impl/codelet/Registry.hpp>

// Names, fields and costs of the vertices of codelets/popops. The indices that a cost function asks
// for are the positions of the fields in their class.

namespace cottonwood::vertices {

using codelet::Cost;
using codelet::VertexSizes;
using model::Machine;
using poputil::templateName;
using poputil::VertexText;

inline Cost costOfMap(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 5, CYCLES = 7;
  std::size_t const n = sizes.elements(OUT);
  auto const cyclesPer8 = static_cast<unsigned>(sizes.stateInt(CYCLES));
  return {mapCycles(n, cyclesPer8, machine.workers), n};
}

template <class V> VertexText describeMap(std::string name) {
  return {std::move(name),
          {POP_FIELD(V, inFloat), POP_FIELD(V, inHalf), POP_FIELD(V, inInt),
           POP_FIELD(V, inUnsigned), POP_FIELD(V, inBool), POP_FIELD(V, out), POP_FIELD(V, program),
           POP_FIELD(V, cyclesPer8)},
          &costOfMap};
}
template <class Tag, class Out> VertexText describeVertex(Map<Tag, Out> *) {
  return describeMap<Map<Tag, Out>>(templateName<Out>("popops::Map"));
}
template <class Tag, class Out> VertexText describeVertex(MapInPlace<Tag, Out> *) {
  return describeMap<MapInPlace<Tag, Out>>(templateName<Out>("popops::MapInPlace"));
}

/// \tparam BYTES   of an input element
/// \tparam SCALED  1 if the scale is a field, which moves those behind it
template <unsigned BYTES, unsigned SCALED, bool UPDATE>
Cost costOfReduce(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1, OP = 2 + SCALED, REDUCED = 3 + SCALED, INNER = 4 + SCALED;
  ReduceCostProblem problem;
  problem.outputs = sizes.elements(OUT);
  problem.reduced = static_cast<std::uint64_t>(sizes.stateInt(REDUCED));
  problem.inner = static_cast<std::uint64_t>(sizes.stateInt(INNER));
  problem.elementBytes = BYTES;
  problem.logAdd = sizes.stateInt(OP) == static_cast<int>(kernels::ReduceOp::LOG_ADD);
  problem.update = UPDATE;
  return {reduceCycles(problem, machine.workers), problem.outputs * problem.reduced};
}

template <class Tag, class In, class Out> VertexText describeVertex(Reduce<Tag, In, Out> *) {
  using V = Reduce<Tag, In, Out>;
  return {templateName<In, Out>("popops::Reduce"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, op), POP_FIELD(V, reduced),
           POP_FIELD(V, inner)},
          &costOfReduce<sizeof(In), 0, false>};
}
template <class Tag, class In, class Out> VertexText describeVertex(ReduceUpdate<Tag, In, Out> *) {
  using V = ReduceUpdate<Tag, In, Out>;
  return {templateName<In, Out>("popops::ReduceUpdate"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, op), POP_FIELD(V, reduced),
           POP_FIELD(V, inner)},
          &costOfReduce<sizeof(In), 0, true>};
}
template <class Tag, class In, class Out> VertexText describeVertex(ReduceScale<Tag, In, Out> *) {
  using V = ReduceScale<Tag, In, Out>;
  return {templateName<In, Out>("popops::ReduceScale"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, scale), POP_FIELD(V, op),
           POP_FIELD(V, reduced), POP_FIELD(V, inner)},
          &costOfReduce<sizeof(In), 1, false>};
}
template <class Tag, class In, class Out>
VertexText describeVertex(ReduceScaleUpdate<Tag, In, Out> *) {
  using V = ReduceScaleUpdate<Tag, In, Out>;
  return {templateName<In, Out>("popops::ReduceScaleUpdate"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, scale), POP_FIELD(V, op),
           POP_FIELD(V, reduced), POP_FIELD(V, inner)},
          &costOfReduce<sizeof(In), 1, true>};
}

template <class From, class To> constexpr CastKind castKind() {
  constexpr bool FROM_HALF = std::is_same_v<From, ::poplar::half>,
                 TO_HALF = std::is_same_v<To, ::poplar::half>;
  if constexpr (FROM_HALF && std::is_same_v<To, float>)
    return CastKind::HALF_TO_FLOAT;
  else if constexpr (TO_HALF && std::is_same_v<From, float>)
    return CastKind::FLOAT_TO_HALF;
  else if constexpr (FROM_HALF && sizeof(To) == 1)
    return CastKind::HALF_TO_BYTE;
  else if constexpr (TO_HALF && sizeof(From) == 1)
    return CastKind::BYTE_TO_HALF;
  else
    return sizeof(To) == 8 ? CastKind::WIDE : CastKind::OTHER;
}

template <CastKind KIND> Cost costOfCast(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1;
  return {castCycles(KIND, sizes.elements(OUT), machine.workers), 0};
}

template <class Tag, class From, class To> VertexText describeVertex(Cast<Tag, From, To> *) {
  using V = Cast<Tag, From, To>;
  return {templateName<From, To>("popops::Cast"),
          {POP_FIELD(V, in), POP_FIELD(V, out)},
          &costOfCast<castKind<From, To>()>};
}

template <unsigned BYTES> Cost costOfFill(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 0;
  return {fillCycles(BYTES, sizes.elements(OUT), machine.workers), 0};
}

template <class Tag, class T> VertexText describeVertex(Fill<Tag, T> *) {
  using V = Fill<Tag, T>;
  return {templateName<T>("popops::Fill"),
          {POP_FIELD(V, out), POP_FIELD(V, value)},
          &costOfFill<sizeof(T)>};
}

template <class A, class B, bool SCALES_A>
Cost costOfScaledAdd(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned DATA = 0;
  ScaledAddCostProblem problem;
  problem.elements = sizes.elements(DATA);
  problem.bytesOfA = sizeof(A);
  problem.bytesOfB = sizeof(B);
  problem.integer = std::is_integral_v<A>;
  problem.scalesA = SCALES_A;
  return {scaledAddCycles(problem, machine.workers), (SCALES_A ? 3 : 2) * problem.elements};
}

template <class Tag, class A, class B> VertexText describeVertex(ScaledAdd<Tag, A, B> *) {
  using V = ScaledAdd<Tag, A, B>;
  return {templateName<A, B>("popops::ScaledAdd"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, scaleB)},
          &costOfScaledAdd<A, B, false>};
}
template <class Tag, class A, class B> VertexText describeVertex(ScaledAddTensor<Tag, A, B> *) {
  using V = ScaledAddTensor<Tag, A, B>;
  return {templateName<A, B>("popops::ScaledAddTensor"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, scaleB), POP_FIELD(V, factor)},
          &costOfScaledAdd<A, B, false>};
}
template <class Tag, class A, class B> VertexText describeVertex(Axpby<Tag, A, B> *) {
  using V = Axpby<Tag, A, B>;
  return {templateName<A, B>("popops::Axpby"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, scaleA), POP_FIELD(V, scaleB)},
          &costOfScaledAdd<A, B, true>};
}
template <class Tag, class A, class B> VertexText describeVertex(AxpbyTensor<Tag, A, B> *) {
  using V = AxpbyTensor<Tag, A, B>;
  return {templateName<A, B>("popops::AxpbyTensor"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, scaleA), POP_FIELD(V, scaleB),
           POP_FIELD(V, factor), POP_FIELD(V, oneMinusA)},
          &costOfScaledAdd<A, B, true>};
}

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

template <unsigned BYTES> Cost costOfHistogram(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned IN = 0, LEVELS = 1;
  return {histogramCycles(BYTES, sizes.elements(IN), sizes.elements(LEVELS), machine.workers), 0};
}

template <class Tag, class T> VertexText describeVertex(Histogram<Tag, T> *) {
  using V = Histogram<Tag, T>;
  return {templateName<T>("popops::Histogram"),
          {POP_FIELD(V, in), POP_FIELD(V, levels), POP_FIELD(V, counts), POP_FIELD(V, absolute)},
          &costOfHistogram<sizeof(T)>};
}

template <bool FROM_BYTES>
Cost costOfNormaliseImage(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 3;
  std::uint64_t const pixels = sizes.elements(OUT) / 4;
  return {normaliseImageCycles(FROM_BYTES, pixels, machine.workers), 9 * pixels};
}

template <class Tag, class In, class Out>
VertexText describeVertex(NormaliseImage<Tag, In, Out> *) {
  using V = NormaliseImage<Tag, In, Out>;
  return {templateName<In, Out>("popops::NormaliseImage"),
          {POP_FIELD(V, in), POP_FIELD(V, offsets), POP_FIELD(V, scales), POP_FIELD(V, out),
           POP_FIELD(V, inScale)},
          &costOfNormaliseImage<sizeof(In) == 1>};
}

inline Cost costOfSplineBasis(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned BASIS = 3, DIMS = 5, SPLINES = 7;
  auto const dims = static_cast<std::uint64_t>(sizes.stateInt(DIMS)),
             splines = static_cast<std::uint64_t>(sizes.stateInt(SPLINES));
  std::uint64_t const edges = splines == 0 ? 0 : sizes.elements(BASIS) / splines;
  return {splineBasisCycles(edges, splines, dims, machine.workers), edges * splines * dims};
}

template <class Tag, class T> VertexText describeVertex(SplineBasis<Tag, T> *) {
  using V = SplineBasis<Tag, T>;
  return {templateName<T>("popops::SplineBasis"),
          {POP_FIELD(V, pseudo), POP_FIELD(V, kernelSize), POP_FIELD(V, isOpen),
           POP_FIELD(V, basis), POP_FIELD(V, weightIndex), POP_FIELD(V, dims), POP_FIELD(V, degree),
           POP_FIELD(V, numSplines)},
          &costOfSplineBasis};
}

template <unsigned BYTES>
Cost costOfSplineWeighting(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 4, IN_CHANNELS = 6, OUT_CHANNELS = 7, SPLINES = 8;
  auto const outChannels = static_cast<std::uint64_t>(sizes.stateInt(OUT_CHANNELS));
  std::uint64_t const edges = outChannels == 0 ? 0 : sizes.elements(OUT) / outChannels;
  std::uint64_t const products = outChannels *
                                 static_cast<std::uint64_t>(sizes.stateInt(IN_CHANNELS)) *
                                 static_cast<std::uint64_t>(sizes.stateInt(SPLINES));
  return {splineWeightingCycles(BYTES, edges, products, machine.workers), 2 * edges * products};
}

template <class Tag, class T> VertexText describeVertex(SplineWeighting<Tag, T> *) {
  using V = SplineWeighting<Tag, T>;
  return {templateName<T>("popops::SplineWeighting"),
          {POP_FIELD(V, input), POP_FIELD(V, weight), POP_FIELD(V, basis),
           POP_FIELD(V, weightIndex), POP_FIELD(V, out), POP_FIELD(V, kernels),
           POP_FIELD(V, inChannels), POP_FIELD(V, outChannels), POP_FIELD(V, splines)},
          &costOfSplineWeighting<sizeof(T)>};
}

template <unsigned BYTES> Cost costOfTranspose(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1, ROWS = 2, COLUMNS = 3;
  auto const rows = static_cast<std::uint64_t>(sizes.stateInt(ROWS)),
             columns = static_cast<std::uint64_t>(sizes.stateInt(COLUMNS));
  std::uint64_t const matrix = rows * columns,
                      matrices = matrix == 0 ? 0 : sizes.elements(OUT) / matrix;
  return {transposeCycles(BYTES, rows, columns, matrices, machine.workers), 0};
}

template <class Tag, class T> VertexText describeVertex(Transpose<Tag, T> *) {
  using V = Transpose<Tag, T>;
  return {templateName<T>("popops::Transpose"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, rows), POP_FIELD(V, columns)},
          &costOfTranspose<sizeof(T)>};
}

} // namespace cottonwood::vertices

namespace cottonwood::popops {

/// The codelets of this library for the instruction set in use, made once.
POP_INLINE std::vector<codelet::Codelet> const &builtinCodelets() {
  static std::vector<codelet::Codelet> const table = [] {
    std::vector<codelet::Codelet> codelets;
    isa::Isa const isa = poputil::builtinIsa();
    poputil::appendFamily<vertices::MapFamily>(isa, codelets);
    poputil::appendFamily<vertices::ReduceFamily>(isa, codelets);
    poputil::appendFamily<vertices::CastFamily>(isa, codelets);
    poputil::appendFamily<vertices::FillFamily>(isa, codelets);
    poputil::appendFamily<vertices::MultiSliceFamily>(isa, codelets);
    poputil::appendFamily<vertices::MultiUpdateOpFamily>(isa, codelets);
    poputil::appendFamily<vertices::EncodingFamily>(isa, codelets);
    poputil::appendFamily<vertices::NaNFamily>(isa, codelets);
    poputil::appendFamily<vertices::ScalarInRowsFamily>(isa, codelets);
    poputil::appendFamily<vertices::GatherStatisticsFamily>(isa, codelets);
    poputil::appendFamily<vertices::NormaliseImageFamily>(isa, codelets);
    poputil::appendFamily<vertices::SplineBasisFamily>(isa, codelets);
    poputil::appendFamily<vertices::SplineWeightingFamily>(isa, codelets);
    poputil::appendFamily<vertices::TopKFamily>(isa, codelets);
    poputil::appendFamily<vertices::TopKMergeFamily>(isa, codelets);
    poputil::appendFamily<vertices::TransposeFamily>(isa, codelets);
    poputil::appendFamily<vertices::ScaledAddFamily>(isa, codelets);
    poputil::appendFamily<vertices::SequenceSliceFamily>(isa, codelets);
    return codelets;
  }();
  return table;
}

} // namespace cottonwood::popops

namespace popops {

POP_INLINE void addCodelets(poplar::Graph &graph) {
  cottonwood::codelet::addToGraph(graph, cottonwood::popops::builtinCodelets());
}

} // namespace popops
