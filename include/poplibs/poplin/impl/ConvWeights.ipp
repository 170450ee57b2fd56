#pragma once

#include <poplin/Convolution.hpp>
#include <poplin/impl/ConvWeights.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::poplin::detail {

using ::poputil::poplibs_error;

POP_INLINE void checkConvWeights(char const *where, Tensor const &t, char const *name) {
  if (!t.valid())
    base::fail<poplibs_error>(where, "'", name, "' is an invalid tensor");
  if (t.rank() < 3)
    base::fail<poplibs_error>(
        where, "'", name, "' has shape ", base::shapeText(t.shape()), " of rank ", t.rank(),
        "; it must have at least rank 3: [groups, channels, channels, ...kernel]");
}

POP_INLINE void flipConvWeights(char const *where, ::poplar::Graph &graph, Tensor const &weightsIn,
                                Tensor const &weightsOut, ::poplar::program::Sequence &prog,
                                ::poplar::DebugContext const &debugContext,
                                ::poplar::OptionFlags const &options) {
  readConvOptions(where, options);
  checkConvWeights(where, weightsIn, "weightsIn");
  checkConvWeights(where, weightsOut, "weightsOut");
  auto shape = weightsIn.shape();
  std::swap(shape[1], shape[2]);
  if (weightsOut.shape() != shape)
    base::fail<poplibs_error>(where, "'weightsOut' has shape ", base::shapeText(weightsOut.shape()),
                              "; for 'weightsIn' of shape ", base::shapeText(weightsIn.shape()),
                              " it must be ", base::shapeText(shape));
  if (weightsOut.elementType() != weightsIn.elementType())
    base::fail<poplibs_error>(where, "'weightsOut' is of type ", weightsOut.elementType(),
                              ", 'weightsIn' of type ", weightsIn.elementType(),
                              "; they must be equal");
  checkWritten(where, weightsOut, "weightsOut");
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "weightsTransposeChansFlipXY");
  Tensor turned = weightsIn.dimShufflePartial({1, 2}, {2, 1});
  for (unsigned d = 3; d < turned.rank(); ++d)
    turned = turned.reverse(d);
  if (turned.numElements() != 0)
    copyWithMetadata(graph, turned, weightsOut, prog, {di});
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE void weightsTransposeChansFlipXY(poplar::Graph &graph, poplar::Tensor const &weightsIn,
                                            poplar::Tensor const &weightsOut,
                                            poplar::program::Sequence &prog,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options) {
  cottonwood::poplin::detail::flipConvWeights("poplin::weightsTransposeChansFlipXY", graph,
                                              weightsIn, weightsOut, prog, debugContext, options);
}

POP_INLINE poplar::Tensor
calculateWeightDeltas(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                      poplar::Tensor const &activations, ConvParams const &params,
                      poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                      poplar::OptionFlags const &options, PlanningCache *cache) {
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "calculateWeightDeltas");
  poplar::DebugContext const context(di);
  return cottonwood::poplin::ConvCall("poplin::calculateWeightDeltas", graph, context, options,
                                      cache)
      .weightDeltas(zDeltas, activations, params, prog);
}

POP_INLINE void convolutionWeightUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                        poplar::Tensor const &weights,
                                        poplar::Tensor const &activations, ConvParams params,
                                        poplar::Tensor const &scale,
                                        poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext,
                                        poplar::OptionFlags const &options, PlanningCache *cache) {
  cottonwood::poplin::detail::updateConvWeights("poplin::convolutionWeightUpdate", graph, zDeltas,
                                                weights, activations, std::move(params), scale,
                                                prog, debugContext, options, cache);
}

POP_INLINE void convolutionWeightUpdate(poplar::Graph &graph, poplar::Tensor const &zDeltas,
                                        poplar::Tensor const &weights,
                                        poplar::Tensor const &activations, ConvParams params,
                                        float scale, poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext,
                                        poplar::OptionFlags const &options, PlanningCache *cache) {
  cottonwood::poplin::detail::updateConvWeights("poplin::convolutionWeightUpdate", graph, zDeltas,
                                                weights, activations, std::move(params), scale,
                                                prog, debugContext, options, cache);
}

POP_INLINE poplar::Tensor
fullyConnectedWeightTranspose(poplar::Graph &graph, poplar::Tensor weights,
                              ConvParams const &params, poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext,
                              poplar::OptionFlags const &options, PlanningCache *cache) {
  using namespace cottonwood::poplin;
  char const *const where = "poplin::fullyConnectedWeightTranspose";
  if (params.getNumFieldDims() != 1)
    cottonwood::base::fail<detail::poplibs_error>(where, "the field has ", params.getNumFieldDims(),
                                                  " dimensions; it must have one");
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "fullyConnectedWeightTranspose");
  poplar::DebugContext const context(di);
  ConvCheck const check = checkConv(where, params, graph.getTarget());
  checkConvTensor(where, weights, "weights", params.inputType, check.weightsShape(true),
                  "[groups, input channels, output channels, kernel]");
  poplar::Tensor const turned =
      ConvCall(where, graph, context, options, cache).create(params, ConvSide::WEIGHTS);
  if (turned.numElements() != 0)
    copyWithMetadata(graph, weights.dimShuffle({0, 2, 1, 3}), turned, prog, context);
  return turned;
}

} // namespace poplin
