#include <bench/poplar/GraphScale.hpp>

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

namespace cottonwood::bench {
namespace {

using namespace poplar;
using namespace poplar::program;
using Clock = std::chrono::steady_clock;

constexpr std::size_t VERTICES = 1'000'000, VARIABLES = 100'000, COMPUTE_SETS = 10;
/// Half of the variables are read, the others are written piece by piece.
constexpr std::size_t PIECE = 4, PIECES = 2 * VERTICES / VARIABLES;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Device cpu() { return Device::createCPUDevice(); }
Device model() { return IPUModel().createDevice(); }

/// 10^5 variables of 80 numbers over all tiles, and their 2 * 10^6 pieces of four.
struct Pieces {
  Graph graph;
  std::vector<Tensor> read, written;   ///< variables
  std::vector<Tensor> inputs, outputs; ///< pieces, in the order of the variables
  std::vector<unsigned> tiles;         ///< of the written variables

  explicit Pieces(Device const &device) : graph(device.getTarget()) {
    unsigned const numTiles = graph.getTarget().getNumTiles();
    for (std::size_t i = 0; i < VARIABLES / 2; ++i) {
      auto const tile = static_cast<unsigned>(i * numTiles / (VARIABLES / 2));
      tiles.push_back(tile);
      for (bool const isRead : {true, false}) {
        Tensor const v = graph.addVariable(UNSIGNED_INT, {PIECES * PIECE}, isRead ? "in" : "out");
        graph.setTileMapping(v, tile);
        (isRead ? read : written).push_back(v);
        for (std::size_t k = 0; k < PIECES; ++k)
          (isRead ? inputs : outputs).push_back(v.slice(PIECE * k, PIECE * k + PIECE));
      }
    }
  }
};

/// Calls add(compute set, vertex number, three piece numbers) for all vertices and returns the
/// program that executes them. Pieces come from the vertex's tile, from a near one and from afar.
template <class F> Program forAllVertices(Graph &graph, F &&add) {
  Sequence program;
  std::size_t i = 0;
  for (std::size_t s = 1; s <= COMPUTE_SETS; ++s) {
    ComputeSet const cs = graph.addComputeSet("addThree");
    program.add(Execute(cs));
    for (; i < s * VERTICES / COMPUTE_SETS; ++i)
      add(cs, i, i, (i + 7 * PIECES) % VERTICES, (i + VERTICES / 3) % VERTICES);
  }
  return program;
}

/// The connections in the call that adds the vertex.
Program addConnected(Pieces &p) {
  return forAllVertices(
      p.graph, [&](ComputeSet cs, std::size_t i, std::size_t a, std::size_t b, std::size_t c) {
        VertexRef const v = p.graph.addVertex(
            cs, "benchVertices::AddThree",
            {{"a", p.inputs[a]}, {"b", p.inputs[b]}, {"c", p.inputs[c]}, {"out", p.outputs[i]}});
        p.graph.setTileMapping(v, p.tiles[i / PIECES]);
      });
}

/// Field by field, each with a slice of its own.
Program addThenConnect(Pieces &p) {
  auto const piece = [](std::vector<Tensor> const &variables, std::size_t i) {
    std::size_t const begin = i % PIECES * PIECE;
    return variables[i / PIECES].slice(begin, begin + PIECE);
  };
  return forAllVertices(
      p.graph, [&](ComputeSet cs, std::size_t i, std::size_t a, std::size_t b, std::size_t c) {
        VertexRef const v = p.graph.addVertex(cs, "benchVertices::AddThree");
        p.graph.connect(v["a"], piece(p.read, a));
        p.graph.connect(v["b"], piece(p.read, b));
        p.graph.connect(v["c"], piece(p.read, c));
        p.graph.connect(v["out"], piece(p.written, i));
        p.graph.setTileMapping(v, p.tiles[i / PIECES]);
      });
}

LimitCase fourEdges(std::string const &name, Device (*makeDevice)(), bool limited) {
  auto const body = [name, makeDevice](benchmark::State &state) {
    Device const device = makeDevice();
    for (auto _ : state) {
      {
        Pieces pieces(device);
        Clock::time_point const start = Clock::now();
        addThenConnect(pieces);
        state.counters[name + "/build-slicing"] = secondsSince(start) / VERTICES;
      }
      Pieces pieces(device);
      Clock::time_point const start = Clock::now();
      Program const program = addConnected(pieces);
      state.counters[name + "/build"] = secondsSince(start) / VERTICES;
      Clock::time_point const built = Clock::now();
      benchmark::DoNotOptimize(compileGraph(pieces.graph, {program}));
      state.counters[name + "/compile"] = secondsSince(built) / VERTICES;
    }
  };
  auto const limit = [&](double microseconds) {
    return limited ? std::optional<double>(microseconds) : std::nullopt;
  };
  return {.rows = {{name + "/build", "us", limit(1)},
                   {name + "/build-slicing", "us", {}},
                   {name + "/compile", "us", limit(2)}},
          .body = body,
          .set = Set::Ci,
          .repetitions = 3,
          .minSeconds = 0};
}

/// Seconds to compile a program of `steps` steps in which variables live for a short time.
double compileSteps(Device const &device, std::size_t steps) {
  Graph graph(device.getTarget());
  unsigned const numTiles = graph.getTarget().getNumTiles();
  auto const variable = [&](std::size_t i, char const *name) {
    Tensor const v = graph.addVariable(UNSIGNED_INT, {16}, name);
    graph.setTileMapping(v, static_cast<unsigned>(i % numTiles));
    return v;
  };
  Tensor last = variable(0, "first");
  graph.createHostWrite("first", last);
  Sequence program;
  for (std::size_t i = 0; i < steps / 2; ++i) {
    Tensor const copy = variable(i, "copy"), next = variable(i + 1, "next");
    program.add(Copy(last.reverse(0), copy));
    ComputeSet const cs = graph.addComputeSet("addThree");
    program.add(Execute(cs));
    VertexRef const v = graph.addVertex(cs, "benchVertices::AddThree",
                                        {{"a", last}, {"b", copy}, {"c", last}, {"out", next}});
    graph.setTileMapping(v, static_cast<unsigned>(i % numTiles));
    last = next;
  }
  graph.createHostRead("last", last);
  Clock::time_point const start = Clock::now();
  benchmark::DoNotOptimize(compileGraph(graph, {program}));
  return secondsSince(start);
}

/// Twice the steps may take 2.5 times as long.
LimitCase manySteps(std::string const &name, Device (*makeDevice)()) {
  auto const body = [name, makeDevice](benchmark::State &state) {
    Device const device = makeDevice();
    for (auto _ : state) {
      double const half = compileSteps(device, 50'000), whole = compileSteps(device, 100'000);
      state.counters[name + "/compile"] = whole / 100'000;
      state.counters[name + "/rate-of-half-as-many"] = 2 * half / whole;
    }
  };
  return {.rows = {{name + "/compile", "us", {}}, {name + "/rate-of-half-as-many", "times", 0.8}},
          .body = body,
          .set = Set::Ci,
          .repetitions = 3,
          .minSeconds = 0};
}

} // namespace

std::vector<LimitCase> scaleCases() {
  return {fourEdges("four-edges", cpu, true), fourEdges("four-edges/ipu-model", model, false),
          manySteps("100000-steps", cpu), manySteps("100000-steps/ipu-model", model)};
}

} // namespace cottonwood::bench
