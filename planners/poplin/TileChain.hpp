// Planning a chain of products or convolutions, each of which has the result of the one before as
// an operand: where a plan leaves its result decides what the next one has to bring.
#pragma once

#include "TileConvLayout.hpp"
#include "TilePlanner.hpp"

namespace cottonwood::planner {

/// One product or convolution of a chain.
struct TileStep {
  TileProblem problem;
  TileMachine machine;
  Constraints constraints;
  /// Which operand of a product is the result of the step before: LEFT or RIGHT. Of convolutions it
  /// is the input.
  TileMatrix chained = TileMatrix::LEFT;
};

/// The plans of a chain.
struct TileChain {
  std::vector<TileChoice> choices; ///< in the order of the steps
  double cycles = 0;               ///< of all steps, with what moves between them
  double moved = 0;                ///< of these, those of what moves
  double separate = 0;             ///< of the best plans of each step by itself, moves included
};

namespace detail {

/// Where a plan leaves its result, in the form that the next step's operand has.
inline TileLayout resultOf(TileProblem const &problem, TilePlan const &plan) {
  return problem.isMatMul ? layoutOf(problem, plan, TileMatrix::RESULT, true)
                          : convLayoutOf(problem, plan, TileOperand::OUTPUT, true);
}

/// Cycles that a plan takes more if the chained operand lies as the step before left it.
inline double chainedCycles(TileStep const &step, TilePlan const &plan, TileLayout const &held) {
  return step.problem.isMatMul
             ? givenCycles(step.problem, step.machine, plan, step.chained, held)
             : givenCycles(step.problem, step.machine, plan, TileOperand::INPUT, held);
}

/// Sizes of a result, and of the operand that is to be one.
inline std::array<std::uint64_t, 6> resultSizes(TileProblem const &p) {
  if (p.isMatMul)
    return {p.g, p.positions(), p.n, 1, 1, 1};
  return {p.g, p.b, p.field[0].outputs, p.field[1].outputs, p.field[2].outputs, p.n};
}
inline std::array<std::uint64_t, 6> chainedSizes(TileStep const &step) {
  TileProblem const &p = step.problem;
  if (p.isMatMul && step.chained == TileMatrix::LEFT)
    return {p.g, p.positions(), p.i, 1, 1, 1};
  if (p.isMatMul)
    return {p.g, p.i, p.n, 1, 1, 1};
  return {p.g, p.b, p.field[0].inputs, p.field[1].inputs, p.field[2].inputs, p.i};
}

inline void checkChain(std::vector<TileStep> const &steps) {
  auto const text = [](std::array<std::uint64_t, 6> const &sizes) {
    std::string all;
    for (std::uint64_t const size : sizes)
      all += (all.empty() ? "" : " x ") + std::to_string(size);
    return all;
  };
  for (std::size_t s = 0; s != steps.size(); ++s) {
    if (s != 0 && steps[s].chained == TileMatrix::RESULT)
      throw PlanError("step " + std::to_string(s) +
                      " of a chain takes the result before it as its result; it must be the LEFT "
                      "or the RIGHT operand");
    if (s == 0 || (steps[s].problem.isMatMul == steps[s - 1].problem.isMatMul &&
                   resultSizes(steps[s - 1].problem) == chainedSizes(steps[s])))
      continue;
    throw PlanError("step " + std::to_string(s) + " of a chain takes an operand of " +
                    text(chainedSizes(steps[s])) + "; the result before it is of " +
                    text(resultSizes(steps[s - 1].problem)) +
                    ". Both must be products or both convolutions, of equal sizes");
  }
}

} // namespace detail

/// Plans a chain: of the `width` best plans of each step by itself, and of those that are best for
/// where the best few plans before leave their result, those that take the least in all.
/// \throws PlanError  steps whose operand is not the result before, or constraints without a plan
inline TileChain planChain(std::vector<TileStep> const &steps, std::size_t width = 12) {
  detail::checkChain(steps);
  /// A plan of a step with the cheapest way to it.
  struct Way {
    TileChoice choice;
    TileLayout result;
    double cycles = 0, moved = 0; ///< of all steps so far
    std::size_t before = 0;       ///< the plan of the step before
  };
  constexpr std::size_t FEW = 2; // plans before for which the best plan is looked for
  std::vector<std::vector<Way>> ways;
  TileChain chain;
  Way alone; // the best plans of each step by itself
  for (TileStep const &step : steps) {
    std::vector<Way> next;
    auto const add = [&](TilePlan const &plan, std::string const &explanation) {
      for (Way const &known : next)
        if (known.choice.plan == plan)
          return;
      TileProblem const seen = detail::seenBy(step.problem, plan);
      TileCost const cost(seen, step.machine, plan);
      Way way;
      way.choice.plan = plan;
      way.choice.terms = cost.terms();
      way.choice.cost = {static_cast<double>(way.choice.terms.total()), cost.bytes()};
      way.choice.explanation = explanation;
      way.result = detail::resultOf(step.problem, plan);
      next.push_back(std::move(way));
    };
    TileChoice const best = planTiles(step.problem, step.machine, step.constraints, width);
    add(best.plan, best.explanation);
    for (Candidate<TilePlan> const &other : best.others)
      add(other.plan, best.explanation);
    if (!ways.empty())
      for (std::size_t b = 0; b != std::min(FEW, ways.back().size()); ++b)
        add(planTilesWith(step.problem, step.machine, step.constraints, 1,
                          [&](TilePlan const &plan) {
                            return detail::chainedCycles(step, plan, ways.back()[b].result);
                          })
                .plan,
            best.explanation);
    double const aloneMoved =
        ways.empty() ? 0 : detail::chainedCycles(step, next[0].choice.plan, alone.result);
    chain.separate += next[0].choice.cost.cycles + aloneMoved;
    alone.result = next[0].result;
    for (Way &way : next) {
      double const own = way.choice.cost.cycles;
      way.cycles = ways.empty() ? own : std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; !ways.empty() && b != ways.back().size(); ++b) {
        Way const &before = ways.back()[b];
        if (before.cycles + own >= way.cycles)
          continue;
        double const moved = detail::chainedCycles(step, way.choice.plan, before.result);
        if (before.cycles + own + moved < way.cycles)
          way.cycles = before.cycles + own + moved, way.moved = before.moved + moved,
          way.before = b;
      }
    }
    std::stable_sort(next.begin(), next.end(),
                     [](Way const &a, Way const &b) { return a.cycles < b.cycles; });
    ways.push_back(std::move(next));
  }
  if (steps.empty())
    return chain;
  chain.cycles = ways.back()[0].cycles, chain.moved = ways.back()[0].moved;
  chain.choices.resize(steps.size());
  for (std::size_t s = steps.size(), at = 0; s-- != 0;) {
    std::size_t const before = ways[s][at].before;
    chain.choices[s] = std::move(ways[s][at].choice);
    at = before;
  }
  auto const n = [](double cycles) { return std::to_string(static_cast<std::uint64_t>(cycles)); };
  for (TileChoice &choice : chain.choices)
    choice.explanation = "one of a chain of " + std::to_string(steps.size()) + ": " +
                         n(chain.cycles) + " cycles in all, " + n(chain.moved) +
                         " of them to move results; the best plans of each by itself take " +
                         n(chain.separate) + "\n" + choice.explanation;
  return chain;
}

} // namespace cottonwood::planner
