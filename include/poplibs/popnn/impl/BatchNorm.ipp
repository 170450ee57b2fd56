#pragma once

#include <popnn/BatchNorm.hpp>
#include <popnn/impl/NormCalls.hpp>

namespace popnn {
namespace bn {

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
batchNormStatistics(poplar::Graph &graph, poplar::Tensor const acts, float eps,
                    poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
                    poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                    poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormStatistics", "batchNormStatistics",
                               detail::CHANNELS, options, graph, prog, debugContext);
  return f.statistics(acts, 0, {eps, unbiasedVarEstimate, stableAlgo}, partialsType, nullptr, 0);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor> distributedBatchNormStatistics(
    poplar::Graph &replicatedGraph, poplar::Tensor const acts, float eps,
    poplar::program::Sequence &prog, bool unbiasedVarEstimate,
    poplin::DistributedNormReduceCallback reduceCallback, unsigned normBatchSize, bool stableAlgo,
    poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
    poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::distributedBatchNormStatistics",
                               "distributedBatchNormStatistics", detail::CHANNELS, options,
                               replicatedGraph, prog, debugContext);
  return f.statistics(acts, 0, {eps, unbiasedVarEstimate, stableAlgo}, partialsType, reduceCallback,
                      normBatchSize);
}

POP_INLINE poplar::Tensor
batchNormWhiten(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &mean,
                poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
                poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormWhiten", "batchNormWhiten", detail::CHANNELS,
                               options, graph, prog, debugContext);
  return f.whiten(acts, mean, invStdDev);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
batchNormalise(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gamma,
               poplar::Tensor const &beta, poplar::Tensor const &mean,
               poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
               poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormalise", "batchNormalise", detail::CHANNELS,
                               options, graph, prog, debugContext);
  return f.normalise(acts, gamma, beta, mean, invStdDev);
}

POP_INLINE poplar::Tensor batchNormalise(poplar::Graph &graph, poplar::Tensor const &acts,
                                         poplar::Tensor const &combinedMultiplicand,
                                         poplar::Tensor const &addend,
                                         poplar::program::Sequence &prog,
                                         poplar::DebugContext const &debugContext,
                                         poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormalise", "batchNormalise", detail::CHANNELS,
                               options, graph, prog, debugContext);
  return f.affine(acts, combinedMultiplicand, addend);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
batchNormParamGradients(poplar::Graph &graph, poplar::Tensor const &acts,
                        poplar::Tensor const &gradsIn, poplar::Tensor const &mean,
                        poplar::Tensor const &iStdDev, poplar::program::Sequence &prog,
                        poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormParamGradients", "batchNormParamGradients",
                               detail::CHANNELS, options, graph, prog, debugContext);
  return f.paramGradients(f.whiten(acts, mean, iStdDev), gradsIn, partialsType);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
batchNormParamGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                        poplar::Tensor const &gradsIn, poplar::program::Sequence &prog,
                        poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormParamGradients", "batchNormParamGradients",
                               detail::CHANNELS, options, graph, prog, debugContext);
  return f.paramGradients(actsWhitened, gradsIn, partialsType);
}

POP_INLINE poplar::Tensor
batchNormGradients(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gradsIn,
                   poplar::Tensor const &mean, poplar::Tensor const &invStdDev,
                   poplar::Tensor const &gamma, poplar::program::Sequence &prog,
                   poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                   poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormGradients", "batchNormGradients",
                               detail::CHANNELS, options, graph, prog, debugContext);
  return f.gradients(f.whiten(acts, mean, invStdDev), gradsIn, invStdDev, gamma, partialsType,
                     nullptr, 0);
}

POP_INLINE poplar::Tensor
batchNormGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                   poplar::Tensor const &gradsIn, poplar::Tensor const &invStdDev,
                   poplar::Tensor const &gamma, poplar::program::Sequence &prog,
                   poplar::Type const &partialsType, poplar::DebugContext const &debugContext,
                   poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormGradients", "batchNormGradients",
                               detail::CHANNELS, options, graph, prog, debugContext);
  return f.gradients(actsWhitened, gradsIn, invStdDev, gamma, partialsType, nullptr, 0);
}

POP_INLINE poplar::Tensor distributedBatchNormGradients(
    poplar::Graph &replicatedGraph, poplar::Tensor const &actsWhitened,
    poplar::Tensor const &gradsIn, poplar::Tensor const &invStdDev, poplar::Tensor const &gamma,
    poplar::program::Sequence &prog, poplin::DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, poplar::Type const &partialsType,
    poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::distributedBatchNormGradients",
                               "distributedBatchNormGradients", detail::CHANNELS, options,
                               replicatedGraph, prog, debugContext);
  return f.gradients(actsWhitened, gradsIn, invStdDev, gamma, partialsType, reduceCallback,
                     normBatchSize);
}

POP_INLINE poplar::Tensor distributedBatchNormGradients(
    poplar::Graph &replicatedGraph, poplar::Tensor const &acts, poplar::Tensor const &gradsIn,
    poplar::Tensor const &mean, poplar::Tensor const &invStdDev, poplar::Tensor const &gamma,
    poplar::program::Sequence &prog, poplin::DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, poplar::Type const &partialsType,
    poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::distributedBatchNormGradients",
                               "distributedBatchNormGradients", detail::CHANNELS, options,
                               replicatedGraph, prog, debugContext);
  return f.gradients(f.whiten(acts, mean, invStdDev), gradsIn, invStdDev, gamma, partialsType,
                     reduceCallback, normBatchSize);
}

POP_INLINE void batchNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                     poplar::Tensor const &betaDelta, float scale,
                                     poplar::Tensor &gamma, poplar::Tensor &beta,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext,
                                     poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormParamUpdate", "batchNormParamUpdate",
                               detail::CHANNELS, options, graph, prog, debugContext);
  return f.paramUpdate(gammaDelta, betaDelta, scale, gamma, beta);
}

POP_INLINE void batchNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                     poplar::Tensor const &betaDelta, poplar::Tensor const &scale,
                                     poplar::Tensor &gamma, poplar::Tensor &beta,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext,
                                     poplar::OptionFlags const &options) {
  namespace detail = cottonwood::popnn::detail;
  detail::NormFunction const f("popnn::bn::batchNormParamUpdate", "batchNormParamUpdate",
                               detail::CHANNELS, options, graph, prog, debugContext);
  return f.paramUpdate(gammaDelta, betaDelta, scale, gamma, beta);
}

} // namespace bn
} // namespace popnn
