#pragma once

#include <popnn/impl/PoolEmit.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/Math.hpp>

#include <algorithm>

namespace cottonwood::popnn {

namespace detail {

using kernels::PoolDim;
using kernels::PoolRange;
using ::poplar::Interval;
using ::popnn::pooling::PoolParams;

/// The order of memory of a tensor [N, C, ...field], in which blocks may cut N and C only.
POP_INLINE popops::ElementOrder poolOrder(::poplar::Graph const &graph, Tensor const &t) {
  popops::ElementOrder const order = popops::elementOrder(graph, t);
  bool const keepsField =
      std::none_of(order.factors().begin(), order.factors().end(), [&](auto const &factor) {
        return factor.dim >= 2 && (factor.size == 1 || factor.size != t.dim(factor.dim));
      });
  if (keepsField)
    return order;
  std::vector<popops::ElementOrder::Factor> factors;
  for (unsigned d : popops::memoryOrder(t))
    factors.push_back({d, t.dim(d), 1});
  return popops::ElementOrder(std::move(factors));
}

/// The same order of a tensor with another field.
POP_INLINE popops::ElementOrder withField(popops::ElementOrder const &order,
                                          std::vector<std::size_t> const &shape) {
  auto factors = order.factors();
  for (auto &factor : factors)
    if (factor.dim >= 2)
      factor.size = shape[factor.dim];
  return popops::ElementOrder(std::move(factors));
}

/// The dimensions of a pooling in the order of memory of its outputs: [...dims, line, ...inner].
class PoolLayout {
public:
  /// \param gradient  outputs are elements before pooling.
  PoolLayout(::poplar::Graph const &graph, PoolParams const &params, Tensor const &out,
             bool gradient)
      : order_(poolOrder(graph, out)), gradient_(gradient),
        elementBytes_(out.elementType() == ::poplar::HALF ? 2 : 4) {
    auto const &factors = order_.factors();
    numDims_ = factors.size();
    while (numDims_ != 0 && factors[numDims_ - 1].dim < 2)
      inner_ *= factors[--numDims_].size;
    auto const pooled = params.getOutputFieldShape();
    for (std::size_t i = 0; i != numDims_; ++i) {
      unsigned const d = factors[i].dim;
      if (d < 2) {
        int const size = static_cast<int>(factors[i].size);
        dims_.push_back({size, 0, size, 0, 1, 1, 0, size, size});
        continue;
      }
      PoolDim dim{};
      dim.acts = static_cast<int>(params.inputFieldShape[d - 2]);
      dim.pooled = static_cast<int>(pooled[d - 2]);
      dim.out = gradient ? dim.acts : dim.pooled;
      dim.in = gradient ? dim.pooled : dim.acts;
      dim.kernel = static_cast<int>(params.kernelShape[d - 2]);
      dim.stride = static_cast<int>(params.stride[d - 2]);
      dim.padding = params.inputTruncationOrPaddingLower[d - 2];
      dims_.push_back(dim);
    }
    if (dims_.empty()) // no field: windows of one element
      dims_.push_back({1, 0, 1, 0, 1, 1, 0, 1, 1});
  }

  std::size_t inner() const { return inner_; }
  std::size_t columns() const {
    std::size_t columns = 1;
    for (PoolDim const &d : dims_)
      columns *= static_cast<std::size_t>(d.out);
    return columns;
  }
  std::size_t lineLength() const { return static_cast<std::size_t>(dims_.back().out); }
  /// The most dimensions, from the line on, that have no more columns than that, in columns.
  std::size_t blockWithin(std::size_t columns) const {
    std::size_t block = 1;
    for (auto d = dims_.rbegin();
         d != dims_.rend() && block * static_cast<std::size_t>(d->out) <= columns; ++d)
      block *= static_cast<std::size_t>(d->out);
    return block;
  }
  /// Inputs that an output reads at most.
  std::size_t window() const {
    std::size_t window = 1;
    for (PoolDim const &d : dims_) {
      auto const most = static_cast<std::size_t>(std::max(std::min(d.kernel, d.acts), 1));
      window *= gradient_ ? std::min(poputil::ceilDiv(most, static_cast<std::size_t>(d.stride)),
                                     static_cast<std::size_t>(std::max(d.pooled, 1)))
                          : most;
    }
    return window;
  }
  /// From the order of dimensions to that of memory.
  Tensor inOrder(Tensor const &t) const { return withField(order_, t.shape()).ordered(t); }

  /// What outputs [begin, end) need: a box of outputs that begins at `first` columns before them,
  /// and the box of inputs that they read.
  struct Box {
    std::vector<PoolDim> dims;
    std::size_t first;
  };
  Box box(std::size_t begin, std::size_t end) const {
    Box box{dims_, 0};
    std::size_t first = begin, last = end - 1, block = columns(), start = 0;
    bool whole = false; // dimensions from here on are run through
    for (PoolDim &d : box.dims) {
      block /= static_cast<std::size_t>(d.out);
      int const from = whole ? 0 : static_cast<int>(first / block);
      int const to = whole ? d.out - 1 : static_cast<int>(last / block);
      start += static_cast<std::size_t>(from) * block;
      whole = whole || from != to;
      first %= block;
      last %= block;
      PoolRange const low = range(d, from), high = range(d, to);
      d.out = to - from + 1;
      d.outBase = from;
      d.inBase = low.begin;
      d.in = std::max(0, high.end - low.begin);
    }
    box.first = begin - start;
    return box;
  }
  /// Parts of a range of outputs, each for a vertex of its own: cut where an outer dimension goes
  /// on if the box of all would hold much that none of the outputs reads. A box of two images would
  /// be whole in all other dimensions, though it is of the last line of one and the first of the
  /// next.
  std::vector<Interval> parts(Interval const &range) const { return partsOf(range).ranges; }
  /// The whole of everything.
  Box all(std::size_t begin) const { return {dims_, begin}; }

  /// The box of inputs, flat. \param ordered  in the order of memory
  Tensor inputs(Tensor const &ordered, Box const &box) const {
    Tensor part = ordered;
    for (std::size_t i = 0; i != numDims_; ++i) {
      PoolDim const &d = box.dims[i];
      auto const begin = static_cast<std::size_t>(d.in == 0 ? 0 : d.inBase);
      part = part.slice(begin, begin + static_cast<std::size_t>(d.in), static_cast<unsigned>(i));
    }
    return part.flatten();
  }

private:
  PoolRange range(PoolDim const &d, int i) const {
    return gradient_ ? kernels::poolWindowsOf(d, i) : kernels::poolWindow(d, i);
  }

  /// What vertices read, and as bytes what starting one of them takes.
  struct Parts {
    std::vector<Interval> ranges;
    std::size_t bytes;
  };
  Parts partsOf(Interval const &range) const {
    Parts const whole{{range}, bytesOf(box(range.begin(), range.end()))};
    std::size_t const block = blockOf(range);
    std::size_t const head = poputil::roundUp(range.begin(), block);
    std::size_t const tail = range.end() / block * block;
    if (head == range.begin() && tail == range.end())
      return whole; // a box of nothing else
    Parts cut{{}, 0};
    auto const add = [&](Parts const &parts) {
      cut.ranges.insert(cut.ranges.end(), parts.ranges.begin(), parts.ranges.end());
      cut.bytes += parts.bytes;
    };
    if (range.begin() != head)
      add(partsOf({range.begin(), head}));
    if (head != tail)
      add({{Interval(head, tail)}, bytesOf(box(head, tail))});
    if (tail != range.end())
      add(partsOf({tail, range.end()}));
    return cut.bytes < whole.bytes ? cut : whole;
  }
  /// Outputs of one index of the outermost dimension that a range goes on in.
  std::size_t blockOf(Interval const &range) const {
    std::size_t block = columns();
    for (PoolDim const &d : dims_) {
      block /= static_cast<std::size_t>(d.out);
      if (range.begin() / block != (range.end() - 1) / block)
        break;
    }
    return block;
  }
  std::size_t bytesOf(Box const &box) const {
    // A vertex takes 40 cycles in each of six contexts before it begins, see PoolCost.hpp; tiles
    // receive 4 bytes a cycle.
    constexpr std::size_t VERTEX_BYTES = 4 * 6 * 40;
    std::size_t bytes = inner_ * elementBytes_;
    for (PoolDim const &d : box.dims)
      bytes *= static_cast<std::size_t>(d.in);
    return VERTEX_BYTES + bytes;
  }

  popops::ElementOrder order_;
  std::size_t numDims_; ///< before the inner ones
  bool gradient_;
  std::size_t elementBytes_, inner_ = 1;
  std::vector<PoolDim> dims_;
};

POP_INLINE std::vector<int> tableOf(PoolLayout::Box const &box) {
  std::vector<int> table;
  for (PoolDim const &d : box.dims)
    table.insert(table.end(), {d.out, d.outBase, d.in, d.inBase, d.kernel, d.stride, d.padding,
                               d.acts, d.pooled});
  return table;
}

/// A range of columns for each vertex. On one tile lines and planes are kept whole where there
/// are plenty.
POP_INLINE std::vector<popops::Share> poolShares(::poplar::Graph const &graph,
                                                 PoolLayout const &layout, Tensor const &columns) {
  std::vector<popops::Share> shares;
  if (graph.getTarget().getNumTiles() != 1) {
    for (popops::Share const &share : popops::rowSharesOf(graph, columns, 1))
      for (Interval const &part : layout.parts(share.intervals.front()))
        shares.push_back({share.tile, {part}});
    return shares;
  }
  auto const crew = popops::crewOf(graph.getTarget());
  planner::ElementWiseProblem problem;
  problem.elements = columns.numElements();
  problem.cyclesPer8 = static_cast<unsigned>(std::min<std::size_t>(layout.window() * 8, 1U << 20U));
  std::size_t const parts = planner::planElementWise(problem, crew).parts, n = columns.dim(0);
  std::size_t each = poputil::ceilDiv(n, parts);
  if (each > 4 * layout.lineLength())
    each = poputil::roundUp(each, std::max(layout.lineLength(), layout.blockWithin(each / 16)));
  for (std::size_t begin = 0; begin < n; begin += each)
    shares.push_back({0, {Interval(begin, std::min(begin + each, n))}});
  return shares;
}

/// A tensor in the order of memory; one run of it where vertices on one tile read it as a whole.
POP_INLINE Tensor asOneRun(PoolCall const &call, Tensor const &ordered) {
  if (call.graph.getTarget().getNumTiles() != 1 || ordered.isContiguous())
    return ordered;
  Tensor const copy =
      call.graph.addVariable(ordered.elementType(), ordered.shape(), {call.debugContext, "in"});
  call.graph.setTileMapping(copy, 0);
  call.prog.add(::poplar::program::Copy(ordered, copy, false, call.debugContext));
  return copy;
}

/// A field of a vertex and what it is connected to.
struct PoolField {
  char const *name;
  bool ofOutputs; ///< of the outputs' shape, else of the inputs'
  Tensor t;
};

/// \param kind  -1 for vertices that have none.
POP_INLINE void emitPoolVertices(PoolCall const &call, PoolParams const &params, char const *vertex,
                                 bool gradient, Tensor const &out, std::vector<PoolField> fields,
                                 int kind) {
  if (out.numElements() == 0)
    return;
  auto &graph = call.graph;
  PoolLayout const layout(graph, params, out, gradient);
  bool const oneTile = graph.getTarget().getNumTiles() == 1;
  auto const asColumns = [&](Tensor const &t) {
    return layout.inOrder(t).reshape({layout.columns(), layout.inner()});
  };
  for (PoolField &field : fields)
    field.t = field.ofOutputs ? asColumns(field.t) : asOneRun(call, layout.inOrder(field.t));
  Tensor const columns = asColumns(out);
  auto const cs = graph.addComputeSet(call.debugContext);
  auto const name = ::poputil::templateVertex(vertex, out.elementType());
  for (auto const &share : poolShares(graph, layout, columns)) {
    auto const &range = share.intervals.front();
    auto const box = oneTile ? layout.all(range.begin()) : layout.box(range.begin(), range.end());
    auto const v = graph.addVertex(cs, name, {{"out", columns.slice(range).flatten()}});
    for (PoolField const &field : fields)
      graph.connect(v[field.name],
                    field.ofOutputs ? field.t.slice(range).flatten() : layout.inputs(field.t, box));
    graph.setInitialValue(v["table"], tableOf(box));
    graph.setInitialValue(v["inner"], layout.inner());
    graph.setInitialValue(v["first"], static_cast<long long>(box.first));
    graph.setInitialValue(v["window"], layout.window());
    if (kind >= 0)
      graph.setInitialValue(v["kind"], static_cast<unsigned>(kind));
    graph.setTileMapping(v, share.tile);
  }
  call.prog.add(::poplar::program::Execute(cs, call.debugContext));
}

} // namespace detail

POP_INLINE Tensor poolVariable(PoolCall const &call, Tensor const &like,
                               std::vector<std::size_t> const &shape, char const *name) {
  popops::ElementOrder const order = detail::withField(detail::poolOrder(call.graph, like), shape);
  auto const memory = order.shape();
  Tensor const t = call.graph.addVariable(like.elementType(), memory, {call.debugContext, name});
  std::size_t inner = 1;
  for (std::size_t i = memory.size(); i != 0 && order.factors()[i - 1].dim < 2; --i)
    inner *= memory[i - 1];
  ::poputil::mapTensorLinearly(call.graph, t, static_cast<unsigned>(inner),
                               static_cast<unsigned>(std::max<std::size_t>(inner, 1)));
  return order.restored(t);
}

POP_INLINE void emitPool(PoolCall const &call, ::popnn::pooling::PoolParams const &params,
                         kernels::PoolKind kind, Tensor const &in, Tensor const &out) {
  detail::emitPoolVertices(call, params, "popnn::Pool", kind >= kernels::PoolKind::SUM_GRADIENT,
                           out, {{"in", false, in}}, static_cast<int>(kind));
}

POP_INLINE void emitPoolMaxScale(PoolCall const &call, ::popnn::pooling::PoolParams const &params,
                                 Tensor const &acts, Tensor const &pooled, Tensor const &gradient,
                                 Tensor const &out) {
  detail::emitPoolVertices(
      call, params, "popnn::PoolMaxScale", false, out,
      {{"acts", false, acts}, {"pooled", true, pooled}, {"gradient", true, gradient}}, -1);
}

POP_INLINE void emitPoolMaxGradient(PoolCall const &call,
                                    ::popnn::pooling::PoolParams const &params, Tensor const &acts,
                                    Tensor const &pooled, Tensor const &gradient,
                                    Tensor const &out) {
  detail::emitPoolVertices(
      call, params, "popnn::PoolMaxGradient", true, out,
      {{"acts", true, acts}, {"pooled", false, pooled}, {"gradient", false, gradient}}, -1);
}

} // namespace cottonwood::popnn
