/// \file MultiSliceCost.hpp
/// What the slicing vertices cost a tile of an IPU: a loop over the offsets that finds each row,
/// and for rows held a loop over its elements.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

struct SliceCostProblem {
  std::uint64_t offsets = 0;
  std::uint64_t rows = 0, size = 0;       ///< held, and of the whole table
  std::uint64_t sliceRows = 1, outer = 1; ///< rows of a slice, slices of an offset
  std::uint64_t inner = 0;                ///< elements of a row
  unsigned elementBytes = 4;
};

/// Rows that a vertex finds in what it holds, if offsets fall anywhere with the same probability.
constexpr std::uint64_t expectedRows(const SliceCostProblem &p) {
  const std::uint64_t all = p.offsets * p.sliceRows * p.outer;
  return p.size == 0 ? 0 : (all * p.rows + p.size - 1) / p.size;
}

/// A lookup or overwriting: 64 bits read and written a cycle each, short rows by elements.
constexpr std::uint64_t multiSliceCycles(const SliceCostProblem &p, bool zeroesOthers,
                                         unsigned workers) {
  const std::uint64_t bytes = p.inner * p.elementBytes;
  const std::uint64_t row = 12 + 2 * ((bytes + 7) / 8);
  const std::uint64_t found = expectedRows(p), all = p.offsets * p.sliceRows * p.outer;
  const std::uint64_t others = zeroesOthers && all > found ? (all - found) * (6 + bytes / 8) : 0;
  return 40 + workers * ((p.offsets * 8 + found * row + others + workers - 1) / workers);
}

/// Combining rows: two loads, arithmetic and a store for 64 bits.
constexpr std::uint64_t multiUpdateOpCycles(const SliceCostProblem &p, unsigned workers) {
  const std::uint64_t row = 16 + 4 * ((p.inner * p.elementBytes + 7) / 8);
  return 52 + workers * ((p.offsets * 8 + expectedRows(p) * row + workers - 1) / workers);
}

constexpr std::uint64_t combineSlicesCycles(std::uint64_t parts, std::uint64_t bytes,
                                            unsigned workers) {
  const std::uint64_t words = (bytes + 7) / 8;
  return workers * (24 + (words + workers - 1) / workers * (parts + 1));
}

} // namespace cottonwood::vertices
