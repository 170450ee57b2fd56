#pragma once

#include <poplin/impl/MatMulOperand.hpp>

#include <poplar/impl/graph/View.hpp>

#include <algorithm>
#include <array>

namespace cottonwood::poplin {

POP_INLINE std::optional<StridedOperand> stridedOperand(::poplar::Graph const &graph,
                                                        Tensor const &t) {
  graph::View const &view = graph::viewOf(t);
  std::array<std::uint64_t, 3> const sizes{t.dim(0), t.dim(1), t.dim(2)};
  std::array<std::uint64_t, 3> const steps{sizes[1] * sizes[2], sizes[2], 1};
  std::array<std::int64_t, 3> strides{};
  // Strides are guessed from the second element of each dimension; then the guess is checked.
  auto const first = view.locate(0);
  std::int64_t low = 0, high = 0; // relative to the first element
  for (std::size_t d = 0; d != 3; ++d) {
    if (sizes[d] == 1)
      continue;
    auto const second = view.locate(steps[d]);
    if (second.var != first.var)
      return std::nullopt;
    strides[d] = static_cast<std::int64_t>(second.offset) - static_cast<std::int64_t>(first.offset);
    std::int64_t const reach = strides[d] * static_cast<std::int64_t>(sizes[d] - 1);
    low += std::min<std::int64_t>(reach, 0);
    high += std::max<std::int64_t>(reach, 0);
  }
  auto const begin = static_cast<std::int64_t>(first.offset) + low;
  graph::StridedBlock const guess{first.var, first.offset, sizes, strides};
  std::array<std::size_t, 1> const flat{t.numElements()};
  if (begin < 0 || !(graph::View::ofBlock(view.graph(), view.type(), guess) == view.reshape(flat)))
    return std::nullopt;

  std::array<std::uint64_t, 1> const length{static_cast<std::uint64_t>(high - low + 1)};
  std::array<std::int64_t, 1> const one{1};
  graph::StridedBlock const run{first.var, static_cast<std::uint64_t>(begin), length, one};
  StridedOperand operand;
  operand.run = graph::makeTensor(graph::View::ofBlock(view.graph(), view.type(), run));
  bool complete = true;
  graph.getTileMapping(operand.run, &complete);
  if (!complete)
    return std::nullopt;
  operand.offset = -low;
  operand.batch = strides[0], operand.row = strides[1], operand.column = strides[2];
  return operand;
}

POP_INLINE void normaliseLeft(StridedOperand &a, std::size_t m, std::size_t k) {
  if (k == 1)
    a.column = 1;
  if (m == 1)
    a.row = static_cast<std::int64_t>(std::max<std::size_t>(k, 2));
}

POP_INLINE void normaliseRight(StridedOperand &b, std::size_t k, std::size_t n) {
  if (k == 1)
    b.row = n == 1 ? 1 : static_cast<std::int64_t>(n);
  if (n == 1) // a column: what counts is whether its elements lie side by side
    b.column = static_cast<std::int64_t>(std::max<std::size_t>(k, 2));
}

POP_INLINE planner::MatMulLayout layoutOf(StridedOperand const &operand) {
  return operand.column == 1 ? planner::MatMulLayout::ROWS
         : operand.row == 1  ? planner::MatMulLayout::COLUMNS
                             : planner::MatMulLayout::STRIDED;
}

} // namespace cottonwood::poplin
