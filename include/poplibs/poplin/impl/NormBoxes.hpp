// Activations as blocks of memory with kept and reduced dimensions, and the boxes that they are cut
// into.
#pragma once

#include <planners/poplin/Norm.hpp>
#include <poplin/impl/NormEmit.hpp>
#include <popops/impl/ElementOrder.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace cottonwood::poplin::detail {

/// A tensor in the order of memory as [k1, r1, k2, r2].
class NormLayout {
public:
  NormLayout(::poplar::Graph const &graph, Tensor const &t, std::vector<bool> const &kept)
      : order_(popops::elementOrder(graph, t)) {
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
  std::array<std::size_t, 4> sizes_{};
  std::vector<popops::ElementOrder::Factor> kept_;
};

/// One run of memory of a layout.
struct NormBox {
  std::array<std::size_t, 4> begin, size;
  std::size_t part;      ///< which of the boxes that share its statistics
  std::size_t flatBegin; ///< its first element
  std::size_t elements() const { return size[0] * size[1] * size[2] * size[3]; }
};

struct NormBoxes {
  std::vector<NormBox> boxes;
  std::size_t parts = 1; ///< boxes that share statistics
};

inline planner::NormProblem normProblem(::poplar::Graph const &graph, NormLayout const &layout) {
  auto const &sizes = layout.sizes();
  auto const &target = graph.getTarget();
  return {sizes[0], sizes[1], sizes[2], sizes[3],
          target.getTargetType() == ::poplar::TargetType::CPU ? 0 : target.getNumTiles()};
}

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
          auto const &b = box.begin;
          box.flatBegin = ((b[0] * sizes[1] + b[1]) * sizes[2] + b[2]) * sizes[3] + b[3];
          result.boxes.push_back(box);
        }
  return result;
}

} // namespace cottonwood::poplin::detail
