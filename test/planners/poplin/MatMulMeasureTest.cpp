#include <planners/poplin/MatMulMeasure.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("planners/poplin");

using namespace cottonwood::planner;
using cottonwood::kernels::MatMulMethod;

namespace {

MatMulProblem problem(std::uint64_t g, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  MatMulProblem p;
  p.g = g, p.m = m, p.n = n, p.k = k;
  return p;
}

MatMulCpu const CPU{.threads = 4, .caches = {}};

} // namespace

TEST_CASE("what is measured keeps the method's roundings and can be emitted") {
  for (MatMulProblem p :
       {problem(1, 512, 512, 512), problem(6, 40, 300, 70), problem(1, 3, 900, 50),
        problem(1, 1, 64, 4096), problem(2, 5000, 1, 300)})
    for (MatMulType type : {MatMulType::FLOAT, MatMulType::HALF})
      for (MatMulLayout layout : {MatMulLayout::ROWS, MatMulLayout::COLUMNS}) {
        p.input = type, p.b = layout;
        CAPTURE(toText(p));
        MatMulPlan const estimated = planMatMulCpu(p, CPU).plan;
        auto plans = matMulSplitsToMeasure(p, CPU, estimated);
        CHECK(plans.front() == estimated);
        for (unsigned round = 0; round != MATMUL_MEASURE_ROUNDS; ++round)
          for (MatMulPlan const &plan : matMulVariations(p, estimated, estimated, round))
            plans.push_back(plan);
        for (MatMulPlan const &plan : plans) {
          CAPTURE(toText(plan));
          CHECK(matMulRefusal(plan, p, estimated).empty());
          CHECK(plan.splitG * plan.splitM * plan.splitN <= CPU.threads);
          CHECK((plan.method == MatMulMethod::DOT) == (estimated.method == MatMulMethod::DOT));
          CHECK(fromText<MatMulPlan>(toText(plan)) == plan);
        }
      }
}

TEST_CASE("plans that would change the result or cannot be computed are refused") {
  MatMulProblem p = problem(2, 64, 100, 300);
  MatMulPlan const estimated = planMatMulCpu(p, CPU).plan;
  auto const reason = [&](auto const &change) {
    MatMulPlan plan = estimated;
    change(plan);
    return matMulRefusal(plan, p, estimated);
  };
  CHECK(reason([](MatMulPlan &) {}).empty());
  CHECK(reason([](MatMulPlan &plan) { plan.splitK = 2; }) ==
        "sums in 2 parts instead of 1 change the result");
  CHECK(reason([](MatMulPlan &plan) { plan.splitM = 65; }) == "more parts than elements, or none");
  CHECK(reason([](MatMulPlan &plan) { plan.splitG = 0; }) == "more parts than elements, or none");
  CHECK(reason([](MatMulPlan &plan) { plan.method = MatMulMethod::DOT; }) ==
        "another method than 'blocked' changes the result");
  CHECK(reason([](MatMulPlan &plan) { plan.method = MatMulMethod::ROWS; }) ==
        "the method 'rows' needs few rows and an operand that lies row by row");
  CHECK(reason([](MatMulPlan &plan) { plan.depth = 0; }) ==
        "blocks without elements, or too large ones");
  p.input = MatMulType::HALF;
  CHECK(reason([](MatMulPlan &plan) { plan.packA = false; }) == "operands of half must be packed");
}

TEST_SUITE_END();
