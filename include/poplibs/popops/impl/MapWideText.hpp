// Names, fields and costs of the vertices for integers of 16 and 64 bits.
// The indices that a cost function asks for are the positions of the fields in their class.
#pragma once

#include <codelets/popops/MapWide.hpp>
#include <codelets/popops/MapWideCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

namespace cottonwood::vertices {

template <unsigned BYTES>
codelet::Cost costOfWide(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  constexpr unsigned OUT = 2, OP = 3;
  return {wideCycles(static_cast<MapOp>(sizes.stateInt(OP)), BYTES, sizes.elements(OUT),
                     machine.workers),
          0};
}

template <unsigned BYTES>
codelet::Cost costOfWideSelect(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  constexpr unsigned OUT = 3;
  return {wideCycles(MapOp::SELECT, BYTES, sizes.elements(OUT), machine.workers), 0};
}

template <class Tag, class T, class Out>
poputil::VertexText describeVertex(WideVertex<Tag, T, Out> *) {
  using V = WideVertex<Tag, T, Out>;
  return {
      poputil::templateName<T>(std::is_same_v<Out, bool> ? "popops::CompareWide"
                                                         : "popops::MapWide"),
      {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, out), POP_FIELD(V, op), POP_FIELD(V, single)},
      &costOfWide<sizeof(T)>};
}

template <class Tag, class T> poputil::VertexText describeVertex(SelectWide<Tag, T> *) {
  using V = SelectWide<Tag, T>;
  return {poputil::templateName<T>("popops::SelectWide"),
          {POP_FIELD(V, a), POP_FIELD(V, b), POP_FIELD(V, condition), POP_FIELD(V, out),
           POP_FIELD(V, single)},
          &costOfWideSelect<sizeof(T)>};
}

} // namespace cottonwood::vertices
