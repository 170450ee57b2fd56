#pragma once

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Loop.hpp>
#include <popops/impl/MultiCall.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/SliceCall.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/impl/Math.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace cottonwood::popops::detail {

POP_INLINE Sizes slicesShape(MultiCall const &call) {
  Sizes shape = sliceShape(call.shape(), call.dims, call.sizes);
  shape.insert(shape.begin(), call.lookups());
  if (call.grouped)
    shape.insert(shape.begin(), call.groups());
  return shape;
}

POP_INLINE std::vector<SliceJob> jobsOf(MultiCall const &call) {
  std::vector<SliceJob> jobs;
  for (std::size_t g = 0; g != call.groups(); ++g)
    jobs.push_back({MultiCall::groupOf(call.table, call.grouped, g),
                    MultiCall::groupOf(call.slices, call.grouped, g),
                    MultiCall::groupOf(call.offsets, call.grouped, g).flatten(),
                    call.dims.front()});
  return jobs;
}

/// A call with one sliced dimension in place of several.
struct JoinedCall {
  MultiCall call;
  std::vector<unsigned> order; ///< of the table's dimensions; those joined follow each other
  std::size_t first = 0;       ///< of them in that order
};

/// The offsets [N] of rows that are named by an offset in each of several dimensions: -1, which is
/// out of range, where one of them is.
POP_INLINE Tensor joinOffsets(::poplar::Graph &graph, MultiCall const &call,
                              std::vector<unsigned> const &dims, ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &di) {
  namespace expr = ::popops::expr;
  std::vector<Tensor> columns;
  std::unique_ptr<expr::Expr> row, good;
  for (unsigned dim : dims) {
    auto const at = std::find(call.dims.begin(), call.dims.end(), dim) - call.dims.begin();
    auto const k = static_cast<std::size_t>(at);
    columns.push_back(call.offsets.slice(k, k + 1, 1).flatten());
    expr::PlaceHolder const given(static_cast<unsigned>(columns.size()));
    expr::Const const size(static_cast<unsigned>(call.table.dim(dim)));
    std::unique_ptr<expr::Expr> offset = given.clone();
    std::unique_ptr<expr::Expr> inRange = expr::Lt(given, size).clone();
    if (call.options.remap) {
      // What is out of range is 0 and good, but for padding.
      offset = expr::Select(given, expr::Const(0U), expr::Lt(given, size)).clone();
      inRange = call.options.padding ? expr::NotEqual(given, size).clone()
                                     : expr::Gte(given, expr::Const(0U)).clone();
    }
    row = row ? expr::Add(expr::Mul(*row, size), *offset).clone() : std::move(offset);
    good = good ? expr::And(*good, *inRange).clone() : std::move(inRange);
  }
  return ::popops::map(graph, expr::Select(*row, expr::Const(~0U), *good), columns, prog, di);
}

/// Joins the sliced dimensions, if slices have size 1 there and a table on one tile is contiguous
/// with them side by side.
POP_INLINE std::optional<JoinedCall> joinDims(::poplar::Graph &graph, MultiCall const &call,
                                              ::poplar::program::Sequence &prog,
                                              ::poplar::DebugContext const &di) {
  bool const single =
      std::all_of(call.sizes.begin(), call.sizes.end(), [](std::size_t size) { return size == 1; });
  if (!single || call.grouped || call.dims.size() < 2)
    return std::nullopt;
  JoinedCall joined;
  joined.order =
      isOneTile(graph) ? memoryOrder(call.table) : rowsFirst(call.table.rank(), call.dims);
  auto const sliced = [&](unsigned d) {
    return std::find(call.dims.begin(), call.dims.end(), d) != call.dims.end();
  };
  auto const begin = std::find_if(joined.order.begin(), joined.order.end(), sliced);
  auto const end = begin + static_cast<std::ptrdiff_t>(call.dims.size());
  if (joined.order.end() - begin < static_cast<std::ptrdiff_t>(call.dims.size()) ||
      !std::all_of(begin, end, sliced))
    return std::nullopt;
  std::vector<unsigned> const dims(begin, end);
  joined.first = static_cast<std::size_t>(begin - joined.order.begin());
  std::size_t rows = 1;
  for (unsigned dim : dims)
    rows *= call.table.dim(dim);
  if (rows >= 0xffffffffU)
    return std::nullopt;
  auto const first = static_cast<unsigned>(joined.first);
  auto const last = first + static_cast<unsigned>(dims.size());
  joined.call = call;
  joined.call.table = call.table.dimShuffle(joined.order).flatten(first, last);
  if (call.slices.valid())
    joined.call.slices =
        call.slices.dimShuffle(behindFirst(joined.order)).flatten(first + 1, last + 1);
  joined.call.offsets = joinOffsets(graph, call, dims, prog, di).expand({1});
  joined.call.dims = {joined.first};
  joined.call.sizes = {1};
  joined.call.way.flags = 0;
  return joined;
}

/// Slices in several dimensions are treated one by one: unrolled if few, else in a loop.
inline constexpr std::size_t MAX_UNROLLED_SLICES = 3;

POP_INLINE void
forSlices(::poplar::Graph &graph, Tensor const &slices, Tensor const &offsets, bool writeBack,
          ::poplar::program::Sequence &prog, ::poplar::DebugContext const &di,
          std::function<void(Tensor const &, Tensor const &, ::poplar::program::Sequence &)> const
              &each) {
  std::size_t const n = offsets.dim(0);
  if (n <= MAX_UNROLLED_SLICES) {
    for (std::size_t i = 0; i != n; ++i)
      each(slices[i], offsets[i], prog);
    return;
  }
  prog.add(::popops::countedLoop(
      graph, n,
      [&](Tensor const &i) {
        ::poplar::program::Sequence body({}, di);
        Tensor const at = ::popops::dynamicSlice(graph, offsets, i, {0}, {1}, body, di)[0];
        Tensor slice;
        if (writeBack)
          slice = makeSlices(graph, slices, {0}, {1}, 1, di)[0];
        else
          slice = ::popops::dynamicSlice(graph, slices, i, {0}, {1}, body, di);
        each(slice[0], at, body);
        if (writeBack)
          ::popops::dynamicUpdate(graph, slices, slice, i, {0}, {1}, body, di);
        return body;
      },
      di));
}

POP_INLINE Tensor multiLookup(::poplar::Graph &graph, MultiCall call,
                              ::poplar::program::Sequence &prog, ::poplar::DebugContext const &di) {
  emitValidation(graph, call.offsets, call.shape(), call.dims, call.options, prog, di);
  if (poputil::product(slicesShape(call)) == 0) {
    Tensor const empty = graph.addVariable(call.table.elementType(), call.table.getMetadata(),
                                           slicesShape(call), di);
    ::poputil::mapTensorLinearly(graph, empty);
    return empty;
  }
  if (auto const joined = joinDims(graph, call, prog, di)) {
    Tensor slices =
        makeSlices(graph, joined->call.table, joined->call.dims, {1}, call.lookups(), di);
    JoinedCall with = *joined;
    with.call.slices = slices;
    emitLookups(graph, jobsOf(with.call), with.call.way, prog, di);
    auto const at = static_cast<unsigned>(joined->first) + 1;
    return unshuffle(slices.reshapePartial(at, at + 1, Sizes(call.dims.size(), 1)),
                     behindFirst(joined->order));
  }
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g != call.groups(); ++g)
    groups.push_back(makeSlices(graph, MultiCall::groupOf(call.table, call.grouped, g), call.dims,
                                call.sizes, call.lookups(), di)
                         .expand({0}));
  Tensor const stacked = ::poplar::concat(groups);
  call.slices = call.grouped ? stacked : stacked[0];
  if (call.dims.size() == 1) {
    emitLookups(graph, jobsOf(call), call.way, prog, di);
    return call.slices;
  }
  for (std::size_t g = 0; g != call.groups(); ++g) {
    Tensor const table = MultiCall::groupOf(call.table, call.grouped, g);
    if (call.dims.empty()) {
      Tensor const all = stacked[g];
      prog.add(::poplar::program::Copy(
          table.expand({0}).broadcast(static_cast<unsigned>(all.dim(0)), 0), all, false, di));
      continue;
    }
    forSlices(graph, stacked[g], MultiCall::groupOf(call.offsets, call.grouped, g), true, prog, di,
              [&](Tensor const &slice, Tensor const &at, ::poplar::program::Sequence &body) {
                emitSlice(graph, slice, table, at, call.dims, call.sizes, call.way.flags, body, di);
              });
  }
  return call.slices;
}

POP_INLINE void multiOverwrite(::poplar::Graph &graph, MultiCall call,
                               ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &di) {
  if (call.slices.numElements() == 0)
    return;
  emitValidation(graph, call.offsets, call.shape(), call.dims, call.options, prog, di);
  if (call.dims.size() == 1)
    return emitUpdates(graph, jobsOf(call), {}, call.way, prog, di);
  if (auto const joined = joinDims(graph, call, prog, di))
    return emitUpdates(graph, jobsOf(joined->call), {}, joined->call.way, prog, di);
  poputil::readBeforeWrites(graph, {&call.slices, &call.offsets}, call.table, prog, di);
  for (std::size_t g = 0; g != call.groups(); ++g) {
    Tensor const table = MultiCall::groupOf(call.table, call.grouped, g);
    Tensor const slices = MultiCall::groupOf(call.slices, call.grouped, g);
    if (call.dims.empty()) {
      prog.add(::poplar::program::Copy(slices[slices.dim(0) - 1], table, false, di));
      continue;
    }
    forSlices(graph, slices, MultiCall::groupOf(call.offsets, call.grouped, g), false, prog, di,
              [&](Tensor const &slice, Tensor const &at, ::poplar::program::Sequence &body) {
                emitUpdate(graph, table, slice, at, call.dims, call.sizes, call.way.flags, body,
                           di);
              });
  }
}

} // namespace cottonwood::popops::detail
