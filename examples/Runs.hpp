// What examples that compare two programs share: numbers to run on, results and times.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <random>
#include <vector>

/// A variable with normally distributed numbers.
inline poplar::Tensor input(poplar::Graph &graph, const std::vector<std::size_t> &shape,
                            float scale) {
  static std::mt19937 random(1);
  std::normal_distribution<float> numbers(0, scale);
  poplar::Tensor t = graph.addVariable(poplar::FLOAT, shape);
  poputil::mapTensorLinearly(graph, t);
  std::vector<float> values(t.numElements());
  for (float &x : values)
    x = numbers(random);
  graph.setInitialValue<float>(t, values);
  return t;
}

inline std::vector<float> read(poplar::Engine &engine, const char *handle, std::size_t n) {
  std::vector<float> values(n);
  engine.readTensor(handle, values.data(), values.data() + n);
  return values;
}

/// The shortest of some runs.
inline double milliseconds(poplar::Engine &engine, unsigned program) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    engine.run(program);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count());
  }
  return best;
}
