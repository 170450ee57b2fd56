// Planning of operations element by element on tiles: which tiles compute, in how many vertices,
// and where the result lies.
#pragma once

#include "ElementWiseTilesPricing.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace cottonwood::planner {

/// A plan that places the result elsewhere than usual must take no more than this share of the
/// cycles of the best one that does not: other operations may rely on where results usually lie.
inline constexpr double CLEARLY_CHEAPER = 0.75;

namespace detail {

class TileMapSearch {
public:
  TileMapSearch(TileMapProblem const &problem, std::vector<TileMapOperand> const &operands,
                IntervalLayout const &result, StepCharges const &charges)
      : p_(problem), operands_(operands), result_(result),
        cost_(problem, operands, result, charges) {}

  TileMapChoice run(Constraints const &constraints) {
    constraints_ = &constraints;
    constraints.check<TileMapPlan>();
    considerVertices({}, usual_);
    bool const isPlaced = usual_.has_value();
    double const bar = p_.places ? CLEARLY_CHEAPER : 1;
    // What is as even as can be, and receives little, is done with.
    if (!isPlaced || static_cast<double>(cost_.leastOfAll()) < bar * usual_->cost.cycles)
      elsewhere(isPlaced ? bar * usual_->cost.cycles : 0);
    bool const isElsewhere =
        other_ && (!isPlaced || (other_->cost.cycles < usual_->cost.cycles &&
                                 other_->cost.cycles <= bar * usual_->cost.cycles));
    std::optional<Priced> const &best = isElsewhere ? other_ : usual_;
    bool const exceeds = !best && least_;
    if (!best && !least_)
      throw PlanError("no plan for " + toText(p_) + " obeys the constraints");
    Priced const &chosen = exceeds ? *least_ : *best;
    TileMapChoice choice{chosen.plan, chosen.cost, chosen.terms, considered_, exceeds, {}};
    for (auto const &[place, candidate] : ofPlace_)
      if (!(candidate.plan == chosen.plan))
        choice.others.push_back(candidate);
    return choice;
  }

private:
  struct Priced {
    TileMapPlan plan;
    Cost cost;
    TileMapTerms terms;
    std::uint64_t required;
  };

  bool isRepeated() const {
    for (TileMapOperand const &operand : operands_)
      if (!operand.isFull() && !operand.isScalar(p_.elements))
        return true;
    return false;
  }

  /// The plan with one vertex a tile or several, and each way to repeat operands.
  void considerVertices(TileMapPlan plan, std::optional<Priced> &best) {
    bool const several = plan.place != MapPlace::EVEN && hasSeveral(plan);
    bool const repeated = isRepeated();
    for (bool const together : {false, true})
      for (bool const broadcasts : {false, true})
        if ((several || !together) && (repeated || !broadcasts)) {
          plan.together = together;
          plan.broadcasts = broadcasts;
          consider(plan, best);
        }
  }

  /// Whether some tile has more than one interval.
  bool hasSeveral(TileMapPlan const &plan) const {
    for (TileMapShare const &share : cost_.shares(plan))
      if (share.intervals.size() > 1)
        return true;
    return false;
  }

  void consider(TileMapPlan const &plan, std::optional<Priced> &best) {
    if (constraints_->refusal(plan))
      return;
    ++considered_;
    TileMapCost::Priced const priced = cost_.price(plan);
    Priced const now{plan,
                     {static_cast<double>(priced.terms.total()), priced.bytes},
                     priced.terms,
                     priced.required};
    if (now.required > p_.bytesPerTile) {
      if (!least_ || now.required < least_->required)
        least_ = now;
      return;
    }
    if (!best || now.cost < best->cost)
      best = now;
    auto const candidate = Candidate<TileMapPlan>::at(plan, now.cost);
    auto const place = ofPlace_.try_emplace(plan.place, candidate).first;
    if (now.cost < place->second.cost)
      place->second = candidate;
  }

  /// \param bar  cycles that plans elsewhere must not exceed; 0: any will do
  void elsewhere(double bar) {
    for (unsigned o = 0; o != operands_.size(); ++o) {
      TileMapPlan plan;
      plan.place = MapPlace::OPERAND;
      plan.operand = o;
      if (operands_[o].isFull() && !operands_[o].layout.empty() &&
          operands_[o].layout != result_) // otherwise it was considered
        considerVertices(plan, other_);
    }
    // The most promising first: the rest is cut off.
    std::uint64_t const grain = cost_.grain();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
    forEachPartSize(ceilQuotient(p_.elements, grain), p_.tiles, [&](std::uint64_t grains) {
      if (bar == 0 ||
          static_cast<double>(cost_.leastWith(std::min(grains * grain, p_.elements))) <= bar)
        sizes.emplace_back(cost_.leastEven(grains * grain), grains * grain);
    });
    std::sort(sizes.begin(), sizes.end());
    for (auto const &[least, size] : sizes) {
      auto const cycles = static_cast<double>(least);
      if ((bar != 0 && cycles > bar) || (other_ && cycles > other_->cost.cycles))
        break;
      TileMapPlan plan;
      plan.place = MapPlace::EVEN;
      plan.onTile = size;
      considerVertices(plan, other_);
    }
  }

  TileMapProblem const &p_;
  std::vector<TileMapOperand> const &operands_;
  IntervalLayout const &result_;
  TileMapCost cost_;
  Constraints const *constraints_ = nullptr;
  std::optional<Priced> usual_, other_; ///< the best where the result lies, and elsewhere
  std::optional<Priced> least_;         ///< of those that do not fit, the one with fewest bytes
  std::map<MapPlace, Candidate<TileMapPlan>> ofPlace_;
  std::uint64_t considered_ = 0;
};

} // namespace detail

/// The plan of a map or a cast on more than one tile. \throws PlanError  constraints that no plan
/// obeys.
/// \param result  where the result lies, or usually would; not empty
inline TileMapChoice planTileMap(TileMapProblem const &problem,
                                 std::vector<TileMapOperand> const &operands,
                                 IntervalLayout const &result, Constraints const &constraints = {},
                                 StepCharges const &charges = {}) {
  return detail::TileMapSearch(problem, operands, result, charges).run(constraints);
}

} // namespace cottonwood::planner
