#pragma once

#include <poplin/Norms.hpp>
#include <popnn/Norms.hpp>

namespace popnn {

POP_INLINE std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                                         bool computeStats) {
  std::uint64_t const acts = numActsElements, statistics = statisticsSize;
  return 2 * acts + (computeStats ? 4 * acts + 5 * statistics : 0);
}

POP_INLINE std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements) {
  return 8 * std::uint64_t{numActsElements} + 2 * std::uint64_t{statisticsSize};
}

POP_INLINE std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements) {
  return 3 * std::uint64_t{numActsElements} + 4 * std::uint64_t{paramsSize};
}

POP_INLINE poplar::Tensor createNormGamma(poplar::Graph &graph, poplar::Tensor const &acts,
                                          poplar::DebugContext const &debugContext) {
  return poplin::createNormGamma(graph, acts, debugContext);
}

POP_INLINE poplar::Tensor createNormBeta(poplar::Graph &graph, poplar::Tensor const &acts,
                                         poplar::DebugContext const &debugContext) {
  return poplin::createNormBeta(graph, acts, debugContext);
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, poplar::Tensor const acts,
                 poplar::DebugContext const &debugContext) {
  return poplin::createNormParams(graph, acts, debugContext);
}

} // namespace popnn
