#pragma once
#include <poplar/Graph.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/Blocks.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <set>
#include <utility>
#include <vector>

// Views in the order of storage.

namespace cottonwood::graph::detail {

/// Elements of a tensor that follow one another in the tensor and in storage.
struct Stretch {
  VarId var;
  std::uint64_t begin, end;  ///< in storage
  std::uint64_t tensorBegin; ///< flattened index
};

POP_INLINE bool storageBefore(Stretch const &a, Stretch const &b) {
  if (a.var != b.var)
    return a.var < b.var;
  return a.begin != b.begin ? a.begin < b.begin : a.tensorBegin < b.tensorBegin;
}

POP_INLINE void addStretches(std::vector<Stretch> &stretches, View const &view,
                             std::uint64_t tensorBegin) {
  view.forEachRun([&](Run const &run) {
    stretches.push_back({run.var, run.begin, run.begin + run.size, tensorBegin});
    tensorBegin += run.size;
  });
}

POP_INLINE bool overlaps(std::vector<Stretch> const &sorted) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i != 0 && sorted[i].var == sorted[i - 1].var && sorted[i].begin < end)
      return true;
    end =
        i != 0 && sorted[i].var == sorted[i - 1].var ? std::max(end, sorted[i].end) : sorted[i].end;
  }
  return false;
}

/// Disjoint stretches over the same storage; each names the first tensor elements that lie there.
POP_INLINE std::vector<Stretch> firstOccurrences(std::vector<Stretch> const &sorted) {
  struct Event {
    VarId var;
    std::uint64_t at;
    bool opens;
    std::int64_t shift; ///< tensor index minus storage position: the lowest is the first occurrence
  };
  std::vector<Event> events;
  for (Stretch const &s : sorted) {
    auto const shift =
        static_cast<std::int64_t>(s.tensorBegin) - static_cast<std::int64_t>(s.begin);
    events.push_back({s.var, s.begin, true, shift});
    events.push_back({s.var, s.end, false, shift});
  }
  std::sort(events.begin(), events.end(), [](Event const &a, Event const &b) {
    return a.var != b.var ? a.var < b.var : a.at < b.at;
  });
  std::multiset<std::int64_t> open;
  std::vector<Stretch> result;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i != 0 && !open.empty() && events[i].at > events[i - 1].at) {
      std::uint64_t const begin = events[i - 1].at;
      auto const tensorBegin =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(begin) + *open.begin());
      bool const continues =
          !result.empty() && result.back().var == events[i].var && result.back().end == begin &&
          result.back().tensorBegin + (begin - result.back().begin) == tensorBegin;
      if (continues)
        result.back().end = events[i].at;
      else
        result.push_back({events[i].var, begin, events[i].at, tensorBegin});
    }
    if (events[i].opens)
      open.insert(events[i].shift);
    else
      open.erase(open.find(events[i].shift));
  }
  return result;
}

/// Cuts stretches at the borders of `firsts`, and notes the first occurrence of every piece.
POP_INLINE std::vector<Stretch> cutAt(std::vector<Stretch> const &sorted,
                                      std::vector<Stretch> const &firsts,
                                      std::vector<std::size_t> &aliases) {
  std::vector<Stretch> pieces;
  std::vector<std::pair<Stretch, std::size_t>> cut;
  for (Stretch const &s : sorted) {
    auto first = std::upper_bound(firsts.begin(), firsts.end(), s,
                                  [](Stretch const &a, Stretch const &b) {
                                    return a.var != b.var ? a.var < b.var : a.begin < b.begin;
                                  }) -
                 1;
    for (std::uint64_t at = s.begin; at < s.end; ++first) {
      std::uint64_t const end = std::min(s.end, first->end);
      cut.push_back({{s.var, at, end, s.tensorBegin + (at - s.begin)},
                     first->tensorBegin + (at - first->begin)});
      at = end;
    }
  }
  std::stable_sort(cut.begin(), cut.end(),
                   [](auto const &a, auto const &b) { return storageBefore(a.first, b.first); });
  for (auto const &[piece, alias] : cut) {
    pieces.push_back(piece);
    aliases.push_back(alias);
  }
  return pieces;
}

/// Puts a rank-1 view of one block into storage order without enumerating it; false if that is not
/// possible. `permute` is called with the same steps for every tensor: reshape, reversals,
/// dimShuffle.
struct BlockOrder {
  std::vector<std::size_t> sizes;
  std::vector<unsigned> reversed;
  std::vector<unsigned> permutation;
  bool isIdentity = true;

  View apply(View const &view) const {
    View result = view.reshape(sizes);
    for (unsigned const dim : reversed)
      result = result.reverse(dim);
    result = result.dimShuffle(permutation);
    return result.reshape(std::vector<std::size_t>{static_cast<std::size_t>(view.numElements())});
  }

  View undo(View const &view) const {
    std::vector<std::size_t> shuffled;
    std::vector<unsigned> back(permutation.size());
    for (unsigned i = 0; i != permutation.size(); ++i) {
      shuffled.push_back(sizes[permutation[i]]);
      back[permutation[i]] = i;
    }
    View result = view.reshape(shuffled).dimShuffle(back);
    for (unsigned const dim : reversed)
      result = result.reverse(dim);
    return result.reshape(std::vector<std::size_t>{static_cast<std::size_t>(view.numElements())});
  }
};

/// The order of a view that is one block without interleaved dimensions.
POP_INLINE std::optional<BlockOrder> blockOrder(View const &view) {
  std::optional<BlockOrder> order;
  unsigned numBlocks = 0;
  view.forEachBlock([&](StridedBlock const &block) {
    if (++numBlocks != 1)
      return false;
    BlockOrder found;
    found.sizes.assign(block.sizes.begin(), block.sizes.end());
    found.permutation.resize(block.sizes.size());
    std::iota(found.permutation.begin(), found.permutation.end(), 0u);
    auto const distance = [&](unsigned d) {
      return static_cast<std::uint64_t>(std::abs(block.strides[d]));
    };
    std::stable_sort(found.permutation.begin(), found.permutation.end(),
                     [&](unsigned a, unsigned b) { return distance(a) > distance(b); });
    std::uint64_t reach = 0; // elements that the dimensions inside span
    bool isNested = true;
    for (std::size_t i = found.permutation.size(); i-- > 0;) {
      unsigned const d = found.permutation[i];
      isNested = isNested && block.strides[d] != 0 && distance(d) > reach;
      reach += (block.sizes[d] - 1) * distance(d);
      if (block.strides[d] < 0)
        found.reversed.push_back(d);
    }
    found.isIdentity = found.reversed.empty() &&
                       std::is_sorted(found.permutation.begin(), found.permutation.end());
    if (isNested)
      order = std::move(found);
    return true;
  });
  return numBlocks == 1 ? order : std::nullopt;
}

/// The elements of a rank-1 view at these intervals.
POP_INLINE View gathered(View const &view, std::vector<poplar::Interval> const &intervals) {
  std::vector<View> parts;
  parts.reserve(intervals.size());
  for (poplar::Interval const &interval : intervals)
    parts.push_back(view.slice(interval.begin(), interval.end(), 0));
  return View::concat(parts, 0);
}

/// The elements of a view, of any rank, in row-major order.
POP_INLINE View flattened(View const &view) {
  return view.reshape(std::vector<std::size_t>{static_cast<std::size_t>(view.numElements())});
}

/// Adds an interval to an ascending list.
POP_INLINE void addMerged(std::vector<poplar::Interval> &list, std::size_t begin, std::size_t end) {
  if (!list.empty() && list.back().end() == begin)
    list.back() = poplar::Interval(list.back().begin(), end);
  else
    list.emplace_back(begin, end);
}

} // namespace cottonwood::graph::detail

namespace cottonwood::graph {

/// A permutation of the elements of rank-1 views; neither `block` nor `order`: the identity.
struct Rearrangement {
  std::uint64_t numElements = 0;
  std::optional<detail::BlockOrder> block;
  std::vector<poplar::Interval> order;

  bool isIdentity() const { return !block && order.empty(); }

  View apply(View const &view) const {
    if (block)
      return block->apply(view);
    return order.empty() ? view : detail::gathered(view, order);
  }

  View undo(View const &view) const {
    if (block)
      return block->undo(view);
    if (order.empty())
      return view;
    std::vector<std::pair<std::size_t, poplar::Interval>> places; // where each interval went
    std::size_t at = 0;
    for (poplar::Interval const &interval : order) {
      places.push_back({interval.begin(), {at, at + interval.size()}});
      at += interval.size();
    }
    std::sort(places.begin(), places.end());
    std::vector<poplar::Interval> inverse;
    for (auto const &place : places)
      inverse.push_back(place.second);
    return detail::gathered(view, inverse);
  }
};

namespace detail {

/// What puts a rank-1 view into the order of storage.
POP_INLINE Rearrangement simplifyingOrder(View const &view, bool requireSimplestOrder) {
  Rearrangement result;
  result.numElements = view.numElements();
  if (view.numElements() == 0)
    return result;
  if (std::optional<BlockOrder> order = blockOrder(view)) {
    if (!order->isIdentity)
      result.block = std::move(order);
    return result;
  }
  // Permuting by lists of intervals pays off only while the lists are short.
  constexpr std::size_t kMaxOptionalRuns = 1000000;
  std::vector<Stretch> stretches;
  std::uint64_t tensorBegin = 0;
  view.forEachRun([&](Run const &run) {
    stretches.push_back({run.var, run.begin, run.begin + run.size, tensorBegin});
    tensorBegin += run.size;
    return requireSimplestOrder || stretches.size() <= kMaxOptionalRuns;
  });
  bool const isComplete = tensorBegin == view.numElements();
  if (!isComplete || std::is_sorted(stretches.begin(), stretches.end(), storageBefore))
    return result;
  std::sort(stretches.begin(), stretches.end(), storageBefore);
  for (Stretch const &s : stretches)
    addMerged(result.order, s.tensorBegin, s.tensorBegin + (s.end - s.begin));
  return result;
}

/// The order behind a TensorRearranger, and the rank-1 view that it is for.
POP_INLINE Rearrangement const &
checkedOrder(char const *where, std::shared_ptr<Rearrangement const> const &rearrangement) {
  if (!rearrangement)
    base::fail<poplar::poplar_error>(
        where, "the TensorRearranger is empty; use what Graph::getSimplifyingRearranger returns");
  return *rearrangement;
}
POP_INLINE View checkedFor(char const *where, Rearrangement const &order,
                           poplar::Tensor const &tensor) {
  if (!tensor.valid())
    base::fail<poplar::poplar_error>(where, "the tensor is invalid");
  if (tensor.numElements() != order.numElements)
    base::fail<poplar::poplar_error>(where, "the tensor has ", tensor.numElements(),
                                     " elements; this order is for ", order.numElements);
  return flattened(viewOf(tensor));
}

/// The flat indices of `intervals` in a view of a variable that stands for the indices.
template <class Permute>
std::vector<poplar::Interval> movedIndices(char const *where, Rearrangement const &order,
                                           poplar::ArrayRef<poplar::Interval> intervals,
                                           Permute const &permute) {
  std::size_t const shape[] = {static_cast<std::size_t>(order.numElements)};
  View const moved = permute(View::whole(1, 0, poplar::BOOL, shape));
  std::vector<poplar::Interval> places, merged;
  for (poplar::Interval const &interval : intervals) {
    if (interval.end() > order.numElements)
      base::fail<poplar::index_error>(where, "the interval [", interval.begin(), ", ",
                                      interval.end(), ") is out of range for ", order.numElements,
                                      " elements");
    if (interval.size() != 0)
      moved.slice(interval.begin(), interval.end(), 0).forEachRun([&](Run const &run) {
        places.emplace_back(run.begin, run.begin + run.size);
      });
  }
  std::sort(places.begin(), places.end());
  for (poplar::Interval const &place : places)
    addMerged(merged, place.begin(), place.end());
  return merged;
}

} // namespace detail

} // namespace cottonwood::graph

namespace poplar {

POP_INLINE Tensor TensorRearranger::rearrange(Tensor const &t) const {
  using namespace cottonwood::graph;
  char const *const where = "TensorRearranger::rearrange";
  Rearrangement const &order = detail::checkedOrder(where, rearrangement_);
  return makeTensor(order.apply(detail::checkedFor(where, order, t)));
}

POP_INLINE Tensor TensorRearranger::undoRearrangement(Tensor const &t) const {
  using namespace cottonwood::graph;
  char const *const where = "TensorRearranger::undoRearrangement";
  Rearrangement const &order = detail::checkedOrder(where, rearrangement_);
  return makeTensor(order.undo(detail::checkedFor(where, order, t)));
}

// Element i of the tensor ends up at place q(i), q the inverse of p: undoing the order of the
// indices themselves gives q, and applying it gives p.
POP_INLINE std::vector<Interval> TensorRearranger::rearrange(ArrayRef<Interval> is) const {
  using namespace cottonwood::graph;
  char const *const where = "TensorRearranger::rearrange";
  Rearrangement const &order = detail::checkedOrder(where, rearrangement_);
  return detail::movedIndices(where, order, is, [&](View const &v) { return order.undo(v); });
}

POP_INLINE std::vector<Interval> TensorRearranger::undoRearrangement(ArrayRef<Interval> is) const {
  using namespace cottonwood::graph;
  char const *const where = "TensorRearranger::undoRearrangement";
  Rearrangement const &order = detail::checkedOrder(where, rearrangement_);
  return detail::movedIndices(where, order, is, [&](View const &v) { return order.apply(v); });
}

POP_INLINE TensorRearranger Graph::getSimplifyingRearranger(Tensor const &t) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::getSimplifyingRearranger";
  View const &view = checkedView(where, "t", t, data(where));
  return TensorRearranger(std::make_shared<Rearrangement const>(
      detail::simplifyingOrder(detail::flattened(view), false)));
}

POP_INLINE Tensor Graph::getVariable(VariableRef v) const {
  using namespace cottonwood;
  char const *const where = "Graph::getVariable";
  graph::GraphData const &graph = data(where);
  unsigned const id = graph::VariableAccess::id(v);
  if (!graph.hasVariable(id))
    base::fail<poplar_error>(where, "the VariableRef names no variable of this graph");
  return graph::makeTensor(graph.wholeView(id).reshape(
      std::vector<std::size_t>{static_cast<std::size_t>(graph.variable(id).numElements)}));
}

POP_INLINE bool Graph::isConstant(VariableRef v) const {
  unsigned const id = cottonwood::graph::VariableAccess::id(v);
  if (!data("Graph::isConstant").hasVariable(id))
    cottonwood::base::fail<poplar_error>("Graph::isConstant",
                                         "the VariableRef names no variable of this graph");
  return cottonwood::graph::GraphData::isConstant(id);
}

POP_INLINE std::vector<std::vector<Interval>>
Graph::getSortedContiguousRegions(Tensor const &t, ArrayRef<Interval> regions,
                                  bool removeAliasedIntervals,
                                  std::vector<std::size_t> *aliases) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::getSortedContiguousRegions";
  View const &view = checkedView(where, "t", t, data(where));
  View const flat =
      view.reshape(std::vector<std::size_t>{static_cast<std::size_t>(view.numElements())});
  std::vector<detail::Stretch> stretches;
  for (Interval const &region : regions) {
    if (region.end() > view.numElements())
      cottonwood::base::fail<index_error>(where, "the region [", region.begin(), ", ", region.end(),
                                          ") is out of range for a tensor of ", view.numElements(),
                                          " elements");
    if (region.size() != 0)
      detail::addStretches(stretches, flat.slice(region.begin(), region.end(), 0), region.begin());
  }
  std::sort(stretches.begin(), stretches.end(), detail::storageBefore);

  std::vector<std::size_t> firstOf; // one for each stretch, if aliases are asked for
  if (detail::overlaps(stretches) && (removeAliasedIntervals || aliases)) {
    std::vector<detail::Stretch> firsts = detail::firstOccurrences(stretches);
    stretches =
        removeAliasedIntervals ? std::move(firsts) : detail::cutAt(stretches, firsts, firstOf);
  }
  if (firstOf.empty())
    for (detail::Stretch const &s : stretches)
      firstOf.push_back(s.tensorBegin);

  std::vector<std::vector<Interval>> result;
  if (aliases)
    aliases->clear();
  std::size_t lastAliasEnd = 0; // the first occurrence that would continue the last interval
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    detail::Stretch const &s = stretches[i];
    bool const isAdjacent =
        i != 0 && stretches[i - 1].var == s.var && stretches[i - 1].end == s.begin;
    if (!isAdjacent)
      result.emplace_back();
    std::vector<Interval> &run = result.back();
    bool const continues =
        isAdjacent && run.back().end() == s.tensorBegin && (!aliases || firstOf[i] == lastAliasEnd);
    if (continues) {
      run.back() = Interval(run.back().begin(), s.tensorBegin + (s.end - s.begin));
    } else {
      run.emplace_back(s.tensorBegin, s.tensorBegin + (s.end - s.begin));
      if (aliases)
        aliases->push_back(firstOf[i]);
    }
    lastAliasEnd = firstOf[i] + (s.end - s.begin);
  }
  return result;
}

POP_INLINE void Graph::reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts,
                                         bool requireSimplestOrder) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::reorderToSimplify";
  GraphData const &graph = data(where);
  if (!t)
    cottonwood::base::fail<poplar_error>(where, "the tensor is a null pointer");
  View const view = checkedView(where, "t", *t, graph);
  if (view.rank() != 1)
    cottonwood::base::fail<poplar_error>(where, "'t' has shape ",
                                         cottonwood::base::shapeText(view.shape()),
                                         "; it must be of rank 1");
  for (Tensor *const other : ts) {
    View const &otherView = checkedView(where, "ts", *other, graph);
    if (otherView.rank() != 1 || otherView.numElements() != view.numElements())
      cottonwood::base::fail<poplar_error>(
          where, "a tensor of 'ts' has shape ", cottonwood::base::shapeText(otherView.shape()),
          ", but 't' has shape ", cottonwood::base::shapeText(view.shape()));
  }
  Rearrangement const order = detail::simplifyingOrder(view, requireSimplestOrder);
  if (order.isIdentity())
    return;
  *t = makeTensor(order.apply(view));
  for (Tensor *const other : ts)
    *other = makeTensor(order.apply(viewOf(*other)));
}

POP_INLINE Tensor Graph::findUnbroadcastTensor(Tensor const &t) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::findUnbroadcastTensor";
  View result = checkedView(where, "t", t, data(where));
  for (unsigned dim = 0; dim < result.rank() && result.numElements() != 0; ++dim) {
    std::size_t const size = result.shape()[dim];
    if (size == 1)
      continue;
    View const single = result.slice(0, 1, dim);
    if (single.broadcast(size, dim) == result)
      result = single;
  }
  return makeTensor(result);
}

} // namespace poplar
