#include "Machines.hpp"

#include <planners/poplin/TilePlanner.hpp>

#include <doctest/doctest.h>

#include <set>

TEST_SUITE_BEGIN("planners/poplin/tiles");

using namespace cottonwood;
using namespace cottonwood::planner;

TEST_CASE("plans use many tiles, fit the memory, and are functions of the problem") {
  for (TileProblem const &p : {layer(1, 56, 64, 64), layer(16, 7, 512, 512), layer(1, 1, 8, 8),
                               product(1, 2048, 2048, 2048), product(3, 1, 70, 9)}) {
    TileMachine const machine = machineOf(1216);
    TileChoice const choice = planTiles(p, machine);
    CAPTURE(toText(choice.plan));
    CHECK(choice.plan.parts() <= machine.tiles);
    CHECK(static_cast<double>(choice.cost.temporaryBytes) <= 0.6 * 600000);
    CHECK(static_cast<double>(choice.terms.total()) == choice.cost.cycles);
    CHECK(planTiles(p, machine).plan == choice.plan);
    CHECK(fromText<TilePlan>(toText(choice.plan)) == choice.plan);
    CHECK(fromText<TileProblem>(toText(p)) == p);
  }
  CHECK(planTiles(layer(1, 56, 64, 64), machineOf(1216)).plan.parts() > 600);
  CHECK(planTiles(product(1, 2048, 2048, 2048), machineOf(1472)).plan.parts() > 1000);
}

TEST_CASE("with less memory plans take less of it, and say when nothing fits") {
  TileProblem const p = layer(4, 28, 128, 128);
  auto const with = [&](std::uint64_t bytes) {
    return planTiles(p, machineOf(16, MatMulType::FLOAT, bytes));
  };
  TileChoice const roomy = with(100000000), tight = with(400000), none = with(1000);
  CHECK(static_cast<double>(tight.cost.temporaryBytes) <= 0.6 * 400000);
  CHECK(tight.cost.cycles >= roomy.cost.cycles);
  CHECK(none.cost.temporaryBytes <= tight.cost.temporaryBytes);
  CHECK(none.explanation.find("no plan within 600 bytes") != std::string::npos);
  CHECK(none.explanation.find("no plan within 1200 bytes") != std::string::npos);
  CHECK(none.explanation.find("the plan with the least temporaries") != std::string::npos);
  TileMachine machine = machineOf(16);
  machine.memoryProportion = 0;
  CHECK(planTiles(p, machine).cost.temporaryBytes == none.cost.temporaryBytes);
}

TEST_CASE("the curve of cycles against memory holds the best plan of every limit") {
  TileProblem const p = product(1, 300, 500, 400);
  TileMachine machine = machineOf(40, MatMulType::FLOAT, 300000);
  std::vector<TilePoint> const curve = tileFrontier(p, machine);
  REQUIRE(curve.size() > 3);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    CHECK(curve[i].cost.temporaryBytes > curve[i - 1].cost.temporaryBytes);
    CHECK(curve[i].cost.cycles < curve[i - 1].cost.cycles);
  }
  for (TilePoint const &point : curve) {
    machine.memoryProportion = static_cast<double>(point.cost.temporaryBytes) / 300000 + 1e-9;
    CHECK(planTiles(p, machine).cost.cycles == point.cost.cycles);
  }
}

TEST_CASE("operands of more elements than tiles could ever hold are refused") {
  std::uint64_t const most = std::uint64_t{1} << 20;
  CHECK(planTiles(product(1, most, most, most), machineOf(1472)).plan.parts() > 1000);
  auto const refusal = [&](TileProblem const &p) -> std::string {
    try {
      return "planned: " + toText(planTiles(p, machineOf(1472)).plan);
    } catch (PlanError const &error) {
      return error.what();
    }
  };
  for (auto const &[p, name] : {std::pair(product(1, 2 * most, most, 4), "the input"),
                                std::pair(product(1, 4, 2 * most, most), "the weights"),
                                std::pair(product(1, 2 * most, 4, most), "the result"),
                                std::pair(product(~0U, ~0U, 4, ~0U), "the input")}) {
    std::string const text = refusal(p);
    CAPTURE(text);
    CHECK(text.ends_with(std::string(": ") + name + " would have more than 2^40 elements"));
  }
}

TEST_CASE("constraints force splits, and impossible ones are explained") {
  TileProblem const p = layer(4, 28, 16, 16);
  auto const forced = [&](char const *text) {
    return planTiles(p, machineOf(64), Constraints::parse(text));
  };
  auto const plan = forced("splitB=2,splitI=4,expand=0").plan;
  CHECK(plan.splitB == 2);
  CHECK(plan.splitI == 4);
  CHECK(plan.inGroup <= 4);
  CHECK_THROWS_WITH_AS(forced("splitB=5"), doctest::Contains("the constraints admit none"),
                       PlanError);
  CHECK_THROWS_AS(forced("otherSplits=2"), PlanError);
  CHECK_THROWS_WITH_AS(forced("splitQ=1"), doctest::Contains("splitG, splitB"), PlanError);
}

TEST_CASE("a plan's alternatives are the next best, each once") {
  TileChoice const choice = planTiles(product(1, 200, 300, 100), machineOf(50), {}, 10);
  REQUIRE(choice.others.size() == 9);
  std::set<std::string> texts{toText(choice.plan)};
  double last = choice.cost.cycles;
  for (auto const &other : choice.others) {
    CHECK(other.cost.cycles >= last);
    last = other.cost.cycles;
    CHECK(texts.insert(toText(other.plan)).second);
  }
}

// Figures that were published for ipu2: a search with the same charges finds the same plans.
TEST_CASE("published charges give the published optimum") {
  auto const cycles = [](TileProblem const &p) {
    TileMachine machine = machineOf(1472, MatMulType::HALF, 638976);
    machine.charges.published = true;
    return planTiles(p, machine).cost.cycles;
  };
  auto const half = [](std::uint64_t g, std::uint64_t m, std::uint64_t k, std::uint64_t n) {
    return product(g, m, k, n, MatMulType::HALF);
  };
  CHECK(cycles(half(1, 1024, 1024, 1024)) == 30369);
  CHECK(cycles(half(64, 384, 64, 384)) == 19056);
  CHECK(cycles(half(1, 4096, 4096, 4096)) == 1202540);
  CHECK(cycles(half(1, 1, 768, 2304)) == 2421);
  CHECK(cycles(layer(4, 56, 64, 64, MatMulType::HALF)) == 14869);
  CHECK(cycles(layer(4, 7, 512, 512, MatMulType::HALF)) == 19766);
}

TEST_SUITE_END();
