/// \file PoolCost.hpp
/// What a pooling vertex costs a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

/// \param columns     outputs of a place of the field each, of `inner` elements
/// \param window      elements that an output reads
/// \param operations  for each vector of them
constexpr std::uint64_t poolCycles(std::uint64_t columns, std::uint64_t inner, std::uint64_t window,
                                   unsigned elementBytes, unsigned operations, unsigned workers) {
  const std::uint64_t each = (columns + workers - 1) / workers;
  const std::uint64_t vectors = (inner * elementBytes + 7) / 8;
  return workers * (40 + each * (14 + vectors * (2 + window * operations)));
}

} // namespace cottonwood::vertices
