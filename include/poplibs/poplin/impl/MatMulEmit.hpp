// Vertices of matrix products.
#pragma once

#include <planners/poplin/MatMulTypes.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/PlanningCache.hpp>
#include <poplin/impl/EpilogueEmit.hpp>
#include <poplin/impl/MatMulOptions.hpp>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// A product whose arguments were checked: a [g, m, k], b [g, k, n], out [g, m, n], no size 0.
struct MatMulJob {
  char const *where = "";
  Tensor a, b, out;
  MatMulOptions options;
  ::poplin::PlanningCache *cache = nullptr;
  EpilogueJob const *epilogue = nullptr; ///< of vertices for CPUs; null: the sums are the result
  EpilogueViews operands;                ///< of the epilogue, of the shape of `out`

  planner::MatMulProblem problem() const;
};

POP_API planner::MatMulType plannerType(::poplar::Type const &type);

/// Adds the program of the product for the kind of target that the graph has.
POP_API void emitMatMul(::poplar::Graph &graph, MatMulJob job, ::poplar::program::Sequence &prog,
                        ::poplar::DebugContext const &debugContext);
POP_API void emitMatMulCpu(::poplar::Graph &graph, MatMulJob const &job,
                           ::poplar::program::Sequence &prog,
                           ::poplar::DebugContext const &debugContext);
POP_API void emitMatMulTiles(::poplar::Graph &graph, MatMulJob const &job,
                             ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &debugContext);

/// Which side of a product a tensor is.
enum class MatMulSide { LEFT, RIGHT, OUTPUT };

/// Maps a tensor of rank 3 as the plan for tiles wants that side.
POP_API void mapForPlan(::poplar::Graph &graph, Tensor const &t, MatMulSide side,
                        planner::MatMulProblem const &problem, MatMulOptions const &options,
                        planner::TilePlan const &plan);
/// A new variable for that side, of rank 3, in the layout of the plan and mapped by it.
POP_API Tensor matMulTileVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                                  MatMulSide side, planner::MatMulProblem const &problem,
                                  MatMulOptions const &options, planner::TilePlan const &plan,
                                  ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::poplin
