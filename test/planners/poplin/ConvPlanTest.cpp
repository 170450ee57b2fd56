#include "Machines.hpp"

#include <planners/poplin/Conv.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("planners/poplin/conv");

using namespace cottonwood;
using namespace cottonwood::planner;

namespace {

/// 3x3 over a square field.
ConvProblem layer(std::uint64_t batch, std::uint64_t size, std::uint64_t in, std::uint64_t out) {
  ConvProblem p;
  p.b = batch, p.i = in, p.n = out;
  p.field = {{{size, 3, size}, {size, 3, size}}};
  return p;
}

} // namespace

TEST_CASE("plans for tiles use many tiles, fit the memory, and are functions of the problem") {
  for (ConvProblem const &p : {layer(1, 56, 64, 64), layer(16, 7, 512, 512), layer(1, 1, 8, 8)}) {
    MatMulTiles const machine = machineOf(1216);
    ConvChoice const choice = planConvTiles(p, machine);
    CAPTURE(toText(choice.plan));
    CHECK(choice.plan.parts() <= machine.tiles);
    CHECK(static_cast<double>(choice.cost.temporaryBytes) <= 0.6 * 600000);
    CHECK(planConvTiles(p, machine).plan == choice.plan);
    CHECK(fromText<ConvPlan>(toText(choice.plan)) == choice.plan);
    CHECK(fromText<ConvProblem>(toText(p)) == p);
    detail::ConvTileCost const whole(p, machine, ConvPlan{});
    CHECK(choice.cost.cycles <= whole.cycles());
  }
  CHECK(planConvTiles(layer(1, 56, 64, 64), machineOf(1216)).plan.parts() > 600);
}

TEST_CASE("with less memory plans take less of it, and say when nothing fits") {
  ConvProblem const p = layer(4, 28, 128, 128);
  ConvChoice const roomy = planConvTiles(p, machineOf(16, 100000000)),
                   tight = planConvTiles(p, machineOf(16, 400000)),
                   none = planConvTiles(p, machineOf(16, 1000));
  CHECK(tight.cost.temporaryBytes <= roomy.cost.temporaryBytes);
  CHECK(none.cost.temporaryBytes <= tight.cost.temporaryBytes);
  CHECK(none.explanation.find("the plan with the least temporaries") != std::string::npos);
}

TEST_CASE("constraints force splits, and impossible ones are explained") {
  ConvProblem const p = layer(4, 28, 16, 16);
  auto const plan = planConvTiles(p, machineOf(64), Constraints::parse("splitB=2,splitI=4")).plan;
  CHECK(plan.splitB == 2);
  CHECK(plan.splitI == 4);
  CHECK_THROWS_WITH_AS(planConvTiles(p, machineOf(64), Constraints::parse("splitB=5")),
                       doctest::Contains("5 is forced"), PlanError);
  CHECK_THROWS_AS(planConvTiles(p, machineOf(64), Constraints::parse("otherSplits=2")), PlanError);
  CHECK_THROWS_WITH_AS(planConvCpu(p, cpuOf(2), Constraints::parse("splitI=2")),
                       doctest::Contains("forced"), PlanError);
  CHECK(planConvCpu(p, cpuOf(2), Constraints::parse("splitY0=7")).plan.splitY0 == 7);
}

TEST_CASE("a CPU gets a vertex a thread where the work is worth it") {
  CHECK(planConvCpu(layer(1, 56, 64, 64), cpuOf(2)).plan.parts() == 2);
  CHECK(planConvCpu(layer(4, 56, 64, 64), cpuOf(4)).plan.parts() == 4);
  CHECK(planConvCpu(layer(1, 56, 64, 64), cpuOf(1)).plan.parts() == 1);
  CHECK(planConvCpu(layer(1, 3, 4, 4), cpuOf(8)).plan.parts() == 1);
}

TEST_SUITE_END();
