#include "Machines.hpp"

#include <planners/poplin/ConvMeasure.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("planners/poplin");

using namespace cottonwood;
using namespace cottonwood::planner;

namespace {

ConvProblem layer(std::uint64_t g, std::uint64_t batch, std::uint64_t size, std::uint64_t in,
                  std::uint64_t out) {
  ConvProblem p;
  p.g = g, p.b = batch, p.i = in, p.n = out;
  p.field = {{{size, 3, size, 3 * size - 2}, {size, 3, size, 3 * size - 2}}};
  return p;
}

} // namespace

TEST_CASE("plans of convolutions that are measured keep the bits and can be emitted") {
  for (ConvProblem p : {layer(1, 4, 56, 64, 256), layer(1, 1, 7, 3, 5), layer(96, 2, 14, 1, 1),
                        layer(3, 1, 9, 40, 200), layer(1, 1, 1, 1, 1)})
    for (std::uint32_t winograd : {0U, 4U}) {
      p.winograd = winograd;
      CAPTURE(toText(p));
      MatMulCpu const cpu = cpuOf(4);
      ConvPlan const estimated = planConvCpu(p, cpu).plan;
      CHECK(convRefusal(estimated, p, estimated).empty());
      auto plans = convSplitsToMeasure(p, cpu, estimated);
      CHECK(plans.front() == estimated);
      for (unsigned round = 0; round != CONV_MEASURE_ROUNDS; ++round)
        for (ConvPlan const &plan : convVariations(p, estimated, estimated, round))
          plans.push_back(plan);
      if (estimated.winograd != 0)
        CHECK(plans.size() == 1);
      for (ConvPlan const &plan : plans) {
        CAPTURE(toText(plan));
        CHECK(convRefusal(plan, p, estimated).empty());
        CHECK(plan.parts() <= cpu.threads);
        CHECK(plan.winograd == estimated.winograd);
        CHECK(plan.method == estimated.method);
        CHECK(fromText<ConvPlan>(toText(plan)) == plan);
      }
    }
  CHECK(convSplitsToMeasure(layer(1, 4, 56, 64, 256), cpuOf(4),
                            planConvCpu(layer(1, 4, 56, 64, 256), cpuOf(4)).plan)
            .size() > 8);
}

TEST_CASE("plans of convolutions that would change the result or cannot be computed are refused") {
  ConvProblem p = layer(2, 3, 20, 32, 100);
  auto const reason = [&](auto const &change) {
    ConvPlan const estimated = planConvCpu(p, cpuOf(2)).plan;
    ConvPlan plan = estimated;
    change(plan);
    return convRefusal(plan, p, estimated);
  };
  CHECK(reason([](ConvPlan &) {}).empty());
  CHECK(reason([](ConvPlan &plan) { plan.splitI = 2; }) == "a CPU keeps sums whole");
  CHECK(reason([](ConvPlan &plan) { plan.splitK0 = 3; }) == "a CPU keeps sums whole");
  CHECK(reason([](ConvPlan &plan) { plan.splitB = 4; }) == "more parts than elements, or none");
  CHECK(reason([](ConvPlan &plan) { plan.splitY1 = 0; }) == "more parts than elements, or none");
  CHECK(reason([](ConvPlan &plan) { plan.winograd = 2; }) ==
        "blocks of 2 instead of 0 change the result");
  CHECK(reason([](ConvPlan &plan) { plan.method = kernels::MatMulMethod::AMX6; }) ==
        "another method than 'blocked' changes the result");
  CHECK(reason([](ConvPlan &plan) { plan.depth = kernels::CONV_MAX_SEGMENTS + 1; }) ==
        "blocks without elements, or too large ones");
  CHECK(reason([](ConvPlan &plan) { plan.pixels = 0; }) ==
        "blocks without elements, or too large ones");
  CHECK(reason([](ConvPlan &plan) { plan.packIn = 1 - plan.packIn; }).empty());
  CHECK(reason([](ConvPlan &plan) { plan.packIn = 2; }) == "packIn is 0 or 1");
  p.winograd = 4;
  REQUIRE(planConvCpu(p, cpuOf(2)).plan.winograd != 0);
  CHECK(reason([](ConvPlan &plan) { ++plan.pixels; }) == "the borders of blocks change the result");
}

TEST_CASE("inputs are packed if they are used often") {
  auto const packs = [](ConvProblem const &p, std::uint32_t floats) {
    MatMulCpu cpu = cpuOf(2);
    cpu.caches.vectorFloats = floats;
    return planConvCpu(p, cpu).plan.packIn != 0;
  };
  ConvProblem const used = layer(1, 1, 14, 64, 64);
  CHECK(packs(used, 8));
  CHECK(packs(used, 16));
  CHECK(!packs(used, 1));
  CHECK(packs(layer(3, 1, 14, 16, 64), 8));
  CHECK(!packs(layer(1, 1, 14, 8, 64), 8));  // few channels
  CHECK(!packs(layer(1, 1, 14, 64, 48), 8)); // few columns
  ConvProblem pointwise = layer(1, 1, 14, 64, 496);
  pointwise.field = {{{14, 1, 14, 14}, {14, 1, 14, 14}}};
  CHECK(!packs(pointwise, 8));
  pointwise.n = 512;
  CHECK(packs(pointwise, 8));
  CHECK(!packs(pointwise, 16));
  pointwise.n = 1024;
  CHECK(packs(pointwise, 16));
  ConvProblem blocks = used;
  blocks.winograd = 4;
  REQUIRE(planConvCpu(blocks, cpuOf(2)).plan.winograd != 0);
  CHECK(!packs(blocks, 8));
}

TEST_SUITE_END();
