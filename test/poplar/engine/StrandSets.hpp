// Compute sets of scaled rows, and what they should compute.
#pragma once

#include "PoolSize.hpp"
#include "Vertices.hpp"

#include <poplar/impl/lower/ExecutableData.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace strandTest {

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;
using cottonwood::lower::StrandPlan;

inline constexpr std::size_t ROWS = 32, COLUMNS = 4096; // of a variable: 512 KB

/// to[toBegin + i] = factor * from[fromBegin + i], i < size
struct Step {
  std::size_t from, fromBegin, to, toBegin, size;
  float factor;
};
using Sets = std::vector<std::vector<Step>>;

/// Every row of `from` to that row of `to`.
inline std::vector<Step> byRows(std::size_t from, std::size_t to, float factor) {
  std::vector<Step> steps;
  for (std::size_t row = 0; row < ROWS; ++row)
    steps.push_back({from, row * COLUMNS, to, row * COLUMNS, COLUMNS, factor});
  return steps;
}

using Values = std::vector<std::vector<float>>;

/// Random integers; zeros in variables without handles, which nobody fills.
inline Values startValues(std::size_t numVariables, std::size_t numKnown) {
  Values values(numVariables);
  std::mt19937 random(5);
  for (std::vector<float> &variable : values)
    for (std::size_t i = 0; i < ROWS * COLUMNS; ++i)
      variable.push_back(static_cast<float>(random() % 1000));
  for (std::size_t v = numKnown; v < numVariables; ++v)
    values[v].assign(ROWS * COLUMNS, 0);
  return values;
}

/// What the sets compute, one after the other.
inline void follow(Sets const &sets, Values &values) {
  for (std::vector<Step> const &set : sets)
    for (Step const &step : set)
      for (std::size_t i = 0; i < step.size; ++i)
        values[step.to][step.toBegin + i] = step.factor * values[step.from][step.fromBegin + i];
}

/// Compute sets over variables. Those behind numKnown have no handles, so that they may share
/// memory.
struct RowProgram {
  Graph graph;
  std::vector<Tensor> variables;
  Sequence prog;

  RowProgram(Device const &device, Sets const &sets, std::size_t numVariables, std::size_t numKnown)
      : graph(device.getTarget()) {
    for (std::size_t v = 0; v < numVariables; ++v)
      variables.push_back(v < numKnown
                              ? variable(graph, FLOAT, {ROWS * COLUMNS}, "v" + std::to_string(v))
                              : temporary(graph, FLOAT, {ROWS * COLUMNS}, "v" + std::to_string(v)));
    for (std::vector<Step> const &set : sets)
      add(set);
  }

  void add(std::vector<Step> const &set) {
    ComputeSet const cs = graph.addComputeSet("set" + std::to_string(numSets++));
    for (Step const &step : set)
      graph.setTileMapping(
          graph.addVertex(
              cs, "engineTest::Scale",
              {{"in", variables[step.from].slice(step.fromBegin, step.fromBegin + step.size)},
               {"out", variables[step.to].slice(step.toBegin, step.toBegin + step.size)},
               {"factor", step.factor}}),
          0);
    prog.add(Execute(cs));
  }

  unsigned numSets = 0;
};

/// Runs on 1 to 5 threads and compares all known variables with what the sets should compute.
/// Returns the strand plans.
inline std::vector<StrandPlan> checkSets(Sets const &sets, std::size_t numVariables,
                                         std::size_t numKnown) {
  Device const device = Device::createCPUDevice();
  RowProgram const program(device, sets, numVariables, numKnown);
  Values expected = startValues(numVariables, numKnown);
  follow(sets, expected);
  Executable const executable = compileGraph(program.graph, {program.prog});
  for (unsigned threads = 1; threads <= 5; ++threads) {
    CAPTURE(threads);
    PoolSize const size(threads);
    Engine engine(executable);
    engine.load(device);
    Values const start = startValues(numVariables, numKnown);
    for (std::size_t v = 0; v < numKnown; ++v)
      write(engine, "v" + std::to_string(v), start[v]);
    engine.run();
    for (std::size_t v = 0; v < numKnown; ++v) {
      CAPTURE(v);
      CHECK(read<float>(engine, "v" + std::to_string(v), ROWS * COLUMNS) == expected[v]);
    }
  }
  return executable.data()->strands;
}

inline std::vector<StrandPlan> checkSets(Sets const &sets, std::size_t numVariables) {
  return checkSets(sets, numVariables, numVariables);
}

} // namespace strandTest
