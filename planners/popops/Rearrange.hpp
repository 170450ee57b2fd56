// Planning of transposed matrices on tiles: whole ones where they begin, or blocks of them on all
// tiles.
#pragma once

#include "RearrangeCost.hpp"

#include <optional>

namespace cottonwood::planner {

/// Blocks must take no more than this share of the cycles of whole matrices where they begin: other
/// operations may rely on that.
inline constexpr double BLOCKS_CLEARLY_CHEAPER = 0.75;

namespace detail {

class TransposeSearch {
public:
  TransposeSearch(TransposeProblem const &problem, IntervalLayout const &layout,
                  StepCharges const &charges)
      : p_(problem), hasLayout_(!layout.empty()), cost_(problem, layout, charges) {}

  TransposeChoice run(Constraints const &constraints) {
    constraints.check<TransposePlan>();
    constraints_ = &constraints;
    if (hasLayout_)
      consider({}, home_);
    blocks();
    bool const isHome =
        home_ && (!best_ || best_->cost.cycles > BLOCKS_CLEARLY_CHEAPER * home_->cost.cycles);
    std::optional<Priced> const &found = isHome ? home_ : best_;
    if (!found && !least_)
      throw PlanError("no plan for " + toText(p_) + " obeys the constraints");
    Priced const &chosen = found ? *found : *least_;
    TransposeChoice choice{chosen.plan, chosen.cost, chosen.terms, considered_, !found, {}};
    std::optional<Priced> const &other = isHome ? best_ : home_;
    if (found && other)
      choice.others.push_back(Candidate<TransposePlan>::at(other->plan, other->cost));
    return choice;
  }

private:
  struct Priced {
    TransposePlan plan;
    Cost cost;
    TransposeTerms terms;
    std::uint64_t required;
  };

  void consider(TransposePlan const &plan, std::optional<Priced> &best) {
    if (constraints_->refusal(plan))
      return;
    ++considered_;
    TransposeCost::Priced const priced = cost_.price(plan);
    Priced const now{plan,
                     {static_cast<double>(priced.terms.total()), priced.bytes},
                     priced.terms,
                     priced.required};
    std::optional<Priced> &of = now.required > p_.bytesPerTile ? least_ : best;
    if (!of || (&of == &least_ ? now.required < of->required : now.cost < of->cost))
      of = now;
  }

  /// f(size) for each size of blocks, in grains.
  template <class F> void forEachSize(std::uint64_t n, F &&f) const {
    std::uint64_t const grain = cost_.grain();
    forEachPartSize(ceilQuotient(n, grain), p_.tiles,
                    [&](std::uint64_t grains) { f(std::min(grains * grain, n)); });
  }

  void blocks() {
    TransposePlan plan;
    plan.home = false;
    plan.rows = p_.rows, plan.columns = p_.columns;
    forEachPartSize(p_.matrices, p_.tiles, [&](std::uint64_t matrices) {
      plan.matrices = matrices;
      consider(plan, best_);
    });
    plan.matrices = 1;
    forEachSize(p_.rows, [&](std::uint64_t rows) {
      plan.rows = rows;
      forEachSize(p_.columns, [&](std::uint64_t columns) {
        plan.columns = columns;
        bool const isWhole = rows == p_.rows && columns == p_.columns;
        if (!isWhole && cost_.numBlocks(plan) <= p_.tiles)
          consider(plan, best_);
      });
    });
  }

  TransposeProblem const &p_;
  bool hasLayout_;
  TransposeCost cost_;
  Constraints const *constraints_ = nullptr;
  std::optional<Priced> home_, best_; ///< whole matrices where they begin; blocks
  std::optional<Priced> least_;       ///< of those that do not fit, the one with fewest bytes
  std::uint64_t considered_ = 0;
};

} // namespace detail

/// The plan of transposed matrices on more than one tile. \throws PlanError  constraints that no
/// plan obeys.
/// \param layout  where the matrices lie; empty: anywhere
inline TransposeChoice planTranspose(TransposeProblem const &problem, IntervalLayout const &layout,
                                     Constraints const &constraints = {},
                                     StepCharges const &charges = {}) {
  return detail::TransposeSearch(problem, layout, charges).run(constraints);
}

} // namespace cottonwood::planner
