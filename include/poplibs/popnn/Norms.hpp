#include <popnn/impl/Config.hpp>
#ifndef POPNN_NORMS_HPP
#define POPNN_NORMS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace popnn {

/// Floating point operations of a forward pass: 2 A to normalise, and 4 A + 5 S more for
/// statistics. \param statisticsSize    S, the number of statistics. \param numActsElements   A,
/// the number of activations.
POP_API std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                                      bool computeStats = true);
/// Of the gradient with respect to activations: 8 A + 2 S.
POP_API std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements);
/// Of gradients and update of P parameters: 3 A + 4 P.
POP_API std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements);

/// A new tensor [C] of the type of acts [N, C, ...F], spread over the tiles.
/// \throws poputil::poplibs_error  acts is invalid, of rank below 2, or neither FLOAT nor HALF.
POP_API poplar::Tensor createNormGamma(poplar::Graph &graph, poplar::Tensor const &acts,
                                       poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor createNormBeta(poplar::Graph &graph, poplar::Tensor const &acts,
                                      poplar::DebugContext const &debugContext = {});
/// \returns {gamma, beta}.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, poplar::Tensor const acts,
                 poplar::DebugContext const &debugContext = {});

} // namespace popnn

#endif
