/// \file TopKCost.hpp
/// What the vertices of TopK.hpp and TopKMerge.hpp cost a tile of an IPU: one worker context sorts
/// or selects; the others share their elements.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t sortCycles(std::uint64_t n) {
  std::uint64_t levels = 0;
  while (levels < 63 && std::uint64_t(1) << levels < n)
    ++levels;
  // Merge sort below the lengths where four distributions of 8 bits are cheaper.
  const std::uint64_t merging = 6 * n * levels, counting = 1024 + 4 * 9 * n;
  return merging < counting ? merging : counting;
}

/// One row of n elements of which the first k are kept.
constexpr std::uint64_t topKCycles(std::uint64_t n, std::uint64_t k) {
  if (k > n / 4)
    return 40 + 6 * n + sortCycles(n);
  return 60 + 3 * n + 24 * k + sortCycles(k);
}

constexpr std::uint64_t perElementCycles(std::uint64_t elements, unsigned cyclesEach,
                                         unsigned workers) {
  return workers * (40 + cyclesEach * ((elements + workers - 1) / workers));
}

} // namespace cottonwood::vertices
