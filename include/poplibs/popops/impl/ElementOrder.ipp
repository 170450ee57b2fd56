#pragma once

#include <planners/core/Steps.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Layouts.hpp>
#include <popops/impl/Partition.hpp>

#include <poplar/impl/graph/View.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
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

POP_INLINE ::poplar::Tensor ElementOrder::restored(Tensor const &ordered) const {
  std::vector<std::size_t> shape(rank_, 1);
  for (Factor const &f : factors_)
    shape[f.dim] *= f.size;
  return ordered.dimShuffle(rowMajor_).reshape(shape);
}

namespace detail {

POP_INLINE ElementOrder orderOfDims(::poplar::Tensor const &t) {
  std::vector<ElementOrder::Factor> factors;
  for (unsigned d : memoryOrder(t))
    factors.push_back({d, t.dim(d), 1});
  return ElementOrder(std::move(factors));
}

struct PlacedFactor {
  ElementOrder::Factor factor;
  std::uint64_t stride; ///< in memory, from one step to the next
};
/// A stride from one variable to another.
inline constexpr std::uint64_t ELSEWHERE = std::numeric_limits<std::uint64_t>::max();

/// Dimensions from `from` on, whose elements lie in one block, cut where dimensions or those of the
/// block end. Backwards is as good as forwards.
POP_INLINE std::optional<std::vector<PlacedFactor>>
placedFactors(graph::StridedBlock const &block, std::vector<std::size_t> const &shape,
              unsigned from) {
  std::vector<PlacedFactor> placed;
  std::size_t b = block.sizes.size(), inBlock = 1, ofBlock = 1; // factors left and steps taken
  for (unsigned d = static_cast<unsigned>(shape.size()); d-- != from;) {
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
      if (larger % size != 0 || block.strides[b] == 0)
        return std::nullopt;
      placed.push_back(
          {{d, size, step}, static_cast<std::uint64_t>(std::abs(block.strides[b])) * inBlock});
      step *= size;
      inBlock *= size;
    }
  }
  std::reverse(placed.begin(), placed.end());
  return placed;
}

POP_INLINE ElementOrder orderOfFactors(std::vector<PlacedFactor> placed) {
  std::stable_sort(placed.begin(), placed.end(), [](PlacedFactor const &x, PlacedFactor const &y) {
    return x.stride > y.stride;
  });
  std::vector<ElementOrder::Factor> factors;
  for (PlacedFactor const &p : placed)
    factors.push_back(p.factor);
  return ElementOrder(std::move(factors));
}

/// How far an element along a dimension lies from the first; in another variable: beyond all
/// others.
POP_INLINE std::uint64_t distanceOf(::poplar::Tensor const &t, unsigned dim, std::size_t element) {
  std::uint64_t index = element;
  for (unsigned d = dim + 1; d != t.rank(); ++d)
    index *= t.dim(d);
  auto const first = graph::viewOf(t).locate(0), other = graph::viewOf(t).locate(index);
  if (first.var != other.var)
    return ELSEWHERE;
  return std::max(first.offset, other.offset) - std::min(first.offset, other.offset);
}

/// A dimension by what a few of its elements say: one factor, or two where equal steps end.
POP_INLINE std::vector<PlacedFactor> placedByElements(::poplar::Tensor const &t, unsigned dim) {
  std::size_t const size = t.dim(dim);
  if (size == 1)
    return {PlacedFactor{{dim, 1, 1}, 0}};
  std::uint64_t const stride = distanceOf(t, dim, 1);
  if (stride != ELSEWHERE)
    for (std::size_t block = 2; 2 * block <= size; ++block)
      if (size % block == 0 && distanceOf(t, dim, block) != block * stride)
        return {PlacedFactor{{dim, size / block, block}, distanceOf(t, dim, block)},
                PlacedFactor{{dim, block, 1}, stride}};
  return {PlacedFactor{{dim, size, 1}, stride}};
}

/// The order in which the first of several blocks lies, for all of the view: as if the others, say
/// channels of another convolution, lay likewise.
POP_INLINE std::optional<ElementOrder>
orderOfFirst(::poplar::Tensor const &t, graph::StridedBlock const &block, std::size_t elements) {
  std::vector<std::size_t> shape = t.shape();
  unsigned d = t.rank() - 1; // of this one the block has a part, and all of the inner ones
  while (elements % shape[d] == 0)
    elements /= shape[d--];
  if (elements > shape[d])
    return std::nullopt;
  shape[d] = elements;
  auto placed = placedFactors(block, shape, d);
  if (!placed)
    return std::nullopt;
  auto const outermost = std::find_if(placed->begin(), placed->end(),
                                      [&](PlacedFactor const &p) { return p.factor.dim == d; });
  if (t.dim(d) % outermost->factor.step != 0)
    return std::nullopt;
  if (elements != 1 && outermost->factor.step == 1 && t.dim(d) % elements == 0) {
    placed->insert(placed->begin(), PlacedFactor{{d, t.dim(d) / elements, elements}, ELSEWHERE});
  } else {
    outermost->factor.size = t.dim(d) / outermost->factor.step;
    if (elements == 1)
      outermost->stride = distanceOf(t, d, 1);
  }
  for (unsigned outer = d; outer-- != 0;) {
    auto const factors = placedByElements(t, outer);
    placed->insert(placed->begin(), factors.begin(), factors.end());
  }
  return orderOfFactors(std::move(*placed));
}

/// What the first block of a view says about the order of storage. \param isOne  set: whether there
/// are no others
POP_INLINE std::optional<ElementOrder> orderOfStorage(::poplar::Tensor const &t, bool &isOne) {
  std::optional<ElementOrder> order;
  graph::viewOf(t).forEachBlock([&](graph::StridedBlock const &block) {
    std::size_t elements = 1;
    for (std::uint64_t size : block.sizes)
      elements *= size;
    isOne = elements == t.numElements();
    if (!isOne)
      order = orderOfFirst(t, block, elements);
    else if (auto placed = placedFactors(block, t.shape(), 0))
      order = orderOfFactors(std::move(*placed));
    return false;
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
  ElementOrder const ofDims = detail::orderOfDims(t);
  if (graph.getTarget().getNumTiles() == 1 || t.numElements() < 2 || t.isContiguous())
    return ofDims;
  bool isOne = false;
  auto const order = detail::orderOfStorage(t, isOne);
  if (!order || (!isOne && detail::gatherCycles(graph, order->flat(t)) >=
                               detail::gatherCycles(graph, ofDims.flat(t))))
    return ofDims;
  return *order;
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
