// What the page is given of a profile agrees with itself, and with the profile.
#include <bench/report/Profile.hpp>

#include <pva/pva.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace cottonwood::report;

namespace {

/// Temporaries, a loop, and data that come from the host, on a few tiles.
pva::Report makeReport(bool inOrder = true) {
  using namespace poplar;
  IPUModel model;
  model.tilesPerIPU = 8;
  Device const device = model.createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  Tensor const x = graph.addVariable(FLOAT, {40, 50}, "x");
  poputil::mapTensorLinearly(graph, x);
  DataStream const in = graph.addHostToDeviceFIFO("in", FLOAT, 2000);
  program::Sequence turn;
  Tensor const y = popops::square(graph, x, turn, "square");
  Tensor const sums = popops::reduce(graph, y, {0}, popops::Operation::ADD, turn, "sums");
  popops::addInPlace(graph, x, sums.expand({0}).broadcast(40, 0), turn, "add");
  Engine engine(graph, program::Sequence({program::Copy(in, x), program::Repeat(7, turn)}),
                {{"debug.instrument", inOrder ? "true" : "false"}});
  std::vector<float> values(2000);
  engine.connectStream("in", values.data());
  engine.load(device);
  engine.run(0, "first");
  engine.run(0, "second");
  return engine.getReport();
}

std::vector<Number> sumOf(std::vector<Category> const &categories, std::size_t numTiles) {
  std::vector<Number> sum(numTiles);
  for (Category const &category : categories)
    for (std::size_t tile = 0; tile < numTiles; ++tile)
      sum[tile] += category.bytes.at(tile);
  return sum;
}

} // namespace

TEST_SUITE("report/profile") {
  TEST_CASE("categories and regions add up to the memory of each tile") {
    pva::Report const report = makeReport();
    Memory const memory = dataOf(report, "file").memory;
    auto const tiles = report.compilation().tiles();
    REQUIRE(memory.total.size() == tiles.size());
    CHECK(memory.limit == 638976);
    CHECK(sumOf(memory.categories, tiles.size()) == memory.total);
    CHECK(sumOf(memory.regions, tiles.size()) == memory.total);
    for (std::size_t tile = 0; tile < tiles.size(); ++tile)
      CHECK(memory.total[tile] == tiles[tile].memory().total().includingGaps());
  }

  TEST_CASE("lifetimes give the live bytes of every step") {
    PageData const data = dataOf(makeReport(), "file");
    REQUIRE_FALSE(data.liveness.empty());
    REQUIRE_FALSE(data.lifetimes.empty());
    for (std::size_t step = 0; step < data.liveness.size(); ++step) {
      Number bytes = 0;
      for (Lifetime const &life : data.lifetimes)
        if (life.from <= step && step < life.to)
          bytes += life.bytes;
      CHECK(bytes == data.liveness[step].bytes);
    }
  }

  TEST_CASE("variables lie where the profile says, all their bytes of them") {
    PageData const data = dataOf(makeReport(), "file");
    REQUIRE_FALSE(data.variables.empty());
    CHECK(std::is_sorted(data.variables.begin(), data.variables.end(),
                         [](Variable const &a, Variable const &b) { return a.bytes > b.bytes; }));
    for (std::size_t i = 0; i < data.variables.size(); ++i) {
      Number bytes = 0;
      for (VariableRun const &run : data.variableRuns)
        if (run.variable == i)
          bytes += run.length * run.bytes;
      CHECK(bytes == data.variables[i].bytes);
    }
  }

  TEST_CASE(
      "the execution takes the cycles of all runs, and does each step as often as was counted") {
    pva::Report const report = makeReport();
    PageData const data = dataOf(report, "file");
    std::vector<Number> executions(data.steps.size());
    std::size_t at = 0;
    Number cycles = 0;
    for (Group const &group : data.groups)
      for (Number end = at + group.entries; at < end; ++at) {
        Entry const &entry = data.execution.at(at);
        executions.at(entry.step) += entry.count * group.repeats;
        cycles += entry.count * group.repeats * data.steps[entry.step].cycles;
      }
    CHECK(at == data.execution.size());
    CHECK(cycles == report.execution().totalCycles().total());
    for (std::size_t step = 0; step < data.steps.size(); ++step)
      CHECK(executions[step] == data.steps[step].executions);
    REQUIRE(data.runs.size() == 2);
    CHECK(data.runs[0].name == "first");
    CHECK(data.runs[0].end == data.runs[1].begin);
    CHECK(data.runs[1].end == cycles);
    CHECK_FALSE(data.executionIsCut);
  }

  TEST_CASE("steps are counted where their order was not recorded") {
    PageData const data = dataOf(makeReport(false), "file");
    CHECK(data.execution.empty());
    CHECK(std::any_of(data.steps.begin(), data.steps.end(),
                      [](Step const &step) { return step.executions == 14; }));
  }

  TEST_CASE("the cycles of a step on the busiest of its tiles are its most") {
    PageData const data = dataOf(makeReport(), "file");
    REQUIRE_FALSE(data.stepRuns.empty());
    std::vector<Number> most(data.steps.size());
    for (StepRun const &run : data.stepRuns)
      most.at(run.step) = std::max(most.at(run.step), run.cycles);
    for (std::size_t step = 0; step < data.steps.size(); ++step)
      if (most[step] > 0)
        CHECK(most[step] == data.steps[step].maxCycles);
  }

  TEST_CASE("vertices of compute sets and of types are all vertices of the graph") {
    pva::Report const report = makeReport();
    PageData const data = dataOf(report, "file");
    auto const sum = [](auto const &rows, auto member) {
      return std::accumulate(rows.begin(), rows.end(), Number{0},
                             [&](Number total, auto const &row) { return total + row.*member; });
    };
    CHECK(sum(data.computeSets, &ComputeSet::vertices) ==
          report.compilation().graph().numVertices());
    CHECK(sum(data.vertexTypes, &VertexType::count) == report.compilation().graph().numVertices());
    CHECK(sum(data.setVertices, &SetVertices::count) ==
          sum(data.computeSets, &ComputeSet::vertices));
  }

  TEST_CASE("a profile of the graph alone has no execution") {
    using namespace poplar;
    IPUModel model;
    model.tilesPerIPU = 2;
    Device const device = model.createDevice();
    Graph graph(device.getTarget());
    Tensor const x = graph.addVariable(FLOAT, {4}, "x"), y = graph.addVariable(FLOAT, {4}, "y");
    graph.setTileMapping(x, 0);
    graph.setTileMapping(y, 1);
    Engine engine(graph, program::Copy(x, y));
    PageData const data = dataOf(engine.getReport(false), "file");
    CHECK(data.steps.size() == 1);
    CHECK(data.execution.empty());
    CHECK(data.runs.empty());
    CHECK(std::none_of(data.facts.begin(), data.facts.end(),
                       [](Fact const &fact) { return fact.group == "Cycles"; }));
  }
}
