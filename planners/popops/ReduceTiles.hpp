// Planning of reductions on tiles: where each stage takes place, and how it is cut.
//
// A stage costs what its largest block costs, and that depends on a split almost only through the
// sizes it gives. So each size of rows, columns and parts is tried once, with one further stage of
// blocks in the middle or none.
#pragma once

#include "ReduceTilesCost.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace cottonwood::planner {

namespace detail {

class TileReduceSearch {
public:
  TileReduceSearch(TileReduceProblem const &problem, IntervalLayout const &layout,
                   StepCharges const &charges)
      : p_(problem), layout_(layout), charges_(charges), cost_(problem, layout, charges) {}

  TileReduceChoice run(Constraints const &constraints) {
    Choice<TileReducePlan> choice(toText(p_), constraints);
    choice_ = &choice;
    constraints_ = &constraints;
    direct();
    if (!layout_.empty()) {
      whole();
      home();
    }
    // Without a stage in the middle first: what that gives cuts off most of the rest.
    blocks([&](ReduceOperands const &in) -> Rest const & { return lastAfter(in); }, 0);
    blocks([&](ReduceOperands const &in) -> Rest const & { return restOf(in); }, 2 * leastStage());
    TileReduceChoice result;
    result.considered = considered_;
    result.exceedsMemory = !choice.found() && constraints.empty();
    Priced const &chosen = result.exceedsMemory ? least_ : best_;
    if (!result.exceedsMemory)
      choice.best(); // or says why there is none
    result.plan = chosen.plan;
    result.cost = chosen.cost;
    result.terms = chosen.terms;
    for (auto const &[kind, candidate] : ofKind_)
      if (!(candidate.plan == result.plan))
        result.others.push_back(candidate);
    return result;
  }

private:
  /// What follows a stage: perhaps one in the middle, and the last one.
  struct Rest {
    ReduceBlocks middle;
    std::uint64_t outputs = 0; ///< of the last stage on a tile
    std::uint64_t middleCycles = 0, lastCycles = 0, bytes = 0;
    std::uint64_t total() const { return middleCycles + lastCycles; }
  };

  /// f(results on a tile) for each place that results may have.
  template <class F> void forEachOutputs(F &&f) const {
    if (p_.outputsOnTile != 0)
      return f(p_.outputsOnTile);
    // Whole rows, or equal parts of one.
    forEachPartSize(p_.inner, p_.tiles / std::min<std::uint64_t>(p_.tiles, p_.outer),
                    [&](std::uint64_t size) {
                      if (size != p_.inner)
                        f(size);
                    });
    forEachPartSize(p_.outer, p_.tiles, [&](std::uint64_t size) { f(size * p_.inner); });
  }

  Rest lastOf(ReduceOperands const &in) const {
    Rest best;
    best.lastCycles = std::numeric_limits<std::uint64_t>::max();
    forEachOutputs([&](std::uint64_t outputs) {
      std::uint64_t const cycles = cost_.last(in, outputs);
      if (cycles < best.lastCycles) {
        best.outputs = outputs;
        best.lastCycles = cycles;
        best.bytes = std::min(outputs, in.outputs()) * in.reduced * in.bytes;
      }
    });
    return best;
  }

  /// f(ReduceBlocks) for blocks that may be worth trying.
  template <class F> void forEachBlocks(ReduceOperands const &in, F &&f) const {
    forEachPartSize(in.outer, p_.tiles, [&](std::uint64_t outer) {
      std::uint64_t const outers = ceilQuotient(in.outer, outer);
      forEachPartSize(in.inner, p_.tiles / outers, [&](std::uint64_t inner) {
        std::uint64_t const inners = ceilQuotient(in.inner, inner);
        std::uint64_t const most = p_.tiles / (outers * inners);
        for (std::uint64_t parts = 1; parts <= p_.workers; ++parts)
          forEachPartSize(in.reduced, most * parts, [&](std::uint64_t part) {
            std::uint64_t const all = ceilQuotient(in.reduced, part);
            if (all > 1 && all >= parts)
              f(ReduceBlocks{outer, inner, part, parts});
          });
      });
    });
  }
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  Rest const &lastAfter(ReduceOperands const &in) {
    auto const [known, isNew] = lasts_.try_emplace(Key(in.reduced, in.parts, in.cut));
    if (isNew)
      known->second = lastOf(in);
    return known->second;
  }

  /// The best that can follow; remembered.
  Rest const &restOf(ReduceOperands const &in) {
    auto const [known, isNew] = rests_.try_emplace(Key(in.reduced, in.parts, in.cut));
    if (!isNew)
      return known->second;
    Rest best = lastAfter(in);
    std::uint64_t const least = leastStage();
    if (in.reduced > 1)
      forEachBlocks(in, [&](ReduceBlocks const &b) {
        std::uint64_t const bytes = cost_.blockBytes(in, b);
        std::uint64_t const elements = b.outer * b.inner * std::min(in.reduced, b.part * b.parts);
        if (bytes > p_.bytesPerTile ||
            elements * in.bytes / charges_.exchangeBytesPerCycle + least >= best.total())
          return;
        std::uint64_t const middle = cost_.blocks(in, b);
        if (middle + least >= best.total())
          return;
        Rest const &last = lastAfter(cost_.behind(in, b));
        if (middle + last.lastCycles < best.total()) {
          best = last;
          best.middle = b;
          best.middleCycles = middle;
          best.bytes = std::max(bytes, last.bytes);
        }
      });
    return known->second = best;
  }

  void consider(TileReducePlan plan, std::uint64_t first, Rest const &rest, std::uint64_t bytes) {
    plan.middle = rest.middle;
    plan.outputs = p_.outputsOnTile == 0 && plan.first != ReduceFirst::WHOLE ? rest.outputs : 0;
    TileReduceTerms const terms{first, rest.middleCycles, rest.lastCycles};
    Cost const cost{static_cast<double>(terms.total()), std::max(bytes, rest.bytes)};
    ++considered_;
    if (cost.temporaryBytes > p_.bytesPerTile) {
      choice_->consider(Candidate<TileReducePlan>::refused(
          plan, "it needs " + std::to_string(cost.temporaryBytes) +
                    " temporary bytes on a tile of " + std::to_string(p_.bytesPerTile)));
      if (cost.temporaryBytes < least_.cost.temporaryBytes)
        least_ = {plan, cost, terms};
      return;
    }
    auto const candidate = Candidate<TileReducePlan>::at(plan, cost);
    choice_->consider(candidate);
    if (choice_->found() && choice_->best().plan == plan)
      best_ = {plan, cost, terms};
    auto const kind = ofKind_.try_emplace(plan.first, candidate).first;
    if (cost < kind->second.cost)
      kind->second = candidate;
  }

  void direct() {
    Rest const last = lastOf(cost_.operands());
    consider({}, 0, last, last.bytes);
  }

  void whole() {
    if (p_.outputsOnTile != 0)
      return;
    TileReducePlan plan;
    plan.first = ReduceFirst::WHOLE;
    consider(plan, cost_.whole(), {}, 0);
  }

  void home() {
    TileReduceCost::Home const home = cost_.home();
    TileReducePlan plan;
    plan.first = ReduceFirst::HOME;
    if (home.even)
      return consider(plan, home.cycles, restOf(home.behind), 0);
    Rest best;
    best.lastCycles = std::numeric_limits<std::uint64_t>::max();
    forEachOutputs([&](std::uint64_t outputs) {
      std::uint64_t const cycles = cost_.lastUneven(home.behind, outputs);
      if (cycles < best.lastCycles) {
        best.outputs = outputs;
        best.lastCycles = cycles;
        best.bytes = outputs * home.behind.reduced * p_.partialBytes;
      }
    });
    consider(plan, home.cycles, best, 0);
  }

  /// Whether constraints leave the first stage as it is.
  bool isAdmitted(TileReducePlan const &plan) const {
    TileReducePlan forced = plan;
    TileReducePlan::fields(forced, [&](std::string_view key, auto &value) {
      if (auto const text = constraints_->value(std::string(key).c_str()))
        parseField(key, *text, value);
    });
    return forced.first == plan.first && forced.blocks == plan.blocks;
  }

  /// No stage that receives something is cheaper.
  std::uint64_t leastStage() const {
    ReduceOperands in = cost_.operands();
    in.bytes = std::min(p_.inputBytes, p_.partialBytes);
    return charges_.exchange(1, 1) +
           charges_.compute(std::min(cost_.vertex(in, 1, 1, 1), cost_.vertex(in, 1, 1, 2)));
  }

  /// \param restAfter  what follows the operands that blocks leave
  /// \param leastRest  that costs no less
  template <class F> void blocks(F &&restAfter, std::uint64_t leastRest) {
    ReduceOperands const in = cost_.operands();
    // Some tile takes in its share of all operands.
    std::uint64_t const share = ceilQuotient(in.outer * in.reduced * in.inner, p_.tiles);
    if (choice_->found() && static_cast<double>(share * in.bytes / charges_.exchangeBytesPerCycle +
                                                leastRest) >= choice_->best().cost.cycles)
      return;
    forEachBlocks(in, [&](ReduceBlocks const &b) {
      TileReducePlan plan;
      plan.first = ReduceFirst::BLOCKS;
      plan.blocks = b;
      if (!constraints_->empty() && !isAdmitted(plan))
        return;
      auto const least = choice_->found() ? static_cast<std::uint64_t>(choice_->best().cost.cycles)
                                          : std::numeric_limits<std::uint64_t>::max();
      std::uint64_t const elements = b.outer * b.inner * std::min(in.reduced, b.part * b.parts);
      if (elements * in.bytes / charges_.exchangeBytesPerCycle + leastRest >= least)
        return;
      std::uint64_t const first = cost_.blocks(in, b);
      if (first + leastRest >= least)
        return;
      Rest const &rest = restAfter(cost_.behind(in, b));
      if (first + rest.total() < least)
        consider(plan, first, rest, cost_.blockBytes(in, b));
    });
  }

  struct Priced {
    TileReducePlan plan;
    Cost cost{0, ~std::uint64_t{0}};
    TileReduceTerms terms;
  };

  TileReduceProblem const &p_;
  IntervalLayout const &layout_;
  StepCharges charges_;
  TileReduceCost cost_;
  Choice<TileReducePlan> *choice_ = nullptr;
  Constraints const *constraints_ = nullptr;
  Priced best_, least_; ///< of those that fit; of those that do not, the one with fewest bytes
  std::map<Key, Rest> lasts_, rests_;
  std::map<ReduceFirst, Candidate<TileReducePlan>> ofKind_;
  std::uint64_t considered_ = 0;
};

} // namespace detail

/// The plan of a reduction on more than one tile. \throws PlanError  constraints that no plan
/// obeys, or operands that fit nowhere.
/// \param layout  where the operands lie; empty: anywhere
inline TileReduceChoice planTileReduce(TileReduceProblem const &problem,
                                       IntervalLayout const &layout,
                                       Constraints const &constraints = {},
                                       StepCharges const &charges = {}) {
  return detail::TileReduceSearch(problem, layout, charges).run(constraints);
}

} // namespace cottonwood::planner
