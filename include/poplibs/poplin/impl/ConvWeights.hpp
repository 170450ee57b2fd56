// What functions do to the weights of one convolution, for the function `where`, which errors name.
#pragma once

#include <poplin/impl/CheckWritten.hpp>
#include <poplin/impl/ConvCall.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/DebugInfo.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace cottonwood::poplin::detail {

/// weightsOut = weightsIn with input and output channels exchanged and the kernel reversed.
POP_API void flipConvWeights(char const *where, ::poplar::Graph &graph, Tensor const &weightsIn,
                             Tensor const &weightsOut, ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &debugContext,
                             ::poplar::OptionFlags const &options);

/// weights += scale * gradient.
template <class Scale>
void updateConvWeights(char const *where, ::poplar::Graph &graph, Tensor const &zDeltas,
                       Tensor const &weights, Tensor const &activations,
                       ::poplin::ConvParams params, Scale const &scale,
                       ::poplar::program::Sequence &prog,
                       ::poplar::DebugContext const &debugContext,
                       ::poplar::OptionFlags const &options, ::poplin::PlanningCache *cache) {
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "convolutionWeightUpdate");
  ::poplar::DebugContext const context(di);
  params.outputType = params.inputType;
  ConvCheck const check = checkConv(where, params, graph.getTarget());
  checkConvTensor(where, weights, "weights", params.inputType, check.weightsShape(false),
                  "[groups, output channels, input channels, ...kernel]", &activations);
  checkWritten(where, weights, "weights");
  checkConvScale(where, scale);
  Tensor const deltas = ConvCall(where, graph, context, options, cache)
                            .weightDeltas(zDeltas, activations, params, prog);
  if (weights.numElements() != 0)
    ::popops::scaledAddTo(graph, weights, deltas, scale, prog, {context, "update"});
}

} // namespace cottonwood::poplin::detail
