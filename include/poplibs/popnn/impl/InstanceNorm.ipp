#pragma once

#include <popnn/InstanceNorm.hpp>
#include <popnn/impl/NormCalls.hpp>

namespace popnn {
namespace in {

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
instanceNormStatistics(poplar::Graph &graph, poplar::Tensor const acts, float eps,
                       poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
                       poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                       poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormStatistics", "instanceNormStatistics",
                               detail::INSTANCES, options, graph, prog, debugContext);
  return f.statistics(acts, 0, {eps, unbiasedVarEstimate, stableAlgo}, partialsType, nullptr, 0);
}

POP_INLINE poplar::Tensor
instanceNormWhiten(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &mean,
                   poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
                   poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormWhiten", "instanceNormWhiten",
                               detail::INSTANCES, options, graph, prog, debugContext);
  return f.whiten(acts, mean, invStdDev);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
instanceNormalise(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gamma,
                  poplar::Tensor const &beta, poplar::Tensor const &mean,
                  poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
                  poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormalise", "instanceNormalise",
                               detail::INSTANCES, options, graph, prog, debugContext);
  return f.normalise(acts, gamma, beta, mean, invStdDev);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor> instanceNormParamGradients(
    poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gradsIn,
    poplar::Tensor const &mean, poplar::Tensor const &iStdDev, poplar::program::Sequence &prog,
    poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
    poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormParamGradients",
                               "instanceNormParamGradients", detail::INSTANCES, options, graph,
                               prog, debugContext);
  return f.paramGradients(f.whiten(acts, mean, iStdDev), gradsIn, partialsType);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor> instanceNormParamGradients(
    poplar::Graph &graph, poplar::Tensor const &actsWhitened, poplar::Tensor const &gradsIn,
    poplar::program::Sequence &prog, poplar::Type const &partialsType,
    poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormParamGradients",
                               "instanceNormParamGradients", detail::INSTANCES, options, graph,
                               prog, debugContext);
  return f.paramGradients(actsWhitened, gradsIn, partialsType);
}

POP_INLINE poplar::Tensor instanceNormGradients(
    poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gradsIn,
    poplar::Tensor const &mean, poplar::Tensor const &invStdDev, poplar::Tensor const &gamma,
    poplar::program::Sequence &prog, poplar::Type const &partialsType,
    poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormGradients", "instanceNormGradients",
                               detail::INSTANCES, options, graph, prog, debugContext);
  return f.gradients(f.whiten(acts, mean, invStdDev), gradsIn, invStdDev, gamma, partialsType,
                     nullptr, 0);
}

POP_INLINE poplar::Tensor
instanceNormGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                      poplar::Tensor const &gradsIn, poplar::Tensor const &invStdDev,
                      poplar::Tensor const &gamma, poplar::program::Sequence &prog,
                      poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                      poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormGradients", "instanceNormGradients",
                               detail::INSTANCES, options, graph, prog, debugContext);
  return f.gradients(actsWhitened, gradsIn, invStdDev, gamma, partialsType, nullptr, 0);
}

POP_INLINE void instanceNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                        poplar::Tensor const &betaDelta, float scale,
                                        poplar::Tensor &gamma, poplar::Tensor &beta,
                                        poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext,
                                        poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormParamUpdate", "instanceNormParamUpdate",
                               detail::INSTANCES, options, graph, prog, debugContext);
  return f.paramUpdate(gammaDelta, betaDelta, scale, gamma, beta);
}

POP_INLINE void instanceNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                        poplar::Tensor const &betaDelta,
                                        poplar::Tensor const &scale, poplar::Tensor &gamma,
                                        poplar::Tensor &beta, poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext,
                                        poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::in::instanceNormParamUpdate", "instanceNormParamUpdate",
                               detail::INSTANCES, options, graph, prog, debugContext);
  return f.paramUpdate(gammaDelta, betaDelta, scale, gamma, beta);
}

POP_INLINE std::uint64_t getFwdFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel,
                                     bool computeEstimates) {
  return getNormFwdFlops(numChannels, numChannels * actsPerChannel, computeEstimates);
}

POP_INLINE std::uint64_t getBwdFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel) {
  return getNormBwdFlops(numChannels, numChannels * actsPerChannel);
}

POP_INLINE std::uint64_t getWuFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel) {
  return getNormWuFlops(numChannels, numChannels * actsPerChannel);
}

} // namespace in
} // namespace popnn
