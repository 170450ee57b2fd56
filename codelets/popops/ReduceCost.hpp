/// \file ReduceCost.hpp
/// What a popops::Reduce vertex costs a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

struct ReduceCostProblem {
  std::uint64_t outputs = 0, reduced = 0, inner = 1;
  unsigned elementBytes = 4; ///< of the input
  bool logAdd = false, update = false;
};

/// Workers share the outputs. A contiguous row takes a vector a cycle and a start; columns take
/// `vector` outputs at a time, one load and one operation for each reduced element.
constexpr std::uint64_t reduceCycles(const ReduceCostProblem &p, unsigned workers) {
  const std::uint64_t each = (p.outputs + workers - 1) / workers;
  const std::uint64_t vector = p.elementBytes == 0 || p.elementBytes > 8 ? 1 : 8 / p.elementBytes;
  const std::uint64_t operation = p.logAdd ? (p.elementBytes == 2 ? 13 : 23) : 1;
  const std::uint64_t finish = p.update ? 7 : 5;
  if (p.inner <= 1) {
    const std::uint64_t row = operation * ((p.reduced + vector - 1) / vector);
    return workers * (17 + each * (12 + row + (p.update ? 2 : 0)));
  }
  const std::uint64_t rest = p.reduced ? p.reduced - 1 : 0;
  return workers * (16 + (each + vector - 1) / vector * (3 + finish + 3 + operation * rest));
}

} // namespace cottonwood::vertices
