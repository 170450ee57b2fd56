#pragma once
#include <poplar/RandomSeed.hpp>
#include <poplar/impl/program/RandomSeed.hpp>

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/View.hpp>

#include <vector>

namespace cottonwood::program {

POP_INLINE poplar::Tensor hwSeedsOf(poplar::Graph &graph) {
  graph::GraphData *const data = graph::HandleAccess::data(graph).get();
  if (!data)
    base::fail<poplar::poplar_error>("getHwSeeds",
                                     "the graph is empty (default-constructed or moved from)");
  if (graph.getReplicationFactor() != data->numReplicas())
    base::fail<poplar::graph_replication_error>(
        "getHwSeeds",
        "the generators of a graph that createReplicatedGraph made cannot be reached; "
        "use those of its parent");
  poplar::Tensor const all = graph::makeTensor(data->wholeView(data->hwSeeds()));
  unsigned const numTiles = graph.getTarget().getNumTiles();
  std::vector<poplar::Interval> rows; // of the top-level graph, runs of neighbours as one
  for (unsigned tile = 0; tile != numTiles; ++tile) {
    std::size_t const row = graph.convertTileToTopLevelGraphTile(tile);
    if (!rows.empty() && rows.back().end() == row)
      rows.back() = {rows.back().begin(), row + 1};
    else
      rows.push_back({row, row + 1});
  }
  return poplar::concat(all.slices(rows, 0), 0);
}

} // namespace cottonwood::program

namespace poplar {

POP_INLINE Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                             DebugContext const &debugContext) {
  Tensor const state = cottonwood::program::hwSeedsOf(graph);
  Tensor const copy = graph.clone(state, debugContext);
  prog.add(program::Copy(state, copy, false, debugContext));
  return copy;
}

POP_INLINE void setHwSeeds(Graph &graph, Tensor const &hwSeeds, program::Sequence &prog,
                           DebugContext const &debugContext) {
  namespace base = cottonwood::base;
  Tensor const state = cottonwood::program::hwSeedsOf(graph);
  if (!hwSeeds.valid())
    base::fail<poplar_error>("setHwSeeds", "'hwSeeds' is an invalid tensor");
  if (hwSeeds.shape() != state.shape() || hwSeeds.elementType() != UNSIGNED_INT)
    base::fail<poplar_error>("setHwSeeds", "'hwSeeds' has shape ", base::shapeText(hwSeeds.shape()),
                             " of type ", hwSeeds.elementType(), "; for this graph it must be ",
                             base::shapeText(state.shape()), " of type unsigned int");
  prog.add(program::Copy(hwSeeds, state, false, debugContext));
}

} // namespace poplar
