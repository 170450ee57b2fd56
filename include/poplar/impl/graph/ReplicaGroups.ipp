#pragma once
#include <poplar/impl/graph/ReplicaGroups.hpp>

#include <algorithm>
#include <cstring>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/Relocation.hpp>
#include <poplar/impl/graph/TileTable.hpp>

namespace cottonwood::graph {

// ---- Groups of variables

POP_INLINE std::atomic<bool> &GraphData::groupsExist() {
  static std::atomic<bool> exist{false};
  return exist;
}

POP_INLINE MetadataId GraphData::instanceOfMetadata(MetadataId id, unsigned k, unsigned count) {
  return id == kNoMetadata ? id : addMetadata(instanceOf(*this, metadata(id), k, count));
}

POP_INLINE void GraphData::makeGroup(VarId id, ReplicaGroup group) {
  Variable &first = variable(id);
  first.group = group;
  for (std::uint32_t k = 0; k < group.count; ++k) {
    VarId const instance =
        isConstant(id) ? addConstant(first.type, first.shape, first.value, first.splat, first.name,
                                     instanceOfMetadata(first.metadata, k, group.count))
                       : addVariable(first.type, first.shape, first.name,
                                     instanceOfMetadata(first.metadata, k, group.count));
    if (k == 0)
      first.firstInstance = instance;
    Variable &other = variable(instance);
    if (first.replicaScale != 0) {
      first.replicaScale = other.replicaScale = group.count;
      std::uint32_t const index = k;
      std::memcpy(other.value.data(), &index, sizeof index);
    }
    first.tiles.forEach(0, other.numElements,
                        [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                          if (tile != kNoTile)
                            other.tiles.set(begin, end, instanceTile(tile, k, group));
                        });
  }
  hasGroups_ = true;
  groupsExist().store(true, std::memory_order_relaxed);
}

POP_INLINE std::uint32_t GraphData::instanceTile(std::uint32_t tile, std::uint32_t k,
                                                 ReplicaGroup group) const {
  std::uint64_t const moved = tile + std::uint64_t{k} * group.tileStride;
  if (moved >= numTiles_)
    base::fail<poplar::graph_replication_error>(
        "Graph::setTileMapping", "tile ", tile,
        " of the top-level graph is not one of replica 0, which alone can be given; replica ", k,
        " would be on tile ", moved, " of ", numTiles_);
  return static_cast<std::uint32_t>(moved);
}

POP_INLINE VarId GraphData::instance(VarId id, unsigned k) const {
  Variable const &group = variable(id);
  return group.group.count == 1 ? id : group.firstInstance + k;
}

POP_INLINE ReplicaGroup GraphData::vertexGroup(VertexId id) const {
  if (!hasGroups_)
    return {};
  auto const found = vertexGroups_.find(id);
  return found == vertexGroups_.end() ? ReplicaGroup{} : found->second;
}

POP_INLINE void GraphData::makeVertexGroup(VertexId first, ReplicaGroup group) {
  vertexGroups_.emplace(first, group);
  hasGroups_ = true;
  groupsExist().store(true, std::memory_order_relaxed);
}

POP_INLINE void GraphData::mapElements(VarId id, std::uint64_t begin, std::uint64_t end,
                                       std::uint32_t tile) {
  ReplicaGroup const group = variable(id).group;
  for (std::uint32_t k = 0; group.count != 1 && k < group.count; ++k)
    variable(instance(id, k)).tiles.set(begin, end, instanceTile(tile, k, group));
  variable(id).tiles.set(begin, end, tile);
}

POP_INLINE NewVariables::NewVariables(GraphData &graph)
    : graph_(graph), numVariables_(graph.numVariables()), numConstants_(graph.numConstants()) {}

POP_INLINE void NewVariables::replicate(ReplicaGroup group) const {
  if (group.count == 1)
    return;
  std::size_t const endVariables = graph_.numVariables(), endConstants = graph_.numConstants();
  for (std::size_t i = numVariables_; i < endVariables; ++i)
    graph_.makeGroup(static_cast<VarId>(i), group);
  for (std::size_t i = numConstants_; i < endConstants; ++i)
    graph_.makeGroup(static_cast<VarId>(i) | kConstantBit, group);
}

// ---- Views

POP_INLINE unsigned replicasOf(GraphData const &graph, View const &view) {
  if (!graph.hasGroups())
    return 1;
  unsigned count = 1;
  view.forEachBlockUnordered([&](StridedBlock const &block) {
    count = std::max(count, graph.variable(block.var).group.count);
  });
  return count;
}

POP_INLINE View instanceOf(GraphData const &graph, View const &view, unsigned k, unsigned count) {
  if (view.numElements() == 0 || !graph.hasGroups())
    return view;
  std::vector<Relocated> places;
  view.forEachBlockUnordered([&](StridedBlock const &block) {
    Variable const &variable = graph.variable(block.var);
    unsigned const own = variable.group.count;
    if (count % own != 0)
      base::fail<poplar::graph_replication_error>(
          "Graph", "a tensor of ", own, " replicas (", graph.describe(block.var),
          ") is used by something that exists ", count,
          " times; Graph::getNonReplicatedTensor shows the replicas one by one");
    VarId const instance = graph.instance(block.var, k / (count / own));
    places.push_back({block.var, 0, variable.numElements, instance, 0});
  });
  std::sort(places.begin(), places.end(),
            [](Relocated const &a, Relocated const &b) { return a.var < b.var; });
  places.erase(std::unique(places.begin(), places.end(),
                           [](Relocated const &a, Relocated const &b) { return a.var == b.var; }),
               places.end());
  MetadataId const metadata =
      view.metadata() == kNoMetadata ? kNoMetadata : graph.variable(places[0].newVar).metadata;
  return relocate(view, view.type(), places, metadata);
}

POP_INLINE View allInstances(GraphData const &graph, View const &view, unsigned count) {
  std::size_t const shape[] = {static_cast<std::size_t>(view.numElements())};
  std::vector<View> parts;
  for (unsigned k = 0; k < count; ++k)
    parts.push_back(instanceOf(graph, view, k, count).reshape(shape));
  // Where the metadata exist once a replica, there are no metadata of all.
  for (View &part : parts)
    if (part.metadata() != parts.back().metadata())
      part = part.reinterpret(poplar::UNSIGNED_CHAR);
  if (parts[0].type() != parts.back().type())
    parts.back() = parts.back().reinterpret(poplar::UNSIGNED_CHAR);
  return View::concat(parts, 0);
}

// ---- Programs

namespace detail {

[[noreturn]] POP_INLINE void failShared(program::Node const &node, unsigned count) {
  base::fail<poplar::graph_replication_error>(
      program::kindName(node.kind), "the destination exists fewer times than the ", count,
      " replicas that would write it; Graph::getNonReplicatedTensor shows the replicas one by one");
}

/// One node for each replica, one after another.
template <class F>
program::NodePtr oneForEach(std::shared_ptr<program::Node> const &node, unsigned count,
                            F &&change) {
  auto sequence = std::make_shared<program::Node>();
  sequence->name = node->name;
  for (unsigned k = 0; k < count; ++k) {
    auto one = std::make_shared<program::Node>(*node);
    change(*one, k);
    sequence->children.push_back(std::move(one));
  }
  return sequence;
}

/// The replicas of the graph are tiles of one machine, so they copy like any other tensors.
POP_INLINE program::NodePtr crossInstanceCopy(GraphData const &graph,
                                              std::shared_ptr<program::Node> node, unsigned count) {
  std::vector<View> sources;
  std::size_t const shape[] = {static_cast<std::size_t>(node->views[0].numElements())};
  for (std::int32_t const source : node->cases)
    sources.push_back(
        instanceOf(graph, node->views[0], static_cast<unsigned>(source), count).reshape(shape));
  node->kind = program::NodeKind::Copy;
  node->cases.clear();
  node->views = {View::concat(sources, 0), allInstances(graph, node->views[1], count)};
  return node;
}

} // namespace detail

POP_INLINE program::NodePtr forAllInstances(std::shared_ptr<program::Node> node) {
  using program::NodeKind;
  if (node->views.empty() || !GraphData::anyGroups())
    return node;
  std::shared_ptr<GraphData> const graph = GraphData::find(node->graph);
  if (!graph || !graph->hasGroups())
    return node;
  bool const isStream =
      node->kind == NodeKind::StreamToDevice || node->kind == NodeKind::StreamToHost;
  unsigned count = isStream ? graph->stream(node->id).group : 1;
  for (View const &view : node->views)
    count = std::max(count, replicasOf(*graph, view));
  if (count == 1)
    return node;
  bool const isWritten = node->kind == NodeKind::Copy || node->kind == NodeKind::CrossReplicaCopy ||
                         node->kind == NodeKind::StreamToDevice;
  if (isWritten && node->views.back().numElements() != 0 &&
      replicasOf(*graph, node->views.back()) != count)
    detail::failShared(*node, count);
  if (isStream) {
    if (graph->stream(node->id).group != count)
      base::fail<poplar::graph_replication_error>(
          "Copy", "the stream '", graph->stream(node->id).handle, "' exists ",
          graph->stream(node->id).group, " times, the tensor ", count,
          "; make the stream through the replicated graph");
    return detail::oneForEach(node, count, [&](program::Node &one, unsigned k) {
      one.views[0] = instanceOf(*graph, node->views[0], k, count);
      one.count = k;
    });
  }
  if (node->kind == NodeKind::PrintTensor)
    return detail::oneForEach(node, count, [&](program::Node &one, unsigned k) {
      for (View &view : one.views)
        view = instanceOf(*graph, view, k, count);
      auto spec = std::make_shared<program::PrintSpec>(*node->print);
      if (!spec->title.empty())
        spec->title += base::textOf("_replica_", k);
      one.print = std::move(spec);
    });
  if (node->kind == NodeKind::Execute)
    base::fail<poplar::graph_replication_error>(
        "Execute", "the flag exists ", count,
        " times; what the vertices of one replica return cannot be told apart in a graph made with "
        "createReplicatedGraph");
  if (node->kind == NodeKind::CrossReplicaCopy)
    return detail::crossInstanceCopy(*graph, std::move(node), count);
  for (View &view : node->views)
    view = allInstances(*graph, view, count);
  return node;
}

} // namespace cottonwood::graph

namespace poplar {

POP_INLINE Graph Graph::createReplicatedGraph(unsigned replicationFactor) {
  char const *const where = "Graph::createReplicatedGraph";
  data(where);
  unsigned const numIPUs = target_.getNumIPUs();
  if (replicationFactor == 0 || numIPUs % replicationFactor != 0)
    cottonwood::base::fail<graph_replication_error>(
        where, "the factor ", replicationFactor, " does not divide the ", numIPUs,
        numIPUs == 1 ? " IPU" : " IPUs", " of the graph");
  unsigned const numTiles = target_.getNumTiles() / replicationFactor;
  Graph result = createVirtualGraph(0, numTiles);
  result.replicas_ = replicas_ * replicationFactor;
  result.replicaStride_ = replicationFactor == 1 ? replicaStride_
                                                 : convertTileToTopLevelGraphTile(numTiles) -
                                                       convertTileToTopLevelGraphTile(0);
  return result;
}

POP_INLINE Tensor Graph::getNonReplicatedTensor(Tensor const &t) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::getNonReplicatedTensor";
  GraphData const &graph = data(where);
  View const &view = checkedView(where, "t", t, graph);
  unsigned const count = replicasOf(graph, view);
  if (replicas_ != 1)
    cottonwood::base::fail<graph_replication_error>(
        where, "the graph is itself one of ", replicas_,
        " replicas; only a graph that createReplicatedGraph did not make shows replicas");
  std::vector<std::size_t> shape(view.shape().begin(), view.shape().end());
  shape.insert(shape.begin(), count);
  return makeTensor(allInstances(graph, view, count).reshape(shape));
}

} // namespace poplar
