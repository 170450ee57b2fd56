// Making the vertices of a plan for tiles.
#pragma once

#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/impl/TileBlocks.hpp>

namespace cottonwood::poplin {

/// A product or convolution with its plan.
struct TileJob {
  planner::TileProblem seen; ///< as the plan sees it
  planner::TilePlan plan;
  kernels::AmpUnit amp;
  TileOperands tensors;
  ::poplin::ConvParams const *params = nullptr; ///< of what is not flat
};

/// Adds the program of a plan: for each serial part one compute set of blocks, and one for each
/// stage of the addition of partial sums. The vertices carry the cycles of the plan's method.
POP_API void emitTiles(::poplar::Graph &graph, TileJob const &job,
                       ::poplar::program::Sequence &prog,
                       ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::poplin
