#include <popnn/impl/Config.hpp>
#ifndef POPNN_LAYER_NORM_HPP
#define POPNN_LAYER_NORM_HPP

#include <popnn/Norms.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <utility>

// Layer normalisation of activations [N, C, ...F], FLOAT or HALF: each sample has statistics of its
// own, [N].
//
// With n elements in a statistic, sums accumulated in float:
//
//     mean = sum of x / n;  var = sum of x^2 / n - mean^2, at least 0, or with stableAlgo
//     sum of (x - mean)^2 / n;  invStdDev = 1 / sqrt((var + eps) s), where s = n / (n - 1) if
//     unbiasedVarEstimate and n > 1, else 1;  whitened = (x - mean) invStdDev
//
// gamma and beta belong to channels, [C]. partialsType is FLOAT or HALF; sums are float in any
// case. New tensors are laid out as the activations are. Without elements mean is 0 and invStdDev
// 1 / sqrt(eps).
//
// All throw poputil::poplibs_error on an invalid tensor, a rank below 2, types other than FLOAT and
// HALF, and shapes that do not fit; poplar::invalid_option on options that group norms do not know.

namespace popnn {
namespace ln {

/// \returns {mean, invStdDev}, [N] each, of the type of acts.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
layerNormStatistics(poplar::Graph &graph, poplar::Tensor const acts, float eps,
                    poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                    bool stableAlgo = false, poplar::Type const &partialsType = poplar::FLOAT,
                    poplar::DebugContext const &debugContext = {},
                    poplar::OptionFlags const &options = {});

/// \returns (acts - mean) invStdDev, a new tensor.
POP_API poplar::Tensor layerNormWhiten(poplar::Graph &graph, poplar::Tensor const &acts,
                                       poplar::Tensor const &mean, poplar::Tensor const &invStdDev,
                                       poplar::program::Sequence &prog,
                                       poplar::DebugContext const &debugContext = {},
                                       poplar::OptionFlags const &options = {});

/// \returns {whitened gamma[c] + beta[c], whitened}, new tensors.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
layerNormalise(poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gamma,
               poplar::Tensor const &beta, poplar::Tensor const &mean,
               poplar::Tensor const &invStdDev, poplar::program::Sequence &prog,
               poplar::DebugContext const &debugContext = {},
               poplar::OptionFlags const &options = {});

/// \returns {gammaDelta = sum of gradsIn whitened, betaDelta = sum of gradsIn} over all but the
/// channels: [C] each, of the type of gradsIn.
POP_API std::pair<poplar::Tensor, poplar::Tensor> layerNormParamGradients(
    poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gradsIn,
    poplar::Tensor const &mean, poplar::Tensor const &iStdDev, poplar::program::Sequence &prog,
    poplar::Type const &partialsType = poplar::FLOAT, poplar::DebugContext const &debugContext = {},
    poplar::OptionFlags const &options = {});

/// The same from whitened activations.
POP_API std::pair<poplar::Tensor, poplar::Tensor> layerNormParamGradients(
    poplar::Graph &graph, poplar::Tensor const &actsWhitened, poplar::Tensor const &gradsIn,
    poplar::program::Sequence &prog, poplar::Type const &partialsType = poplar::FLOAT,
    poplar::DebugContext const &debugContext = {}, poplar::OptionFlags const &options = {});

/// With g = gradsIn gamma[c] and means over a statistic's elements: \returns invStdDev (g - mean(g)
/// - whitened mean(g whitened)), a new tensor of the type of acts.
POP_API poplar::Tensor layerNormGradients(
    poplar::Graph &graph, poplar::Tensor const &acts, poplar::Tensor const &gradsIn,
    poplar::Tensor const &mean, poplar::Tensor const &invStdDev, poplar::Tensor const &gamma,
    poplar::program::Sequence &prog, poplar::Type const &partialsType = poplar::FLOAT,
    poplar::DebugContext const &debugContext = {}, poplar::OptionFlags const &options = {});

/// The same from whitened activations.
POP_API poplar::Tensor layerNormGradients(
    poplar::Graph &graph, poplar::Tensor const &actsWhitened, poplar::Tensor const &gradsIn,
    poplar::Tensor const &invStdDev, poplar::Tensor const &gamma, poplar::program::Sequence &prog,
    poplar::Type const &partialsType = poplar::FLOAT, poplar::DebugContext const &debugContext = {},
    poplar::OptionFlags const &options = {});

/// gamma += scale gammaDelta, beta += scale betaDelta. \param scale  a number, or one element.
POP_API void layerNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                  poplar::Tensor const &betaDelta, float scale,
                                  poplar::Tensor &gamma, poplar::Tensor &beta,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext = {},
                                  poplar::OptionFlags const &options = {});

POP_API void layerNormParamUpdate(poplar::Graph &graph, poplar::Tensor const &gammaDelta,
                                  poplar::Tensor const &betaDelta, poplar::Tensor const &scale,
                                  poplar::Tensor &gamma, poplar::Tensor &beta,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext = {},
                                  poplar::OptionFlags const &options = {});

} // namespace ln
} // namespace popnn

#endif
