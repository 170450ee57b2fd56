#include <bench/plan/KeepChoice.hpp>
#include <bench/plan/Place.hpp>

#include <planners/popops/Copy.hpp>
#include <popops/Rearrange.hpp>
#include <popops/codelets.hpp>
#include <popops/impl/Layouts.hpp>
#include <popops/impl/TransposeTiles.hpp>

#include <utility>

namespace cottonwood::plan {

namespace {

using ::poplar::Tensor;
namespace rearrange = ::popops::rearrange;

/// Vertices where the result lies, [matrices, columns, rows] of [matrices, rows, columns].
void addMoveFirst(poplar::Graph &graph, planner::TransposeProblem const &shape, Tensor const &in,
                  Tensor const &out, planner::IntervalLayout const &result,
                  poplar::program::Sequence &prog) {
  poplar::ComputeSet const cs = graph.addComputeSet("transpose");
  for (planner::LaidInterval const &interval : result)
    for (planner::MatrixBox const &box :
         planner::boxesOf(interval.begin, interval.end, shape.columns, shape.rows)) {
      Tensor const from = in.slice({box.m0, box.c0, box.r0}, {box.m1, box.c1, box.r1});
      Tensor const to = out.slice({box.m0, box.r0, box.c0}, {box.m1, box.r1, box.c1});
      poplar::Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
      mapping[interval.tile] = {poplar::Interval(0, box.matrices())};
      rearrange::addTransposeVertices(
          graph, cs, in.elementType(), static_cast<unsigned>(box.columns()),
          static_cast<unsigned>(box.rows()), mapping,
          [&](std::size_t m) { return std::pair<Tensor const, Tensor const>(from[m], to[m]); });
    }
  prog.add(poplar::program::Execute(cs));
}

} // namespace

ArrayFigures movementFigures(Movement const &movement, Request const &request, std::size_t keep,
                             planner::Constraints const &constraints) {
  poplar::Graph graph(request.target);
  ::popops::addCodelets(graph);
  Tensor const all = placed(graph, request.inputType, movement.shape, movement.mapping);
  std::size_t const rows = movement.transposed ? all.dim(all.rank() - 2) : 1,
                    columns = movement.transposed ? all.dim(all.rank() - 1) : all.numElements();
  Tensor const in = all.reshape({all.numElements() / rows / columns, rows, columns});
  planner::CopyProblem problem;
  problem.shape = popops::transposeProblem(graph, in);
  problem.transposed = movement.transposed;
  auto const source = popops::intervalLayout(graph, in.flatten());
  ArrayFigures figures;
  figures.allowedBytes = problem.shape.bytesPerTile;
  poplar::program::Sequence prog;
  auto const transpose = [&] {
    poplar::ComputeSet const cs = graph.addComputeSet("transpose");
    Tensor const out = rearrange::partialTranspose(graph, in, cs, "transpose");
    prog.add(poplar::program::Execute(cs));
    return out;
  };
  if (!movement.resultMapping) {
    auto const choice =
        timed(figures, [&] { return planner::planTranspose(problem.shape, source); });
    keepChoice(figures, choice, keep);
    figures.terms = {{"exchange", choice.terms.exchange}, {"compute", choice.terms.compute}};
    Tensor const out = transpose();
    figures.steps = modelledSteps(graph, prog, out);
    return figures;
  }
  Tensor const out = placed(
      graph, request.inputType,
      {in.dim(0), movement.transposed ? columns : rows, movement.transposed ? rows : columns},
      *movement.resultMapping);
  auto const result = popops::intervalLayout(graph, out.flatten());
  auto const choice =
      timed(figures, [&] { return planner::planCopy(problem, source, result, constraints); });
  keepChoice(figures, choice, keep);
  figures.terms = {{"move", choice.terms.move}, {"transpose", choice.terms.transpose}};
  switch (choice.plan.way) {
  case planner::CopyWay::DIRECT:
    prog.add(poplar::program::Copy(movement.transposed ? in.dimShuffle({0, 2, 1}) : in, out));
    break;
  case planner::CopyWay::TRANSPOSE_FIRST:
    prog.add(poplar::program::Copy(transpose(), out));
    break;
  case planner::CopyWay::MOVE_FIRST:
    addMoveFirst(graph, problem.shape, in, out, result, prog);
    break;
  }
  figures.steps = modelledSteps(graph, prog, out);
  return figures;
}

} // namespace cottonwood::plan
