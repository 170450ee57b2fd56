#include "Machines.hpp"

#include <planners/poplin/MatMul.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_SUITE_BEGIN("planners/poplin/matmul");

using namespace cottonwood;
using namespace cottonwood::planner;

namespace {

MatMulProblem problemOf(std::uint64_t g, std::uint64_t m, std::uint64_t k, std::uint64_t n,
                        MatMulType type = MatMulType::FLOAT) {
  MatMulProblem problem;
  problem.g = g, problem.m = m, problem.k = k, problem.n = n;
  problem.input = problem.output = problem.partials = type;
  return problem;
}

std::uint64_t verticesOf(MatMulPlan const &plan) {
  return plan.splitG * plan.splitM * plan.splitN * plan.splitK;
}

} // namespace

TEST_CASE("plans print and parse") {
  MatMulPlan const plan;
  CHECK(fromText<MatMulPlan>(toText(plan)) == plan);
  auto const problem = problemOf(2, 3, 4, 5, MatMulType::HALF);
  CHECK(fromText<MatMulProblem>(toText(problem)) == problem);
}

TEST_CASE(
    "a CPU's plan gives every thread a part of a large product, and one vertex to a small one") {
  for (unsigned threads : {1U, 2U, 3U, 4U, 8U, 64U}) {
    CAPTURE(threads);
    CHECK(verticesOf(planMatMulCpu(problemOf(1, 8, 8, 8), cpuOf(threads)).plan) == 1);
    for (auto const &p : {problemOf(1, 2048, 2048, 2048), problemOf(64, 128, 64, 128),
                          problemOf(1, 1, 8192, 8192), problemOf(1, 8192, 8192, 1)}) {
      auto const plan = planMatMulCpu(p, cpuOf(threads)).plan;
      CAPTURE(toText(p));
      CAPTURE(toText(plan));
      CHECK(verticesOf(plan) >= (threads * 3 + 3) / 4);
      CHECK(plan.splitK == 1);
      CHECK(detail::realParts(p.m, plan.splitM) == plan.splitM);
      CHECK(detail::realParts(p.n, plan.splitN) == plan.splitN);
      CHECK(detail::realParts(p.g, plan.splitG) == plan.splitG);
    }
  }
}

TEST_CASE(
    "products of a few microseconds are cut for two threads, into rows of nearly equal number") {
  for (auto const &p : {problemOf(1, 64, 64, 64), problemOf(1, 33, 129, 65)}) {
    auto const plan = planMatMulCpu(p, cpuOf(2)).plan;
    CAPTURE(toText(plan));
    CHECK(plan.splitM == 2);
    CHECK(verticesOf(plan) == 2);
  }
}

TEST_CASE(
    "parts of columns are whole panels where B lies in panels, else whole vectors if possible") {
  auto p = problemOf(1, 100, 500, 140);
  CHECK(cpuColumns(p, 1) == 140);
  CHECK(cpuColumns(p, 2) == 80);
  CHECK(cpuColumns(p, 4) == 35);
  p.b = MatMulLayout::PANELS;
  CHECK(cpuColumns(p, 2) == 96);
  CHECK_THROWS_AS(planMatMulCpu(p, cpuOf(4), Constraints::parse("splitN=6")), PlanError);
}

TEST_CASE("a CPU's plan is nearly as cheap as the best of all splits") {
  for (unsigned threads : {2U, 3U, 6U})
    for (auto const &p : {problemOf(1, 300, 300, 300), problemOf(5, 90, 100, 40),
                          problemOf(1, 5, 1000, 700), problemOf(3, 700, 50, 9)}) {
      CAPTURE(toText(p));
      CAPTURE(threads);
      auto const choice = planMatMulCpu(p, cpuOf(threads));
      double best = choice.cost.cycles;
      MatMulPlan plan;
      for (plan.splitG = 1; plan.splitG <= std::min<std::uint64_t>(p.g, threads); ++plan.splitG)
        for (plan.splitM = 1; plan.splitG * plan.splitM <= threads; ++plan.splitM)
          for (plan.splitN = 1; plan.splitG * plan.splitM * plan.splitN <= threads; ++plan.splitN)
            if (double const cycles = detail::cpuCycles(plan, p, cpuOf(threads));
                cycles >= detail::MATMUL_VERTEX_CYCLES)
              best = std::min(best, cycles);
      CHECK(choice.cost.cycles <= 1.1 * best);
    }
}

TEST_CASE("the method of a CPU's plan follows shape and layout of the whole problem") {
  using kernels::MatMulMethod;
  auto const method = [](MatMulProblem p, MatMulLayout a, MatMulLayout b) {
    p.a = a, p.b = b;
    return planMatMulCpu(p, cpuOf(2)).plan.method;
  };
  MatMulLayout const rows = MatMulLayout::ROWS, columns = MatMulLayout::COLUMNS;
  CHECK(method(problemOf(1, 500, 500, 500), rows, rows) == MatMulMethod::BLOCKED);
  CHECK(method(problemOf(1, 1, 5000, 500), rows, rows) == MatMulMethod::ROWS);
  CHECK(method(problemOf(1, 1, 5000, 500), rows, columns) == MatMulMethod::DOT);
  CHECK(method(problemOf(1, 500, 5000, 1), rows, columns) == MatMulMethod::DOT);
  CHECK(method(problemOf(1, 500, 5000, 1), columns, columns) == MatMulMethod::COLUMN);
  // DOT alone rounds differently: threads must not bring it in or drop it.
  for (unsigned threads : {1U, 2U, 16U, 500U}) {
    auto p = problemOf(1, 500, 600, 40);
    p.b = columns;
    CHECK(planMatMulCpu(p, cpuOf(threads)).plan.method != MatMulMethod::DOT);
    p = problemOf(1, 500, 600, 1);
    p.b = columns;
    CHECK(planMatMulCpu(p, cpuOf(threads)).plan.method == MatMulMethod::DOT);
  }
}

TEST_CASE("matrix tiles are chosen by the whole problem, whatever the threads") {
  using kernels::MatMulMethod;
  auto const planOn = [](isa::Tiles tiles, MatMulProblem const &p, unsigned threads) {
    MatMulCpu cpu = cpuOf(threads);
    cpu.tiles = tiles;
    return planMatMulCpu(p, cpu).plan;
  };
  MatMulProblem half = problemOf(1, 200, 300, 250, MatMulType::HALF);
  for (unsigned threads : {1U, 2U, 7U, 64U}) {
    CAPTURE(threads);
    MatMulProblem const p = problemOf(1, 200, 300, 250);
    CHECK(planOn(isa::Tiles::None, p, threads).method == MatMulMethod::BLOCKED);
    CHECK(planOn(isa::Tiles::Bfloat, p, threads).method == MatMulMethod::AMX6);
    CHECK(planOn(isa::Tiles::Half, p, threads).method == MatMulMethod::AMX6);
    CHECK(planOn(isa::Tiles::Bfloat, half, threads).method == MatMulMethod::AMX3);
    CHECK(planOn(isa::Tiles::Half, half, threads).method == MatMulMethod::AMX1);
    // Few rows: packing B costs more than tiles save.
    CHECK(planOn(isa::Tiles::Bfloat, problemOf(1, 8, 500, 500), threads).method ==
          MatMulMethod::BLOCKED);
    CHECK(planOn(isa::Tiles::Bfloat, problemOf(1, 1, 500, 500), threads).method ==
          MatMulMethod::ROWS);
  }
  for (unsigned threads : {1U, 2U, 7U, 64U}) {
    MatMulCpu cpu = cpuOf(threads);
    CHECK(planMatMulCpu(half, cpu).plan.method == MatMulMethod::BLOCKED);
    cpu.halfArithmetic = true;
    MatMulPlan const plan = planMatMulCpu(half, cpu).plan;
    CHECK(plan.method == MatMulMethod::FP16);
    CHECK(plan.depth == kernels::MATMUL_FP16_DEPTH);
  }
  half.partials = MatMulType::FLOAT;
  CHECK(planOn(isa::Tiles::Bfloat, half, 2).method == MatMulMethod::AMX4);
  CHECK(toText(planOn(isa::Tiles::Bfloat, half, 1)).find("method=amx4") != std::string::npos);
}

TEST_CASE("small results of long sums are cut into parts of K, whatever the threads") {
  for (auto const &[p, parts] : {std::pair(problemOf(1, 64, 1 << 20, 64), 16U),
                                 {problemOf(1, 1, 16384, 1), 4U},
                                 {problemOf(1, 20, 70001, 31), 16U},
                                 {problemOf(4, 32, 20000, 32), 4U},
                                 {problemOf(1, 64, 16383, 64), 1U},
                                 {problemOf(1, 65, 1 << 20, 64), 1U},
                                 {problemOf(5, 32, 20000, 32), 1U},
                                 {problemOf(1ULL << 32, 1ULL << 32, 1 << 20, 1), 1U}})
    for (unsigned threads : {1U, 2U, 5U, 64U}) {
      CAPTURE(toText(p));
      CAPTURE(threads);
      auto const plan = planMatMulCpu(p, cpuOf(threads)).plan;
      CHECK(plan.splitK == parts);
      CHECK(plan.splitK * cpuDepth(p) >= p.k);
      CHECK((plan.splitK - 1) * cpuDepth(p) < p.k);
      MatMulCpu whole = cpuOf(threads);
      whole.wholeDepth = true;
      CHECK(planMatMulCpu(p, whole).plan.splitK == 1);
    }
}

TEST_CASE("constraints of a CPU's plan hold, and what they forbid is explained") {
  MatMulProblem const p = problemOf(4, 100, 100, 100);
  auto const plan = planMatMulCpu(p, cpuOf(2), Constraints::parse("splitM=5,splitG=2")).plan;
  CHECK(plan.splitM == 5);
  CHECK(plan.splitG == 2);
  CHECK_THROWS_WITH_AS(planMatMulCpu(p, cpuOf(2), Constraints::parse("splitK=2")),
                       doctest::Contains("splitK = 1 but 2 is forced"), PlanError);
  CHECK_THROWS_WITH_AS(planMatMulCpu(p, cpuOf(2), Constraints::parse("rows=x")),
                       doctest::Contains("'x' is not a value of 'rows'"), PlanError);
}

TEST_SUITE_END();
