#pragma once

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

inline constexpr char const *HISTOGRAM = "popops::histogram";

struct HistogramOptions {
  bool floatArithmetic = false, unsignedOutput = false;

  explicit HistogramOptions(::poplar::OptionFlags const &options) {
    ::poplibs::OptionSpec const spec{
        {"useFloatArithmetic", ::poplibs::OptionHandler::createWithBool(floatArithmetic)},
        {"useFloatArithmeticWithUnsignedIntOutput",
         ::poplibs::OptionHandler::createWithBool(unsignedOutput)}};
    poputil::readOptions(HISTOGRAM, spec, options);
    if (floatArithmetic && unsignedOutput)
      base::fail<::poplar::invalid_option>(
          HISTOGRAM, "useFloatArithmetic and useFloatArithmeticWithUnsignedIntOutput are both "
                     "true; at most one may be");
  }
};

POP_INLINE void checkHistogram(Tensor const &input, Tensor const &levels) {
  if (!input.valid() || !levels.valid())
    base::fail<::poputil::poplibs_error>(HISTOGRAM, "'", input.valid() ? "levels" : "input",
                                         "' is an invalid tensor");
  if (input.elementType() != ::poplar::FLOAT && input.elementType() != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(HISTOGRAM, "'input' is of type ", input.elementType(),
                                         "; allowed: float, half");
  if (levels.elementType() != input.elementType())
    base::fail<::poputil::poplibs_error>(HISTOGRAM, "'levels' is of type ", levels.elementType(),
                                         "; it must be that of 'input', ", input.elementType());
  if (levels.rank() != 1 || levels.dim(0) == 0)
    base::fail<::poputil::poplibs_error>(HISTOGRAM, "'levels' has shape ",
                                         base::shapeText(levels.shape()),
                                         "; it must be [L] with L at least 1");
}

/// Counts of every worker context of every vertex: [contexts, levels + 1].
POP_INLINE Tensor countLevels(::poplar::Graph &graph, Tensor const &input, Tensor const &levels,
                              bool absolute, ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  Tensor const flat = elementOrder(graph, input).flat(input);
  std::size_t const bins = levels.dim(0) + 1, workers = graph.getTarget().getNumWorkerContexts();
  planner::ElementWiseProblem problem;
  problem.elements = flat.numElements();
  problem.cyclesPer8 = static_cast<unsigned>(std::min<std::size_t>(2 * bins, 256));
  problem.bytesPer8 = 8 * static_cast<unsigned>(graph.getTarget().getTypeSize(input.elementType()));
  auto const plan = planner::planElementWise(problem, crewOf(graph.getTarget()));
  auto const cs = graph.addComputeSet(debugContext);
  std::string const name = ::poputil::templateVertex("popops::Histogram", input.elementType());
  std::vector<Tensor> parts;
  for (Share const &share : sharesOf(graph, flat, plan)) {
    Tensor const counts = graph.addVariable(::poplar::UNSIGNED_INT, {workers, bins}, debugContext);
    graph.setTileMapping(counts, share.tile);
    auto const v = graph.addVertex(
        cs, name, {{"in", partOf(flat, share)}, {"levels", levels}, {"counts", counts.flatten()}});
    graph.setInitialValue(v["absolute"], absolute);
    graph.setTileMapping(v, share.tile);
    parts.push_back(counts);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
  return parts.empty() ? graph.addVariable(::poplar::UNSIGNED_INT, {0, bins}, debugContext)
                       : ::poplar::concat(parts);
}

POP_INLINE void checkHistogramOutput(Tensor const &output, Tensor const &levels,
                                     HistogramOptions const &options) {
  if (!output.valid())
    base::fail<::poputil::poplibs_error>(HISTOGRAM, "'output' is an invalid tensor");
  if (options.floatArithmetic)
    base::fail<::poplar::invalid_option>(
        HISTOGRAM, "useFloatArithmetic with a given output; its type says what is wanted");
  if (options.unsignedOutput && output.elementType() != ::poplar::UNSIGNED_INT)
    base::fail<::poputil::poplibs_error>(
        HISTOGRAM, "'output' is of type ", output.elementType(),
        "; with useFloatArithmeticWithUnsignedIntOutput it must be unsigned int");
  if (output.elementType() != ::poplar::UNSIGNED_INT && output.elementType() != ::poplar::FLOAT)
    base::fail<::poputil::poplibs_error>(HISTOGRAM, "'output' is of type ", output.elementType(),
                                         "; allowed: unsigned int, float");
  if (output.shape() != std::vector<std::size_t>{levels.dim(0) + 1})
    base::fail<::poputil::poplibs_error>(HISTOGRAM, "'output' has shape ",
                                         base::shapeText(output.shape()), "; it must be [",
                                         levels.dim(0) + 1, "]");
  poputil::checkWriteable(HISTOGRAM, "'output'", output);
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor histogram(poplar::Graph &graph, poplar::Tensor const &input,
                                    poplar::Tensor const &levels, bool absoluteOfInput,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext,
                                    poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popops::detail;
  detail::HistogramOptions const parsed(options);
  detail::checkHistogram(input, levels);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "histogram");
  poplar::Tensor const counts =
      detail::countLevels(graph, input, levels, absoluteOfInput, prog, {di});
  poplar::Tensor const sum = reduce(graph, counts, {0}, Operation::ADD, prog, {di});
  return parsed.floatArithmetic ? cast(graph, sum, poplar::FLOAT, prog, {di}) : sum;
}

POP_INLINE void histogram(poplar::Graph &graph, poplar::Tensor const &input, poplar::Tensor &output,
                          bool updateOutput, poplar::Tensor const &levels, bool absoluteOfInput,
                          poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                          poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popops::detail;
  detail::HistogramOptions const parsed(options);
  detail::checkHistogram(input, levels);
  detail::checkHistogramOutput(output, levels, parsed);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "histogram");
  poplar::Tensor const counts =
      detail::countLevels(graph, input, levels, absoluteOfInput, prog, {di});
  if (output.elementType() == poplar::UNSIGNED_INT)
    return reduceWithOutput(graph, counts, output, {0}, {Operation::ADD, updateOutput}, prog, {di});
  poplar::Tensor const sum = reduce(graph, counts, {0}, Operation::ADD, prog, {di});
  if (!updateOutput)
    return castWithOutput(graph, sum, output, prog, {di});
  addInPlace(graph, output, cast(graph, sum, poplar::FLOAT, prog, {di}), prog, {di});
}

} // namespace popops
