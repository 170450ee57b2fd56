/// \file RowExtremesCost.hpp
/// What the vertices of RowExtremes.hpp cost a tile of an IPU: one worker context looks at a row.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

/// One row of n elements: a comparison and two conditional moves each.
constexpr std::uint64_t rowExtremeCycles(std::uint64_t n) { return 27 + 3 * n; }

constexpr std::uint64_t rowExtremesCycles(std::uint64_t rows, std::uint64_t n) {
  return 20 + rows * rowExtremeCycles(n);
}

} // namespace cottonwood::vertices
