// Values of tiles as runs of equal ones.
#pragma once

#include <bench/report/PageData.hpp>

#include <span>
#include <vector>

namespace cottonwood::report {

/// Tiles [tile, tile + length) have this value.
struct TileRun {
  Number tile = 0, length = 0, value = 0;
};

/// In order; tiles with 0 are in none.
std::vector<TileRun> runsOf(std::span<Number const> byTile);

} // namespace cottonwood::report
