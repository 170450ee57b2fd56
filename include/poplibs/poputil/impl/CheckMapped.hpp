// The check of what new tensors are laid out as.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

namespace cottonwood::poputil {

/// Of an operand whose mapping a new tensor takes: where there are several tiles the error of one
/// that is mapped nowhere is to name the operand. (One tile has no need to look it up: engines name
/// the operand.)
inline void checkMapped(::poplar::Graph const &graph, ::poplar::Tensor const &operand) {
  if (graph.getTarget().getNumTiles() > 1)
    graph.getTileMapping(operand);
}

} // namespace cottonwood::poputil
