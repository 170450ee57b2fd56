#pragma once

#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/TilePlanning.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

namespace cottonwood::poplin {

POP_INLINE void emitMatMulTiles(::poplar::Graph &graph, MatMulJob const &job,
                                ::poplar::program::Sequence &prog,
                                ::poplar::DebugContext const &debugContext) {
  Tensor a = job.a, b = job.b;
  poputil::readBeforeWrites(graph, {&a, &b}, job.out, prog, {debugContext, "operand"});
  planner::MatMulProblem problem = job.problem();
  planner::TileChoice const choice =
      planMatMul(job.where, graph.getTarget(), problem, job.options, job.cache).tiles;
  planner::TilePlan const &plan = choice.plan;
  problem.partials = partialsFor(problem, job.options);
  planner::TileProblem const whole = tileProblem(problem);
  notePlan(graph, debugContext, whole, choice);
  emitTiles(graph,
            tileJob(graph.getTarget(), whole, plan, TileOptions(job.options),
                    tileOperands(a, b, job.out, plan)),
            prog, debugContext);
}

namespace detail {

POP_INLINE TileSide tileSide(MatMulSide side, planner::TilePlan const &plan) {
  if (side == MatMulSide::OUTPUT)
    return TileSide::OUTPUT;
  return (side == MatMulSide::LEFT) != plan.swap ? TileSide::INPUT : TileSide::WEIGHTS;
}

/// True if a side [g, rows, columns] is transposed for the plan.
POP_INLINE bool transposesSide(MatMulSide side, planner::TilePlan const &plan) {
  return side == MatMulSide::RIGHT || (side == MatMulSide::OUTPUT && plan.swap);
}

POP_INLINE planner::TileProblem withPartials(planner::MatMulProblem problem,
                                             MatMulOptions const &options) {
  problem.partials = partialsFor(problem, options);
  return tileProblem(problem);
}

} // namespace detail

POP_INLINE Tensor matMulTileVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                                     MatMulSide side, planner::MatMulProblem const &problem,
                                     MatMulOptions const &options, planner::TilePlan const &plan,
                                     ::poplar::DebugContext const &debugContext) {
  bool const transposed = detail::transposesSide(side, plan);
  std::vector<std::size_t> shape{problem.g, side == MatMulSide::RIGHT ? problem.k : problem.m,
                                 side == MatMulSide::LEFT ? problem.k : problem.n};
  if (transposed)
    std::swap(shape[1], shape[2]);
  Tensor const t = tileVariable(graph, type, detail::tileSide(side, plan), shape,
                                detail::withPartials(problem, options), plan, debugContext);
  return transposed ? t.dimShuffle({0, 2, 1}) : t;
}

POP_INLINE void mapForPlan(::poplar::Graph &graph, Tensor const &t, MatMulSide side,
                           planner::MatMulProblem const &problem, MatMulOptions const &options,
                           planner::TilePlan const &plan) {
  bool const transposed = detail::transposesSide(side, plan);
  mapTileOperand(graph, transposed ? t.dimShuffle({0, 2, 1}) : t, detail::tileSide(side, plan),
                 detail::withPartials(problem, options), plan);
}

} // namespace cottonwood::poplin
