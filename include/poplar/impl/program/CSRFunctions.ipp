#pragma once
#include <poplar/CSRFunctions.hpp>

#include <array>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/View.hpp>

namespace cottonwood::program::detail {

/// The switches in the order of the hidden variable's elements.
POP_INLINE std::array<bool, 5> switchesOf(poplar::FloatingPointBehaviour const &behaviour) {
  return {behaviour.inv, behaviour.div0, behaviour.oflo, behaviour.esr, behaviour.nanoo};
}

POP_INLINE poplar::Tensor behaviourOf(poplar::Graph &graph, char const *where) {
  graph::GraphData *const data = graph::HandleAccess::data(graph).get();
  if (!data)
    base::fail<poplar::poplar_error>(where,
                                     "the graph is empty (default-constructed or moved from)");
  return graph::makeTensor(data->wholeView(data->floatingPointBehaviour()));
}

/// Appends the setting of the chosen switches to `value`.
POP_INLINE void setSwitches(poplar::Graph &graph, poplar::program::Sequence &prog,
                            poplar::Tensor const &state, std::array<bool, 5> const &chosen,
                            bool value, poplar::DebugContext const &debugContext) {
  std::vector<poplar::Tensor> elements;
  for (std::size_t i = 0; i != chosen.size(); ++i)
    if (chosen[i])
      elements.push_back(state.slice(i, i + 1));
  if (elements.empty())
    return;
  poplar::Tensor const constant =
      graph.addConstant(poplar::BOOL, {elements.size()}, value, debugContext);
  graph.getTopLevelGraph().setTileMapping(constant, 0);
  prog.add(poplar::program::Copy(constant, poplar::concat(elements), false, debugContext));
}

} // namespace cottonwood::program::detail

namespace poplar {

POP_INLINE void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          FloatingPointBehaviour const &behaviour,
                                          DebugContext const &debugContext) {
  namespace detail = cottonwood::program::detail;
  Tensor const state = detail::behaviourOf(graph, "setFloatingPointBehaviour");
  detail::setSwitches(graph, prog, state, detail::switchesOf(!behaviour), false, debugContext);
  detail::setSwitches(graph, prog, state, detail::switchesOf(behaviour), true, debugContext);
}

POP_INLINE void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          Tensor const &behaviour,
                                          DebugContext const &debugContext) {
  namespace base = cottonwood::base;
  char const *const where = "setFloatingPointBehaviour";
  Tensor const state = cottonwood::program::detail::behaviourOf(graph, where);
  if (!behaviour.valid())
    base::fail<poplar_error>(where, "'behaviour' is an invalid tensor");
  if (behaviour.shape() != state.shape() || behaviour.elementType() != BOOL)
    base::fail<poplar_error>(where, "'behaviour' has shape ", base::shapeText(behaviour.shape()),
                             " of type ", behaviour.elementType(),
                             "; it must be what getAndModifyFloatingPointBehaviour returns, ",
                             base::shapeText(state.shape()), " of type bool");
  prog.add(program::Copy(behaviour, state, false, debugContext));
}

POP_INLINE void setStochasticRounding(Graph &graph, program::Sequence &prog, bool behaviour,
                                      DebugContext const &debugContext) {
  namespace detail = cottonwood::program::detail;
  Tensor const state = detail::behaviourOf(graph, "setStochasticRounding");
  detail::setSwitches(graph, prog, state,
                      detail::switchesOf(FloatingPointBehaviour(false, false, false, true, false)),
                      behaviour, debugContext);
}

POP_INLINE Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                                     FloatingPointBehaviour const &clear,
                                                     FloatingPointBehaviour const &set,
                                                     DebugContext const &debugContext) {
  namespace detail = cottonwood::program::detail;
  Tensor const state = detail::behaviourOf(graph, "getAndModifyFloatingPointBehaviour");
  Tensor const copy = graph.clone(state, debugContext);
  prog.add(program::Copy(state, copy, false, debugContext));
  detail::setSwitches(graph, prog, state, detail::switchesOf(clear), false, debugContext);
  detail::setSwitches(graph, prog, state, detail::switchesOf(set), true, debugContext);
  return copy;
}

} // namespace poplar
