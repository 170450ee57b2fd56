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
  TileOperands tensors;                         ///< where outputs are channels weights as they are
  ::poplin::ConvParams const *params = nullptr; ///< of what is not flat
  bool wideLoads = false;                       ///< of weights, where vertices have them
};

/// Compute sets of operations that run side by side: the first of one with the first of another.
class TileSteps {
public:
  TileSteps(::poplar::Graph &graph, ::poplar::DebugContext const &debugContext)
      : graph_(graph), debugContext_(debugContext) {}
  /// Compute set `index`; all before it exist. \param name  if it is new
  ::poplar::ComputeSet at(std::size_t index, char const *name);
  /// Runs them one after another.
  void addTo(::poplar::program::Sequence &prog) const;

private:
  ::poplar::Graph &graph_;
  ::poplar::DebugContext const &debugContext_;
  std::vector<std::pair<::poplar::ComputeSet, char const *>> sets_;
};

/// Adds the vertices of a plan: for each turn one compute set of blocks, and one for each stage of
/// the addition of partial sums. The vertices carry the cycles of the plan's method.
POP_API void emitTiles(::poplar::Graph &graph, TileJob const &job, TileSteps &steps,
                       ::poplar::DebugContext const &debugContext);
/// The same as a program of its own.
POP_API void emitTiles(::poplar::Graph &graph, TileJob const &job,
                       ::poplar::program::Sequence &prog,
                       ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::poplin
