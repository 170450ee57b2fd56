#pragma once
#include <poplar/CycleCount.hpp>

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>
#include <poplar/impl/graph/View.hpp>
#include <poplar/impl/program/Access.hpp>

namespace cottonwood::program::detail {

/// A node that writes a [2] UNSIGNED_INT counter on a tile, and those of other replicas with it.
POP_INLINE std::shared_ptr<Node> counterNode(NodeKind kind, poplar::Graph &graph, unsigned tile,
                                             poplar::SyncType syncType,
                                             poplar::DebugContext const &debugContext,
                                             poplar::Tensor &counter) {
  requireSyncType(kind == NodeKind::CycleCount ? "poplar::cycleCount" : "poplar::cycleStamp",
                  syncType);
  counter = graph.addVariable(poplar::UNSIGNED_INT, {2}, debugContext);
  graph.setTileMapping(counter, tile);
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->name = base::DebugAccess::path(debugContext);
  node->syncType = syncType;
  node->id = graph.convertTileToTopLevelGraphTile(tile);
  node->views.push_back(graph::viewOf(counter));
  node->graph = node->views[0].graph();
  return node;
}

} // namespace cottonwood::program::detail

namespace poplar {

POP_INLINE Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                             SyncType syncType, DebugContext const &debugContext) {
  using namespace cottonwood::program;
  Tensor counter;
  std::shared_ptr<Node> node =
      detail::counterNode(NodeKind::CycleCount, graph, tile, syncType, debugContext, counter);
  addChildren(*node, {Access::node(prog)});
  program::Program wrapped;
  Access::setNode(wrapped, cottonwood::graph::forAllInstances(std::move(node)));
  prog = program::Sequence({wrapped}, debugContext);
  return counter;
}

POP_INLINE Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                             SyncType syncType, DebugContext const &debugContext) {
  using namespace cottonwood::program;
  Tensor counter;
  program::Program stamp;
  Access::setNode(stamp, cottonwood::graph::forAllInstances(detail::counterNode(
                             NodeKind::CycleStamp, graph, tile, syncType, debugContext, counter)));
  prog.add(stamp);
  return counter;
}

POP_INLINE std::vector<Tensor> cycleStamp(Graph &graph, program::Sequence &prog,
                                          std::vector<unsigned> const &tiles, SyncType syncType,
                                          DebugContext const &debugContext) {
  std::vector<Tensor> stamps;
  for (unsigned const tile : tiles)
    stamps.push_back(cycleStamp(graph, prog, tile, syncType, debugContext));
  return stamps;
}

} // namespace poplar
