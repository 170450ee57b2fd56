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

/// Every plan there is: all splits, all heights of filters, all numbers of stages and serial parts.
class AllPlans {
public:
  AllPlans(TileProblem const &problem, TileMachine const &machine)
      : problem_(problem), machine_(machine) {}

  double cheapest(double limit) {
    limit_ = limit;
    best_ = std::numeric_limits<double>::infinity();
    for (bool swap : {false, true})
      if (!swap || problem_.isMatMul) {
        TilePlan plan;
        plan.swap = swap;
        plan.method = problem_.flattens ? TileMethod::AMP_1X1 : TileMethod::AMP_NX1;
        for (std::uint32_t height : {1U, 2U, 4U}) {
          if (height > 1 && (problem_.flattens || problem_.field[0].taps == 1))
            continue;
          plan.filterHeight = height;
          plan.inGroup = static_cast<std::uint32_t>(machine_.amp.inputsPerGroup) / height;
          for (plan.convGroup = 1; plan.convGroup <= problem_.g; plan.convGroup *= 2)
            if (plan.convGroup == 1 || problem_.i * plan.convGroup <= plan.inGroup)
              groups(plan);
        }
      }
    if (!problem_.flattens && machine_.amp.halfInput && problem_.field[1].stride <= 2)
      slic();
    return best_;
  }

private:
  void slic() {
    TilePlan plan;
    plan.method = TileMethod::SLIC;
    for (auto const &[groupsAtATime, channels] :
         {std::pair(1U, 4U), std::pair(2U, 2U), std::pair(4U, 1U), std::pair(8U, 1U),
          std::pair(16U, 1U)})
      if (problem_.i <= channels && problem_.n <= channels &&
          (groupsAtATime == 1 || groupsAtATime <= problem_.g)) {
        plan.convGroup = groupsAtATime;
        plan.inGroup = plan.outGroup = groupsAtATime * channels;
        groups(plan);
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

  void groups(TilePlan plan) {
    TileProblem const seen = detail::seenBy(problem_, plan);
    bool const together = plan.convGroup > 1 || plan.method == TileMethod::SLIC;
    std::uint64_t const out = together ? 1 : detail::ceilDiv(seen.n, plan.outGroup);
    std::uint64_t const in = together ? 1 : detail::ceilDiv(seen.i, plan.inGroup);
    bool const flat = plan.method == TileMethod::AMP_1X1;
    each(detail::ceilDiv(seen.g, plan.convGroup), plan.splitG, plan, [&] {
      each(in, plan.splitI, plan, [&] {
        each(seen.field[0].taps, plan.splitK0, plan, [&] {
          for (plan.serialN = 1; plan.serialN <= out; ++plan.serialN)
            each(detail::ceilDiv(out, plan.serialN), plan.splitN, plan, [&] {
              each(flat ? 1 : seen.b, plan.splitB, plan, [&] {
                each(flat ? seen.positions() : seen.field[0].outputs, plan.splitY0, plan, [&] {
                  each(flat ? 1 : seen.field[1].outputs, plan.splitY1, plan,
                       [&] { price(seen, plan); });
                });
              });
            });
          plan.serialN = 1;
        });
      });
    });
  }

  void price(TileProblem const &seen, TilePlan plan) {
    for (plan.stages = 1; plan.stages <= MAX_STAGES; ++plan.stages) {
      if (plan.stages > 1 && plan.sums() < 4 * plan.stages)
        break;
      TileCost const cost(seen, machine_, plan);
      if (static_cast<double>(cost.bytes()) <= limit_)
        best_ = std::min(best_, static_cast<double>(cost.terms().total()));
    }
  }

  TileProblem const &problem_;
  TileMachine const &machine_;
  double limit_ = 0, best_ = 0;
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
    }
    if (type == MatMulType::HALF && random() % 2 == 0)
      p.partials = MatMulType::FLOAT;
    TileMachine machine = machineOf(16, type, 4000 + random() % 60000);
    machine.amp.halfPartials = p.partials == MatMulType::HALF;
    if (type == MatMulType::HALF && !machine.amp.halfPartials)
      machine.amp.units = 8;
    CAPTURE(toText(p));
    double const limit = machine.memoryProportion * static_cast<double>(machine.bytesPerTile);
    double const best = AllPlans(p, machine).cheapest(limit);
    TileChoice const choice = planTiles(p, machine);
    CAPTURE(toText(choice.plan));
    if (std::isfinite(best))
      CHECK(choice.cost.cycles == best);
    else
      CHECK(choice.explanation.find("no plan within") != std::string::npos);
  }
}

TEST_SUITE_END();
