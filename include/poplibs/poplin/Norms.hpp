#include <poplin/impl/Config.hpp>
#ifndef POPLIN_NORMS_HPP
#define POPLIN_NORMS_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <functional>
#include <utility>
#include <vector>

// Building blocks of normalisations. Activations and gradients are [N, C, ...F] of FLOAT or HALF;
// statistics and parameters belong to channels, [C]; sums run over N and all of F:
//
//     mean[c]      = sum of x[n,c,f] / n,  n = N * F
//     var[c]       = sum of x^2 / n - mean^2, at least 0;  stable: sum of (x - mean)^2 / n
//     invStdDev[c] = 1 / sqrt((var + eps) s),  s = n / (n - 1) if unbiased and n > 1, else 1
//     whitened     = (x - mean[c]) invStdDev[c]
//
// Sums are accumulated in float. Statistics may be FLOAT or HALF, whatever the activations are.
// Without elements the mean is 0. Activations are read in the order in which they lie in memory;
// results are laid out as the activations are.
//
// All throw poputil::poplibs_error on an invalid tensor, a rank below 2, another element type, or
// statistics, parameters and gradients of another shape.

namespace poplin {

/// A new tensor [C] of type `type` (default: that of acts), spread over the tiles.
POP_API poplar::Tensor createNormGamma(poplar::Graph &graph, poplar::Tensor const &acts,
                                       poplar::Type const &type,
                                       poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor createNormGamma(poplar::Graph &graph, poplar::Tensor const &acts,
                                       poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor createNormBeta(poplar::Graph &graph, poplar::Tensor const &acts,
                                      poplar::Type const &type,
                                      poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor createNormBeta(poplar::Graph &graph, poplar::Tensor const &acts,
                                      poplar::DebugContext const &debugContext = {});
/// \returns {gamma, beta} of the type of acts.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, poplar::Tensor const &acts,
                 poplar::DebugContext const &debugContext = {});

/// \param partialsType  FLOAT or HALF; moments are kept in float in any case.
/// \returns {mean, invStdDev}, [C] each, of the type of acts.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
normStatistics(poplar::Graph &graph, poplar::Tensor const &actsUngrouped, float eps,
               poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo = false,
               poplar::Type const &partialsType = poplar::FLOAT,
               poplar::DebugContext const &debugContext = {});

/// Sums over the replicas of a group of `groupSize`: one result for each input, of its shape and
/// type. The callback appends to `prog`.
using DistributedNormReduceCallback = std::function<std::vector<poplar::Tensor>(
    poplar::Graph &replicatedGraph, std::vector<poplar::Tensor> const &inputsToReduce,
    poplar::program::Sequence &prog, unsigned groupSize, poplar::DebugContext const &debugContext,
    poplar::OptionFlags const &options)>;

/// The same over the batches of several replicas: with groupSize = normSize / N above 1 and a
/// callback, means over the own batch divided by groupSize go through the callback, {mean, power}
/// at once or, for the stable algorithm, {mean} and then {power}. They are of type partialsType, or
/// of the type of acts if that is larger.
/// \param normSize  batch elements that share statistics, over all replicas of a group.
/// \throws poputil::poplibs_error  also if N does not divide normSize, or the callback returns
/// another number of tensors or other shapes.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph &replicatedGraph, poplar::Tensor const &actsUngrouped,
                          float eps, poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback allReduceCallback, unsigned normSize,
                          bool stableAlgo = false, poplar::Type const &partialsType = poplar::FLOAT,
                          poplar::DebugContext const &debugContext = {});

/// \returns (acts - mean[c]) iStdDev[c], a new tensor.
POP_API poplar::Tensor normWhiten(poplar::Graph &graph, poplar::Tensor const &acts,
                                  poplar::Tensor const &mean, poplar::Tensor const &iStdDev,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext = {});

/// \returns actsWhitened gamma[c] + beta[c], a new tensor.
POP_API poplar::Tensor normalise(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                                 poplar::Tensor const &gamma, poplar::Tensor const &beta,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext = {});

/// \returns {sum of gradsIn actsWhitened, sum of gradsIn}, the gradients of gamma and beta: [C]
/// each, of the type of gradsIn.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
normParamGradients(poplar::Graph &graph, poplar::Tensor const &actsWhitened,
                   poplar::Tensor const &gradsIn, poplar::program::Sequence &prog,
                   poplar::Type const &partialsType = poplar::FLOAT,
                   poplar::DebugContext const &debugContext = {});

/// \returns gradsIn gamma[c], a new tensor.
POP_API poplar::Tensor normGradients(poplar::Graph &graph, poplar::Tensor const &gradsIn,
                                     poplar::Tensor const &gamma, poplar::program::Sequence &prog,
                                     poplar::DebugContext const &debugContext = {});

/// \returns invStdDev[c] (gradsIn - actsWhitened mean(gradsIn actsWhitened)[c] - mean(gradsIn)[c]),
/// a new tensor.
POP_API poplar::Tensor normStatisticsGradients(poplar::Graph &graph,
                                               poplar::Tensor const &actsWhitened,
                                               poplar::Tensor const &gradsIn,
                                               poplar::Tensor const &invStdDev,
                                               poplar::program::Sequence &prog,
                                               poplar::Type const &partialsType = poplar::FLOAT,
                                               poplar::DebugContext const &debugContext = {});

/// The same with means over several replicas, as in distributedNormStatistics: the callback gets
/// {mean(gradsIn actsWhitened), mean(gradsIn)}, divided by groupSize.
POP_API poplar::Tensor distributedNormStatisticsGradients(
    poplar::Graph &replicatedGraph, poplar::Tensor const &actsWhitened,
    poplar::Tensor const &gradsIn, poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
    poplin::DistributedNormReduceCallback reduceCallback, unsigned normSize,
    poplar::Type const &partialsType = poplar::FLOAT,
    poplar::DebugContext const &debugContext = {});

} // namespace poplin

#endif
