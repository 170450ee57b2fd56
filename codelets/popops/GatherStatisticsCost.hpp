/// \file GatherStatisticsCost.hpp
/// What a popops::Histogram vertex costs a tile of an IPU: a compare and an add for 64 bits of
/// elements and each level.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t histogramCycles(unsigned elementBytes, std::uint64_t elements,
                                        std::uint64_t levels, unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  return workers * (40 + levels * (12 + 2 * ((each * elementBytes + 7) / 8)));
}

} // namespace cottonwood::vertices
