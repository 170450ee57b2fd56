#include "Machines.hpp"

#include <planners/poplin/Conv.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("planners/poplin/conv");

using namespace cottonwood;
using namespace cottonwood::planner;

namespace {

/// 3x3 over a square field.
ConvProblem convLayer(std::uint64_t batch, std::uint64_t size, std::uint64_t in,
                      std::uint64_t out) {
  ConvProblem p;
  p.b = batch, p.i = in, p.n = out;
  p.field = {{{size, 3, size}, {size, 3, size}}};
  return p;
}

} // namespace

TEST_CASE("constraints force splits, and impossible ones are explained") {
  ConvProblem const p = convLayer(4, 28, 16, 16);
  CHECK_THROWS_WITH_AS(planConvCpu(p, cpuOf(2), Constraints::parse("splitI=2")),
                       doctest::Contains("forced"), PlanError);
  CHECK(planConvCpu(p, cpuOf(2), Constraints::parse("splitY0=7")).plan.splitY0 == 7);
}

TEST_CASE("a CPU gets a vertex a thread where the work is worth it") {
  CHECK(planConvCpu(convLayer(1, 56, 64, 64), cpuOf(2)).plan.parts() == 2);
  CHECK(planConvCpu(convLayer(4, 56, 64, 64), cpuOf(4)).plan.parts() == 4);
  CHECK(planConvCpu(convLayer(1, 56, 64, 64), cpuOf(1)).plan.parts() == 1);
  CHECK(planConvCpu(convLayer(1, 3, 4, 4), cpuOf(8)).plan.parts() == 1);
}

TEST_SUITE_END();
