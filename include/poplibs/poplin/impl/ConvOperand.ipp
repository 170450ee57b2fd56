#pragma once

#include <poplin/impl/ConvOperand.hpp>

#include <poplar/impl/graph/View.hpp>

#include <algorithm>
#include <array>

namespace cottonwood::poplin {

POP_INLINE std::optional<StridedTensor> stridedTensor(::poplar::Graph const &graph,
                                                      Tensor const &t) {
  graph::View const &view = graph::viewOf(t);
  auto const shape = t.shape();
  std::vector<std::uint64_t> const sizes(shape.begin(), shape.end());
  StridedTensor result;
  result.strides.assign(sizes.size(), 0);
  // Strides are guessed from the second element of each dimension; then the guess is checked.
  auto const first = view.locate(0);
  std::int64_t low = 0, high = 0; // relative to the first element
  std::uint64_t step = 1;
  for (std::size_t d = sizes.size(); d-- > 0; step *= sizes[d]) {
    if (sizes[d] == 1)
      continue;
    auto const second = view.locate(step);
    if (second.var != first.var)
      return std::nullopt;
    std::int64_t const stride =
        static_cast<std::int64_t>(second.offset) - static_cast<std::int64_t>(first.offset);
    result.strides[d] = stride;
    std::int64_t const reach = stride * static_cast<std::int64_t>(sizes[d] - 1);
    low += std::min<std::int64_t>(reach, 0);
    high += std::max<std::int64_t>(reach, 0);
  }
  auto const begin = static_cast<std::int64_t>(first.offset) + low;
  graph::StridedBlock const guess{first.var, first.offset, sizes, result.strides};
  std::array<std::size_t, 1> const flat{t.numElements()};
  if (begin < 0 || !(graph::View::ofBlock(view.graph(), view.type(), guess) == view.reshape(flat)))
    return std::nullopt;

  std::array<std::uint64_t, 1> const length{static_cast<std::uint64_t>(high - low + 1)};
  std::array<std::int64_t, 1> const one{1};
  graph::StridedBlock const run{first.var, static_cast<std::uint64_t>(begin), length, one};
  result.run = graph::makeTensor(graph::View::ofBlock(view.graph(), view.type(), run));
  result.offset = -low;
  bool complete = true;
  graph.getTileMapping(result.run, &complete);
  if (!complete)
    return std::nullopt;
  return result;
}

} // namespace cottonwood::poplin
