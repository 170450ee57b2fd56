#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/impl/ConvCall.hpp>
#include <poplin/impl/ConvTables.hpp>
#include <poplin/impl/Preplan.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <tuple>

namespace cottonwood::poplin::detail {

/// Products of elements that are not padding.
POP_INLINE std::uint64_t convProducts(::poplin::ConvParams const &params) {
  params.validate();
  std::uint64_t products =
      params.batchSize * params.getNumOutputChans() * params.inputChannelsPerConvGroup;
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d)
    products *= ConvMeeting(params, d).products();
  return products;
}

POP_INLINE double convPerfectCycles(char const *where, ::poplar::Graph const &graph,
                                    ::poplin::ConvParams const &params) {
  ::poplar::Target const &target = graph.getTarget();
  checkConv(where, params, target);
  double perCycle = target.getFloatVectorWidth();
  if (operandType(target, params.inputType) == planner::MatMulType::QUARTER)
    perCycle = target.getQuarterVectorWidth() * target.getFp8InFp16OutConvUnitsPerTile();
  else if (params.inputType == ::poplar::HALF)
    perCycle =
        target.getHalfVectorWidth() * std::max({target.getFp16InFp16OutConvUnitsPerTile(),
                                                target.getFp16InFp32OutConvUnitsPerTile(), 1U});
  return static_cast<double>(convProducts(params)) / (perCycle * target.getNumTiles());
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE std::uint64_t getFwdFlops(ConvParams const &params) {
  return 2 * cottonwood::poplin::detail::convProducts(params);
}
POP_INLINE std::uint64_t getBwdFlops(ConvParams const &params) { return getFwdFlops(params); }
POP_INLINE std::uint64_t getWuFlops(ConvParams const &params) { return getFwdFlops(params); }

POP_INLINE double getFwdPerfectCycleCount(poplar::Graph const &graph, ConvParams const &params) {
  return cottonwood::poplin::detail::convPerfectCycles("poplin::getFwdPerfectCycleCount", graph,
                                                       params);
}
POP_INLINE double getBwdPerfectCycleCount(poplar::Graph const &graph, ConvParams const &params) {
  return cottonwood::poplin::detail::convPerfectCycles("poplin::getBwdPerfectCycleCount", graph,
                                                       params);
}
POP_INLINE double getWuPerfectCycleCount(poplar::Graph const &graph, ConvParams const &params) {
  return cottonwood::poplin::detail::convPerfectCycles("poplin::getWuPerfectCycleCount", graph,
                                                       params);
}

POP_INLINE poplar::Tensor createWeights(poplar::Graph &graph, ConvParams const &params,
                                        poplar::DebugContext const &debugContext,
                                        poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createWeights");
  poplar::DebugContext const context(di);
  return ConvCall("poplin::createWeights", graph, context, options, cache)
      .create(params, ConvSide::WEIGHTS);
}

POP_INLINE poplar::Tensor createInput(poplar::Graph &graph, ConvParams const &params,
                                      poplar::DebugContext const &debugContext,
                                      poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createInput");
  poplar::DebugContext const context(di);
  return ConvCall("poplin::createInput", graph, context, options, cache)
      .create(params, ConvSide::INPUT);
}

POP_INLINE poplar::Tensor createConvOutput(poplar::Graph &graph, ConvParams const &params,
                                           poplar::DebugContext const &debugContext,
                                           poplar::OptionFlags const &options,
                                           PlanningCache *cache) {
  using namespace cottonwood::poplin;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createConvOutput");
  poplar::DebugContext const context(di);
  return ConvCall("poplin::createConvOutput", graph, context, options, cache)
      .create(params, ConvSide::OUTPUT);
}

POP_INLINE poplar::Tensor convolution(poplar::Graph &graph, poplar::Tensor const &in,
                                      poplar::Tensor const &weights, ConvParams const &params,
                                      bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                                      poplar::DebugContext const &debugContext,
                                      poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "convolution");
  poplar::DebugContext const context(di);
  return cottonwood::poplin::ConvCall("poplin::convolution", graph, context, options, cache)
      .run(in, weights, params, transposeAndFlipWeights, prog);
}

POP_INLINE void convolutionWithOutput(poplar::Graph &graph, poplar::Tensor const &in,
                                      poplar::Tensor const &weights, poplar::Tensor const &out,
                                      ConvParams const &params, bool transposeAndFlipWeights,
                                      poplar::program::Sequence &prog,
                                      poplar::DebugContext const &debugContext,
                                      poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "convolutionWithOutput");
  poplar::DebugContext const context(di);
  cottonwood::poplin::ConvCall("poplin::convolutionWithOutput", graph, context, options, cache)
      .runInto(in, weights, out, params, transposeAndFlipWeights, prog);
}

POP_INLINE void preplanConvolutions(std::set<ConvPlanParams> const &convs, PlanningCache &cache) {
  cottonwood::poplin::preplanConvs("poplin::preplanConvolutions", convs, cache);
}

POP_INLINE void preplanConvolutions(poplar::Graph &, std::set<ConvPlanParams> const &convs,
                                    PlanningCache &cache) {
  preplanConvolutions(convs, cache);
}

POP_INLINE void convolutionValidateOptions(poplar::OptionFlags const &options) {
  cottonwood::poplin::readConvOptions("poplin::convolutionValidateOptions", options);
}

} // namespace poplin
