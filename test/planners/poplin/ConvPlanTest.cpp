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
                       "the constraints admit no plan (splitI = 2 is not possible; allowed: 1, as "
                       "a CPU keeps sums whole)",
                       PlanError);
  CHECK_THROWS_WITH_AS(planConvCpu(p, cpuOf(2), Constraints::parse("splitB=5|6,splitN=17")),
                       "the constraints admit no plan (splitB = 5|6 is not possible; allowed: 1 to "
                       "4) (splitN = 17 is not possible; allowed: 1 to 16)",
                       PlanError);
  CHECK_THROWS_WITH_AS(planConvCpu(p, cpuOf(2), Constraints::parse("depth=3")),
                       doctest::Contains("but 3 is forced"), PlanError);
  CHECK(planConvCpu(p, cpuOf(2), Constraints::parse("splitY0=7")).plan.splitY0 == 7);
}

TEST_CASE("a CPU gets a vertex a thread where the work is worth it") {
  CHECK(planConvCpu(convLayer(1, 56, 64, 64), cpuOf(2)).plan.parts() == 2);
  CHECK(planConvCpu(convLayer(4, 56, 64, 64), cpuOf(4)).plan.parts() == 4);
  CHECK(planConvCpu(convLayer(1, 56, 64, 64), cpuOf(1)).plan.parts() == 1);
  CHECK(planConvCpu(convLayer(1, 3, 4, 4), cpuOf(8)).plan.parts() == 1);
}

TEST_CASE("few channels go on matrix tiles where lines of taps are shared or used often") {
  planner::MatMulCpu cpu;
  cpu.tiles = isa::Tiles::Bfloat;
  auto const method = [&](std::uint64_t channels, std::uint64_t columns, std::uint64_t outputs,
                          std::uint64_t taps, planner::MatMulType type) {
    planner::ConvProblem p;
    p.b = 64, p.n = columns, p.i = channels, p.input = p.output = type;
    p.field[0] = p.field[1] = {outputs, taps, outputs + taps - 1, outputs * taps};
    p.lastOutputs = outputs, p.lastTaps = taps;
    return planner::planConvCpu(p, cpu).plan.method;
  };
  using kernels::MatMulMethod;
  using planner::MatMulType;
  // A first layer, and gradients of weights of a batch of four.
  CHECK(method(3, 64, 112, 7, MatMulType::HALF) == MatMulMethod::AMX4);
  CHECK(method(4, 64, 3, 56, MatMulType::HALF) == MatMulMethod::BLOCKED);
  CHECK(method(4, 64, 3, 56, MatMulType::FLOAT) == MatMulMethod::BLOCKED);
  CHECK(method(4, 512, 3, 7, MatMulType::FLOAT) == MatMulMethod::AMX6);
  CHECK(method(64, 64, 3, 3, MatMulType::FLOAT) == MatMulMethod::AMX6);
}

TEST_CASE("half partials ask for half arithmetic where a CPU has it and taps meet inputs") {
  planner::MatMulCpu cpu = cpuOf(2);
  ConvProblem p = convLayer(1, 28, 64, 64);
  p.input = p.output = p.partials = MatMulType::HALF;
  p.field[0].products = p.field[1].products = 28 * 3 - 2;
  auto const method = [&] { return planConvCpu(p, cpu).plan.method; };
  double const chains = planConvCpu(p, cpu).cost.cycles;
  CHECK(method() == kernels::MatMulMethod::BLOCKED);
  cpu.halfArithmetic = true;
  CHECK(method() == kernels::MatMulMethod::FP16);
  CHECK(planConvCpu(p, cpu).cost.cycles < chains);
  for (unsigned threads : {1U, 7U, 64U}) { // rounding does not depend on them
    cpu.threads = threads;
    CHECK(method() == kernels::MatMulMethod::FP16);
  }
  p.partials = MatMulType::FLOAT;
  CHECK(method() == kernels::MatMulMethod::BLOCKED);
  p.partials = MatMulType::HALF, p.i = 3;
  CHECK(method() == kernels::MatMulMethod::BLOCKED);
  p.i = 64, p.field[0].products = p.field[1].products = 28 * 3 / 2;
  CHECK(method() == kernels::MatMulMethod::BLOCKED);
}

TEST_SUITE_END();
