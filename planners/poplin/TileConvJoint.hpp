// Planning the three passes of a layer of a convolution together: forward, the gradient of its
// input (backward) and that of its weights (update). One plan with its roles exchanged leaves
// operands where they are; plans of their own may be quicker, but then these move.
#pragma once

#include "TileConvLayout.hpp"
#include "TileJoint.hpp"

namespace cottonwood::planner {

/// The convolutions of a layer, by TilePass: backward exchanges input and output channels and
/// reverses the kernel; update has the input channels as batch, the batch as input channels, and
/// the gradient of the result as kernel.
using ConvPassProblems = std::array<TileProblem, 3>;

namespace detail {

/// Looks for the cheapest plan of all three passes among the forward plans. It is a sink of their
/// walk: what is left for a forward plan is what all may cost without the best of other passes.
class ConvJointSearch {
public:
  ConvJointSearch(ConvPassProblems const &problems, TileMachine const &machine)
      : problems_(problems), machine_(machine) {}

  /// Cycles of moving what one pass leaves to where another wants it: weights and activations of
  /// the forward pass, gradients that came back, and the gradient of weights to the weights.
  double moves(std::array<TilePlan, 3> const &plans) const {
    std::array<ConvLayouts, 3> layouts{ConvLayouts(problems_[0], plans[0]),
                                       ConvLayouts(problems_[1], plans[1]),
                                       ConvLayouts(problems_[2], plans[2])};
    auto const more = [&](std::size_t pass, TileOperand operand, TileLayout const &held) {
      return moreCycles(machine_, problems_[0].input, layouts[pass].of(operand, false),
                        layouts[pass].of(operand, true), held);
    };
    TileLayout const weights = layouts[0].of(TileOperand::WEIGHTS, true);
    double const cycles =
        more(1, TileOperand::WEIGHTS, reversed(exchanged(weights))) +
        more(2, TileOperand::INPUT, exchanged(layouts[0].of(TileOperand::INPUT, true))) +
        more(2, TileOperand::WEIGHTS, exchanged(layouts[1].of(TileOperand::INPUT, true)));
    double const sums =
        elementsReceived(weights, exchanged(layouts[2].of(TileOperand::OUTPUT, true)));
    return cycles +
           static_cast<double>(receiveCycles(machine_, problems_[2].output, sums < 1 ? 0 : sums));
  }

  /// \param bound     plans that cost as much do not count
  /// \param separate  cycles of the best plan of each pass
  void run(double bound, std::array<double, 3> const &separate) {
    best_ = bound, others_ = separate[1] + separate[2];
    TileWalk walk(problems_[0], machine_, Constraints(), *this, false);
    walk.run();
  }

  bool found() const { return found_; }
  double cycles() const { return best_; }
  std::array<TilePlan, 3> const &plans() const { return plans_; }

  // What the walk asks for.
  double limit() const { return machine_.allowedBytes(); }
  double bound(std::uint64_t) const { return best_ - others_; }
  void consider(TilePlan const &forward, Cost const &cost) {
    if (cost.cycles >= bound(0) || forward.convGroup > 1 || forward.flatten != 0)
      return;
    std::array<TilePlan, 3> plans{forward, {}, {}};
    double cycles = cost.cycles;
    for (std::size_t pass : {1U, 2U}) {
      cycles += exchangedCost(forward, static_cast<TilePass>(pass), plans[pass]);
      if (cycles >= best_)
        return;
    }
    cycles += moves(plans);
    if (cycles < best_)
      best_ = cycles, plans_ = plans, found_ = true;
  }

private:
  /// Batch and channels, or input and output channels, in each other's place.
  static TileLayout exchanged(TileLayout layout) {
    for (TileBox &box : layout)
      std::swap(box.range[1], box.range[5]);
    return layout;
  }
  TileLayout reversed(TileLayout layout) const {
    for (TileBox &box : layout)
      for (std::size_t d = 0; d != 3; ++d) {
        std::uint64_t const taps = problems_[0].field[d].taps;
        box.range[2 + d] = {taps - box.range[2 + d].second, taps - box.range[2 + d].first};
      }
    return layout;
  }

  /// The parts of a forward plan with their roles exchanged.
  static TilePlan partsOf(TilePlan const &forward, TilePass pass) {
    TilePlan plan = forward;
    plan.expand = 0, plan.filterHeight = 1, plan.stages = 1, plan.serialN = plan.serialI = 1;
    plan.splitI = forward.splitN, plan.splitN = forward.splitI;
    plan.order = TileOrder::NYI;
    if (pass == TilePass::BACKWARD)
      return plan;
    plan.order = TileOrder::YIN;
    plan.splitN = forward.splitN, plan.splitB = forward.splitI, plan.splitI = forward.splitB;
    plan.splitY0 = forward.splitK0, plan.splitY1 = forward.splitK1, plan.splitY2 = forward.splitK2;
    plan.splitK0 = forward.splitY0, plan.splitK1 = forward.splitY1, plan.splitK2 = forward.splitY2;
    return plan;
  }

  /// The cheapest of the plans of a pass with these parts. \returns  its cycles, or infinity
  double exchangedCost(TilePlan const &forward, TilePass pass, TilePlan &best) const {
    TileProblem const &problem = problems_[static_cast<std::size_t>(pass)];
    TilePlan const parts = partsOf(forward, pass);
    double cheapest = std::numeric_limits<double>::infinity();
    auto const kind = [&](TilePlan plan) {
      TileProblem const seen = seenBy(problem, plan);
      bool const one = plan.flat || seen.taps() == 1;
      plan.method = one ? TileMethod::AMP_1X1 : TileMethod::AMP_NX1;
      plan.units = static_cast<std::uint32_t>(machine_.amp.units);
      plan.outGroup = 16;
      for (std::uint32_t const height : {1U, 2U, 4U}) {
        if (height > 1 && (one || seen.field[0].taps == 1))
          break;
        plan.filterHeight = height;
        plan.inGroup = static_cast<std::uint32_t>(machine_.amp.inputsPerGroup) / height;
        if (fits(seen, plan))
          price(seen, plan, cheapest, best);
      }
    };
    std::uint32_t const windows = problem.windows();
    if (forward.flat && pass == TilePass::UPDATE) { // positions become taps: those of a row
      TilePlan plan = parts;
      plan.flat = problem.flattens, plan.splitI = 1;
      plan.splitK0 = forward.splitY0;
      kind(plan);
      if (windows != 0 && problem.padded() == 0) { // or channels
        plan.splitK0 = 1, plan.splitI = forward.splitY0;
        plan.expand = windows;
        plan.flat = problem.expands;
        kind(plan);
      }
      return cheapest;
    }
    if (!forward.flat || problem.flattens) {
      TilePlan plan = parts;
      plan.flat = problem.flattens;
      if (plan.flat == forward.flat)
        kind(plan);
    }
    return cheapest;
  }

  /// True if no part is empty, so that parts are on the tiles of the forward plan.
  static bool fits(TileProblem const &seen, TilePlan const &plan) {
    auto const whole = [](std::uint64_t units, std::uint64_t split) {
      return split <= units && realParts(units, split) == split;
    };
    auto const &f = seen.field;
    bool const places =
        plan.flat ? whole(ceilDiv(seen.positions(), plan.grain), plan.splitY0) &&
                        plan.splitB * plan.splitY1 * plan.splitY2 * plan.sums() == plan.splitI
                  : whole(seen.b, plan.splitB) && whole(f[0].outputs, plan.splitY0) &&
                        whole(f[1].outputs, plan.splitY1) && whole(f[2].outputs, plan.splitY2) &&
                        whole(f[0].taps, plan.splitK0) && whole(f[1].taps, plan.splitK1) &&
                        whole(f[2].taps, plan.splitK2);
    return places && whole(seen.g, plan.splitG) &&
           whole(ceilDiv(seen.n, plan.outGroup), plan.splitN) &&
           whole(ceilDiv(seen.i, plan.inGroup), plan.splitI);
  }

  void price(TileProblem const &seen, TilePlan plan, double &cheapest, TilePlan &best) const {
    for (plan.stages = 1; plan.stages <= MAX_STAGES; ++plan.stages) {
      if (plan.stages > 1 && (!machine_.multiStage || plan.sums() < 4 * plan.stages))
        return;
      TileCost const cost(seen, machine_, plan);
      if (static_cast<double>(cost.bytes()) > limit())
        continue;
      auto const cycles = static_cast<double>(cost.terms().total());
      if (cycles < cheapest)
        cheapest = cycles, best = plan;
    }
  }

  ConvPassProblems const &problems_;
  TileMachine const &machine_;
  double best_ = 0, others_ = 0;
  std::array<TilePlan, 3> plans_;
  bool found_ = false;
};

} // namespace detail

/// Plans the passes of a layer, jointly or each for itself, whatever is less in all.
/// \param keep  plans of which each result tells
inline TilePasses planConvPasses(ConvPassProblems const &problems, TileMachine const &machine,
                                 std::size_t keep = 1) {
  detail::ConvJointSearch search(problems, machine);
  return detail::planTogether(problems, machine, keep, search);
}

} // namespace cottonwood::planner
