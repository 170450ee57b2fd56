// The stages of a reduction, and their vertices.
#pragma once

#include <popops/impl/ReduceEmit.hpp>
#include <popops/impl/ReduceFunctorEmit.hpp>

#include <planners/popops/ReduceTiles.hpp>

#include <cstddef>
#include <vector>

namespace cottonwood::popops {

/// One stage as the vertices see it: out[outer, inner] from in[outer, reduced, inner].
struct ReduceStage {
  ::poplar::Tensor in;  ///< [outer, reduced, inner]
  ::poplar::Tensor out; ///< [outer, inner]
  ::popops::Operation op;
  bool update = false;
  ::poplar::Tensor scale;    ///< invalid: none
  bool maps = true;          ///< the first stage: a functor's map() applies
  bool finishes = false;     ///< the last one
  bool placesOutput = false; ///< `out` is mapped nowhere yet
  bool far = false;          ///< kernels::fetchesReduced() of what its vertices read

  /// What remains to be done with partial results [outer, parts, inner].
  ReduceStage behind(::poplar::Tensor const &partials) const;
  /// The vertices in front of that: results of type and shape of `out`, not finished.
  ReduceStage partial(::poplar::Tensor const &part, ::poplar::Tensor const &result) const;
};

/// Adds vertices to a list of compute sets.
class ReduceVertices {
public:
  ReduceVertices(::poplar::Graph &graph, std::vector<::poplar::ComputeSet> &css,
                 ::poplar::DebugContext const &debugContext, ReduceFunctorJob const *functor);

  ::poplar::ComputeSet nextSet();
  void add(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &part);
  /// Outputs [begin, end) of the first dimension.
  void addRows(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &stage, std::size_t begin,
               std::size_t end);
  /// Outputs that lie one behind another: whole rows in one vertex, parts of rows in one each.
  void addInterval(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &stage,
                   ::poplar::Interval const &interval);

  ::poplar::Graph &graph() { return graph_; }
  ::poplar::DebugContext const &debug() const { return debugContext_; }

private:
  void addFunctorVertex(::poplar::ComputeSet cs, unsigned tile, ReduceStage const &part);

  ::poplar::Graph &graph_;
  std::vector<::poplar::ComputeSet> &css_;
  ::poplar::DebugContext const &debugContext_;
  ReduceFunctorJob const *functor_;
  std::size_t stage_ = 0;
};

/// What to plan for on several tiles.
POP_API POP_INLINE planner::TileReduceProblem tileReduceProblem(::poplar::Graph const &graph,
                                                                ReduceStage const &stage,
                                                                ::poplar::Type const &partialType);

/// All stages of a reduction on several tiles, as planned.
POP_API POP_INLINE void emitTileReduce(ReduceVertices &vertices, ReduceStage const &stage,
                                       ::poplar::Type const &partialType);

} // namespace cottonwood::popops
