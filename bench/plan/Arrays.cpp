#include <bench/plan/KeepChoice.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <popops/impl/Layouts.hpp>
#include <popops/impl/ReduceStages.hpp>
#include <popops/impl/SlicePlanInternal.hpp>
#include <poputil/TileMapping.hpp>

namespace cottonwood::plan {

namespace {

using ::poplar::Tensor;

ArrayFigures reduction(Reduction const &r, Request const &request, std::size_t keep) {
  poplar::Graph graph(request.target);
  ::popops::addCodelets(graph);
  Tensor const in = graph.addVariable(request.inputType, {r.outer, r.reduced, r.inner}, "in");
  ::poputil::mapTensorLinearly(graph, in);
  poplar::Type const partials =
      request.outputType == poplar::HALF ? poplar::FLOAT : request.outputType;
  popops::ReduceStage stage{};
  stage.in = in;
  stage.op = ::popops::Operation::ADD;
  stage.placesOutput = true;
  auto const problem = popops::tileReduceProblem(graph, stage, partials);
  auto const layout = popops::intervalLayout(graph, in.flatten());
  ArrayFigures figures;
  auto const choice = timed(figures, [&] { return planner::planTileReduce(problem, layout); });
  keepChoice(figures, choice, keep);
  figures.terms = {{"first stage", choice.terms.first},
                   {"middle", choice.terms.middle},
                   {"last", choice.terms.last}};
  figures.allowedBytes = problem.bytesPerTile;
  poplar::program::Sequence prog;
  Tensor const out = ::popops::reduce(graph, in, request.outputType, {1},
                                      {::popops::Operation::ADD}, prog, "reduce");
  figures.steps = modelledSteps(graph, prog, out);
  return figures;
}

Tensor emitEmbedding(poplar::Graph &graph, Embedding const &e, poplar::Type const &type,
                     ::popops::SlicePlan const &plan, poplar::program::Sequence &prog) {
  Tensor const table = ::popops::createSliceableTensor(graph, type, {e.entries, e.columns}, {0},
                                                       {1}, plan, {}, "table");
  Tensor const indices = ::popops::createIndicesTensor(graph, {0}, e.indices, plan, {}, "indices");
  if (!e.update)
    return ::popops::multiSlice(graph, table, indices, {0}, {1}, prog, plan, {}, "lookup");
  Tensor const slices = ::popops::createSliceTensor(graph, type, {e.entries, e.columns}, {0}, {1},
                                                    e.indices, plan, {}, "slices");
  Tensor const scale = graph.addConstant(poplar::FLOAT, {}, 1.0F, "scale");
  graph.setTileMapping(scale, 0);
  ::popops::multiUpdateAdd(graph, table, slices, indices, scale, {0}, {1}, prog, plan, {},
                           "update");
  return table;
}

ArrayFigures embedding(Embedding const &e, Request const &request, std::size_t keep) {
  poplar::Graph graph(request.target);
  ::popops::addCodelets(graph);
  poplar::OptionFlags options = request.options;
  options.set("usedForSlice", e.update ? "false" : "true");
  options.set("usedForUpdate", e.update ? "true" : "false");
  auto const plan = ::popops::embedding::plan(graph, request.inputType, e.entries, e.columns,
                                              {e.indices}, options);
  planner::SliceProblem const &problem = plan.getImpl().problem;
  ArrayFigures figures;
  auto const choice = timed(figures, [&] { return planner::chooseSlice(problem, {}, keep); });
  keepChoice(figures, choice, keep);
  figures.terms = {{"lookup", choice.terms.lookup},
                   {"combine", choice.terms.combine},
                   {"update", choice.terms.update}};
  figures.allowedBytes = problem.bytesPerTile;
  poplar::program::Sequence prog;
  Tensor const result = emitEmbedding(graph, e, request.inputType, plan, prog);
  figures.steps = modelledSteps(graph, prog, result);
  return figures;
}

} // namespace

Steps modelledSteps(poplar::Graph &graph, poplar::program::Program const &program,
                    Tensor const &result) {
  graph.createHostRead("result", result, true);
  poplar::Executable const executable =
      poplar::compileGraph(graph, {program}, {{"debug.allowOutOfMemory", "true"}});
  return stepsOf(*executable.data());
}

ArrayFigures arrayFigures(Shape const &shape, Request const &request, std::size_t keep) {
  return shape.reduction    ? reduction(*shape.reduction, request, keep)
         : shape.embedding  ? embedding(*shape.embedding, request, keep)
         : shape.conversion ? conversionFigures(*shape.conversion, request, keep)
         : shape.movement   ? movementFigures(*shape.movement, request, keep)
                            : elementFigures(*shape.elements, request, keep);
}

} // namespace cottonwood::plan
