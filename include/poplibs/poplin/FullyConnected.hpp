#include <poplin/impl/Config.hpp>
#ifndef POPLIN_FULLY_CONNECTED_HPP
#define POPLIN_FULLY_CONNECTED_HPP

#include <poplin/MatMul.hpp>

#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace poplin {
namespace fc {

/// out[g, b, o] = sum over i of in[g, b, i] * weights[g, i, o]
struct POP_API FullyConnectedParams {
  std::size_t numGroups;
  std::size_t batchSize;
  std::size_t inputSize;
  std::size_t outputSize;
};

/// The products that a fully connected layer runs, with matmulOptions and the fullyConnectedPass of
/// each: the forward one and, unless inferenceOnly, those of the gradients of input and weights.
POP_API std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams parameters, poplar::OptionFlags matmulOptions,
                           poplar::Type type, bool inferenceOnly);

} // namespace fc
} // namespace poplin

#endif
