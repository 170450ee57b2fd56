// Activations as blocks of memory with kept and reduced dimensions, and the boxes that they are cut
// into.
#pragma once

#include <planners/poplin/Norm.hpp>
#include <poplin/impl/NormEmit.hpp>
#include <popops/impl/ElementOrder.hpp>

#include <poplar/Interval.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace cottonwood::poplin::detail {

/// A tensor in the order of memory as [k1, r1, k2, r2].
class NormLayout {
public:
  NormLayout(::poplar::Graph const &graph, Tensor const &t, std::vector<bool> const &kept)
      : order_(popops::elementOrder(graph, t)),
        elementBytes_(static_cast<unsigned>(graph.getTarget().getTypeSize(t.elementType()))) {
    if (!joinRuns(kept)) {
      // More runs than there are places for: kept dimensions first, which costs a rearrangement.
      auto factors = order_.factors();
      std::stable_partition(factors.begin(), factors.end(),
                            [&](auto const &factor) { return kept[factor.dim]; });
      order_ = popops::ElementOrder(std::move(factors));
      joinRuns(kept);
    }
    for (auto const &factor : order_.factors())
      if (kept[factor.dim])
        kept_.push_back(factor);
  }

  std::array<std::size_t, 4> const &sizes() const { return sizes_; }
  popops::ElementOrder const &order() const { return order_; }
  std::size_t numKept() const { return sizes_[0] * sizes_[2]; }
  std::size_t numReduced() const { return sizes_[1] * sizes_[3]; }
  unsigned elementBytes() const { return elementBytes_; }

  Tensor flat(Tensor const &t) const { return order_.flat(t); }
  /// Kept elements in the order of memory, in that of the dimensions.
  Tensor inOrderOfDims(Tensor const &kept) const {
    std::vector<std::size_t> shape;
    std::vector<unsigned> order;
    for (auto const &factor : kept_) {
      order.push_back(static_cast<unsigned>(shape.size()));
      shape.push_back(factor.size);
    }
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return kept_[a].dim != kept_[b].dim ? kept_[a].dim < kept_[b].dim
                                          : kept_[a].step > kept_[b].step;
    });
    return kept.reshape(shape).dimShuffle(order).flatten();
  }

private:
  bool joinRuns(std::vector<bool> const &kept) {
    std::vector<std::pair<bool, std::size_t>> runs;
    for (auto const &factor : order_.factors()) {
      if (factor.size == 1)
        continue;
      if (!runs.empty() && runs.back().first == kept[factor.dim])
        runs.back().second *= factor.size;
      else
        runs.emplace_back(kept[factor.dim], factor.size);
    }
    sizes_ = {1, 1, 1, 1};
    // [kept, reduced] alone are rows.
    if (runs.size() <= 2 && !runs.empty() && (runs.size() == 1 || runs[0].first)) {
      for (auto const &run : runs)
        sizes_[run.first ? 0 : 3] = run.second;
      return true;
    }
    std::size_t place = !runs.empty() && !runs[0].first ? 1 : 0;
    if (place + runs.size() > 4)
      return false;
    for (auto const &run : runs)
      sizes_[place++] = run.second;
    return true;
  }

  popops::ElementOrder order_;
  unsigned elementBytes_;
  std::array<std::size_t, 4> sizes_{};
  std::vector<popops::ElementOrder::Factor> kept_;
};

/// Ranges of the dimensions of a layout.
struct NormBox {
  std::array<std::size_t, 4> begin, size;
  std::size_t part;                          ///< which of the boxes that share its statistics
  std::vector<::poplar::Interval> intervals; ///< its elements in the order of memory
  std::size_t elements() const { return size[0] * size[1] * size[2] * size[3]; }
};

struct NormBoxes {
  std::vector<NormBox> boxes;
  std::size_t parts = 1;       ///< boxes that share statistics
  std::vector<unsigned> tiles; ///< of the boxes
  std::size_t moved = 0;       ///< elements that the tile receives which receives most
};

inline planner::NormProblem normProblem(::poplar::Graph const &graph, NormLayout const &layout) {
  auto const &sizes = layout.sizes();
  auto const &target = graph.getTarget();
  return {sizes[0],
          sizes[1],
          sizes[2],
          sizes[3],
          target.getTargetType() == ::poplar::TargetType::CPU ? 0 : target.getNumTiles(),
          layout.elementBytes()};
}

/// Where the elements of a box lie in the order of memory.
inline std::vector<::poplar::Interval> intervalsOf(std::array<std::size_t, 4> const &sizes,
                                                   NormBox const &box) {
  std::size_t inner = 4, run = 1; // dimensions whose elements follow each other, but for the first
  do
    run *= box.size[--inner];
  while (inner != 0 && box.size[inner] == sizes[inner]);
  std::array<std::size_t, 4> strides{sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3],
                                     1};
  std::vector<std::size_t> begins{0};
  for (unsigned d = 0; d != 4; ++d) {
    std::vector<std::size_t> next;
    std::size_t const count = d < inner ? box.size[d] : 1;
    for (std::size_t begin : begins)
      for (std::size_t i = 0; i != count; ++i)
        next.push_back(begin + (box.begin[d] + i) * strides[d]);
    begins = std::move(next);
  }
  std::vector<::poplar::Interval> intervals;
  for (std::size_t begin : begins)
    intervals.emplace_back(begin, begin + run);
  return intervals;
}

/// Boxes as they are planned.
inline NormBoxes normBoxes(::poplar::Graph const &graph, NormLayout const &layout) {
  auto const &sizes = layout.sizes();
  planner::NormPlan const plan = planner::planNorm(normProblem(graph, layout));
  std::array<std::size_t, 4> const each{plan.k1, plan.r1, plan.k2, plan.r2};
  std::size_t const parts3 = (sizes[3] + each[3] - 1) / each[3];
  NormBoxes result;
  result.parts = (sizes[1] + each[1] - 1) / each[1] * parts3;
  NormBox box{};
  for (box.begin[0] = 0; box.begin[0] < sizes[0]; box.begin[0] += each[0])
    for (box.begin[1] = 0; box.begin[1] < sizes[1]; box.begin[1] += each[1])
      for (box.begin[2] = 0; box.begin[2] < sizes[2]; box.begin[2] += each[2])
        for (box.begin[3] = 0; box.begin[3] < sizes[3]; box.begin[3] += each[3]) {
          for (unsigned d = 0; d != 4; ++d)
            box.size[d] = std::min(each[d], sizes[d] - box.begin[d]);
          box.part = box.begin[1] / each[1] * parts3 + box.begin[3] / each[3];
          box.intervals = intervalsOf(sizes, box);
          result.boxes.push_back(box);
        }
  return result;
}

/// The smallest box that holds intervals.
inline NormBox boxAround(std::array<std::size_t, 4> const &sizes,
                         std::vector<::poplar::Interval> const &intervals) {
  std::array<std::size_t, 4> low = sizes, high{};
  for (auto const &interval : intervals) {
    std::size_t first = interval.begin(), last = interval.end() - 1;
    std::size_t block = sizes[0] * sizes[1] * sizes[2] * sizes[3];
    bool whole = false; // dimensions from here on are run through
    for (unsigned d = 0; d != 4; ++d) {
      block /= sizes[d];
      std::size_t const from = whole ? 0 : first / block, to = whole ? sizes[d] - 1 : last / block;
      low[d] = std::min(low[d], from);
      high[d] = std::max(high[d], to + 1);
      whole = whole || from != to;
      first %= block;
      last %= block;
    }
  }
  NormBox box{low, {}, 0, intervals};
  for (unsigned d = 0; d != 4; ++d)
    box.size[d] = high[d] - low[d];
  return box;
}

/// What each tile holds, where that is a box, say a block of a product: its sums need no exchange.
/// No boxes if that is so not everywhere, or boxes do not share statistics evenly.
inline NormBoxes heldBoxes(::poplar::Graph const &graph, NormLayout const &layout,
                           Tensor const &flat) {
  struct Shared {
    std::size_t boxes = 0, reduced = 0;
  };
  std::map<std::array<std::size_t, 4>, Shared> shared; // by range of k1 and k2
  NormBoxes result;
  auto const mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    NormBox box = boxAround(layout.sizes(), mapping[tile]);
    std::size_t held = 0;
    for (auto const &interval : mapping[tile])
      held += interval.size();
    if (box.elements() != held)
      return {};
    Shared &sharing = shared[{box.begin[0], box.size[0], box.begin[2], box.size[2]}];
    box.part = sharing.boxes++;
    sharing.reduced += box.size[1] * box.size[3];
    result.boxes.push_back(std::move(box));
    result.tiles.push_back(tile);
  }
  result.parts = shared.empty() ? 1 : shared.begin()->second.boxes;
  for (auto const &[kept, sharing] : shared)
    if (sharing.boxes != result.parts || sharing.reduced != layout.numReduced())
      return {};
  return result;
}

/// Cycles of sums on tiles.
inline std::uint64_t cyclesOf(::poplar::Graph const &graph, NormLayout const &layout,
                              NormBoxes const &boxes) {
  planner::NormTileSums sums;
  for (NormBox const &box : boxes.boxes)
    if (box.elements() >= sums.elements) {
      sums.elements = box.elements();
      sums.outputs = box.size[0] * box.size[2];
    }
  sums.moved = boxes.moved;
  sums.messages = boxes.moved == 0 ? 0 : 1;
  sums.parts = boxes.parts;
  return planner::normTileCycles(normProblem(graph, layout), sums);
}

} // namespace cottonwood::poplin::detail
