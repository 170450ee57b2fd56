#pragma once

#include <popops/impl/Positions.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/impl/Math.hpp>

#include <limits>

namespace cottonwood::popops {

POP_INLINE std::vector<PositionShare> positionSharesOf(::poplar::Graph const &graph,
                                                       Tensor const &matrix) {
  constexpr std::size_t MOST_A_TILE = 8;
  Tensor const flat = matrix.flatten();
  std::size_t const tiles = graph.getTarget().getNumTiles();
  if (tiles == 1) // where shares do not depend on the mapping
    static_cast<void>(graph.getTileMapping(flat));
  std::size_t const columns = matrix.dim(1);
  planner::ElementWiseProblem problem;
  problem.elements = flat.numElements();
  problem.bytesPer8 =
      8 * static_cast<unsigned>(graph.getTarget().getTypeSize(matrix.elementType()));
  planner::ElementWisePlan plan = planner::planElementWise(problem, crewOf(graph.getTarget()));
  plan.gatherAbove = std::numeric_limits<unsigned>::max();
  std::vector<Share> const shares = sharesOf(graph, flat, plan);
  if (tiles > 1 && shares.size() > MOST_A_TILE * tiles)
    return {};
  std::vector<PositionShare> result;
  for (Share const &share : shares) {
    Interval const run = share.intervals.front();
    result.push_back({share.tile, run,
                      Interval(run.begin() / columns, poputil::ceilDiv(run.end(), columns)),
                      static_cast<unsigned>(run.begin() % columns)});
  }
  return result;
}

POP_INLINE Tensor addLinearTwin(::poplar::Graph &graph, Tensor const &matrix,
                                ::poplar::DebugContext const &debugContext) {
  Tensor const twin = graph.addVariable(matrix.elementType(), matrix.shape(), debugContext);
  ::poputil::mapTensorLinearly(graph, twin);
  return twin;
}

} // namespace cottonwood::popops
