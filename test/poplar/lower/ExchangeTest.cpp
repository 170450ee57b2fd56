// What exchanges between tiles cost.
#include "Compiled.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <optional>
#include <sstream>

TEST_SUITE_BEGIN("poplar/lower/exchange");

using namespace poplar;
using namespace lowerTest;

namespace exchangeTest {

class Read : public Vertex {
public:
  Input<Vector<int>> in;
  Output<int> out;
  bool compute() {
    *out = in[0];
    return true;
  }
};

} // namespace exchangeTest

POPLAR_VERTEX(exchangeTest::Read, in, out)

namespace {

using cottonwood::lower::BspStep;
using cottonwood::lower::StepKind;

constexpr std::uint64_t SYNC = 83, START = 100, BYTES = 4096;

/// 4 KiB on tile 0 of so many tiles, read by one vertex or two on each of these tiles.
struct Readers {
  explicit Readers(Target const &target, std::vector<unsigned> const &tiles, unsigned each = 1)
      : graph(target) {
    Tensor const in = temporary(graph, {BYTES / 4}, "in");
    ComputeSet const cs = graph.addComputeSet("read");
    for (unsigned const tile : tiles)
      for (unsigned i = 0; i != each; ++i) {
        Tensor const out = variable(graph, {}, "out" + std::to_string(tile * each + i), tile);
        VertexRef const v = graph.addVertex(cs, "exchangeTest::Read", {{"in", in}, {"out", out}});
        graph.setPerfEstimate(v, 10);
        graph.setTileMapping(v, tile);
      }
    executable.emplace(compile(graph, {program::Execute(cs)}));
  }

  BspStep const &exchange() const {
    for (BspStep const &step : executable->data()->bsp.steps)
      if (step.kind == StepKind::Exchange || step.kind == StepKind::GlobalExchange)
        return step;
    FAIL("nothing is exchanged");
    return executable->data()->bsp.steps.front();
  }

  Graph graph;
  std::optional<Executable> executable;
};

} // namespace

TEST_CASE("a word is sent once, however many tiles receive it, and received once a tile") {
  for (unsigned each : {1U, 3U}) {
    Readers const readers(modelTarget(8), {1, 3, 5}, each);
    BspStep const &step = readers.exchange();
    CHECK(step.maxCycles == SYNC + START + BYTES / 4 + 1);
    auto const &costs = readers.executable->data()->bsp.costs;
    REQUIRE(step.numCosts == 4);
    CHECK(costs[step.firstCost].bytesOut == BYTES);
    CHECK(costs[step.firstCost + 1].bytesIn == BYTES);
  }
}

TEST_CASE("neighbours on a bus receive the same words at twice the rate") {
  Readers const pair(modelTarget(8), {2, 3});
  // The sender is the slowest then: it sends 4 bytes a cycle.
  CHECK(pair.exchange().maxCycles == SYNC + START + BYTES / 4);
  auto const &step = pair.exchange();
  auto const &costs = pair.executable->data()->bsp.costs;
  CHECK(costs[step.firstCost + 1].cycles == BYTES / 8 + 1);
  Readers const apart(modelTarget(8), {3, 4});
  CHECK(apart.exchange().maxCycles == SYNC + START + BYTES / 4 + 1);
}

TEST_CASE("what leaves an IPU waits for all IPUs and for the links") {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  Target const target = model.createDevice().getTarget();
  Readers const readers(target, {4, 5, 6});
  BspStep const &step = readers.exchange();
  CHECK(step.kind == StepKind::GlobalExchange);
  double bandwidth = 0;
  for (auto const &constraint : target.getGlobalExchangeConstraints())
    for (auto const &flow : constraint.flows)
      if (flow.src == 0 && flow.dst == 1)
        bandwidth = constraint.bandwidth;
  REQUIRE(bandwidth > 0);
  // Three tiles of the other IPU receive it; it crosses once.
  auto const links = static_cast<std::uint64_t>(
      std::ceil(8.0 * BYTES / bandwidth * target.getTileClockFrequency()));
  CHECK(step.maxCycles == SYNC + START + target.getGlobalSyncCycles() + links + BYTES / 4 + 1);
  std::ostringstream stored;
  CHECK_NOTHROW(readers.executable->serialize(stored));
  Readers const within(target, {1, 2});
  CHECK(within.exchange().kind == StepKind::Exchange);
}

TEST_CASE("what arrives for a compute set takes memory while it runs") {
  Readers const readers(modelTarget(8), {5});
  auto const &memory = readers.executable->data()->tileMemory;
  CHECK(memory[5].notAlwaysLive == BYTES);
  CHECK(memory[6].notAlwaysLive == 0);
}

TEST_SUITE_END();
