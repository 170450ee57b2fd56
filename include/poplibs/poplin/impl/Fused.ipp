#pragma once

#include <poplin/Fused.hpp>
#include <poplin/impl/EpilogueEmit.hpp>
#include <poplin/impl/EpilogueText.hpp>
#include <poplin/impl/MatMulCheck.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Enumerators.hpp>

namespace cottonwood::poplin::detail {

/// Its vertices are among those that addCodelets makes known.
POP_INLINE EpilogueJob biasActivation(char const *where, Tensor const &bias,
                                      ::poplin::Activation activation) {
  base::requireEnumerator<::poputil::poplibs_error>(where, "Activation", activation,
                                                    {"NONE", "RELU"});
  kernels::BiasActivation const epilogue{bias.valid() ? 1U : 0U,
                                         activation == ::poplin::Activation::RELU ? 1U : 0U};
  EpilogueJob job;
  job.name = poputil::functorName<kernels::BiasActivation>();
  job.words = {epilogue.bias, epilogue.relu};
  if (bias.valid())
    job.operands = {bias};
  return job;
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE poplar::Tensor matMulBias(poplar::Graph &graph, poplar::Tensor const &A,
                                     poplar::Tensor const &B, poplar::Tensor const &bias,
                                     poplar::program::Sequence &prog, Activation activation,
                                     poplar::Type const &outputType,
                                     poplar::DebugContext const &debugContext,
                                     poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulBias");
  return cottonwood::poplin::matMulWithEpilogue(
      graph, {"poplin::matMulBias", false, A, B, {}, outputType},
      cottonwood::poplin::detail::biasActivation("poplin::matMulBias", bias, activation), prog,
      {di}, options, cache);
}

POP_INLINE poplar::Tensor matMulBias(poplar::Graph &graph, poplar::Tensor const &A,
                                     poplar::Tensor const &B, poplar::Tensor const &bias,
                                     poplar::program::Sequence &prog, Activation activation,
                                     poplar::DebugContext const &debugContext,
                                     poplar::OptionFlags const &options, PlanningCache *cache) {
  cottonwood::poplin::checkMatMulTensor("poplin::matMulBias", A, "A");
  return matMulBias(graph, A, B, bias, prog, activation,
                    cottonwood::poplin::resultType(A.elementType()), debugContext, options, cache);
}

POP_INLINE poplar::Tensor matMulGroupedBias(poplar::Graph &graph, poplar::Tensor const &A,
                                            poplar::Tensor const &B, poplar::Tensor const &bias,
                                            poplar::program::Sequence &prog, Activation activation,
                                            poplar::Type const &outputType,
                                            poplar::DebugContext const &debugContext,
                                            poplar::OptionFlags const &options,
                                            PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulGroupedBias");
  return cottonwood::poplin::matMulWithEpilogue(
      graph, {"poplin::matMulGroupedBias", true, A, B, {}, outputType},
      cottonwood::poplin::detail::biasActivation("poplin::matMulGroupedBias", bias, activation),
      prog, {di}, options, cache);
}

POP_INLINE poplar::Tensor
convolutionBias(poplar::Graph &graph, poplar::Tensor const &in, poplar::Tensor const &weights,
                poplar::Tensor const &biases, ConvParams const &params,
                bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                Activation activation, poplar::DebugContext const &debugContext,
                poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "convolutionBias");
  return cottonwood::poplin::convolutionWithEpilogue(
      graph, {"poplin::convolutionBias", in, weights, {}, params, transposeAndFlipWeights},
      cottonwood::poplin::detail::biasActivation("poplin::convolutionBias", biases, activation),
      prog, {di}, options, cache);
}

} // namespace poplin
