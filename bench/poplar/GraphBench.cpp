// Building and compiling graphs; the view algebra on large variables and many pieces.
#include <bench/Family.hpp>
#include <bench/Limits.hpp>
#include <bench/poplar/GraphScale.hpp>

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <string>

namespace cottonwood::bench {
namespace {

using namespace poplar;
using namespace poplar::program;
using Clock = std::chrono::steady_clock;

constexpr unsigned MILLION = 1'000'000;
constexpr unsigned PIECES = 100'000;

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// A compute set of 10^6 vertices, each on its own element, spread over the tiles as a client
/// would: one call a vertex and one a mapping.
ComputeSet addMillion(Graph &graph) {
  unsigned const tiles = graph.getTarget().getNumTiles();
  Tensor const x = graph.addVariable(UNSIGNED_INT, {MILLION}, "x");
  ComputeSet const cs = graph.addComputeSet("increment");
  for (unsigned tile = 0; tile < tiles; ++tile) {
    auto const begin = static_cast<unsigned>(std::uint64_t{MILLION} * tile / tiles);
    auto const end = static_cast<unsigned>(std::uint64_t{MILLION} * (tile + 1) / tiles);
    graph.setTileMapping(x.slice(begin, end), tile);
    for (unsigned i = begin; i < end; ++i)
      graph.setTileMapping(graph.addVertex(cs, "benchVertices::Increment", {{"x", x[i]}}), tile);
  }
  return cs;
}

LimitCase millionCase(std::string const &name, Device (*makeDevice)(),
                      std::optional<double> limit) {
  auto const body = [name, makeDevice](benchmark::State &state) {
    Device const device = makeDevice();
    for (auto _ : state) {
      Clock::time_point const start = Clock::now();
      Graph graph(device.getTarget());
      ComputeSet const cs = addMillion(graph);
      Clock::time_point const built = Clock::now();
      Executable const executable = compileGraph(graph, {Program(Execute(cs))});
      Clock::time_point const compiled = Clock::now();
      Engine engine(executable);
      engine.load(device);
      Clock::time_point const loaded = Clock::now();
      state.counters[name + "/build"] = MILLION / seconds(start, built);
      state.counters[name + "/compile"] = MILLION / seconds(built, compiled);
      state.counters[name + "/build+compile"] = seconds(start, compiled);
      state.counters[name + "/load"] = seconds(compiled, loaded);
    }
  };
  return {.rows = {{name + "/build+compile", "s", limit},
                   {name + "/build", "vertices/s", {}},
                   {name + "/compile", "vertices/s", {}},
                   {name + "/load", "s", {}}},
          .body = body,
          .repetitions = 3,
          .minSeconds = 0};
}

/// Transposed, sliced and concatenated views of 10^9 elements, and what is asked of them.
void hugeViews(benchmark::State &state) {
  Graph graph(Device::createCPUDevice().getTarget());
  Tensor const v = graph.addVariable(FLOAT, {1000, 1000, 1000}, "v");
  Tensor const other = graph.addVariable(FLOAT, {1000, 50, 1000}, "other");
  for (auto _ : state) {
    Tensor const t = v.dimShuffle({2, 0, 1}).slice(100, 900, 1);
    Tensor const u = concat({t, other.dimShuffle({2, 0, 1}).slice(0, 800, 1).reverse(0)}, 2);
    bool facts[] = {u.isContiguous(), u.containsAliases(), u.isParallelWriteable()};
    benchmark::DoNotOptimize(facts);
    benchmark::DoNotOptimize(u[999][799][1049].numElements());
  }
}

/// The columns of a transposed view that no reshape describes by strides.
void unfactoredReshape(benchmark::State &state) {
  Graph graph(Device::createCPUDevice().getTarget());
  Tensor const v = graph.addVariable(FLOAT, {3, 333'333'336}, "v");
  std::size_t row = 0;
  for (auto _ : state) {
    Tensor const t = v.transpose().reshape({125'000'001, 8});
    benchmark::DoNotOptimize(t[row = (row + 7'919) % t.dim(0)].isContiguous());
  }
}

/// 10^5 pieces of a variable in random order.
std::vector<Tensor> shuffledPieces(Tensor const &v) {
  std::vector<unsigned> order(PIECES);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  std::vector<Tensor> pieces;
  for (unsigned i : order)
    pieces.push_back(v.slice(7 * i, 7 * i + 5));
  return pieces;
}

void manyPieces(benchmark::State &state) {
  Graph graph(Device::createCPUDevice().getTarget());
  std::vector<Tensor> const pieces = shuffledPieces(graph.addVariable(FLOAT, {7 * PIECES}, "v"));
  double joining = 0, indexing = 0;
  std::mt19937 random(6);
  for (auto _ : state) {
    Clock::time_point const start = Clock::now();
    Tensor const all = concat(pieces);
    Clock::time_point const joined = Clock::now();
    for (unsigned i = 0; i < PIECES; ++i)
      benchmark::DoNotOptimize(all[random() % (5 * PIECES)].numElements());
    joining += seconds(start, joined);
    indexing += seconds(joined, Clock::now());
  }
  auto const runs = static_cast<double>(state.iterations());
  state.counters["views/concat-of-100000"] = joining / runs;
  state.counters["views/100000-indices-into-it"] = indexing / runs;
}

/// x[i] of a plain variable: what the loop of a client costs.
void indexPlain(benchmark::State &state) {
  Graph graph(Device::createCPUDevice().getTarget());
  Tensor const v = graph.addVariable(FLOAT, {1000, 1000}, "v");
  std::size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(v[i = (i + 7) % 1000][3].numElements());
}

} // namespace

int runGraph(Arguments const &arguments) {
  std::vector<LimitCase> cases = {
      millionCase(
          "million-vertices", [] { return Device::createCPUDevice(); }, 3.0),
      millionCase("million-vertices/ipu-model", [] { return IPUModel().createDevice(); }, {}),
      {{{"views/10^9-elements", "us", 20}}, hugeViews},
      {{{"views/unfactored-reshape", "us", 20}}, unfactoredReshape},
      {{{"views/concat-of-100000", "ms", 50}, {"views/100000-indices-into-it", "ms", 50}},
       manyPieces},
      {{{"views/two-indices", "ns", 500}}, indexPlain}};
  cases[1].set = Set::Ci;
  for (LimitCase &scale : scaleCases())
    cases.push_back(std::move(scale));
  return runLimitCases(cases, arguments.set);
}

} // namespace cottonwood::bench
