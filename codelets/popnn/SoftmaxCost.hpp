/// \file SoftmaxCost.hpp
/// What softmax vertices cost a tile of an IPU: the sum of the elementwise and reduction loops that
/// a row goes through.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

struct SoftmaxCostProblem {
  std::uint64_t rows = 0, length = 1;
  unsigned elementBytes = 4;
  bool findsMaximum = true, gradient = false;
};

constexpr std::uint64_t softmaxCycles(const SoftmaxCostProblem &p, unsigned workers) {
  const std::uint64_t each = (p.rows + workers - 1) / workers;
  const std::uint64_t vectors = (p.length * p.elementBytes + 7) / 8;
  // exp takes 6 cycles a pair of floats, 4 a vector of halves; the others one or two a vector.
  const std::uint64_t exponentials = vectors * (p.elementBytes == 4 ? 6 : 4);
  const std::uint64_t passes =
      p.gradient ? 6 * vectors : exponentials + vectors * (p.findsMaximum ? 6 : 4);
  return 11 + workers * (29 + each * (40 + passes));
}

} // namespace cottonwood::vertices
