// Running one random operation and looking at what it gives.
#pragma once

#include "../popops/Harness.hpp"

#include <poplar/RandomSeed.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <functional>

namespace draws {

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::Type;
using poplar::UNSIGNED_INT;

/// A run whose graph knows the vertices of poprand, with a seed tensor.
class RandomRun : public Run {
public:
  explicit RandomRun(DeviceMaker const &device, unsigned seed0 = 11, unsigned seed1 = 22)
      : Run(device), seed(graph.addConstant<unsigned>(UNSIGNED_INT, {2}, {seed0, seed1})) {
    poprand::addCodelets(graph);
    graph.setTileMapping(seed, 0);
  }
  /// A tensor whose shape and mapping count.
  Tensor reference(Shape const &shape) {
    Tensor const t = graph.addVariable(FLOAT, shape, "reference");
    poputil::mapTensorLinearly(graph, t, 1, 1);
    return t;
  }
  Tensor seed;
};

/// Adds programs to a run and returns what to read.
using Draw = std::function<Tensor(RandomRun &)>;

inline Values draw(DeviceMaker const &device, Draw const &operation) {
  RandomRun run(device);
  std::size_t const out = run.output(operation(run));
  run.run();
  return run.values(out);
}

inline bool sameBits(Values const &a, Values const &b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline double mean(Values const &values, int power = 1, double centre = 0) {
  double sum = 0;
  for (double value : values)
    sum += std::pow(value - centre, power);
  return sum / static_cast<double>(values.size());
}

/// The largest distance of the empirical distribution from a continuous one, times sqrt(n): above
/// 1.95 with a probability of 1/1000 (Kolmogorov's limit).
inline double kolmogorov(Values values, std::function<double(double)> const &cdf) {
  std::sort(values.begin(), values.end());
  double const n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i != values.size(); ++i) {
    double const p = cdf(values[i]);
    distance =
        std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return distance * std::sqrt(n);
}

inline double normalCdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

} // namespace draws
