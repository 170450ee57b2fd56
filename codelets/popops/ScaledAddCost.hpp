/// \file ScaledAddCost.hpp
/// What the ScaledAdd and Axpby vertices cost a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

struct ScaledAddCostProblem {
  std::uint64_t elements = 0;
  unsigned bytesOfA = 4, bytesOfB = 4;
  bool integer = false, scalesA = false;
};

constexpr std::uint64_t scaledAddCycles(const ScaledAddCostProblem &p, unsigned workers) {
  if (p.integer)
    return 53 + 26 * p.elements / 3;
  const unsigned bytes = p.bytesOfA > p.bytesOfB ? p.bytesOfA : p.bytesOfB;
  const std::uint64_t width = 8 / bytes;
  const std::uint64_t vectors = (p.elements + width - 1) / width;
  const std::uint64_t each = (vectors + workers - 1) / workers;
  const std::uint64_t loop = p.bytesOfA == p.bytesOfB ? 3 : p.bytesOfA > p.bytesOfB ? 4 : 5;
  const std::uint64_t start = 21 + 11 + 13 + 12 + 6 + (p.scalesA ? 12 : 0);
  return start + workers * (18 + 6 + loop * (each ? each - 1 : 0) + 5);
}

} // namespace cottonwood::vertices
