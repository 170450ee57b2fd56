// What edges cost that do not lie side by side, copies over many tiles, and vertices that nobody
// priced.
#include "Compiled.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poplar/lower/rearrange");

using namespace poplar;
using namespace lowerTest;

namespace rearrangeTest {

class Sum : public Vertex {
public:
  Input<Vector<int>> in;
  Output<int> out;
  bool compute() {
    *out = 0;
    for (unsigned i = 0; i != in.size(); ++i)
      *out += in[i];
    return true;
  }
};

class Shared : public MultiVertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> out;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < in.size(); i += numWorkers())
      out[i] = in[i];
    return true;
  }
};

} // namespace rearrangeTest

POPLAR_VERTEX(rearrangeTest::Sum, in, out)
POPLAR_VERTEX(rearrangeTest::Shared, in, out)

namespace {

using cottonwood::lower::BspStep;
using cottonwood::lower::StepKind;

std::vector<BspStep> stepsOf(Graph const &graph, program::Program const &program) {
  Executable const executable = compile(graph, {program});
  std::vector<BspStep> steps;
  for (BspStep const &step : executable.data()->bsp.steps)
    if (step.kind != StepKind::Control)
      steps.push_back(step);
  return steps;
}

/// A vertex on tile 1 that adds up `in`.
program::Program sum(Graph &graph, Tensor const &in, bool priced = false) {
  static int number = 0;
  std::string const name = "out" + std::to_string(number++);
  ComputeSet const cs = graph.addComputeSet("sum");
  VertexRef const v = graph.addVertex(cs, "rearrangeTest::Sum",
                                      {{"in", in}, {"out", variable(graph, {}, name, 1)}});
  if (priced)
    graph.setPerfEstimate(v, 10);
  graph.setTileMapping(v, 1);
  return program::Execute(cs);
}

} // namespace

TEST_CASE("pieces of an edge on its own tile are copied together, without a sync") {
  Graph graph(modelTarget());
  Tensor const in = variable(graph, {4, 100}, "in", 1);
  auto const steps = stepsOf(graph, sum(graph, in.slice(0, 20, 1).flatten()));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].kind == StepKind::OnTileCopy);
  CHECK(steps[0].syncCycles == 0);
  CHECK(steps[0].maxCycles == 83 + 4 * 80 / 8); // rows of 80 bytes, 8 bytes a cycle
  CHECK(steps[1].kind == StepKind::Compute);
}

TEST_CASE("small pieces cost more a byte, also those of a transposed edge") {
  Graph graph(modelTarget());
  Tensor const in = variable(graph, {4, 8}, "in", 1);
  auto const steps = stepsOf(graph, sum(graph, in.transpose().flatten()));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].maxCycles == 83 + 400); // 128 bytes at 3.125 cycles
}

TEST_CASE("an edge in one piece costs nothing") {
  Graph graph(modelTarget());
  Tensor const in = variable(graph, {4, 8}, "in", 1);
  CHECK(stepsOf(graph, sum(graph, in.slice(1, 3).flatten())).size() == 1);
  // What a tile has of a variable is one piece there.
  Graph columns(modelTarget());
  Tensor const wide = variable(columns, {4, 8}, "in", 0);
  columns.setTileMapping(wide.slice(0, 4, 1), 1);
  CHECK(stepsOf(columns, sum(columns, wide.slice(0, 4, 1).flatten())).size() == 1);
  CHECK(stepsOf(columns, sum(columns, wide.slice(0, 3, 1).flatten())).size() == 2);
}

TEST_CASE("an estimate for one vertex covers the way it reads its operands") {
  Graph graph(modelTarget());
  Tensor const in = variable(graph, {4, 8}, "in", 1);
  CHECK(stepsOf(graph, sum(graph, in.transpose().flatten(), true)).size() == 1);
}

TEST_CASE("where other operands arrive, pieces are sent to their own tile with these") {
  Graph graph(modelTarget());
  Tensor const in = variable(graph, {4, 8}, "in", 1);
  graph.setTileMapping(in[3], 2);
  auto const steps = stepsOf(graph, sum(graph, in.slice(0, 4, 1).flatten()));
  REQUIRE(steps.size() == 2);
  REQUIRE(steps[0].kind == StepKind::Exchange);
  CHECK(steps[0].maxCycles == 83 + 100 + 4 * 16 / 4 + 4); // four rows, a message each
  // One piece stays where it is.
  Graph other(modelTarget());
  Tensor const rows = variable(other, {2, 8}, "in", 1);
  other.setTileMapping(rows[1], 2);
  CHECK(stepsOf(other, sum(other, rows.flatten()))[0].maxCycles == 83 + 100 + 32 / 4 + 1);
}

TEST_CASE("pieces take memory while the compute set runs") {
  Graph graph(modelTarget());
  Tensor const in = variable(graph, {4, 100}, "in", 1);
  Executable const executable = compile(graph, {sum(graph, in.slice(0, 20, 1).flatten())});
  CHECK(executable.data()->tileMemory[1].notAlwaysLive == 320);
}

TEST_CASE("a copy of one run over many tiles has a message for each change of tiles") {
  Graph graph(modelTarget());
  Tensor const from = variable(graph, {40}, "from", 0), to = variable(graph, {40}, "to", 1);
  for (unsigned tile = 0; tile != 4; ++tile) {
    graph.setTileMapping(from.slice(10 * tile, 10 * tile + 10), tile);
    graph.setTileMapping(to.slice(10 * tile, 10 * tile + 10), (tile + 1) % 4);
  }
  auto const steps = stepsOf(graph, program::Copy(from, to));
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].maxCycles == 83 + 100 + 40 / 4 + 1);
}

TEST_CASE("a copy sends a word once, however many tiles receive it") {
  Graph graph(modelTarget());
  Tensor const from = variable(graph, {64}, "from", 0), to = variable(graph, {3, 64}, "to", 1);
  graph.setTileMapping(to[1], 2);
  graph.setTileMapping(to[2], 3);
  Executable const executable =
      compile(graph, {program::Copy(from.expand({0}).broadcast(3, 0), to)});
  auto const &bsp = executable.data()->bsp;
  REQUIRE(bsp.steps.front().kind == StepKind::Exchange);
  CHECK(bsp.steps.front().maxCycles == 83 + 100 + 256 / 4 + 1);
  CHECK(bsp.costs[bsp.steps.front().firstCost].bytesOut == 256);
}

TEST_CASE("steps of equal costs share them") {
  Graph graph(modelTarget());
  std::vector<Tensor> v;
  for (unsigned i = 0; i != 4; ++i)
    v.push_back(variable(graph, {64}, "v" + std::to_string(i), i % 2));
  Executable const executable =
      compile(graph, {program::Sequence({program::Copy(v[0], v[1]), program::Copy(v[1], v[2]),
                                         program::Copy(v[2], v[3])})});
  auto const &bsp = executable.data()->bsp;
  REQUIRE(bsp.steps.size() == 3);
  CHECK(bsp.costs.size() == 4);
  CHECK(bsp.steps[0].firstCost == bsp.steps[2].firstCost);
  CHECK(bsp.steps[0].firstCost != bsp.steps[1].firstCost);
}

TEST_CASE("vertices without an estimate cost what the default rule says") {
  // 5 cycles an element and 3 a row: 5 * 10 + 3 and 5 + 3 for a vertex with 20 more; contexts take
  // turns.
  Graph graph(modelTarget());
  Tensor const in = variable(graph, {10}, "in", 1);
  ComputeSet const cs = graph.addComputeSet("sum");
  VertexRef const v = graph.addVertex(cs, "rearrangeTest::Sum",
                                      {{"in", in}, {"out", variable(graph, {}, "out", 1)}});
  graph.setTileMapping(v, 1);
  CHECK(stepsOf(graph, program::Execute(cs))[0].maxCycles == 83 + 6 * (20 + 53 + 8) + 11);
  // A MultiVertex has its own workers.
  Graph other(modelTarget());
  Tensor const from = variable(other, {9}, "from", 1), to = variable(other, {9}, "to", 1);
  ComputeSet const set = other.addComputeSet("shared");
  VertexRef const w = other.addVertex(set, "rearrangeTest::Shared", {{"in", from}, {"out", to}});
  other.setTileMapping(w, 1);
  Executable const executable = compile(other, {program::Execute(set)});
  CHECK(executable.data()->bsp.steps[0].maxCycles == 83 + 11 + 6 * (20 + 96 / 6));
  CHECK(executable.data()->bsp.verticesByDefaultRule == 1);
}

TEST_SUITE_END();
