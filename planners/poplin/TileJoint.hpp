// Planning the three passes of a layer of a product together: forward [m, k] x [k, n], backward
// [m, n] x [n, k], update [k, m] x [m, n]. One plan with its roles exchanged leaves weights,
// activations and gradients where they are; plans of their own may be quicker, but then these move.
#pragma once

#include "TileLayout.hpp"
#include "TilePlanner.hpp"

namespace cottonwood::planner {

enum class TilePass : std::uint32_t { FORWARD, BACKWARD, UPDATE };

/// The three passes of a layer, by TilePass.
struct TilePasses {
  std::array<TileChoice, 3> choices;
  bool joint = false;             ///< one plan with its roles exchanged
  double cycles = 0;              ///< of all passes, with what moves between them
  double separate = 0, moved = 0; ///< of plans of their own: cycles in all, and those of moving
  double together = 0;            ///< of one plan; 0: there is none
};

/// The problem of a pass of a forward product.
inline TileProblem problemOf(TileProblem const &forward, TilePass pass) {
  TileProblem p = forward;
  std::uint64_t const m = forward.positions(), k = forward.i, n = forward.n;
  auto const set = [&p](std::uint64_t rows, std::uint64_t depth, std::uint64_t columns) {
    p.field[0].outputs = p.field[0].inputs = rows;
    p.i = depth, p.n = columns;
  };
  if (pass == TilePass::BACKWARD)
    set(m, n, k);
  if (pass == TilePass::UPDATE)
    set(k, m, n);
  return p;
}
/// The forward product of which a product is a pass.
inline TileProblem forwardOf(TileProblem const &problem, TilePass pass) {
  // Both exchanges are their own inverse.
  return problemOf(problem, pass);
}

namespace detail {

/// The plan of a pass on the tiles of a forward plan, with its roles exchanged.
inline TilePlan exchanged(TilePlan const &forward, TilePass pass) {
  TilePlan plan = forward;
  bool const swap = forward.swap, backward = pass == TilePass::BACKWARD;
  // Rows, depth and columns of the forward product are cut into so many parts.
  std::uint64_t const m = swap ? forward.splitN : forward.splitY0, k = forward.splitI,
                      n = swap ? forward.splitY0 : forward.splitN;
  if (pass == TilePass::FORWARD)
    return plan;
  plan.splitI = backward ? n : m;
  std::uint64_t const rows = backward ? m : k, columns = backward ? k : n;
  plan.splitY0 = swap ? columns : rows;
  plan.splitN = swap ? rows : columns;
  plan.order = backward != swap ? TileOrder::NYI : TileOrder::YIN;
  plan.stages = 1;
  return plan;
}

/// Looks for the cheapest plan of all three passes.
class JointSearch {
public:
  JointSearch(TileProblem const &forward, TileMachine const &machine)
      : machine_(machine), limit_(machine.allowedBytes()) {
    for (std::size_t pass = 0; pass != 3; ++pass)
      problems_[pass] = problemOf(forward, static_cast<TilePass>(pass));
  }

  std::array<TileProblem, 3> const &problems() const { return problems_; }

  /// Cycles of moving what one pass leaves to where another wants it: weights and activations of
  /// the forward pass, gradients that came back, and the gradient of weights to the weights.
  double moves(std::array<TilePlan, 3> const &plans) const {
    auto const held = [&](std::size_t pass, TileMatrix matrix) {
      return layoutOf(problems_[pass], plans[pass], matrix, true);
    };
    auto const need = [&](std::size_t pass, TileMatrix matrix, TileLayout const &from) {
      return givenCycles(problems_[pass], machine_, plans[pass], matrix, from);
    };
    TileLayout const weights = held(0, TileMatrix::RIGHT);
    double cycles = need(1, TileMatrix::RIGHT, transposed(weights)) +
                    need(2, TileMatrix::LEFT, transposed(held(0, TileMatrix::LEFT))) +
                    need(2, TileMatrix::RIGHT, held(1, TileMatrix::LEFT));
    double const sums = elementsReceived(weights, held(2, TileMatrix::RESULT));
    return cycles +
           static_cast<double>(receiveCycles(machine_, problems_[2].output, sums < 1 ? 0 : sums));
  }

  /// \param bound  plans that cost as much do not count
  void run(double bound, std::array<double, 3> const &) {
    best_ = bound;
    auto const half = machine_.amp.halfInput;
    TilePlan plan;
    plan.units = static_cast<std::uint32_t>(machine_.amp.units);
    plan.inGroup = static_cast<std::uint32_t>(machine_.amp.inputsPerGroup);
    plan.grain = half ? 16 : 8;
    TileProblem const &forward = problems_[0];
    for (bool const swap : {true, false}) {
      plan.swap = swap;
      TileProblem const seen = seenBy(forward, plan);
      std::uint64_t const rows = ceilDiv(seen.positions(), plan.grain),
                          in = ceilDiv(seen.i, plan.inGroup), out = ceilDiv(seen.n, plan.outGroup);
      for (std::uint64_t const g : distinctSplits(seen.g, machine_.tiles)) {
        plan.splitG = g;
        for (std::uint64_t const i : distinctSplits(in, machine_.tiles / g)) {
          plan.splitI = i;
          for (std::uint64_t const n : distinctSplits(out, machine_.tiles / g / i)) {
            plan.splitN = n;
            for (std::uint64_t const y : distinctSplits(rows, machine_.tiles / g / i / n)) {
              plan.splitY0 = y;
              consider(plan);
            }
          }
        }
      }
    }
  }

  bool found() const { return found_; }
  double cycles() const { return best_; }
  std::array<TilePlan, 3> const &plans() const { return plans_; }
  double costOf(std::size_t pass, TilePlan const &plan) const {
    TileProblem const seen = seenBy(problems_[pass], plan);
    return TileCost(seen, machine_, plan).cost().cycles;
  }

private:
  void consider(TilePlan const &forward) {
    double cycles = 0;
    std::array<TilePlan, 3> plans;
    for (std::size_t pass = 0; pass != 3; ++pass) {
      plans[pass] = exchanged(forward, static_cast<TilePass>(pass));
      TileProblem const seen = seenBy(problems_[pass], plans[pass]);
      double cheapest = std::numeric_limits<double>::infinity();
      TilePlan staged = plans[pass];
      for (staged.stages = 1; staged.stages <= MAX_STAGES; ++staged.stages) {
        if (staged.stages > 1 && (!machine_.multiStage || staged.sums() < 4 * staged.stages))
          break;
        TileCost const cost(seen, machine_, staged);
        if (static_cast<double>(cost.bytes()) > limit_)
          continue;
        auto const total = static_cast<double>(cost.terms().total());
        if (total < cheapest)
          cheapest = total, plans[pass] = staged;
      }
      cycles += cheapest;
      if (cycles >= best_)
        return;
    }
    cycles += moves(plans);
    if (cycles < best_)
      best_ = cycles, plans_ = plans, found_ = true;
  }

  TileMachine const &machine_;
  double limit_;
  std::array<TileProblem, 3> problems_;
  std::array<TilePlan, 3> plans_;
  double best_ = 0;
  bool found_ = false;
};

/// The best plans of three passes by themselves or those of `search`, which may be less in all.
template <class Search>
TilePasses planTogether(std::array<TileProblem, 3> const &problems, TileMachine const &machine,
                        std::size_t keep, Search &search) {
  TilePasses passes;
  std::array<TilePlan, 3> plans;
  std::array<double, 3> separate{};
  double sum = 0;
  for (std::size_t pass = 0; pass != 3; ++pass) {
    passes.choices[pass] = planTiles(problems[pass], machine, {}, keep);
    plans[pass] = passes.choices[pass].plan;
    separate[pass] = passes.choices[pass].cost.cycles;
    sum += separate[pass];
  }
  passes.moved = search.moves(plans);
  passes.separate = sum + passes.moved;
  search.run(passes.separate, separate);
  passes.joint = search.found();
  passes.cycles = search.cycles();
  passes.together = search.found() ? search.cycles() : 0;
  auto const n = [](double cycles) { return std::to_string(static_cast<std::uint64_t>(cycles)); };
  std::string const text =
      search.found()
          ? "one plan for forward, backward and update passes: " + n(search.cycles()) +
                " cycles in all; separate plans take " + n(passes.separate) + ", " +
                n(passes.moved) + " of them to move operands\n"
          : "separate plans for forward, backward and update passes: " + n(passes.separate) +
                " cycles in all, " + n(passes.moved) +
                " of them to move operands; no plan for all three takes less\n";
  for (std::size_t pass = 0; pass != 3; ++pass) {
    TileChoice &choice = passes.choices[pass];
    choice.explanation = text + choice.explanation;
    if (!search.found())
      continue;
    TilePlan const &plan = search.plans()[pass];
    choice.others.insert(choice.others.begin(),
                         Candidate<TilePlan>::at(choice.plan, choice.cost)); // by itself better
    TileProblem const seen = seenBy(problems[pass], plan);
    TileCost const cost(seen, machine, plan);
    choice.plan = plan;
    choice.terms = cost.terms();
    choice.cost = {static_cast<double>(choice.terms.total()), cost.bytes()};
  }
  return passes;
}

} // namespace detail

/// Plans the passes of a forward product, jointly or each for itself, whatever is less in all.
/// \param keep  plans of which each result tells
inline TilePasses planPasses(TileProblem const &forward, TileMachine const &machine,
                             std::size_t keep = 1) {
  detail::JointSearch search(forward, machine);
  return detail::planTogether(search.problems(), machine, keep, search);
}

} // namespace cottonwood::planner
