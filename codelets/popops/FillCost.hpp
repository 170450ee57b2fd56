/// \file FillCost.hpp
/// What a popops::Fill vertex costs a tile of an IPU: a store of 64 bits a cycle.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t fillCycles(unsigned elementBytes, std::uint64_t elements,
                                   unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  return workers * (26 + (each * elementBytes + 7) / 8);
}

} // namespace cottonwood::vertices
