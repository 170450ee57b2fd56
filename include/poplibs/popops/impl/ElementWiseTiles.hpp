// Operations element by element on several tiles: from tensors to plans, and to what vertices get.
#pragma once

#include <popops/impl/Layouts.hpp>
#include <popops/impl/Partition.hpp>

#include <planners/popops/ElementWiseTiles.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cottonwood::popops {

/// What to plan.
struct TileMapJob {
  planner::TileMapProblem problem;
  std::vector<planner::TileMapOperand> operands;
  planner::IntervalLayout result;
  planner::Constraints constraints;
};

/// A job but for its operands and vertices; nothing on one tile, without elements, or if the result
/// is in too many pieces. \param flat  the result, mapped
/// \param places  whether the plan may map it anew
POP_API POP_INLINE std::optional<TileMapJob> tileMapJob(::poplar::Graph const &graph,
                                                        Tensor const &flat, bool places);

/// A tensor, flat and in the order of the result, as its operand.
POP_API POP_INLINE planner::TileMapOperand tileMapOperand(::poplar::Graph const &graph,
                                                          Tensor const &flat);

/// The job of a cast of flat tensors; likewise.
POP_API POP_INLINE std::optional<TileMapJob> castJob(::poplar::Graph const &graph, Tensor const &in,
                                                     Tensor const &out);

/// Plans, maps the result if the plan places it, and notes the plan in the profile. The plan goes
/// to `plan`, what the vertices get is returned.
POP_INLINE std::vector<Share> plannedShares(::poplar::Graph &graph, TileMapJob const &job,
                                            Tensor const &flat,
                                            ::poplar::DebugContext const &debugContext,
                                            planner::TileMapPlan &plan);

} // namespace cottonwood::popops
