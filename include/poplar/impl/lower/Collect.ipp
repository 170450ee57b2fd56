// Body of collectReachable() and checkComplete().
#pragma once

#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <unordered_set>

namespace cottonwood::lower::detail {

class Collector {
public:
  explicit Collector(Context &context) : context_(context), graph_(context.graph) {
    context.computeSetIndex.assign(graph_.numComputeSets(), NONE);
    context.usedVars.assign(context.vars.size(), 0);
    functionState_.assign(graph_.numFunctions(), FunctionState::Unseen);
    context_.functionBodies.resize(graph_.numFunctions());
  }

  void program(program::NodePtr const &root) {
    if (root && seen_.insert(root.get()).second)
      node(*root);
  }

  void view(graph::View const &view) {
    view.forEachBlockUnordered([&](graph::StridedBlock const &block) { use(block.var); });
  }

private:
  enum class FunctionState : std::uint8_t { Unseen, Open, Done };

  void use(graph::VarId id) {
    if (graph_.hasGroups() && graph_.variable(id).group.count != 1)
      base::fail<poplar::graph_replication_error>(
          "Engine", "a program uses ", graph_.describe(id), ", which exists ",
          graph_.variable(id).group.count,
          " times, in a way that graphs made with createReplicatedGraph do not know; "
          "Graph::getNonReplicatedTensor shows the replicas one by one");
    context_.usedVars[context_.vars.of(id)] = 1;
  }
  void node(program::Node const &node);
  void computeSet(graph::ComputeSetId id);
  void function(graph::FunctionId id);

  Context &context_;
  graph::GraphData const &graph_;
  std::unordered_set<program::Node const *> seen_;
  std::vector<FunctionState> functionState_;
};

POP_INLINE void Collector::node(program::Node const &node) {
  using program::NodeKind;
  if (node.graph != 0 && node.graph != graph_.id())
    base::fail<poplar::poplar_error>(
        "Engine", program::kindName(node.kind), " program ", base::quoted(node.name),
        " belongs to another graph; all programs of an engine must use its own graph");
  if (node.kind == NodeKind::Execute)
    computeSet(node.id);
  if (node.kind == NodeKind::Call)
    function(node.id);
  for (graph::View const &operand : node.views)
    view(operand);
  for (program::NodePtr const &child : node.children)
    program(child);
}

POP_INLINE void Collector::function(graph::FunctionId id) {
  if (functionState_[id] == FunctionState::Done)
    return;
  if (functionState_[id] == FunctionState::Open)
    base::fail<poplar::graph_recursion_error>("Engine", "function ", id,
                                              " calls itself; recursion is not possible");
  functionState_[id] = FunctionState::Open;
  program(graph_.function(id));
  context_.functionBodies[id] = graph_.function(id);
  functionState_[id] = FunctionState::Done;
  context_.functions.push_back(id);
}

POP_INLINE void Collector::computeSet(graph::ComputeSetId id) {
  if (context_.computeSetIndex[id] != NONE)
    return;
  context_.computeSetIndex[id] = static_cast<std::uint32_t>(context_.computeSets.size());
  context_.computeSets.push_back(id);
  for (graph::VertexId vertex : graph_.computeSet(id).vertices)
    graph_.forEachRegion(vertex, [&](unsigned, std::size_t, graph::Region const &region) {
      if (region.view)
        view(*region.view);
      else if (region.run.size != 0)
        use(region.run.var);
    });
  for (graph::VertexId vertex : graph_.computeSet(id).vertices)
    graph_.forEachMetadata(vertex, [&](unsigned, graph::View const &metadata) { view(metadata); });
}

POP_INLINE void checkMapping(Context const &context, std::size_t index) {
  graph::VarId const id = context.vars.id(index);
  graph::Variable const &variable = context.graph.variable(id);
  if (variable.tiles.complete())
    return;
  std::uint64_t first = 0, last = 0;
  bool found = false;
  variable.tiles.forEach(0, variable.numElements,
                         [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                           if (tile == graph::kNoTile && !found) {
                             found = true;
                             first = begin;
                             last = end;
                           }
                         });
  base::fail<poplar::invalid_tile_mapping>(
      "Engine", context.vars.isConstant(index) ? "constant " : "tensor ",
      context.graph.describe(id), " of shape ", base::shapeText(variable.shape), ": elements [",
      first, ", ", last,
      ") are not mapped to a tile; every element that a program uses needs one "
      "(Graph::setTileMapping)");
}

POP_INLINE void checkVertex(Context const &context, graph::VertexId vertex) {
  graph::GraphData const &graph = context.graph;
  if (graph.vertex(vertex).tile == graph::kNoTile)
    base::fail<poplar::invalid_tile_mapping>("Engine", graph.describeVertex(vertex),
                                             " is not mapped to a tile; every vertex needs one "
                                             "(Graph::setTileMapping)");
  codelet::Codelet const &codelet = graph.codeletOf(vertex);
  for (unsigned field = 0; field < codelet.fields.size(); ++field)
    if (codelet.fields[field].isEdge() && !graph.isConnected(vertex, field))
      base::fail<poplar::graph_connection_error>(
          "Engine", "field '", codelet.fields[field].name, "' of ", graph.describeVertex(vertex),
          " is not connected; every edge of a vertex needs a tensor "
          "(Graph::connect)");
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void collectReachable(Context &context) {
  detail::Collector collector(context);
  for (program::NodePtr const &root : context.programs)
    collector.program(root);
  for (graph::HostAccess const &access : context.graph.hostReads())
    collector.view(access.view);
  for (graph::HostAccess const &access : context.graph.hostWrites()) {
    collector.view(access.view);
    if (access.view.metadata() != graph::kNoMetadata)
      collector.view(context.graph.metadata(access.view.metadata()));
  }
}

POP_INLINE void checkComplete(Context &context) {
  for (std::size_t index = 0; index < context.vars.size(); ++index)
    if (context.usedVars[index])
      detail::checkMapping(context, index);
  for (graph::ComputeSetId id : context.computeSets)
    for (graph::VertexId vertex : context.graph.computeSet(id).vertices)
      detail::checkVertex(context, vertex);
}

} // namespace cottonwood::lower
