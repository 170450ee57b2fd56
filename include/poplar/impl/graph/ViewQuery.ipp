#pragma once
// What a view answers about its locations: View's member functions that are not operations.

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/View.hpp>
#include <poplar/impl/graph/ViewOverlap.hpp>

namespace cottonwood::graph {

POP_INLINE bool View::isContiguous() const {
  requireValid("poplar::Tensor::isContiguous");
  if (!box_.node ||
      count_ == 0) // a canonical box is contiguous if and only if it is one factor of stride 1
    return count_ <= 1 || (box_.factors.size() == 1 && box_.factors[0].stride == 1);
  unsigned numRuns = 0;
  forEachRun([&numRuns](Run const &) { return ++numRuns < 2; });
  return numRuns < 2;
}

namespace viewdetail {

/// Decides by the boxes that a view shows, whatever its order.
POP_INLINE bool coverHasAliases(Box const &box) {
  OverlapFinder finder(false);
  bool repeats = false;
  auto collect = [&](Box const &part) {
    finder.add(part);
    return !repeats && isInjective(part.factors);
  };
  BoxCall sink(collect);
  return !cover(box, sink, repeats) || repeats || finder.any();
}

/// Whether the whole address space of a stage contains a location twice; found out once.
POP_INLINE bool nodeHasAliases(NodePtr const &node) {
  if (node->knownAliases() == Node::Aliases::Unknown) {
    Box whole{node, 0, 0, {}};
    appendFactor(whole.factors, node->size(), 1);
    node->rememberAliases(coverHasAliases(whole));
  }
  return node->knownAliases() == Node::Aliases::Some;
}

} // namespace viewdetail

POP_INLINE bool View::containsAliases() const {
  requireValid("poplar::Tensor::containsAliases");
  if (count_ <= 1)
    return false;
  if (!isInjective(box_.factors))
    return true; // an address twice is a location twice
  if (!box_.node || box_.node->knownAliases() == Node::Aliases::None)
    return false;
  // A view of much of a stage pays for looking at all of it, because the answer is remembered.
  if (count_ >= box_.node->size() / 2 && !viewdetail::nodeHasAliases(box_.node))
    return false;
  return count_ == box_.node->size() || viewdetail::coverHasAliases(box_);
}

POP_INLINE bool View::containsConstant() const {
  requireValid("poplar::Tensor::containsConstant");
  if (count_ == 0)
    return false;
  if (!box_.node)
    return isConstant(box_.var);
  if (box_.node->isAllConstant() || !box_.node->mayHaveConstant())
    return box_.node->isAllConstant();
  bool found = false, repeats = false;
  auto look = [&found](Box const &part) {
    found = isConstant(part.var);
    return !found;
  };
  BoxCall sink(look);
  cover(box_, sink, repeats);
  return found;
}

POP_INLINE bool View::intersectsWith(View const &other) const {
  requireValid("poplar::Tensor::intersectsWith");
  other.requireValid("poplar::Tensor::intersectsWith");
  if (graph_ != other.graph_ || count_ == 0 || other.count_ == 0)
    return false;
  OverlapFinder finder(true);
  bool repeats = false;
  unsigned side = 0;
  auto collect = [&](Box const &part) {
    finder.add(part, side);
    return true;
  };
  BoxCall sink(collect);
  cover(box_, sink, repeats);
  side = 1;
  cover(other.box_, sink, repeats);
  return finder.any();
}

POP_INLINE bool View::equals(View const &other) const {
  if (!valid() || !other.valid())
    return valid() == other.valid();
  if (graph_ != other.graph_ || type_ != other.type_ || !(shape_ == other.shape_))
    return false;
  return count_ == 0 || sameSequence(box_, other.box_, count_);
}

POP_INLINE std::optional<Run> View::asRun() const {
  if (count_ == 0)
    return std::nullopt;
  if (!box_.node) {
    if (count_ != 1 && (box_.factors.size() != 1 || box_.factors[0].stride != 1))
      return std::nullopt;
    return Run{box_.var, static_cast<std::uint64_t>(box_.offset), count_};
  }
  std::optional<Run> only;
  forEachRun([&only](Run const &run) {
    bool const isFirst = !only;
    only = isFirst ? std::optional<Run>(run) : std::nullopt;
    return isFirst;
  });
  return only;
}

POP_INLINE View::Location View::locate(std::uint64_t flatIndex) const {
  requireValid("poplar::Tensor");
  if (flatIndex >= count_)
    base::fail<poplar::index_error>("poplar::Tensor", "element ", flatIndex,
                                    " of a tensor of shape ", base::shapeText(shape_),
                                    "; it must be below ", count_);
  return graph::locate(box_, flatIndex);
}

} // namespace cottonwood::graph
