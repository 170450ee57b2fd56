/// \file SplineBasisCost.hpp
/// What a popops::SplineBasis vertex costs a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t splineBasisCycles(std::uint64_t edges, std::uint64_t splines,
                                          std::uint64_t dims, unsigned workers) {
  const std::uint64_t each = (edges + workers - 1) / workers;
  return workers * (30 + each * (40 * dims + splines * (6 + 8 * dims)));
}

} // namespace cottonwood::vertices
