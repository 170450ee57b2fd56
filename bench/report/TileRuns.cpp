#include <bench/report/TileRuns.hpp>

namespace cottonwood::report {

std::vector<TileRun> runsOf(std::span<Number const> byTile) {
  std::vector<TileRun> runs;
  for (std::size_t tile = 0; tile < byTile.size(); ++tile) {
    if (byTile[tile] == 0)
      continue;
    if (!runs.empty() && runs.back().tile + runs.back().length == tile &&
        runs.back().value == byTile[tile])
      ++runs.back().length;
    else
      runs.push_back({tile, 1, byTile[tile]});
  }
  return runs;
}

} // namespace cottonwood::report
