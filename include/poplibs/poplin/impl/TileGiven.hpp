// Where operands are mapped already, as plans for tiles count it.
#pragma once

#include <planners/poplin/TileLayout.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

namespace cottonwood::poplin {

/// What of an operand is mapped to which tiles: of a product [g, rows, columns], of a convolution
/// [groups, batch, ...field, channels] or [groups, N, ...kernel, I] with up to three dimensions of
/// the field. What is mapped nowhere is nowhere.
POP_API planner::TileLayout givenLayout(::poplar::Graph const &graph, ::poplar::Tensor const &t);

} // namespace cottonwood::poplin
