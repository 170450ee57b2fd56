// Planning of lookups in tables, and of their updates. Every size that a split can give is tried.
#pragma once

#include "SliceCost.hpp"

#include <algorithm>
#include <optional>

namespace cottonwood::planner {

namespace detail {

/// The fewest parts of each size that up to `most` parts can give; or what a constraint asks for.
inline std::vector<unsigned> sliceSplits(std::uint64_t n, std::uint64_t most,
                                         std::optional<std::string> const &forced) {
  std::vector<unsigned> list;
  if (forced) {
    unsigned value = 1;
    parseField("split", *forced, value);
    return {std::max(1U, value)};
  }
  forEachPartSize(std::max<std::uint64_t>(1, n), most, [&](std::uint64_t size) {
    std::uint64_t const parts = ceilQuotient(std::max<std::uint64_t>(1, n), size);
    list.push_back(static_cast<unsigned>(parts));
    // Neighbours in pairs receive at twice the rate.
    if (parts % 2 == 1 && parts > 1 && parts < most && parts < n)
      list.push_back(static_cast<unsigned>(parts + 1));
  });
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

class SliceSearch {
public:
  SliceSearch(SliceProblem const &problem, Constraints const &constraints, std::size_t keep)
      : p_(problem), constraints_(constraints), cost_(problem),
        choice_(toText(problem), constraints), keep_(keep) {
    constraints.check<SlicePlan>();
    field("unslicedGrainSize",
          plan_.unslicedGrainSize = std::max(1U, 8U / std::max(1U, problem.elementBytes)));
    plan_.unslicedGrainSize = std::max(1U, plan_.unslicedGrainSize);
    field("precopyBaseWhenSerialSlice", plan_.precopyBaseWhenSerialSlice);
    field("useOrderingInfo", plan_.useOrderingInfo);
  }

  SliceChoice run() {
    std::uint64_t const tiles = std::max(1U, p_.tiles);
    std::uint64_t const grains = ceilQuotient(p_.outputSize, plan_.unslicedGrainSize);
    for (unsigned groups : splits("groupSplit", p_.groupSize, tiles))
      for (unsigned rows : splits("slicedDimSplit", p_.numEntries, tiles / groups))
        for (unsigned columns : splits("unslicedDimSplit", grains, tiles / groups / rows))
          for (unsigned parallel :
               splits("lookupParallelSplit", p_.usedForSlice ? p_.numLookups : 1,
                      tiles / groups / rows / columns)) {
            plan_.groupSplit = groups;
            plan_.slicedDimSplit = rows;
            plan_.unslicedDimSplit = columns;
            plan_.lookupParallelSplit = parallel;
            serial();
          }
    SliceChoice result;
    result.considered = considered_;
    result.exceedsMemory = !choice_.found() && leastBytes_ != ~std::uint64_t{0};
    result.plan = result.exceedsMemory ? least_ : choice_.best().plan;
    result.terms = cost_.terms(result.plan);
    result.cost = {static_cast<double>(result.terms.total()), sliceBytes(p_, result.plan)};
    for (auto const &other : others_)
      if (!(other.plan == result.plan) && result.others.size() < keep_)
        result.others.push_back(other);
    return result;
  }

private:
  template <class T> void field(char const *key, T &value) {
    if (auto const forced = constraints_.value(key))
      parseField(key, *forced, value);
  }
  std::vector<unsigned> splits(char const *key, std::uint64_t n, std::uint64_t most) const {
    return sliceSplits(n, std::max<std::uint64_t>(1, most), constraints_.value(key));
  }

  /// More steps only cost more: as few as fit.
  void serial() {
    for (unsigned steps : sliceSplits(p_.numLookups, 64, constraints_.value("lookupSerialSplit"))) {
      plan_.lookupSerialSplit = steps;
      std::uint64_t const bytes = sliceBytes(p_, plan_);
      bool const overwrites = p_.usedForUpdate && p_.operation == SliceUpdate::NONE;
      if (!(overwrites && steps > 1) && bytes < leastBytes_ && hasSliceTiles(p_, plan_)) {
        least_ = plan_;
        leastBytes_ = bytes;
      }
      if (!sliceFits(p_, plan_)) {
        if (++refused_ <= 64) // texts take longer than plans
          choice_.consider(Candidate<SlicePlan>::refused(plan_, sliceRefusal(p_, plan_)));
        continue;
      }
      ++considered_;
      if (keep_ == 0 && choice_.found() && cost_.leastCycles(plan_) > choice_.best().cost.cycles)
        return;
      auto const candidate =
          Candidate<SlicePlan>::at(plan_, {static_cast<double>(cost_.terms(plan_).total()), bytes});
      choice_.consider(candidate);
      note(candidate);
      return;
    }
  }

  void note(Candidate<SlicePlan> const &candidate) {
    auto const place =
        std::upper_bound(others_.begin(), others_.end(), candidate,
                         [](auto const &a, auto const &b) { return a.cost < b.cost; });
    if (place - others_.begin() > static_cast<std::ptrdiff_t>(keep_))
      return;
    others_.insert(place, candidate);
    if (others_.size() > keep_ + 1)
      others_.pop_back();
  }

  SliceProblem const &p_;
  Constraints const &constraints_;
  SliceCost cost_;
  Choice<SlicePlan> choice_;
  std::size_t keep_;
  SlicePlan plan_, least_; ///< being tried; where nothing fits, what needs least
  std::uint64_t leastBytes_ = ~std::uint64_t{0}, considered_ = 0, refused_ = 0;
  std::vector<Candidate<SlicePlan>> others_; ///< the best so far, cheapest first
};

} // namespace detail

/// The plan of a table and its reasons, for tiles. \throws PlanError  constraints that no plan
/// obeys. \param keep  plans to tell of beside the chosen one
inline SliceChoice chooseSlice(SliceProblem const &p, Constraints const &constraints = {},
                               std::size_t keep = 0) {
  return detail::SliceSearch(p, constraints, keep).run();
}

/// The plan of a table. \throws PlanError  constraints that no plan obeys.
inline SlicePlan planSlice(SliceProblem const &p, Constraints const &constraints = {}) {
  // On a CPU the table is whole; threads share lookups and rows when the vertices are made.
  if (p.tiles == 0 && constraints.empty())
    return {};
  return chooseSlice(p, constraints).plan;
}

} // namespace cottonwood::planner
