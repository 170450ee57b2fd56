// Body of findUnread().
#pragma once

#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <unordered_set>

namespace cottonwood::lower::detail {

/// Marks what is read, or may be.
class ReadMarks {
public:
  explicit ReadMarks(Context &context) : context_(context), graph_(context.graph) {
    context.unread.assign(context.vars.size(), 1);
  }

  void view(graph::View const &view) {
    view.forEachBlockUnordered([&](graph::StridedBlock const &block) { mark(block.var); });
  }

  /// Whatever a program names counts, even where it only writes: copies cannot leave theirs out.
  void program(program::NodePtr const &node) {
    if (!node || node->kind == program::NodeKind::WriteUndef || !seen_.insert(node.get()).second)
      return;
    for (graph::View const &operand : node->views)
      view(operand);
    for (program::NodePtr const &child : node->children)
      program(child);
  }

  void vertex(graph::VertexId id) {
    codelet::Codelet const &codelet = graph_.codeletOf(id);
    graph_.forEachRegion(id, [&](unsigned field, std::size_t, graph::Region const &region) {
      if (codelet.fields[field].isRead())
        forEachSet(region, false, [&](ElementSet const &set) { mark(set.var); });
    });
    graph_.forEachMetadata(id, [&](unsigned, graph::View const &metadata) { view(metadata); });
  }

private:
  void mark(graph::VarId id) { context_.unread[context_.vars.of(id)] = 0; }

  Context &context_;
  graph::GraphData const &graph_;
  std::unordered_set<program::Node const *> seen_;
};

POP_INLINE bool hasOmittable(graph::GraphData const &graph) {
  for (std::uint32_t i = 0; i < graph.numCodelets(); ++i)
    if (graph.codelet(i).omittable >= 0)
      return true;
  return false;
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void findUnread(Context &context) {
  bool const isCpu = context.out.target.getTargetType() == poplar::TargetType::CPU;
  // Who looks for NaNs wants to see all outputs.
  if (!isCpu || context.options.watchOutputs || !detail::hasOmittable(context.graph))
    return;
  detail::ReadMarks marks(context);
  for (graph::ComputeSetId id : context.computeSets)
    for (graph::VertexId vertex : context.graph.computeSet(id).vertices)
      marks.vertex(vertex);
  for (program::NodePtr const &root : context.programs)
    marks.program(root);
  for (graph::FunctionId function : context.functions)
    marks.program(context.functionBodies[function]);
  for (graph::HostAccess const &access : context.graph.hostReads())
    marks.view(access.view);
  for (graph::HostAccess const &access : context.graph.hostWrites())
    marks.view(access.view);
}

} // namespace cottonwood::lower
