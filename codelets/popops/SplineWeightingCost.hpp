/// \file SplineWeightingCost.hpp
/// What a popops::SplineWeighting vertex costs a tile of an IPU: 64 bits of weights take two
/// cycles.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

/// \param products  of one edge: splines * inChannels * outChannels.
constexpr std::uint64_t splineWeightingCycles(unsigned elementBytes, std::uint64_t edges,
                                              std::uint64_t products, unsigned workers) {
  const std::uint64_t each = (edges + workers - 1) / workers;
  return workers * (40 + each * (30 + 2 * ((products * elementBytes + 7) / 8)));
}

} // namespace cottonwood::vertices
