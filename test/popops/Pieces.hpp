// Tensors in pieces on any tiles of a small model.
#pragma once

#include "Harness.hpp"

#include <algorithm>

namespace harness {

inline constexpr unsigned MODEL16_TILES = 16;
inline poplar::Device model16() { return modelOf(MODEL16_TILES); }

/// Maps each so many elements in flat order to a tile of its own choice.
inline void mapInPieces(poplar::Graph &graph, poplar::Tensor const &flat, std::size_t piece,
                        std::mt19937 &random) {
  std::size_t const n = flat.numElements();
  for (std::size_t begin = 0; begin < n; begin += piece)
    graph.setTileMapping(flat.slice(begin, std::min(begin + piece, n)),
                         static_cast<unsigned>(random() % MODEL16_TILES));
}

/// [N, C, H, W] whose memory is [C / block, N, H, W, block].
inline poplar::Tensor blocked(poplar::Graph &graph, poplar::Type const &type, Shape const &shape,
                              std::size_t block) {
  poplar::Tensor const t =
      graph.addVariable(type, {shape[1] / block, shape[0], shape[2], shape[3], block});
  return t.dimShuffle({1, 0, 4, 2, 3}).reshape(shape);
}

/// The same, evenly over the tiles in the order of memory.
inline poplar::Tensor spreadBlocks(poplar::Graph &graph, poplar::Type const &type,
                                   Shape const &shape, std::size_t block) {
  poplar::Tensor const t = blocked(graph, type, shape, block);
  poplar::Tensor flat = t.flatten();
  graph.reorderToSimplify(&flat, {});
  poputil::mapTensorLinearly(graph, flat);
  return t;
}

/// Steps of a kind in one run of a program.
inline std::size_t stepsOf(Run &run, std::string const &type) {
  poplar::Engine engine(run.graph, run.prog);
  poplar::ProfileValue const profile = engine.getGraphProfile();
  std::size_t steps = 0;
  for (auto const &step : profile["steps"].asVector())
    steps += step["type"].asString() == type ? 1 : 0;
  return steps;
}

} // namespace harness
