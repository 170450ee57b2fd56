#pragma once

#include <popnn/LayerNorm.hpp>
#include <popnn/impl/NormCalls.hpp>

namespace popnn {
namespace ln {

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
layerNormStatistics(poplar::Graph &graph, poplar::Tensor const acts, float eps,
                    poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
                    poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                    poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormStatistics", "layerNormStatistics",
                               detail::LAYERS, options, graph, prog, debugContext);
  return f.statistics(acts, 0, {eps, unbiasedVarEstimate, stableAlgo}, partialsType, nullptr, 0);
}

POP_INLINE poplar::Tensor
layerNormWhiten(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &mean,
                poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
                poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormWhiten", "layerNormWhiten", detail::LAYERS,
                               options, graph, prog, debugContext);
  return f.whiten(acts, mean, invStdDev);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
layerNormalise(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gamma,
               poplar::Tensor const &beta, poplar::Tensor const &mean,
               poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
               poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormalise", "layerNormalise", detail::LAYERS,
                               options, graph, prog, debugContext);
  return f.normalise(acts, gamma, beta, mean, invStdDev);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
layerNormParamGradients(poplar::Graph &graph, poplar::Tensor const &acts,
                        poplar::Tensor const &gradsIn, poplar::Tensor const &mean,
                        poplar::Tensor const &iStdDev, poplar::program::Sequence &prog,
                        poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormParamGradients", "layerNormParamGradients",
                               detail::LAYERS, options, graph, prog, debugContext);
  return f.paramGradients(f.whiten(acts, mean, iStdDev), gradsIn, partialsType);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
layerNormParamGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                        poplar::Tensor const &gradsIn, poplar::program::Sequence &prog,
                        poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormParamGradients", "layerNormParamGradients",
                               detail::LAYERS, options, graph, prog, debugContext);
  return f.paramGradients(actsWhitened, gradsIn, partialsType);
}

POP_INLINE poplar::Tensor
layerNormGradients(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gradsIn,
                   poplar::Tensor const &mean, poplar::Tensor const &invStdDev,
                   poplar::Tensor const &gamma, poplar::program::Sequence &prog,
                   poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                   poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormGradients", "layerNormGradients",
                               detail::LAYERS, options, graph, prog, debugContext);
  return f.gradients(f.whiten(acts, mean, invStdDev), gradsIn, invStdDev, gamma, partialsType,
                     nullptr, 0);
}

POP_INLINE poplar::Tensor
layerNormGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                   poplar::Tensor const &gradsIn, poplar::Tensor const &invStdDev,
                   poplar::Tensor const &gamma, poplar::program::Sequence &prog,
                   poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                   poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormGradients", "layerNormGradients",
                               detail::LAYERS, options, graph, prog, debugContext);
  return f.gradients(actsWhitened, gradsIn, invStdDev, gamma, partialsType, nullptr, 0);
}

POP_INLINE void layerNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                     poplar::Tensor const &betaDelta, float scale,
                                     poplar::Tensor &gamma, poplar::Tensor &beta,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext,
                                     poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormParamUpdate", "layerNormParamUpdate",
                               detail::LAYERS, options, graph, prog, debugContext);
  return f.paramUpdate(gammaDelta, betaDelta, scale, gamma, beta);
}

POP_INLINE void layerNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                     poplar::Tensor const &betaDelta, poplar::Tensor const &scale,
                                     poplar::Tensor &gamma, poplar::Tensor &beta,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext,
                                     poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::ln::layerNormParamUpdate", "layerNormParamUpdate",
                               detail::LAYERS, options, graph, prog, debugContext);
  return f.paramUpdate(gammaDelta, betaDelta, scale, gamma, beta);
}

} // namespace ln
} // namespace popnn
