// Body of mergeCopies(): neighbouring copies that do not depend on each other become one.
#pragma once

#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

namespace cottonwood::lower::detail {

/// Every copy is compared with all of its group.
inline constexpr std::size_t MAX_MERGED_COPIES = 32;

class CopyMerger {
public:
  /// The same program with merged copies; the program itself where there is nothing to merge.
  /// Shared subtrees stay shared.
  program::NodePtr merged(program::NodePtr const &node);

private:
  using Node = program::Node;
  using NodePtr = program::NodePtr;

  std::vector<NodePtr> mergeNeighbours(std::vector<NodePtr> const &children) const;
  bool fits(Node const &copy, std::span<NodePtr const> group) const;
  NodePtr join(std::span<NodePtr const> group) const;

  std::unordered_map<Node const *, NodePtr> done_;
};

POP_INLINE bool isCopy(program::NodePtr const &node) {
  return node && node->kind == program::NodeKind::Copy;
}

/// Whether a copy may run at once with all of a group: neither side sees what the other writes.
POP_INLINE bool CopyMerger::fits(Node const &copy, std::span<NodePtr const> group) const {
  graph::View const &src = copy.views[0], &dst = copy.views[1];
  if (group.size() >= MAX_MERGED_COPIES || dst.intersectsWith(src))
    return false;
  return std::all_of(group.begin(), group.end(), [&](NodePtr const &other) {
    graph::View const &otherSrc = other->views[0], &otherDst = other->views[1];
    return other->graph == copy.graph && otherSrc.type() == src.type() &&
           !otherDst.intersectsWith(dst) && !otherDst.intersectsWith(src) &&
           !otherSrc.intersectsWith(dst) && !otherDst.intersectsWith(otherSrc);
  });
}

POP_INLINE program::NodePtr CopyMerger::join(std::span<NodePtr const> group) const {
  if (group.size() == 1)
    return group[0];
  auto joined = std::make_shared<Node>(*group[0]);
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<graph::View> parts;
    for (NodePtr const &copy : group) {
      std::size_t const shape[] = {static_cast<std::size_t>(copy->views[side].numElements())};
      parts.push_back(copy->views[side].reshape(shape));
    }
    joined->views[side] = graph::View::concat(parts, 0);
  }
  return joined;
}

POP_INLINE std::vector<program::NodePtr>
CopyMerger::mergeNeighbours(std::vector<NodePtr> const &children) const {
  std::vector<NodePtr> result;
  for (std::size_t i = 0; i < children.size();) {
    std::size_t end = i + 1;
    if (isCopy(children[i]))
      while (end < children.size() && isCopy(children[end]) &&
             fits(*children[end], {&children[i], end - i}))
        ++end;
    result.push_back(join({&children[i], end - i}));
    i = end;
  }
  return result;
}

POP_INLINE program::NodePtr CopyMerger::merged(NodePtr const &node) {
  if (!node || node->children.empty())
    return node;
  if (auto const known = done_.find(node.get()); known != done_.end())
    return known->second;
  std::vector<NodePtr> children;
  for (NodePtr const &child : node->children)
    children.push_back(merged(child));
  if (node->kind == program::NodeKind::Sequence)
    children = mergeNeighbours(children);
  NodePtr result = node;
  if (children != node->children) {
    auto changed = std::make_shared<Node>(*node);
    changed->children = std::move(children);
    result = std::move(changed);
  }
  return done_.emplace(node.get(), result).first->second;
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void mergeCopies(Context &context) {
  detail::CopyMerger merger; // knows nodes by their address, so the old ones live as long as it
  std::vector<program::NodePtr> programs, bodies(context.functionBodies.size());
  for (program::NodePtr const &root : context.programs)
    programs.push_back(merger.merged(root));
  for (graph::FunctionId function : context.functions)
    bodies[function] = merger.merged(context.functionBodies[function]);
  context.programs.swap(programs);
  context.functionBodies.swap(bodies);
}

} // namespace cottonwood::lower
