#pragma once

#include <planners/core/Steps.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Layouts.hpp>
#include <popops/impl/Partition.hpp>

#include <poplar/impl/graph/View.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

namespace cottonwood::popops {

POP_INLINE ElementOrder::ElementOrder(std::vector<Factor> factors) : factors_(std::move(factors)) {
  rowMajor_.resize(factors_.size());
  std::iota(rowMajor_.begin(), rowMajor_.end(), 0U);
  std::stable_sort(rowMajor_.begin(), rowMajor_.end(), [&](unsigned a, unsigned b) {
    Factor const &x = factors_[a], &y = factors_[b];
    return x.dim != y.dim ? x.dim < y.dim : x.step > y.step;
  });
  permutation_.resize(factors_.size());
  for (unsigned i = 0; i != rowMajor_.size(); ++i)
    permutation_[rowMajor_[i]] = i;
  for (Factor const &f : factors_)
    rank_ = std::max(rank_, f.dim + 1);
}

POP_INLINE std::vector<std::size_t> ElementOrder::shape() const {
  std::vector<std::size_t> shape;
  for (Factor const &f : factors_)
    shape.push_back(f.size);
  return shape;
}

POP_INLINE ::poplar::Tensor ElementOrder::ordered(Tensor const &t) const {
  unsigned const missing = rank_ - t.rank();
  std::vector<std::size_t> cut;
  for (unsigned i : rowMajor_) {
    Factor const &f = factors_[i];
    cut.push_back(f.dim < missing || t.dim(f.dim - missing) == 1 ? 1 : f.size);
  }
  return t.reshape(cut).dimShuffle(permutation_);
}

namespace detail {

POP_INLINE ElementOrder orderOfDims(::poplar::Tensor const &t) {
  std::vector<ElementOrder::Factor> factors;
  for (unsigned d : memoryOrder(t))
    factors.push_back({d, t.dim(d), 1});
  return ElementOrder(std::move(factors));
}

/// The order of storage of a view that is one block, cut where dimensions end.
POP_INLINE std::optional<ElementOrder> orderOfBlock(graph::StridedBlock const &block,
                                                    std::vector<std::size_t> const &shape) {
  struct Placed {
    ElementOrder::Factor factor;
    std::int64_t stride;
  };
  std::vector<Placed> placed;
  std::size_t b = block.sizes.size(), inBlock = 1, ofBlock = 1; // factors left and steps taken
  for (unsigned d = static_cast<unsigned>(shape.size()); d-- != 0;) {
    std::size_t step = 1;
    if (shape[d] == 1)
      placed.push_back({{d, 1, 1}, 0});
    while (step != shape[d]) {
      if (inBlock == ofBlock) {
        if (b == 0)
          return std::nullopt;
        inBlock = 1;
        ofBlock = block.sizes[--b];
        continue;
      }
      auto const [size, larger] = std::minmax({shape[d] / step, ofBlock / inBlock});
      if (larger % size != 0 || block.strides[b] <= 0)
        return std::nullopt;
      placed.push_back({{d, size, step}, block.strides[b] * static_cast<std::int64_t>(inBlock)});
      step *= size;
      inBlock *= size;
    }
  }
  std::reverse(placed.begin(), placed.end());
  std::stable_sort(placed.begin(), placed.end(),
                   [](Placed const &x, Placed const &y) { return x.stride > y.stride; });
  std::vector<ElementOrder::Factor> factors;
  for (Placed const &p : placed)
    factors.push_back(p.factor);
  return ElementOrder(std::move(factors));
}

POP_INLINE std::optional<ElementOrder> orderOfStorage(::poplar::Tensor const &t) {
  std::optional<ElementOrder> order;
  unsigned blocks = 0;
  graph::viewOf(t).forEachBlock([&](graph::StridedBlock const &block) {
    order = ++blocks == 1 ? orderOfBlock(block, t.shape()) : std::nullopt;
    return order.has_value();
  });
  return order;
}

/// Cycles of copying a tensor together in some order, were all of it on one tile.
POP_INLINE double gatherCycles(::poplar::Graph const &graph, ::poplar::Tensor const &flat) {
  std::size_t const n = flat.numElements();
  std::size_t const bytes = graph.getTarget().getTypeSize(flat.elementType());
  std::uint64_t const runs = countRuns(flat, graph.getTarget().getNumTiles() * MANY_RUNS);
  if (runs <= graph.getTarget().getNumTiles()) // tiles may well have one each
    return 0;
  bool const isCounted = runs <= graph.getTarget().getNumTiles() * MANY_RUNS;
  return static_cast<double>(n * bytes) *
         planner::StepCharges::copyCyclesPerByte((isCounted ? n / runs : 1) * bytes);
}

} // namespace detail

POP_INLINE ElementOrder elementOrder(::poplar::Graph const &graph, ::poplar::Tensor const &t) {
  if (graph.getTarget().getNumTiles() > 1 && t.numElements() > 1 && !t.isContiguous())
    if (auto order = detail::orderOfStorage(t))
      return *order;
  return detail::orderOfDims(t);
}

POP_INLINE ElementOrder elementOrder(::poplar::Graph const &graph, ::poplar::Tensor const &out,
                                     std::vector<::poplar::Tensor> const &operands, bool inPlace) {
  std::vector<ElementOrder> orders{elementOrder(graph, out)};
  std::vector<::poplar::Tensor const *> full; // those of which each element is used once
  if (graph.getTarget().getNumTiles() > 1 && out.numElements() > 1)
    for (::poplar::Tensor const &operand : operands)
      if (operand.shape() == out.shape() && !(operand == out)) {
        full.push_back(&operand);
        ElementOrder order = elementOrder(graph, operand);
        if (std::find(orders.begin(), orders.end(), order) == orders.end())
          orders.push_back(std::move(order));
      }
  if (orders.size() == 1)
    return orders.front();
  std::vector<double> cycles;
  for (ElementOrder const &order : orders) {
    cycles.push_back((inPlace ? 2 : 1) * detail::gatherCycles(graph, order.flat(out)));
    for (::poplar::Tensor const *t : full)
      cycles.back() += detail::gatherCycles(graph, order.flat(*t));
  }
  return orders[static_cast<std::size_t>(std::min_element(cycles.begin(), cycles.end()) -
                                         cycles.begin())];
}

} // namespace cottonwood::popops
