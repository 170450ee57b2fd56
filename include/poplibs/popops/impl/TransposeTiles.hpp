// Transposed matrices on several tiles: from tensors to what is planned.
#pragma once

#include <planners/popops/Rearrange.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

namespace cottonwood::popops {

/// \param in  [matrices, rows, columns]
POP_API POP_INLINE planner::TransposeProblem transposeProblem(::poplar::Graph const &graph,
                                                              ::poplar::Tensor const &in);

} // namespace cottonwood::popops
