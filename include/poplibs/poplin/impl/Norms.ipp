#pragma once

#include <poplin/Norms.hpp>
#include <poplin/impl/NormEmit.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>

namespace cottonwood::poplin::detail {

POP_INLINE Tensor createNormParam(char const *where, char const *name, ::poplar::Graph &graph,
                                  Tensor const &acts, ::poplar::Type const &type,
                                  ::poplar::DebugContext const &debugContext) {
  checkNormActs(where, "acts", acts);
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, name);
  Tensor const t = graph.addVariable(type, {acts.dim(1)}, {di});
  ::poputil::mapTensorLinearly(graph, t);
  return t;
}

POP_INLINE TensorPair normStatistics(char const *where, ::poplar::Graph &graph, Tensor const &acts,
                                     NormStatisticsArgs const &args,
                                     ::poplin::DistributedNormReduceCallback const &callback,
                                     unsigned normSize, ::poplar::Type const &partialsType,
                                     ::poplar::program::Sequence &prog,
                                     ::poplar::DebugContext const &debugContext) {
  checkNormActs(where, "actsUngrouped", acts);
  auto const type = normPartialsType(where, partialsType, acts);
  return emitNormStatistics({where, graph, prog, debugContext}, acts, {}, args,
                            normReplicas(where, callback, normSize, type, acts));
}

POP_INLINE Tensor normStatisticsGradients(char const *where, ::poplar::Graph &graph,
                                          Tensor const &whitened, Tensor const &grads,
                                          Tensor const &invStdDev,
                                          ::poplin::DistributedNormReduceCallback const &callback,
                                          unsigned normSize, ::poplar::Type const &partialsType,
                                          ::poplar::program::Sequence &prog,
                                          ::poplar::DebugContext const &debugContext) {
  checkNormActs(where, "actsWhitened", whitened);
  checkNormLike(where, "gradsIn", grads, whitened);
  checkNormVector(where, "invStdDev", invStdDev, whitened.dim(1), whitened);
  auto const type = normPartialsType(where, partialsType, whitened);
  return emitNormGradients({where, graph, prog, debugContext}, whitened, grads, {}, invStdDev,
                           Tensor(), normReplicas(where, callback, normSize, type, whitened));
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE poplar::Tensor createNormGamma(poplar::Graph &graph, poplar::Tensor const &acts,
                                          poplar::Type const &type,
                                          poplar::DebugContext const &debugContext) {
  return cottonwood::poplin::detail::createNormParam("poplin::createNormGamma", "createNormGamma",
                                                     graph, acts, type, debugContext);
}

POP_INLINE poplar::Tensor createNormGamma(poplar::Graph &graph, poplar::Tensor const &acts,
                                          poplar::DebugContext const &debugContext) {
  cottonwood::poplin::checkNormActs("poplin::createNormGamma", "acts", acts);
  return createNormGamma(graph, acts, acts.elementType(), debugContext);
}

POP_INLINE poplar::Tensor createNormBeta(poplar::Graph &graph, poplar::Tensor const &acts,
                                         poplar::Type const &type,
                                         poplar::DebugContext const &debugContext) {
  return cottonwood::poplin::detail::createNormParam("poplin::createNormBeta", "createNormBeta",
                                                     graph, acts, type, debugContext);
}

POP_INLINE poplar::Tensor createNormBeta(poplar::Graph &graph, poplar::Tensor const &acts,
                                         poplar::DebugContext const &debugContext) {
  cottonwood::poplin::checkNormActs("poplin::createNormBeta", "acts", acts);
  return createNormBeta(graph, acts, acts.elementType(), debugContext);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, poplar::Tensor const &acts,
                 poplar::DebugContext const &debugContext) {
  cottonwood::poplin::checkNormActs("poplin::createNormParams", "acts", acts);
  auto const gamma = createNormGamma(graph, acts, debugContext);
  return {gamma, createNormBeta(graph, acts, debugContext)};
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
normStatistics(poplar::Graph &graph, poplar::Tensor const &actsUngrouped, float eps,
               poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
               poplar::Type const &partialsType, poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "normStatistics");
  return cottonwood::poplin::detail::normStatistics("poplin::normStatistics", graph, actsUngrouped,
                                                    {eps, unbiasedVarEstimate, stableAlgo}, nullptr,
                                                    0, partialsType, prog, {di});
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph &replicatedGraph, poplar::Tensor const &actsUngrouped,
                          float eps, poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback allReduceCallback, unsigned normSize,
                          bool stableAlgo, poplar::Type const &partialsType,
                          poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "distributedNormStatistics");
  return cottonwood::poplin::detail::normStatistics(
      "poplin::distributedNormStatistics", replicatedGraph, actsUngrouped,
      {eps, unbiasedVarEstimate, stableAlgo}, allReduceCallback, normSize, partialsType, prog,
      {di});
}

POP_INLINE poplar::Tensor normWhiten(poplar::Graph &graph, poplar::Tensor const &acts,
                                     poplar::Tensor const &mean, poplar::Tensor const &iStdDev,
                                     poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext) {
  namespace impl = cottonwood::poplin;
  char const *const where = "poplin::normWhiten";
  impl::checkNormActs(where, "acts", acts);
  impl::checkNormVector(where, "mean", mean, acts.dim(1), acts);
  impl::checkNormVector(where, "iStdDev", iStdDev, acts.dim(1), acts);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "normWhiten");
  poplar::DebugContext const context(di);
  return impl::emitNormWhiten({where, graph, prog, context}, acts, {}, mean, iStdDev);
}

POP_INLINE poplar::Tensor normalise(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                                    poplar::Tensor const &gamma, poplar::Tensor const &beta,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext) {
  namespace impl = cottonwood::poplin;
  char const *const where = "poplin::normalise";
  impl::checkNormActs(where, "actsWhitened", actsWhitened);
  impl::checkNormVector(where, "gamma", gamma, actsWhitened.dim(1), actsWhitened);
  impl::checkNormVector(where, "beta", beta, actsWhitened.dim(1), actsWhitened);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "normalise");
  poplar::DebugContext const context(di);
  return impl::emitNormAffine({where, graph, prog, context}, actsWhitened, gamma, beta);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
normParamGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                   poplar::Tensor const &gradsIn, poplar::program::Sequence &prog,
                   poplar::Type const &partialsType, poplar::DebugContext const &debugContext) {
  namespace impl = cottonwood::poplin;
  char const *const where = "poplin::normParamGradients";
  impl::checkNormActs(where, "actsWhitened", actsWhitened);
  impl::checkNormLike(where, "gradsIn", gradsIn, actsWhitened);
  impl::normPartialsType(where, partialsType, actsWhitened);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "normParamGradients");
  poplar::DebugContext const context(di);
  return impl::emitNormParamGradients({where, graph, prog, context}, actsWhitened, gradsIn);
}

POP_INLINE poplar::Tensor normGradients(poplar::Graph &graph, poplar::Tensor const &gradsIn,
                                        poplar::Tensor const &gamma,
                                        poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext) {
  namespace impl = cottonwood::poplin;
  char const *const where = "poplin::normGradients";
  impl::checkNormActs(where, "gradsIn", gradsIn);
  impl::checkNormVector(where, "gamma", gamma, gradsIn.dim(1), gradsIn);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "normGradients");
  poplar::DebugContext const context(di);
  return impl::emitNormAffine({where, graph, prog, context}, gradsIn, gamma, poplar::Tensor());
}

POP_INLINE poplar::Tensor
normStatisticsGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                        poplar::Tensor const &gradsIn, poplar::Tensor const &invStdDev,
                        poplar::program::Sequence &prog, poplar::Type const &partialsType,
                        poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "normStatisticsGradients");
  return cottonwood::poplin::detail::normStatisticsGradients(
      "poplin::normStatisticsGradients", graph, actsWhitened, gradsIn, invStdDev, nullptr, 0,
      partialsType, prog, {di});
}

POP_INLINE poplar::Tensor distributedNormStatisticsGradients(
    poplar::Graph &replicatedGraph, poplar::Tensor const &actsWhitened,
    poplar::Tensor const &gradsIn, poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
    poplin::DistributedNormReduceCallback reduceCallback, unsigned normSize,
    poplar::Type const &partialsType, poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "distributedNormStatisticsGradients");
  return cottonwood::poplin::detail::normStatisticsGradients(
      "poplin::distributedNormStatisticsGradients", replicatedGraph, actsWhitened, gradsIn,
      invStdDev, reduceCallback, normSize, partialsType, prog, {di});
}

} // namespace poplin
