// Products and convolutions with bias and activation in one pass.
#include <poplin/impl/Config.hpp>

#ifndef POPLIN_FUSED_HPP
#define POPLIN_FUSED_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/PlanningCache.hpp>

// On a CPU bias and activation are applied to blocks of the result while these are still in the
// nearest cache; on tiles in one compute set after partial results were added. Float results have
// the bits of the product followed by popops::addInPlace with the bias and popnn::relu; half
// results are rounded once, at the end, where those round after every step. Nothing of this happens
// unasked: a product followed by other operations stays what it is.

namespace poplin {

/// What is applied to the sum of product and bias.
enum class Activation {
  NONE,
  RELU ///< x > 0 ? x : 0
};

/// C[i,j] = activation(sum over p of A[i,p] * B[p,j] + bias[j]) as a new tensor [m, n].
/// \param A     [m, k] float or half  \param B  [k, n] of the same type
/// \param bias  float or half, [n] or anything that can be broadcast to [m, n]; or an invalid
///              tensor: nothing is added
/// \param outputType  the type of C; default: that of A
/// Options are those of poplin::matMul.
/// \throws poputil::poplibs_error  as poplin::matMul; a bias that does not fit.
POP_API poplar::Tensor
matMulBias(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
           poplar::Tensor const &bias, poplar::program::Sequence &prog, Activation activation,
           poplar::Type const &outputType, poplar::DebugContext const &debugContext = {},
           poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);
POP_API poplar::Tensor
matMulBias(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
           poplar::Tensor const &bias, poplar::program::Sequence &prog,
           Activation activation = Activation::NONE, poplar::DebugContext const &debugContext = {},
           poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr);

/// The same for groups: A [g, m, k], B [g, k, n]; the bias is broadcast to [g, m, n].
POP_API poplar::Tensor matMulGroupedBias(poplar::Graph &graph, poplar::Tensor const &A,
                                         poplar::Tensor const &B, poplar::Tensor const &bias,
                                         poplar::program::Sequence &prog, Activation activation,
                                         poplar::Type const &outputType,
                                         poplar::DebugContext const &debugContext = {},
                                         poplar::OptionFlags const &options = {},
                                         PlanningCache *cache = nullptr);

/// activation(convolution + bias of the channel): a new tensor [N, channels, ...field].
/// \param biases  [channels] float or half, as createBiases makes it; or anything that can be
///                broadcast to the result; or an invalid tensor: nothing is added
/// The other parameters are those of poplin::convolution.
/// \throws poputil::poplibs_error  as poplin::convolution; biases that do not fit.
POP_API poplar::Tensor convolutionBias(poplar::Graph &graph, poplar::Tensor const &in,
                                       poplar::Tensor const &weights, poplar::Tensor const &biases,
                                       ConvParams const &params, bool transposeAndFlipWeights,
                                       poplar::program::Sequence &prog,
                                       Activation activation = Activation::NONE,
                                       poplar::DebugContext const &debugContext = {},
                                       poplar::OptionFlags const &options = {},
                                       PlanningCache *cache = nullptr);

} // namespace poplin

#endif
