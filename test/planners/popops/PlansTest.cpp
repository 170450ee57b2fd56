#include <planners/popops/ElementWise.hpp>
#include <planners/popops/Reduce.hpp>
#include <planners/popops/RowExtremes.hpp>

#include <doctest/doctest.h>

#include <cmath>

TEST_SUITE_BEGIN("planners/popops");

using namespace cottonwood::planner;

TEST_CASE("an elementwise operation uses more vertices only where threads need them") {
  auto const parts = [](std::uint64_t elements, unsigned threads) {
    ElementWiseProblem problem;
    problem.elements = elements;
    Crew crew;
    crew.threads = threads;
    return planElementWise(problem, crew).parts;
  };
  CHECK(parts(100, 64) == 1);
  CHECK(parts(10000000, 1) == 1);
  CHECK(parts(10000000, 2) == 1);
  CHECK(parts(10000000, 4) == 2);
  CHECK(parts(10000000, 6) == 1);
  CHECK(parts(100000000, 64) >= 11);
  CHECK(parts(std::uint64_t(5) << 30, 1) == 6);
}

TEST_CASE("a long reduction with few outputs is cut into parts, others are not") {
  CHECK(planReduce({1, 1000, 1}).parts == 1);
  CHECK(planReduce({1, 10000000, 1}).parts > 6);
  CHECK(planReduce({1, 10000000, 1}).partSize % 64 == 0);
  CHECK(planReduce({100000, 100, 1}).parts == 1);
  CHECK(planReduce({1, 100, 1000000}).parts == 1);
  CHECK(planReduce({1, 100, 1000}).parts == 1);
  CHECK(planReduce({1, 10000, 1000}).parts > 6); // or each place would read short runs
  CHECK(planReduce({64, 3136, 50}).parts == 1);
  CHECK(planReduce({1, 0, 5}).parts == 1);
}

TEST_CASE("parts cover the reduced dimension exactly") {
  for (std::uint64_t reduced : {1, 63, 64, 65, 4097, 99999, 1000003}) {
    auto const plan = planReduce({3, reduced, 2});
    CHECK((plan.parts - 1) * plan.partSize < reduced);
    CHECK(plan.parts * plan.partSize >= reduced);
  }
}

TEST_CASE("plans print, parse and can be forced") {
  auto const plan = planReduce({1, 100000, 1}, Constraints::parse("parts=1"));
  CHECK(toText(plan) == "reduce parts=1 partSize=100000");
  CHECK(fromText<ReducePlan>(toText(plan)) == plan);
  CHECK_THROWS_AS(planReduce({1, 100, 1}, Constraints::parse("parts=7")), PlanError);
}

TEST_CASE("rows with few neighbours are cut to find their extremes, on tiles in several stages") {
  Crew cpu, tiles;
  cpu.threads = 4;
  tiles.oneTile = false;
  CHECK(planRowExtremes({1000, 1000}, cpu, 1) == 1);
  CHECK(planRowExtremes({0, 10}, cpu, 1) == 1);
  CHECK(planRowExtremes({1, 1000}, cpu, 1) == 1);
  CHECK(planRowExtremes({1, 10000000}, cpu, 1) == 4);
  CHECK(planRowExtremes({100000, 10}, tiles, 1472) == 1);
  CHECK(planRowExtremes({1, 20}, tiles, 1472) == 1);
  std::size_t columns = 10000000, stages = 0;
  for (; columns != 1; ++stages) {
    std::size_t const pieces = planRowExtremes({1, columns}, tiles, 1472);
    CHECK(pieces < columns);
    CHECK(pieces <= 1472 * 6);
    columns = pieces;
  }
  CHECK(stages > 2);
}

TEST_SUITE_END();
