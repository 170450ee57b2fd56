// Names, fields and costs of the vertices of codelets/popnn/Pool.hpp. The indices that a cost
// function asks for are the positions of the fields.
#pragma once

#include <codelets/popnn/Pool.hpp>
#include <codelets/popnn/PoolCost.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

namespace cottonwood::vertices {

/// \tparam OUT, INNER, WINDOW  positions of those fields
template <unsigned BYTES, unsigned OUT, unsigned INNER, unsigned WINDOW, unsigned OPERATIONS>
codelet::Cost costOfPool(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  std::uint64_t const elements = sizes.elements(OUT);
  auto const inner = static_cast<std::uint64_t>(sizes.stateInt(INNER));
  auto const window = static_cast<std::uint64_t>(sizes.stateInt(WINDOW));
  return {poolCycles(inner == 0 ? 0 : elements / inner, inner, window, BYTES, OPERATIONS,
                     machine.workers),
          elements * window};
}

template <class Tag, class T> poputil::VertexText describeVertex(Pool<Tag, T> *) {
  using V = Pool<Tag, T>;
  return {poputil::templateName<T>("popnn::Pool"),
          {POP_FIELD(V, in), POP_FIELD(V, out), POP_FIELD(V, table), POP_FIELD(V, inner),
           POP_FIELD(V, kind), POP_FIELD(V, window), POP_FIELD(V, first)},
          &costOfPool<sizeof(T), 1, 3, 5, 1>};
}

template <class V, class T> poputil::VertexText describePoolCompare(char const *name) {
  return {poputil::templateName<T>(name),
          {POP_FIELD(V, acts), POP_FIELD(V, pooled), POP_FIELD(V, gradient), POP_FIELD(V, out),
           POP_FIELD(V, table), POP_FIELD(V, inner), POP_FIELD(V, window), POP_FIELD(V, first)},
          &costOfPool<sizeof(T), 3, 5, 6, 3>};
}
template <class Tag, class T> poputil::VertexText describeVertex(PoolMaxGradient<Tag, T> *) {
  return describePoolCompare<PoolMaxGradient<Tag, T>, T>("popnn::PoolMaxGradient");
}
template <class Tag, class T> poputil::VertexText describeVertex(PoolMaxScale<Tag, T> *) {
  return describePoolCompare<PoolMaxScale<Tag, T>, T>("popnn::PoolMaxScale");
}

} // namespace cottonwood::vertices
