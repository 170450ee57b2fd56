#pragma once

#include <codelets/arch/Caches.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/impl/MatMulCheck.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulOperand.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/Preplan.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <poplin/impl/TilePlanning.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <ostream>
#include <tuple>

namespace cottonwood::poplin::detail {

using Shape = std::vector<std::size_t>;
using ::poputil::poplibs_error;

/// A product of which only shapes and types are known.
struct MatMulForecast {
  char const *where;
  bool grouped;
  ::poplar::Type inputType, outputType;
  Shape const &aShape, &bShape;
  ::poplar::OptionFlags const &options;
  ::poplin::PlanningCache *cache;
};

/// True for a right operand that CPU kernels would have to pack, or read from far for a few rows:
/// the variable then has their layout. Not in training, where other passes read the same weights
/// transposed.
POP_INLINE bool wantsPanels(::poplar::Graph const &graph, MatMulSide side,
                            planner::MatMulProblem const &problem, MatMulOptions const &options,
                            char const *where, ::poplin::PlanningCache *cache) {
  bool const training = options.fullyConnectedPass.starts_with("TRAINING");
  if (side != MatMulSide::RIGHT || training || problem.n <= kernels::MATMUL_PANEL)
    return false;
  auto const plan = planMatMul(where, graph.getTarget(), problem, options, cache).plan;
  // More rows than those that pass over B best as it is would pass over it by panels still faster.
  bool const inBlocks =
      plan.method == kernels::MatMulMethod::BLOCKED || kernels::inMatMulBlocks(plan.method) ||
      (plan.method == kernels::MatMulMethod::ROWS && problem.m > kernels::MATMUL_STREAMED_ROWS);
  // Also where products read a B in place that several of them find in no near cache.
  bool const large = problem.k * problem.n * sizeof(float) > arch::LARGE_L2 / 4;
  return inBlocks && (plan.packB || large);
}

POP_INLINE ::poplar::Tensor createSide(::poplar::Graph &graph, MatMulSide side,
                                       MatMulForecast const &f, char const *api,
                                       ::poplar::DebugContext const &debugContext) {
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, api);
  ::poplar::DebugContext const context(di);
  MatMulOptions const options = readMatMulOptions(f.where, f.options);
  MatMulCheck const check = checkMatMul(f.where, f.grouped, graph.getTarget(), f.inputType,
                                        f.outputType, f.aShape, f.bShape);
  Shape const shape = side == MatMulSide::LEFT    ? f.aShape
                      : side == MatMulSide::RIGHT ? f.bShape
                                                  : check.outShape();
  bool const onCpu = plansForCpu(graph.getTarget());
  if (onCpu && !check.isTrivial() &&
      wantsPanels(graph, side, check.problem, options, f.where, f.cache)) {
    auto const &p = check.problem;
    ::poplar::Tensor const t = graph.addVariable(f.inputType, panelShape(p.g, p.k, p.n), context);
    ::poputil::mapTensorLinearly(graph, t);
    return panelled(t, p.n).reshape(shape);
  }
  ::poplar::Type const &type = side == MatMulSide::OUTPUT ? f.outputType : f.inputType;
  if (check.isTrivial() || onCpu) {
    ::poplar::Tensor const t = graph.addVariable(type, shape, context);
    ::poputil::mapTensorLinearly(graph, t);
    return t;
  }
  auto const plan =
      planMatMul(f.where, graph.getTarget(), check.problem, options, f.cache).tiles.plan;
  return matMulTileVariable(graph, type, side, check.problem, options, plan, context)
      .reshape(shape);
}

POP_INLINE void reportPlan(std::ostream &out, ::poplar::Graph const &graph,
                           MatMulForecast const &f) {
  MatMulOptions const options = readMatMulOptions(f.where, f.options);
  MatMulCheck check = checkMatMul(f.where, f.grouped, graph.getTarget(), f.inputType, f.outputType,
                                  f.aShape, f.bShape);
  check.problem.partials = partialsFor(check.problem, options);
  if (check.isTrivial()) {
    out << "nothing to multiply: " << toText(check.problem) << "\n";
    return;
  }
  auto const choice = planMatMul(f.where, graph.getTarget(), check.problem, options, f.cache);
  bool const onCpu = plansForCpu(graph.getTarget());
  out << "problem: " << toText(check.problem) << "\nplan: " << planText(choice, onCpu)
      << "\nestimate: " << static_cast<std::uint64_t>(choice.cost.cycles) << " cycles, "
      << choice.cost.temporaryBytes << " bytes of temporaries\ncandidates:\n"
      << choice.explanation;
}

POP_INLINE ::poplar::Tensor preArrange(::poplar::Graph &graph, MatMulForecast const &f,
                                       char const *api, ::poplar::Tensor const &b,
                                       ::poplar::program::Sequence &prog,
                                       ::poplar::DebugContext const &debugContext) {
  ::poplar::Tensor const arranged = createSide(graph, MatMulSide::RIGHT, f, api, debugContext);
  if (b.numElements() != 0)
    copyWithMetadata(graph, b, arranged, prog, debugContext);
  return arranged;
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, poplar::Type const &inputType,
                                               poplar::Type const &outputType,
                                               std::vector<std::size_t> const &aShape,
                                               std::vector<std::size_t> const &bShape,
                                               poplar::DebugContext const &debugContext,
                                               poplar::OptionFlags const &options,
                                               PlanningCache *cache) {
  using namespace cottonwood::poplin;
  return detail::createSide(graph, MatMulSide::LEFT,
                            {"poplin::createMatMulInputLHS", false, inputType, outputType, aShape,
                             bShape, options, cache},
                            "createMatMulInputLHS", debugContext);
}

POP_INLINE poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, poplar::Type const &dataType,
                                               std::vector<std::size_t> const &aShape,
                                               std::vector<std::size_t> const &bShape,
                                               poplar::DebugContext const &debugContext,
                                               poplar::OptionFlags const &options,
                                               PlanningCache *cache) {
  return createMatMulInputLHS(graph, dataType, cottonwood::poplin::resultType(dataType), aShape,
                              bShape, debugContext, options, cache);
}

POP_INLINE poplar::Tensor
createMatMulGroupedInputLHS(poplar::Graph &graph, poplar::Type const &inputType,
                            poplar::Type const &outputType, std::vector<std::size_t> const &aShape,
                            std::vector<std::size_t> const &bShape,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  return detail::createSide(graph, MatMulSide::LEFT,
                            {"poplin::createMatMulGroupedInputLHS", true, inputType, outputType,
                             aShape, bShape, options, cache},
                            "createMatMulGroupedInputLHS", debugContext);
}

POP_INLINE poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, poplar::Type const &inputType,
                                               poplar::Type const &outputType,
                                               std::vector<std::size_t> const &aShape,
                                               std::vector<std::size_t> const &bShape,
                                               poplar::DebugContext const &debugContext,
                                               poplar::OptionFlags const &options,
                                               PlanningCache *cache) {
  using namespace cottonwood::poplin;
  return detail::createSide(graph, MatMulSide::RIGHT,
                            {"poplin::createMatMulInputRHS", false, inputType, outputType, aShape,
                             bShape, options, cache},
                            "createMatMulInputRHS", debugContext);
}

POP_INLINE poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, poplar::Type const &dataType,
                                               std::vector<std::size_t> const &aShape,
                                               std::vector<std::size_t> const &bShape,
                                               poplar::DebugContext const &debugContext,
                                               poplar::OptionFlags const &options,
                                               PlanningCache *cache) {
  return createMatMulInputRHS(graph, dataType, cottonwood::poplin::resultType(dataType), aShape,
                              bShape, debugContext, options, cache);
}

POP_INLINE poplar::Tensor
createMatMulGroupedInputRHS(poplar::Graph &graph, poplar::Type const &inputType,
                            poplar::Type const &outputType, std::vector<std::size_t> const &aShape,
                            std::vector<std::size_t> const &bShape,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  return detail::createSide(graph, MatMulSide::RIGHT,
                            {"poplin::createMatMulGroupedInputRHS", true, inputType, outputType,
                             aShape, bShape, options, cache},
                            "createMatMulGroupedInputRHS", debugContext);
}

POP_INLINE poplar::Tensor
createMatMulOutput(poplar::Graph &graph, poplar::Type const &inputType,
                   poplar::Type const &outputType, std::vector<std::size_t> const &aShape,
                   std::vector<std::size_t> const &bShape, poplar::DebugContext const &debugContext,
                   poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  return detail::createSide(
      graph, MatMulSide::OUTPUT,
      {"poplin::createMatMulOutput", false, inputType, outputType, aShape, bShape, options, cache},
      "createMatMulOutput", debugContext);
}

POP_INLINE poplar::Tensor createMatMulOutput(poplar::Graph &graph, poplar::Type const &dataType,
                                             std::vector<std::size_t> const &aShape,
                                             std::vector<std::size_t> const &bShape,
                                             poplar::DebugContext const &debugContext,
                                             poplar::OptionFlags const &options,
                                             PlanningCache *cache) {
  return createMatMulOutput(graph, dataType, cottonwood::poplin::resultType(dataType), aShape,
                            bShape, debugContext, options, cache);
}

POP_INLINE poplar::Tensor
createMatMulGroupedOutput(poplar::Graph &graph, poplar::Type const &inputType,
                          poplar::Type const &outputType, std::vector<std::size_t> const &aShape,
                          std::vector<std::size_t> const &bShape,
                          poplar::DebugContext const &debugContext,
                          poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  return detail::createSide(graph, MatMulSide::OUTPUT,
                            {"poplin::createMatMulGroupedOutput", true, inputType, outputType,
                             aShape, bShape, options, cache},
                            "createMatMulGroupedOutput", debugContext);
}

POP_INLINE poplar::Tensor
preArrangeMatMulInputRHS(poplar::Graph &graph, std::vector<std::size_t> const &aShape,
                         poplar::Tensor const &B, poplar::program::Sequence &prog,
                         poplar::Type const &outputType, poplar::DebugContext const &debugContext,
                         poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  char const *const where = "poplin::preArrangeMatMulInputRHS";
  checkMatMulTensor(where, B, "B");
  auto const bShape = B.shape();
  return detail::preArrange(
      graph, {where, false, B.elementType(), outputType, aShape, bShape, options, cache},
      "preArrangeMatMulInputRHS", B, prog, debugContext);
}

POP_INLINE poplar::Tensor
preArrangeMatMulInputRHS(poplar::Graph &graph, std::vector<std::size_t> const &aShape,
                         poplar::Tensor const &B, poplar::program::Sequence &prog,
                         poplar::DebugContext const &debugContext,
                         poplar::OptionFlags const &options, PlanningCache *cache) {
  cottonwood::poplin::checkMatMulTensor("poplin::preArrangeMatMulInputRHS", B, "B");
  return preArrangeMatMulInputRHS(graph, aShape, B, prog,
                                  cottonwood::poplin::resultType(B.elementType()), debugContext,
                                  options, cache);
}

POP_INLINE poplar::Tensor
preArrangeMatMulGroupedInputRHS(poplar::Graph &graph, std::vector<std::size_t> const &aShape,
                                poplar::Tensor const &B, poplar::program::Sequence &prog,
                                poplar::Type const &outputType,
                                poplar::DebugContext const &debugContext,
                                poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  char const *const where = "poplin::preArrangeMatMulGroupedInputRHS";
  checkMatMulTensor(where, B, "B");
  auto const bShape = B.shape();
  return detail::preArrange(
      graph, {where, true, B.elementType(), outputType, aShape, bShape, options, cache},
      "preArrangeMatMulGroupedInputRHS", B, prog, debugContext);
}

POP_INLINE void matMulReportPlan(std::ostream &out, poplar::Graph const &graph,
                                 poplar::Type const &inputType, poplar::Type const &outputType,
                                 std::vector<std::size_t> const &aShape,
                                 std::vector<std::size_t> const &bShape,
                                 poplar::OptionFlags const &options, PlanningCache *cache) {
  cottonwood::poplin::detail::reportPlan(
      out, graph,
      {"poplin::matMulReportPlan", false, inputType, outputType, aShape, bShape, options, cache});
}

POP_INLINE void matMulGroupedReportPlan(std::ostream &out, poplar::Graph const &graph,
                                        poplar::Type const &inputType,
                                        poplar::Type const &outputType,
                                        std::vector<std::size_t> const &aShape,
                                        std::vector<std::size_t> const &bShape,
                                        poplar::OptionFlags const &options, PlanningCache *cache) {
  cottonwood::poplin::detail::reportPlan(out, graph,
                                         {"poplin::matMulGroupedReportPlan", true, inputType,
                                          outputType, aShape, bShape, options, cache});
}

POP_INLINE bool operator<(MatMulParams const &a, MatMulParams const &b) {
  return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) <
         std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
}

POP_INLINE void preplanMatMuls(std::set<MatMulPlanParams> const &matmuls,
                               matmul::PlanningCache &cache) {
  cottonwood::poplin::preplanProducts("poplin::preplanMatMuls", matmuls, cache.getImpl());
}

POP_INLINE void matmulValidateOptions(poplar::OptionFlags const &options) {
  cottonwood::poplin::readMatMulOptions("poplin::matmulValidateOptions", options);
}

} // namespace poplin
