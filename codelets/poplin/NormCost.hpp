/// \file NormCost.hpp
/// What the vertices of normalisations cost a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

/// Sums of `elements` elements into `outputs` results: a load and `operations` operations for each
/// vector, and for each row its start and the folding of partial results.
constexpr std::uint64_t normSumsCycles(std::uint64_t elements, std::uint64_t outputs,
                                       unsigned elementBytes, unsigned operations,
                                       unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  const std::uint64_t vectors = (each * elementBytes + 7) / 8;
  return workers * (24 + vectors * operations + (outputs + workers - 1) / workers * 14);
}

/// One pass over the elements with `operations` operations for each vector and one store.
constexpr std::uint64_t normApplyCycles(std::uint64_t elements, unsigned elementBytes,
                                        unsigned operations, unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  return workers * (30 + (each * elementBytes + 7) / 8 * (operations + 1));
}

} // namespace cottonwood::vertices
