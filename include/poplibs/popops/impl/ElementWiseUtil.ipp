#pragma once

#include <popops/ElementWiseUtil.hpp>
#include <popops/impl/Layouts.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <tuple>

namespace cottonwood::popops::detail {

/// How well a tensor is laid out to be the model of a result; less is better.
struct LayoutScore {
  std::size_t fullestTile = 0;
  std::size_t emptyTiles = 0;

  friend bool operator<(LayoutScore const &a, LayoutScore const &b) {
    return std::tie(a.fullestTile, a.emptyTiles) < std::tie(b.fullestTile, b.emptyTiles);
  }
};

POP_INLINE LayoutScore layoutScore(::poplar::Graph const &graph, ::poplar::Tensor const &t) {
  LayoutScore score;
  if (graph.getTarget().getNumTiles() == 1)
    return score;
  for (auto const &intervals : graph.getTileMapping(t)) {
    std::size_t elements = 0;
    for (::poplar::Interval const &interval : intervals)
      elements += interval.size();
    score.fullestTile = std::max(score.fullestTile, elements);
    score.emptyTiles += elements == 0 ? 1U : 0U;
  }
  return score;
}

/// Whether t has fewer contiguous regions than another tensor.
POP_INLINE bool hasFewerRegions(::poplar::Tensor const &t, ::poplar::Tensor const &other) {
  std::uint64_t const n = countRuns(other, other.numElements());
  return n > 1 && countRuns(t, n - 1) < n;
}

/// The best of some tensors, the first of equals; null: all have aliases.
POP_INLINE ::poplar::Tensor const *bestLayout(::poplar::Graph const &graph,
                                              std::vector<::poplar::Tensor> const &inputs) {
  ::poplar::Tensor const *best = nullptr;
  LayoutScore bestScore;
  for (::poplar::Tensor const &input : inputs) {
    if (input.containsAliases())
      continue;
    auto const score = layoutScore(graph, input);
    bool const ties = best && !(score < bestScore) && !(bestScore < score);
    if (!best || score < bestScore || (ties && hasFewerRegions(input, *best))) {
      best = &input;
      bestScore = score;
    }
  }
  return best;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph,
                                                       std::vector<poplar::Tensor> const &inputs,
                                                       poplar::Type const &outputType,
                                                       poplar::DebugContext const &debugContext) {
  using cottonwood::base::shapeText;
  char const *const where = "popops::createOutputForElementWiseOp";
  if (inputs.empty())
    cottonwood::base::fail<poputil::poplibs_error>(where,
                                                   "there are no inputs; at least one is needed");
  for (poplar::Tensor const &input : inputs)
    if (!input.valid())
      cottonwood::base::fail<poputil::poplibs_error>(where, "inputs[", &input - inputs.data(),
                                                     "] is an invalid tensor");
    else if (input.shape() != inputs[0].shape())
      cottonwood::base::fail<poputil::poplibs_error>(
          where, "inputs of shapes ", shapeText(inputs[0].shape()), " and ",
          shapeText(input.shape()), "; all must have one shape");
  poplar::Tensor const *best = cottonwood::popops::detail::bestLayout(graph, inputs);
  if (best)
    return graph.clone(outputType, *best, debugContext);
  poplar::Tensor const out = graph.addVariable(outputType, inputs[0].shape(), debugContext);
  auto const grain = static_cast<unsigned>(
      std::max<std::size_t>(1, 8 / graph.getTarget().getTypeSize(outputType)));
  poputil::mapTensorLinearly(graph, out, grain, grain);
  return out;
}

} // namespace popops
