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

} // namespace harness
