// Names, fields and costs of the vertices of maps, reductions, casts, fills and scaled sums.
// The indices that a cost function asks for are the positions of the fields in their class.
#pragma once

#include <codelets/popops/Cast.hpp>
#include <codelets/popops/CastCost.hpp>
#include <codelets/popops/Fill.hpp>
#include <codelets/popops/FillCost.hpp>
#include <codelets/popops/Map.hpp>
#include <codelets/popops/MapCost.hpp>
#include <codelets/popops/Reduce.hpp>
#include <codelets/popops/ReduceCost.hpp>
#include <codelets/popops/ScaledAdd.hpp>
#include <codelets/popops/ScaledAddCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

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

template <class T>
inline constexpr CastType CAST_TYPE{sizeof(T), std::is_same_v<T, float>,
                                    std::is_same_v<T, ::poplar::half>};

template <CastKind KIND> Cost costOfCast(VertexSizes const &sizes, Machine const &machine) {
  constexpr unsigned OUT = 1;
  return {castCycles(KIND, sizes.elements(OUT), machine.workers), 0};
}

template <class Tag, class From, class To> VertexText describeVertex(Cast<Tag, From, To> *) {
  using V = Cast<Tag, From, To>;
  return {templateName<From, To>("popops::Cast"),
          {POP_FIELD(V, in), POP_FIELD(V, out)},
          &costOfCast<castKind(CAST_TYPE<From>, CAST_TYPE<To>)>};
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

} // namespace cottonwood::vertices
