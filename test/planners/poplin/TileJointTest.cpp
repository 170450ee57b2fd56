// Plans of several problems together: passes of a layer, tasks side by side; and tiles on several
// IPUs.
#include "Machines.hpp"

#include <planners/poplin/TileChain.hpp>
#include <planners/poplin/TileConvJoint.hpp>
#include <planners/poplin/TileJoint.hpp>
#include <planners/poplin/TileSideBySide.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("planners/poplin/tiles together");

using namespace cottonwood;
using namespace cottonwood::planner;

TEST_CASE(
    "what is cheaper for all passes is chosen, and joint plans leave operands where they are") {
  for (TileProblem const &forward :
       {product(1, 33, 77, 1000, MatMulType::HALF), product(1, 128, 768, 2304, MatMulType::HALF),
        product(2, 64, 64, 64, MatMulType::HALF), product(1, 16, 2048, 1000, MatMulType::HALF)})
    for (std::uint64_t const tiles : {64U, 1472U}) {
      TileMachine const machine = machineOf(tiles, MatMulType::HALF, 638976);
      TilePasses const passes = planPasses(forward, machine);
      CAPTURE(toText(forward));
      double alone = 0;
      for (std::size_t pass = 0; pass != 3; ++pass) {
        TileProblem const p = problemOf(forward, static_cast<TilePass>(pass));
        CHECK(forwardOf(p, static_cast<TilePass>(pass)) == forward);
        alone += planTiles(p, machine).cost.cycles;
        CHECK(passes.choices[pass].explanation.find("forward, backward and update") !=
              std::string::npos);
      }
      CHECK(passes.separate == doctest::Approx(alone + passes.moved));
      CHECK(passes.cycles == (passes.joint ? passes.together : passes.separate));
      CHECK(passes.cycles <= passes.separate);
      if (!passes.joint)
        continue;
      double sum = 0;
      for (TileChoice const &choice : passes.choices)
        sum += choice.cost.cycles;
      CHECK(sum <= passes.together);
    }
  CHECK(planPasses(product(1, 33, 77, 1000, MatMulType::HALF),
                   machineOf(64, MatMulType::HALF, 638976))
            .joint);
}

namespace {

/// Elements of an operand that some layout has, shares counted.
double elementsOf(TileLayout const &layout) {
  double sum = 0;
  for (TileBox const &box : layout)
    sum += box.elements() * box.share;
  return sum;
}

/// The passes of a layer whose taps meet padding on both sides.
ConvPassProblems passesOfLayer(std::uint64_t batch, std::uint64_t size, std::uint64_t in,
                               std::uint64_t out, std::uint64_t taps) {
  ConvPassProblems problems;
  TileProblem &forward = problems[0] = layer(batch, size, in, out, MatMulType::HALF);
  forward.flattens = taps == 1;
  for (TileField *f : {&forward.field[0], &forward.field[1]})
    *f = {size, taps, size}, f->padded = taps > 1;
  problems[1] = forward;
  std::swap(problems[1].i, problems[1].n);
  TileProblem &update = problems[2] = forward;
  update.b = in, update.i = batch, update.flattens = false;
  for (TileField *f : {&update.field[0], &update.field[1]})
    std::swap(f->outputs, f->taps);
  return problems;
}

} // namespace

TEST_CASE("layouts of convolutions have every element once, and what blocks read") {
  for (std::uint64_t const taps : {1U, 3U})
    for (TileProblem const &p : passesOfLayer(3, 6, 40, 50, taps)) {
      TileMachine const machine = machineOf(48, MatMulType::HALF, 638976);
      CAPTURE(toText(p));
      double const inputs = static_cast<double>(p.b * p.i * p.field[0].inputs * p.field[1].inputs);
      double const outputs =
          static_cast<double>(p.b * p.n * p.field[0].outputs * p.field[1].outputs);
      double const weights = static_cast<double>(p.n * p.i * p.taps());
      TileChoice const choice = planTiles(p, machine, {}, 12);
      std::vector<TilePlan> plans{choice.plan};
      for (auto const &other : choice.others)
        plans.push_back(other.plan);
      for (TilePlan const &plan : plans) {
        CAPTURE(toText(plan));
        CHECK(elementsOf(detail::convLayoutOf(p, plan, TileOperand::INPUT, true)) ==
              doctest::Approx(inputs));
        CHECK(elementsOf(detail::convLayoutOf(p, plan, TileOperand::WEIGHTS, true)) ==
              doctest::Approx(weights));
        CHECK(elementsOf(detail::convLayoutOf(p, plan, TileOperand::OUTPUT, true)) ==
              doctest::Approx(outputs));
        CHECK(elementsOf(detail::convLayoutOf(p, plan, TileOperand::WEIGHTS, false)) ==
              doctest::Approx(weights * static_cast<double>(plan.places())));
      }
    }
}

TEST_CASE("passes of convolutions: whatever is less in all is chosen") {
  bool joint = false, separate = false;
  for (auto const &[batch, size, in, out, taps] :
       {std::tuple(4U, 10U, 100U, 40U, 3U), std::tuple(1U, 4U, 256U, 256U, 3U),
        std::tuple(16U, 1U, 77U, 1000U, 1U), std::tuple(4U, 8U, 64U, 64U, 3U),
        std::tuple(2U, 6U, 200U, 300U, 1U)}) {
    ConvPassProblems const problems = passesOfLayer(batch, size, in, out, taps);
    TileMachine const machine = machineOf(64, MatMulType::HALF, 638976);
    TilePasses const passes = planConvPasses(problems, machine);
    CAPTURE(toText(problems[0]));
    double alone = 0, sum = 0;
    for (std::size_t pass = 0; pass != 3; ++pass) {
      alone += planTiles(problems[pass], machine).cost.cycles;
      sum += passes.choices[pass].cost.cycles;
      CHECK(static_cast<double>(passes.choices[pass].cost.temporaryBytes) <=
            machine.allowedBytes());
      CHECK(passes.choices[pass].plan.parts() <= machine.tiles);
    }
    CHECK(passes.separate == doctest::Approx(alone + passes.moved));
    CHECK(passes.cycles <= passes.separate);
    CHECK(sum <= passes.cycles);
    (passes.joint ? joint : separate) = true;
  }
  CHECK(joint);
  CHECK(separate);
}

TEST_CASE("layouts say what has to move") {
  TileProblem const p = product(1, 64, 64, 64, MatMulType::HALF);
  TilePlan rows, columns;
  rows.splitY0 = 4, columns.splitN = 4;
  TileLayout const left = detail::layoutOf(p, rows, TileMatrix::LEFT, true);
  REQUIRE(left.size() == 4);
  CHECK(left[1].tile == 1);
  CHECK(left[1].range[1] == std::pair<std::uint64_t, std::uint64_t>(16, 32));
  CHECK(left[1].range[2] == std::pair<std::uint64_t, std::uint64_t>(0, 64));
  // Each tile has all that it needs of its rows, and a quarter of the right operand.
  CHECK(detail::elementsReceived(detail::layoutOf(p, rows, TileMatrix::LEFT, false), left) == 0);
  CHECK(detail::elementsReceived(detail::layoutOf(p, rows, TileMatrix::RIGHT, false),
                                 detail::layoutOf(p, rows, TileMatrix::RIGHT, true)) ==
        doctest::Approx(3072));
  // Columns instead of rows: a sixteenth stays.
  CHECK(detail::elementsReceived(detail::layoutOf(p, columns, TileMatrix::RESULT, true),
                                 detail::layoutOf(p, rows, TileMatrix::RESULT, true)) == 768);
  TileMachine const machine = machineOf(4, MatMulType::HALF);
  CHECK(relayCycles(p, machine, rows, TileMatrix::LEFT, left) == 0);
  CHECK(relayCycles(p, machine, columns, TileMatrix::RESULT,
                    detail::layoutOf(p, rows, TileMatrix::RESULT, true)) == 83 + 100 + 384);
}

TEST_CASE("a given layout is charged, and plans that fit it are preferred") {
  TileProblem const p = product(1, 96, 200, 96, MatMulType::HALF);
  TileMachine const machine = machineOf(16, MatMulType::HALF, 638976);
  TileChoice const own = planTiles(p, machine);
  TileLayout const asWanted = detail::layoutOf(p, own.plan, TileMatrix::LEFT, true);
  CHECK(planTiles(p, machine, {}, 1, {{TileMatrix::LEFT, asWanted}}).cost.cycles ==
        own.cost.cycles);
  // All on one tile: everything has to move; every plan pays for that, none is cheaper than alone.
  TileLayout one(1);
  one[0].range[0] = {0, 1}, one[0].range[1] = {0, 96}, one[0].range[2] = {0, 200};
  TileChoice const far = planTiles(p, machine, {}, 1, {{TileMatrix::LEFT, one}});
  CHECK(far.cost.cycles > own.cost.cycles);
  CHECK(static_cast<double>(far.terms.total()) == doctest::Approx(far.cost.cycles));
  double best = far.cost.cycles;
  for (auto const &other : planTiles(p, machine, {}, 200).others)
    best = std::min(best,
                    other.cost.cycles + givenCycles(p, machine, other.plan, TileMatrix::LEFT, one));
  CHECK(best == far.cost.cycles);
}

TEST_CASE("chains are planned together, no worse than each step by itself") {
  TileMachine const machine = machineOf(32, MatMulType::HALF, 638976);
  auto const step = [&](TileProblem const &p, TileMatrix chained = TileMatrix::LEFT) {
    return TileStep{p, machine, {}, chained};
  };
  std::vector<TileStep> const steps{
      step(product(1, 48, 100, 60, MatMulType::HALF)),
      step(product(1, 48, 60, 300, MatMulType::HALF)),
      step(product(1, 70, 48, 300, MatMulType::HALF), TileMatrix::RIGHT)};
  TileChain const chain = planChain(steps);
  REQUIRE(chain.choices.size() == 3);
  double own = 0, moved = 0, alone = 0;
  TileLayout held, aloneHeld;
  for (std::size_t s = 0; s != steps.size(); ++s) {
    TileProblem const &p = steps[s].problem;
    TilePlan const &plan = chain.choices[s].plan;
    TileChoice const best = planTiles(p, machine);
    own += chain.choices[s].cost.cycles, alone += best.cost.cycles;
    if (s != 0) {
      moved += givenCycles(p, machine, plan, steps[s].chained, held);
      alone += givenCycles(p, machine, best.plan, steps[s].chained, aloneHeld);
    }
    held = detail::layoutOf(p, plan, TileMatrix::RESULT, true);
    aloneHeld = detail::layoutOf(p, best.plan, TileMatrix::RESULT, true);
  }
  CHECK(chain.cycles == doctest::Approx(own + moved));
  CHECK(chain.moved == doctest::Approx(moved));
  CHECK(chain.separate == doctest::Approx(alone));
  CHECK(chain.cycles <= chain.separate);
  TileChain const convs = planChain(
      {step(layer(1, 8, 20, 40, MatMulType::HALF)), step(layer(1, 8, 40, 16, MatMulType::HALF))});
  CHECK(convs.cycles <= convs.separate);
  CHECK(planChain({}).choices.empty());
  CHECK(planChain({steps[0]}).cycles == planTiles(steps[0].problem, machine).cost.cycles);
  CHECK_THROWS_WITH_AS(planChain({steps[0], steps[2]}),
                       doctest::Contains("takes an operand of 1 x 48 x 300"), PlanError);
  CHECK_THROWS_AS(planChain({steps[0], step(layer(1, 8, 40, 16, MatMulType::HALF))}), PlanError);
  CHECK_THROWS_AS(planChain({steps[0], step(steps[1].problem, TileMatrix::RESULT)}), PlanError);
}

TEST_CASE("tasks side by side have tiles of their own, within the largest one's cycles") {
  TileMachine const machine = machineOf(1472, MatMulType::HALF, 638976);
  std::vector<TileTask> tasks;
  for (auto const &[size, in, out] :
       {std::tuple(28U, 64U, 64U), std::tuple(14U, 64U, 64U), std::tuple(14U, 32U, 32U)})
    tasks.push_back({layer(1, size, in, out, MatMulType::HALF), machine, {}});
  TileGroup const group = planSideBySide(tasks);
  REQUIRE(group.choices.size() == 3);
  CHECK(group.together < group.oneByOne);
  std::vector<bool> used(1472);
  for (TileChoice const &choice : group.choices) {
    CHECK(choice.cost.cycles <= 1.2001 * group.choices[0].cost.cycles);
    CHECK(choice.plan.firstTile % 2 == 0);
    for (std::uint64_t t = 0; t != choice.plan.parts(); ++t) {
      REQUIRE(choice.plan.firstTile + t < used.size());
      CHECK(!used[choice.plan.firstTile + t]);
      used[choice.plan.firstTile + t] = true;
    }
  }
  // No smaller number of tiles gives the second task as few cycles.
  TileMachine fewer = machine;
  fewer.tiles = group.choices[1].plan.parts() - 1;
  double const bound = planTiles(tasks[0].problem,
                                 [&] {
                                   TileMachine less = machine;
                                   less.tiles -= 100;
                                   return less;
                                 }())
                           .cost.cycles *
                       1.2;
  CHECK(planTiles(tasks[1].problem, fewer).cost.cycles > bound);
  SideBySideOptions greedy;
  greedy.reservedTiles = 1000;
  CHECK(planSideBySide(tasks, greedy).choices.empty());
}

TEST_CASE("links between IPUs cost, and plans avoid them") {
  TileMachine one = machineOf(32, MatMulType::HALF, 638976), two = one;
  two.tilesPerIPU = 16;
  two.globalSyncCycles = 500;
  two.links = {{1.0, {{0, 1}}}, {1.0, {{1, 0}}}};
  TileProblem const p = product(1, 200, 300, 200, MatMulType::HALF);
  TileChoice const near = planTiles(p, one), far = planTiles(p, two);
  CHECK(far.cost.cycles > near.cost.cycles);
  CHECK(far.cost.cycles <= planTiles(p, machineOf(16, MatMulType::HALF, 638976)).cost.cycles);
  TileCost const priced(p, two, near.plan);
  if (!near.plan.swap)
    CHECK(static_cast<double>(priced.terms().total()) >= far.cost.cycles);
  TilePlan rows;
  rows.splitY0 = 32, rows.units = 16;
  // Weights are shared by all tiles: half of them cross in either direction.
  TileCrossing crossing(two, rows);
  crossing.share('y', 6400);
  CHECK(crossing.cycles() == 500 + 3200);
  TileCrossing none(two, rows);
  none.share('n', 6400);
  CHECK(none.cycles() == 0);
}

TEST_SUITE_END();
