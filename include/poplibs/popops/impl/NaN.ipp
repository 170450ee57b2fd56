#pragma once

#include <popops/NaN.hpp>
#include <popops/Reduce.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

// One flag a worker context of every vertex, so that none writes where another does; a reduction
// joins them.
POP_INLINE Tensor findSpecial(char const *where, ::poplar::Graph &graph, Tensor const &src,
                              bool infinities, ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  if (!src.valid())
    base::fail<::poputil::poplibs_error>(where, "'src' is an invalid tensor");
  if (src.elementType() != ::poplar::FLOAT && src.elementType() != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(where, "'src' is of type ", src.elementType(),
                                         "; allowed: float, half");
  Tensor const flat = elementOrder(graph, src).flat(src);
  planner::ElementWiseProblem problem;
  problem.elements = flat.numElements();
  problem.bytesPer8 = 8 * static_cast<unsigned>(graph.getTarget().getTypeSize(src.elementType()));
  auto const plan = planner::planElementWise(problem, crewOf(graph.getTarget()));
  auto const cs = graph.addComputeSet(debugContext);
  std::string const name = ::poputil::templateVertex("popops::HasSpecial", src.elementType());
  std::vector<Tensor> flags;
  for (Share const &share : sharesOf(graph, flat, plan)) {
    Tensor const found =
        graph.addVariable(::poplar::BOOL, {graph.getTarget().getNumWorkerContexts()}, debugContext);
    graph.setTileMapping(found, share.tile);
    auto const v = graph.addVertex(cs, name, {{"in", partOf(flat, share)}, {"found", found}});
    graph.setInitialValue(v["infinities"], infinities);
    graph.setTileMapping(v, share.tile);
    flags.push_back(found);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
  Tensor const all =
      flags.empty() ? graph.addVariable(::poplar::BOOL, {0}) : ::poplar::concat(flags);
  return ::popops::reduce(graph, all, {0}, ::popops::Operation::LOGICAL_OR, prog, debugContext);
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor hasNaN(poplar::Graph &graph, poplar::Tensor const &src,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "hasNaN");
  return cottonwood::popops::detail::findSpecial("popops::hasNaN", graph, src, false, prog, {di});
}

POP_INLINE poplar::Tensor hasNaNOrInf(poplar::Graph &graph, poplar::Tensor const &src,
                                      poplar::program::Sequence &prog,
                                      poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "hasNaNOrInf");
  return cottonwood::popops::detail::findSpecial("popops::hasNaNOrInf", graph, src, true, prog,
                                                 {di});
}

} // namespace popops
