/// \file SequenceSliceCost.hpp
/// What a popops::SequenceSlice vertex costs a tile of an IPU: every worker looks at every run, and
/// all rows are written once, 64 bits in two cycles.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t sequenceSliceCycles(std::uint64_t runs, std::uint64_t bytes,
                                            unsigned workers) {
  const std::uint64_t each = (bytes + workers - 1) / workers;
  return workers * (30 + 14 * runs + 2 * ((each + 7) / 8));
}

} // namespace cottonwood::vertices
