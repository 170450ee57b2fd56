// Which plans for tiles are kept while others are tried.
#pragma once

#include "TileTypes.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace cottonwood::planner {

/// One point of the curve of cycles against memory.
struct TilePoint {
  TilePlan plan;
  Cost cost;
};

namespace detail {

/// Split counts of `size` up to `most`, one for each distinct size of the largest part.
inline std::vector<std::uint64_t> distinctSplits(std::uint64_t size, std::uint64_t most) {
  std::vector<std::uint64_t> splits;
  for (std::uint64_t parts = 1; parts <= std::min(size, most);) {
    splits.push_back(parts);
    std::uint64_t const part = ceilDiv(size, parts);
    if (part == 1)
      break;
    parts = std::max(parts + 1, ceilDiv(size, part - 1));
  }
  return splits;
}

/// Every split count; but for published charges those alone that leave no part empty.
inline std::vector<std::uint64_t> allSplits(std::uint64_t size, std::uint64_t most,
                                            bool withEmpty) {
  std::vector<std::uint64_t> splits;
  for (std::uint64_t parts = 1; parts <= std::min(size, most); ++parts)
    if (withEmpty || realParts(size, parts) == parts)
      splits.push_back(parts);
  return splits;
}

/// The best plans found so far that fit in memory.
class BestPlans {
public:
  explicit BestPlans(std::size_t keep) : keep_(std::max<std::size_t>(keep, 1)) {}

  /// No plan that costs more would be kept.
  double bound() const {
    return plans_.size() < keep_ ? std::numeric_limits<double>::infinity()
                                 : plans_.back().cost.cycles;
  }
  void consider(TilePlan const &plan, Cost const &cost) {
    if (plans_.size() == keep_ && !(cost < plans_.back().cost))
      return;
    for (Candidate<TilePlan> const &known : plans_)
      if (known.plan == plan)
        return;
    auto const place =
        std::upper_bound(plans_.begin(), plans_.end(), cost,
                         [](Cost const &a, Candidate<TilePlan> const &b) { return a < b.cost; });
    plans_.insert(place, Candidate<TilePlan>::at(plan, cost));
    if (plans_.size() > keep_)
      plans_.pop_back();
  }
  std::vector<Candidate<TilePlan>> const &plans() const { return plans_; }

private:
  std::size_t keep_;
  std::vector<Candidate<TilePlan>> plans_;
};

/// The plans that no other one beats in both cycles and bytes.
class Frontier {
public:
  /// Cycles that a plan of so many bytes has to beat.
  double bound(std::uint64_t bytes) const {
    auto const next = points_.upper_bound(bytes);
    return next == points_.begin() ? std::numeric_limits<double>::infinity()
                                   : std::prev(next)->second.cost.cycles;
  }
  void consider(TilePlan const &plan, Cost const &cost) {
    if (cost.cycles >= bound(cost.temporaryBytes))
      return;
    auto const first = points_.lower_bound(cost.temporaryBytes);
    auto last = first;
    while (last != points_.end() && last->second.cost.cycles >= cost.cycles)
      ++last;
    points_.erase(first, last);
    points_.emplace(cost.temporaryBytes, TilePoint{plan, cost});
  }
  std::vector<TilePoint> points() const {
    std::vector<TilePoint> points;
    for (auto const &entry : points_)
      points.push_back(entry.second);
    return points;
  }

private:
  std::map<std::uint64_t, TilePoint> points_; ///< by bytes; cycles fall
};

} // namespace detail

} // namespace cottonwood::planner
