#pragma once

#include <poplin/impl/MatMulOperand.hpp>

#include <poplar/impl/graph/View.hpp>

#include <algorithm>
#include <array>

namespace cottonwood::poplin {

namespace detail {

/// Sets the run of an operand. \returns  false if it has elements that are mapped nowhere.
POP_INLINE bool setRun(::poplar::Graph const &graph, StridedOperand &operand,
                       graph::View const &view, graph::VarId var, std::uint64_t begin,
                       std::uint64_t size) {
  std::array<std::uint64_t, 1> const length{size};
  std::array<std::int64_t, 1> const one{1};
  graph::StridedBlock const run{var, begin, length, one};
  operand.run = graph::makeTensor(graph::View::ofBlock(view.graph(), view.type(), run));
  bool complete = true;
  graph.getTileMapping(operand.run, &complete);
  return complete;
}

} // namespace detail

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

  StridedOperand operand;
  if (!detail::setRun(graph, operand, view, first.var, static_cast<std::uint64_t>(begin),
                      static_cast<std::uint64_t>(high - low + 1)))
    return std::nullopt;
  operand.offset = -low;
  operand.batch = strides[0], operand.row = strides[1], operand.column = strides[2];
  return operand;
}

POP_INLINE std::vector<std::size_t> panelShape(std::size_t g, std::size_t k, std::size_t n) {
  constexpr std::size_t PANEL = kernels::MATMUL_PANEL;
  return {g, (n + PANEL - 1) / PANEL, k, PANEL};
}

POP_INLINE Tensor panelled(Tensor const &variable, std::size_t n) {
  auto const shape = variable.shape();
  return variable.dimShuffle({0, 2, 1, 3})
      .reshape({shape[0], shape[2], shape[1] * shape[3]})
      .slice(0, n, 2);
}

POP_INLINE std::optional<StridedOperand> panelOperand(::poplar::Graph const &graph,
                                                      Tensor const &t) {
  constexpr std::size_t PANEL = kernels::MATMUL_PANEL;
  std::size_t const g = t.dim(0), k = t.dim(1), n = t.dim(2);
  if (n <= PANEL)
    return std::nullopt;
  graph::View const &view = graph::viewOf(t);
  auto const first = view.locate(0), panel = view.locate(PANEL);
  auto const batch = g == 1 ? first : view.locate(k * n);
  auto const below =
      k == 1 ? graph::View::Location{first.var, first.offset + PANEL} : view.locate(n);
  bool const near = below.var == first.var && below.offset == first.offset + PANEL;
  if (!near || panel.var != first.var || panel.offset <= first.offset || batch.var != first.var ||
      batch.offset < first.offset)
    return std::nullopt;
  StridedOperand operand;
  operand.batch = static_cast<std::int64_t>(batch.offset - first.offset);
  operand.row = PANEL, operand.column = 1;
  operand.panel = static_cast<std::int64_t>(panel.offset - first.offset);
  // Whole panels, and the columns of the last one.
  auto const isBlock = [&](std::size_t begin, std::size_t end, std::size_t width) {
    std::array<std::uint64_t, 4> const sizes{g, k, (end - begin) / width, width};
    std::array<std::int64_t, 4> const strides{operand.batch, operand.row, operand.panel, 1};
    std::uint64_t const at = begin / PANEL * (panel.offset - first.offset);
    graph::StridedBlock const guess{first.var, first.offset + at, sizes, strides};
    std::array<std::size_t, 1> const flat{g * k * (end - begin)};
    return graph::View::ofBlock(view.graph(), view.type(), guess) ==
           graph::viewOf(t.slice(begin, end, 2)).reshape(flat);
  };
  std::size_t const whole = n / PANEL * PANEL;
  if (!isBlock(0, whole, PANEL) || (whole != n && !isBlock(whole, n, n - whole)))
    return std::nullopt;
  auto const last = view.locate(t.numElements() - 1);
  if (!detail::setRun(graph, operand, view, first.var, first.offset,
                      last.offset - first.offset + 1))
    return std::nullopt;
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
  return operand.panel != 0    ? planner::MatMulLayout::PANELS
         : operand.column == 1 ? planner::MatMulLayout::ROWS
         : operand.row == 1    ? planner::MatMulLayout::COLUMNS
                               : planner::MatMulLayout::STRIDED;
}

} // namespace cottonwood::poplin
