#pragma once

#include <popnn/impl/NormCalls.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckApart.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/OptionReader.hpp>

namespace cottonwood::popnn::detail {

POP_INLINE NormFunction::NormFunction(char const *where, char const *name, NormKind kind,
                                      ::poplar::OptionFlags const &options, ::poplar::Graph &graph,
                                      ::poplar::program::Sequence &prog,
                                      ::poplar::DebugContext const &debugContext)
    : where_(where), kind_(kind), graph_(graph), prog_(prog), info_(debugContext, {}, name),
      context_(info_) {
  base::OptionReader reader(where, options);
  if (kind != CHANNELS)
    reader.flag("groupNormStridedChannelGrouping", strided_);
  reader.finish();
}

POP_INLINE poplin::NormSets NormFunction::sets(Tensor const &acts, std::size_t groups) const {
  if (kind_ == CHANNELS)
    return {};
  if (kind_ == INSTANCES)
    groups = acts.dim(1);
  if (kind_ == LAYERS)
    groups = 1;
  if (groups == 0 && acts.dim(1) == 0)
    groups = 1; // nothing to divide
  if (groups == 0 || acts.dim(1) % groups != 0)
    base::fail<::poputil::poplibs_error>(where_, groups, " groups do not divide the ", acts.dim(1),
                                         " channels of activations of shape ",
                                         base::shapeText(acts.shape()));
  return {true, groups, strided_};
}

POP_INLINE poplin::NormSets NormFunction::setsOf(Tensor const &acts, char const *name,
                                                 Tensor const &statistics) const {
  std::size_t groups = 1;
  if (kind_ == GROUPS && acts.dim(0) != 0 && statistics.valid())
    groups = statistics.numElements() / acts.dim(0);
  auto const result = sets(acts, groups);
  poplin::checkNormVector(where_, name, statistics, poplin::numNormStatistics(acts, result), acts);
  return result;
}

POP_INLINE TensorPair NormFunction::statistics(
    Tensor const &acts, unsigned numGroups, poplin::NormStatisticsArgs const &args,
    ::poplar::Type const &partialsType, ::poplin::DistributedNormReduceCallback const &callback,
    unsigned normBatchSize) const {
  poplin::checkNormActs(where_, "acts", acts);
  auto const type = poplin::normPartialsType(where_, partialsType, acts);
  auto const replicas = poplin::normReplicas(where_, callback, normBatchSize, type, acts);
  return poplin::emitNormStatistics(call(), acts, sets(acts, numGroups), args, replicas);
}

POP_INLINE Tensor NormFunction::whiten(Tensor const &acts, Tensor const &mean,
                                       Tensor const &invStdDev) const {
  poplin::checkNormActs(where_, "acts", acts);
  auto const s = setsOf(acts, "mean", mean);
  setsOf(acts, "invStdDev", invStdDev);
  return poplin::emitNormWhiten(call(), acts, s, mean, invStdDev);
}

POP_INLINE TensorPair NormFunction::normalise(Tensor const &acts, Tensor const &gamma,
                                              Tensor const &beta, Tensor const &mean,
                                              Tensor const &invStdDev) const {
  poplin::checkNormActs(where_, "acts", acts);
  poplin::checkNormVector(where_, "gamma", gamma, acts.dim(1), acts);
  poplin::checkNormVector(where_, "beta", beta, acts.dim(1), acts);
  auto const s = setsOf(acts, "mean", mean);
  setsOf(acts, "invStdDev", invStdDev);
  return poplin::emitNormalise(call(), acts, s, gamma, beta, mean, invStdDev);
}

POP_INLINE Tensor NormFunction::affine(Tensor const &acts, Tensor const &multiplicand,
                                       Tensor const &addend) const {
  poplin::checkNormActs(where_, "acts", acts);
  poplin::checkNormVector(where_, "combinedMultiplicand", multiplicand, acts.dim(1), acts);
  poplin::checkNormVector(where_, "addend", addend, acts.dim(1), acts);
  return poplin::emitNormAffine(call(), acts, multiplicand, addend);
}

POP_INLINE TensorPair NormFunction::paramGradients(Tensor const &whitened, Tensor const &grads,
                                                   ::poplar::Type const &partialsType) const {
  poplin::checkNormActs(where_, "actsWhitened", whitened);
  poplin::checkNormLike(where_, "gradsIn", grads, whitened);
  poplin::normPartialsType(where_, partialsType, whitened);
  return poplin::emitNormParamGradients(call(), whitened, grads);
}

POP_INLINE Tensor NormFunction::gradients(Tensor const &whitened, Tensor const &grads,
                                          Tensor const &invStdDev, Tensor const &gamma,
                                          ::poplar::Type const &partialsType,
                                          ::poplin::DistributedNormReduceCallback const &callback,
                                          unsigned normBatchSize) const {
  poplin::checkNormActs(where_, "actsWhitened", whitened);
  poplin::checkNormLike(where_, "gradsIn", grads, whitened);
  poplin::checkNormVector(where_, "gamma", gamma, whitened.dim(1), whitened);
  auto const s = setsOf(whitened, "invStdDev", invStdDev);
  auto const type = poplin::normPartialsType(where_, partialsType, whitened);
  auto const replicas = poplin::normReplicas(where_, callback, normBatchSize, type, whitened);
  return poplin::emitNormGradients(call(), whitened, grads, s, invStdDev, gamma, replicas);
}

POP_INLINE void NormFunction::checkOneType(char const *firstName, Tensor const &first,
                                           char const *secondName, Tensor const &second) const {
  if (first.elementType() != second.elementType())
    base::fail<::poputil::poplibs_error>(where_, "'", firstName, "' is of type ",
                                         first.elementType(), ", '", secondName, "' of type ",
                                         second.elementType(), "; they must be equal");
}

POP_INLINE TensorPair NormFunction::paramsAndDeltas(Tensor const &gammaDelta,
                                                    Tensor const &betaDelta, Tensor const &gamma,
                                                    Tensor const &beta) const {
  poplin::checkNormVector(where_, "gamma", gamma, gamma.valid() ? gamma.numElements() : 0, gamma);
  poplin::checkNormVector(where_, "beta", beta, gamma.dim(0), gamma);
  poplin::checkNormVector(where_, "gammaDelta", gammaDelta, gamma.dim(0), gamma);
  poplin::checkNormVector(where_, "betaDelta", betaDelta, gamma.dim(0), gamma);
  checkOneType("gamma", gamma, "beta", beta);
  checkOneType("gammaDelta", gammaDelta, "betaDelta", betaDelta);
  poputil::checkWriteable(where_, "'gamma'", gamma);
  poputil::checkWriteable(where_, "'beta'", beta);
  poputil::checkApart(where_, {gamma, beta},
                      [](std::size_t i) { return i ? "'beta'" : "'gamma'"; });
  return {::poplar::concat(beta, gamma), ::poplar::concat(betaDelta, gammaDelta)};
}

POP_INLINE void NormFunction::paramUpdate(Tensor const &gammaDelta, Tensor const &betaDelta,
                                          float scale, Tensor const &gamma,
                                          Tensor const &beta) const {
  auto const both = paramsAndDeltas(gammaDelta, betaDelta, gamma, beta);
  ::popops::scaledAddTo(graph_, both.first, both.second, scale, prog_, context_);
}

POP_INLINE void NormFunction::paramUpdate(Tensor const &gammaDelta, Tensor const &betaDelta,
                                          Tensor const &scale, Tensor const &gamma,
                                          Tensor const &beta) const {
  if (!scale.valid())
    base::fail<::poputil::poplibs_error>(where_, "'scale' is an invalid tensor");
  if (scale.numElements() != 1 || !scale.elementType().isFloatingPoint() ||
      scale.elementType() == ::poplar::QUARTER)
    base::fail<::poputil::poplibs_error>(
        where_, "'scale' has shape ", base::shapeText(scale.shape()), " and type ",
        scale.elementType(), "; it must be one element of type float or half");
  auto const both = paramsAndDeltas(gammaDelta, betaDelta, gamma, beta);
  ::popops::scaledAddTo(graph_, both.first, both.second, scale, prog_, context_);
}

} // namespace cottonwood::popnn::detail
