// What a running vertex knows beside its state.
#include "PoolSize.hpp"
#include "Vertices.hpp"

#include <poplar/impl/engine/VertexFailure.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;
using cottonwood::codelet::VertexContext;
using cottonwood::engine::runningVertex;

namespace engineTest {

/// Writes what its context says: tile, worker, whether the state is this object, draws so far, key.
class Context : public Vertex {
public:
  Output<Vector<unsigned>> out;
  void compute() {
    VertexContext *const context = runningVertex();
    out[0] = context->tile;
    out[1] = context->worker;
    out[2] = context->state == this ? 1 : 0;
    out[3] = static_cast<unsigned>(context->randomDraws++);
    out[4] = static_cast<unsigned>(context->randomKey);
    out[5] = static_cast<unsigned>(context->randomKey >> 32);
  }
};

/// The same for each worker context.
class ContextMulti : public MultiVertex {
public:
  Output<Vector<unsigned>> out;
  void compute(unsigned worker) {
    VertexContext *const context = runningVertex();
    unsigned *const row = &out[worker * 6];
    row[0] = context->tile;
    row[1] = context->worker;
    row[2] = context->state == this ? 1 : 0;
    row[3] = static_cast<unsigned>(context->randomDraws++);
    row[4] = static_cast<unsigned>(context->randomKey);
    row[5] = static_cast<unsigned>(context->randomKey >> 32);
  }
};

} // namespace engineTest

POPLAR_VERTEX(engineTest::Context, out)
POPLAR_VERTEX(engineTest::ContextMulti, out)

namespace {

std::uint64_t keyOf(std::vector<unsigned> const &values, std::size_t row) {
  return values[row * 6 + 4] | std::uint64_t{values[row * 6 + 5]} << 32;
}

/// `count` vertices in one compute set, from the last tile down, each with rows of `out`.
Execute contexts(Graph &graph, Tensor const &out, std::string const &type) {
  ComputeSet const cs = graph.addComputeSet("contexts");
  std::size_t const tiles = graph.getTarget().getNumTiles();
  for (std::size_t i = 0; i < out.dim(0); ++i)
    graph.setTileMapping(graph.addVertex(cs, type, {{"out", out[i]}}),
                         static_cast<unsigned>(tiles - 1 - i % tiles));
  return Execute(cs);
}

/// The keys of 40 vertices in `runs` runs of an engine whose program executes them twice.
std::vector<std::uint64_t> keys(Graph &&graph, OptionFlags const &options, unsigned runs = 2) {
  std::size_t const n = 40;
  Tensor const first = variable(graph, UNSIGNED_INT, {n, 6}, "first");
  Tensor const second = variable(graph, UNSIGNED_INT, {n, 6}, "second");
  Engine engine(graph,
                Sequence(contexts(graph, first, "engineTest::Context"),
                         contexts(graph, second, "engineTest::Context")),
                options);
  unsigned const replicas = graph.getReplicationFactor();
  engine.load(Device::createCPUDevice(replicas));
  std::vector<std::uint64_t> result;
  for (unsigned run = 0; run < runs; ++run) {
    engine.run();
    for (char const *handle : {"first", "second"}) {
      auto const values = read<unsigned>(engine, handle, replicas * n * 6);
      for (std::size_t i = 0; i < replicas * n; ++i)
        result.push_back(keyOf(values, i));
    }
  }
  return result;
}

Graph cpuGraph() { return Graph(Device::createCPUDevice().getTarget()); }

} // namespace

TEST_SUITE("poplar/engine/context") {
  TEST_CASE("a vertex knows its tile, its worker context and its state") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      unsigned const tiles = graph.getTarget().getNumTiles();
      Tensor const one = variable(graph, UNSIGNED_INT, {5, 6}, "one");
      Tensor const multi = variable(graph, UNSIGNED_INT, {5, 36}, "multi");
      Engine engine(graph, Sequence(contexts(graph, one, "engineTest::Context"),
                                    contexts(graph, multi, "engineTest::ContextMulti")));
      engine.load(device);
      engine.run();
      auto const ones = read<unsigned>(engine, "one", 5 * 6);
      auto const multis = read<unsigned>(engine, "multi", 5 * 36);
      for (unsigned i = 0; i < 5; ++i) {
        unsigned const tile = tiles - 1 - i % tiles;
        CHECK(std::vector<unsigned>(ones.begin() + i * 6, ones.begin() + i * 6 + 4) ==
              std::vector<unsigned>{tile, 0, 1, 0});
        for (unsigned worker = 0; worker < 6; ++worker) {
          auto const row = multis.begin() + i * 36 + worker * 6;
          CHECK(std::vector<unsigned>(row, row + 4) == std::vector<unsigned>{tile, worker, 1, 0});
          // One execution of one vertex has one key.
          CHECK(keyOf(multis, i * 6 + worker) == keyOf(multis, i * 6));
        }
      }
    });
  }

  TEST_CASE("no vertex runs outside of compute sets") {
    CHECK(runningVertex() == nullptr);
    Graph graph = cpuGraph();
    Tensor const x = variable(graph, INT, {}, "x");
    Tensor const one = variable(graph, UNSIGNED_INT, {1, 6}, "one");
    bool seen = false;
    HostFunction const function = graph.addHostFunction("look", {}, {{INT, 1}});
    Engine engine(graph, Sequence(contexts(graph, one, "engineTest::Context"),
                                  Call(function, {}, {x.reshape({1})})));
    engine.connectHostFunction("look", 0, [&](ArrayRef<void const *>, ArrayRef<void *>) {
      seen = runningVertex() == nullptr;
    });
    engine.load(Device::createCPUDevice());
    engine.run();
    CHECK(seen);
    CHECK(runningVertex() == nullptr);
  }

  TEST_CASE("every execution of every vertex has its own key, on any number of threads") {
    std::vector<std::uint64_t> serial;
    for (unsigned const threads : {1u, 2u, 5u}) {
      PoolSize const size(threads);
      auto const found = keys(cpuGraph(), {{"engine.numThreads", std::to_string(threads)}});
      CHECK(std::set<std::uint64_t>(found.begin(), found.end()).size() == 2 * 2 * 40);
      if (serial.empty())
        serial = found;
      CHECK(found == serial);
    }
  }

  TEST_CASE("loading starts the keys anew, and the seed changes them all") {
    auto const zero = keys(cpuGraph(), {}, 1);
    CHECK(keys(cpuGraph(), {{"prng.seed", "0"}}, 1) == zero);
    auto all = zero;
    for (char const *seed : {"1", "2", "0xffffffffffffffff"})
      for (std::uint64_t key : keys(cpuGraph(), {{"prng.seed", seed}}, 1))
        all.push_back(key);
    CHECK(std::set<std::uint64_t>(all.begin(), all.end()).size() == 4 * 2 * 40);
  }

  TEST_CASE("replicas have keys of their own") {
    auto const found =
        keys(Graph(Device::createCPUDevice(2).getTarget(), replication_factor(2)), {}, 1);
    CHECK(std::set<std::uint64_t>(found.begin(), found.end()).size() == 2 * 2 * 40);
    auto const one = keys(cpuGraph(), {}, 1);
    // Replica 0 is like the only one.
    CHECK(std::vector<std::uint64_t>(found.begin(), found.begin() + 40) ==
          std::vector<std::uint64_t>(one.begin(), one.begin() + 40));
  }
}
