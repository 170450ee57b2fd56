// Machines that plans of products and convolutions are tested on.
#pragma once

#include <planners/poplin/MatMulTypes.hpp>

namespace cottonwood::planner {

/// Tiles for floats.
inline MatMulTiles machineOf(std::uint64_t tiles, std::uint64_t bytes = 600000) {
  MatMulTiles machine;
  machine.tiles = tiles;
  machine.bytesPerTile = bytes;
  machine.tile.halfInput = machine.tile.halfPartials = false;
  machine.tile.inputsPerGroup = 8;
  return machine;
}

inline MatMulCpu cpuOf(unsigned threads) {
  MatMulCpu cpu;
  cpu.threads = threads;
  return cpu;
}

} // namespace cottonwood::planner
