// Plans against every plan there is, for tiles few enough that all can be priced.
#include "Machines.hpp"

#include <planners/poplin/TilePlanner.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace cottonwood;
using namespace cottonwood::planner;

TEST_SUITE_BEGIN("planner-bruteforce");

namespace {

/// Every plan there is: all methods, all splits, all heights of filters, all numbers of stages and
/// of parts in turn.
class AllPlans {
public:
  AllPlans(TileProblem const &problem, TileMachine const &machine)
      : problem_(problem), machine_(machine) {}

  double cheapest(double limit) {
    limit_ = limit;
    best_ = std::numeric_limits<double>::infinity();
    for (bool swap : {false, true})
      for (std::uint32_t dims = 0; dims != 64; ++dims) // taps, or outputs, of some as channels
        if ((!swap || problem_.isMatMul) &&
            (dims % 8 & ~(problem_.windows() & ~problem_.padded())) == 0 &&
            (dims < 8 || (dims % 8 == 0 && flattens(dims / 8)))) {
          TilePlan plan;
          plan.swap = swap;
          plan.expand = dims % 8;
          plan.flatten = dims / 8;
          TileProblem const seen = detail::seenBy(problem_, plan);
          plan.flat = problem_.flattens || (plan.expand != 0 && seen.gatheredI == 0);
          amp(seen, plan);
          if (!plan.flat && dims == 0 && problem_.input == MatMulType::HALF &&
              problem_.field[1].stride <= 2)
            slic(seen, plan);
          macs(seen, plan);
        }
    return best_;
  }

private:
  bool flattens(std::uint32_t dims) const {
    for (std::uint32_t d = 0; d != 3; ++d)
      if ((dims >> d & 1U) != 0 && (problem_.field[d].outputs == 1 || !problem_.field[d].meetsAll))
        return false;
    return !problem_.isMatMul;
  }

  void amp(TileProblem const &seen, TilePlan plan) {
    bool const single = plan.flat || seen.taps() == 1;
    plan.method = single ? TileMethod::AMP_1X1 : TileMethod::AMP_NX1;
    for (auto const units : {static_cast<std::uint32_t>(machine_.amp.units), 8U})
      for (std::uint32_t height : {1U, 2U, 4U}) {
        if ((height > 1 && (single || seen.field[0].taps == 1)) ||
            (units < machine_.amp.units && seen.n > 8))
          continue;
        plan.units = units;
        plan.outGroup = units < machine_.amp.units ? 8 : 16;
        plan.filterHeight = height;
        plan.inGroup = static_cast<std::uint32_t>(machine_.amp.inputsPerGroup) / height;
        for (plan.convGroup = 1; plan.convGroup <= seen.g; plan.convGroup *= 2)
          if (plan.convGroup == 1 || seen.i * plan.convGroup <= plan.inGroup)
            groups(seen, plan);
      }
  }

  void slic(TileProblem const &seen, TilePlan plan) {
    plan.method = TileMethod::SLIC;
    for (auto const &[groupsAtATime, channels] :
         {std::pair(1U, 4U), std::pair(2U, 2U), std::pair(4U, 1U), std::pair(8U, 1U),
          std::pair(16U, 1U)})
      if (problem_.i <= channels && problem_.n <= channels &&
          (groupsAtATime == 1 || groupsAtATime <= problem_.g)) {
        plan.convGroup = groupsAtATime;
        plan.inGroup = plan.outGroup = groupsAtATime * channels;
        groups(seen, plan);
      }
  }

  void macs(TileProblem const &seen, TilePlan plan) {
    bool const half = problem_.input == MatMulType::HALF;
    plan.method = TileMethod::HMAC;
    plan.outGroup = half && problem_.partials == MatMulType::HALF ? 2 : 1;
    std::uint64_t const word = half ? 4 : 2;
    for (std::uint64_t const channels : {seen.i, detail::ceilDiv(seen.i, word) * word}) {
      plan.inGroup = static_cast<std::uint32_t>(std::min<std::uint64_t>(channels, 16));
      groups(seen, plan);
    }
    plan.outGroup = 16, plan.inGroup = 1;
    if (seen.i == 1 && plan.flat) {
      plan.method = TileMethod::OUTER;
      groups(seen, plan);
    }
    plan.method = TileMethod::VMAC;
    if (half && seen.i == 1 && seen.n == 1 && seen.gatheredI == 0 && plan.flatten == 0)
      for (plan.convGroup = 4; plan.convGroup <= 16 && plan.convGroup < 2 * seen.g;
           plan.convGroup *= 2) {
        plan.inGroup = plan.outGroup = plan.convGroup;
        groups(seen, plan);
      }
  }

  /// Splits that leave no part empty.
  template <class F>
  void each(std::uint64_t units, std::uint64_t &split, TilePlan const &plan, F const &f) {
    for (split = 1; split <= units && plan.parts() <= machine_.tiles; ++split)
      if (detail::realParts(units, split) == split)
        f();
    split = 1;
  }

  void groups(TileProblem const &seen, TilePlan plan) {
    bool const together = plan.convGroup > 1 || plan.method == TileMethod::SLIC;
    std::uint64_t const out = together ? 1 : detail::ceilDiv(seen.n, plan.outGroup);
    std::uint64_t const in = together ? 1 : detail::ceilDiv(seen.i, plan.inGroup);
    auto const &f = seen.field;
    each(detail::ceilDiv(seen.g, plan.convGroup), plan.splitG, plan, [&] {
      for (plan.serialN = 1; plan.serialN <= out; ++plan.serialN)
        for (plan.serialI = 1; plan.serialI <= in; ++plan.serialI)
          each(detail::ceilDiv(in, plan.serialI), plan.splitI, plan, [&] {
            each(f[0].taps, plan.splitK0, plan, [&] {
              each(f[1].taps, plan.splitK1, plan, [&] {
                each(f[2].taps, plan.splitK2, plan, [&] {
                  each(detail::ceilDiv(out, plan.serialN), plan.splitN, plan,
                       [&] { outputs(seen, plan); });
                });
              });
            });
          });
    });
  }

  void outputs(TileProblem const &seen, TilePlan plan) {
    auto const &f = seen.field;
    if (plan.flat)
      return each(seen.positions(), plan.splitY0, plan, [&] { price(seen, plan); });
    each(seen.b, plan.splitB, plan, [&] {
      each(f[0].outputs, plan.splitY0, plan, [&] {
        each(f[1].outputs, plan.splitY1, plan,
             [&] { each(f[2].outputs, plan.splitY2, plan, [&] { price(seen, plan); }); });
      });
    });
  }

  void price(TileProblem const &seen, TilePlan plan) {
    for (plan.stages = 1; plan.stages <= MAX_STAGES; ++plan.stages) {
      if (plan.stages > 1 && plan.sums() < 4 * plan.stages)
        break;
      TileCost const cost(seen, machine_, plan);
      if (static_cast<double>(cost.bytes()) > limit_)
        continue;
      auto const cycles = static_cast<double>(cost.terms().total());
      if (cycles < best_)
        best_ = cycles, bestPlan = plan;
    }
  }

  TileProblem const &problem_;
  TileMachine const &machine_;
  double limit_ = 0, best_ = 0;

public:
  TilePlan bestPlan;
};

} // namespace

TEST_CASE("no plan of 260 random products and convolutions is cheaper than the chosen one") {
  std::mt19937 random(20);
  auto const upTo = [&](std::uint64_t most) { return 1 + random() % most; };
  for (int trial = 0; trial != 260; ++trial) {
    MatMulType const type = random() % 2 == 0 ? MatMulType::FLOAT : MatMulType::HALF;
    TileProblem p = trial % 2 == 0 ? product(upTo(3), upTo(60), upTo(200), upTo(90), type)
                                   : layer(upTo(3), upTo(9), upTo(40), upTo(70), type);
    if (trial % 2 == 1) {
      bool const depthwise = trial % 4 == 3;
      p.g = upTo(depthwise ? 20 : 2);
      if (depthwise)
        p.i = upTo(4), p.n = upTo(4);
      for (TileField *f : {&p.field[0], &p.field[1]}) {
        f->taps = upTo(4);
        f->stride = upTo(2);
        f->inputs = (f->outputs - 1) * f->stride + f->taps;
      }
      if (trial % 8 == 5) // three dimensions
        p.b = 1, p.field[2] = {upTo(5), upTo(3), 7};
      if (trial % 3 == 1) // few inputs, each in all windows
        for (std::size_t d : {0U, 1U})
          if (d == 0 || trial % 2 == 1) {
            TileField &f = p.field[d];
            f = {upTo(4), 1, upTo(3)};
            f.taps = f.outputs + f.inputs - 1;
            f.padded = f.meetsAll = true;
          }
    }
    if (type == MatMulType::HALF && random() % 2 == 0)
      p.partials = MatMulType::FLOAT;
    TileMachine machine = machineOf(16, type, 4000 + random() % 60000);
    machine.amp.halfPartials = p.partials == MatMulType::HALF;
    if (type == MatMulType::HALF && !machine.amp.halfPartials)
      machine.amp.units = 8;
    CAPTURE(toText(p));
    double const limit = machine.memoryProportion * static_cast<double>(machine.bytesPerTile);
    AllPlans all(p, machine);
    double const best = all.cheapest(limit);
    CAPTURE(toText(all.bestPlan));
    TileChoice const choice = planTiles(p, machine);
    CAPTURE(toText(choice.plan));
    if (std::isfinite(best))
      CHECK(choice.cost.cycles == best);
    else
      CHECK(choice.explanation.find("no plan within") != std::string::npos);
  }
}

TEST_SUITE_END();
