#pragma once

#include <popops/DynamicSlice.hpp>
#include <popops/impl/SliceEmit.hpp>
#include <popops/impl/SlicePlanInternal.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

using ::poplar::DebugContext;
using ::popops::SlicePlan;

POP_INLINE Sizes withFirst(std::size_t first, Sizes shape) {
  shape.insert(shape.begin(), first);
  return shape;
}

/// How a table is laid out over tiles.
struct TableLayout {
  std::size_t grain = 1;
  unsigned rowParts = 1, columnParts = 1;
  unsigned step = 1;       ///< tiles of a cell
  unsigned firstTile = 0;  ///< of the first group
  unsigned groupSplit = 1; ///< groups beyond this number share tiles
  unsigned tiles = 1;

  unsigned tileOf(std::size_t group, std::size_t rowPart) const {
    std::size_t const cell = ((group % groupSplit) * rowParts + rowPart) * columnParts;
    return static_cast<unsigned>((firstTile + cell * step) % tiles);
  }
};

POP_INLINE TableLayout tableLayout(::poplar::Graph const &graph, ::poplar::Type const &type,
                                   Sizes const &shape, SlicePlan const &plan,
                                   std::size_t minGrainSize) {
  TableLayout layout;
  layout.tiles = graph.getTarget().getNumTiles();
  layout.firstTile = static_cast<unsigned>(::poputil::chooseMappingOffset(layout.tiles, shape));
  auto const &internal = plan.getImpl();
  if (internal.isNull) {
    std::size_t const bytes = graph.getTarget().getTypeSize(type);
    layout.grain = minGrainSize != 0 ? minGrainSize : std::max<std::size_t>(1, 8 / bytes);
    layout.columnParts = layout.tiles;
    return layout;
  }
  layout.firstTile &= ~1U; // neighbours on a bus look up the same
  layout.grain = internal.plan.unslicedGrainSize;
  layout.rowParts = std::max(1U, internal.plan.slicedDimSplit);
  layout.columnParts = std::max(1U, internal.plan.unslicedDimSplit);
  layout.step = std::max(1U, internal.plan.lookupParallelSplit);
  layout.groupSplit = std::max(1U, internal.plan.groupSplit);
  return layout;
}

/// The columns of a part of the rows.
POP_INLINE std::vector<ColumnPiece> layoutPieces(TableLayout const &layout, std::size_t columns,
                                                 std::size_t group, std::size_t rowPart) {
  auto pieces = evenPieces(columns, layout.grain, layout.columnParts, layout.tileOf(group, rowPart),
                           layout.step);
  for (ColumnPiece &piece : pieces)
    piece.tile %= layout.tiles;
  return pieces;
}

/// What create functions find out first: dimensions as rows and columns.
struct TableShape {
  std::vector<unsigned> order;
  Sizes ordered;
  std::size_t rows = 1, columns = 1;
};

POP_INLINE TableShape tableShape(Sizes const &shape, Sizes const &dims) {
  TableShape t;
  t.order = rowsFirst(shape.size(), dims);
  for (std::size_t i = 0; i != shape.size(); ++i) {
    t.ordered.push_back(shape[t.order[i]]);
    (i < dims.size() ? t.rows : t.columns) *= shape[t.order[i]];
  }
  return t;
}

POP_INLINE ::poplar::Tensor createLinear(::poplar::Graph &graph, ElementKind const &kind,
                                         Sizes const &shape, DebugContext const &di) {
  ::poplar::Tensor const t = graph.addVariable(kind.type, kind.metadata, shape, di);
  ::poputil::mapTensorLinearly(graph, t);
  return t;
}

POP_INLINE ::poplar::Tensor createTable(::poplar::Graph &graph, ElementKind const &kind,
                                        Sizes const &shape, Sizes const &dims,
                                        TableLayout const &layout, std::size_t group,
                                        DebugContext const &di) {
  if (dims.empty() || poputil::product(shape) == 0 || layout.tiles == 1)
    return createLinear(graph, kind, shape, di);
  TableShape const t = tableShape(shape, dims);
  std::size_t const each = poputil::ceilDiv(t.rows, layout.rowParts);
  std::vector<::poplar::Tensor> parts;
  for (std::size_t begin = 0; begin < t.rows; begin += each)
    parts.push_back(makeColumns(graph, kind, std::min(each, t.rows - begin),
                                layoutPieces(layout, t.columns, group, begin / each), di));
  return unshuffle(::poplar::concat(parts).reshape(t.ordered), t.order);
}

/// `numIndices` slices of a table of that layout.
POP_INLINE ::poplar::Tensor createSlices(::poplar::Graph &graph, ElementKind const &kind,
                                         Sizes const &shape, Sizes const &dims, Sizes const &sizes,
                                         std::size_t numIndices, TableLayout const &layout,
                                         std::size_t group, DebugContext const &di) {
  Sizes const slice = sliceShape(shape, dims, sizes);
  if (dims.empty() || poputil::product(slice) * numIndices == 0 || layout.tiles == 1 ||
      layout.rowParts > 1)
    return createLinear(graph, kind, withFirst(numIndices, slice), di);
  TableShape const t = tableShape(slice, dims);
  return unshuffle(
      makeColumns(graph, kind, numIndices * t.rows, layoutPieces(layout, t.columns, group, 0), di)
          .reshape(withFirst(numIndices, t.ordered)),
      behindFirst(t.order));
}

/// [groups] + what `create` returns for each group.
template <class Create>::poplar::Tensor stackGroups(std::size_t groups, Create const &create) {
  std::vector<::poplar::Tensor> parts;
  for (std::size_t g = 0; g != groups; ++g)
    parts.push_back(create(g).expand({0}));
  return ::poplar::concat(parts);
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor createSliceableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                std::vector<std::size_t> const &shape,
                                                std::vector<std::size_t> const &dims,
                                                std::vector<std::size_t> const &sizes,
                                                std::size_t minGrainSize,
                                                poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createSliceableTensor");
  cottonwood::popops::checkSlice("popops::createSliceableTensor", shape, dims, sizes);
  return detail::createTable(graph, cottonwood::popops::newKind(graph, type), shape, dims,
                             detail::tableLayout(graph, type, shape, {}, minGrainSize), 0,
                             {di, "sliceable"});
}

POP_INLINE poplar::Tensor createSliceableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                std::vector<std::size_t> const &shape,
                                                std::vector<std::size_t> const &dims,
                                                std::vector<std::size_t> const &sizes,
                                                SlicePlan const &plan,
                                                poplar::OptionFlags const &options,
                                                poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::createSliceableTensor";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createSliceableTensor");
  cottonwood::popops::readSliceOptions(WHERE, options);
  cottonwood::popops::checkSlice(WHERE, shape, dims, sizes);
  cottonwood::popops::checkSlicePlan(WHERE, plan, 0, shape, dims, sizes);
  return detail::createTable(graph, cottonwood::popops::newKind(graph, type), shape, dims,
                             detail::tableLayout(graph, type, shape, plan, 0), 0,
                             {di, "sliceable"});
}

POP_INLINE poplar::Tensor createGroupedSliceableTensor(
    poplar::Graph &graph, poplar::Type const &type, std::size_t const groupSize,
    std::vector<std::size_t> const &shape, std::vector<std::size_t> const &dims,
    std::vector<std::size_t> const &sizes, SlicePlan const &plan,
    poplar::OptionFlags const &options, poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::createGroupedSliceableTensor";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createGroupedSliceableTensor");
  cottonwood::popops::readSliceOptions(WHERE, options);
  cottonwood::popops::checkSlice(WHERE, shape, dims, sizes);
  cottonwood::popops::checkSlicePlan(WHERE, plan, groupSize, shape, dims, sizes);
  auto const layout = detail::tableLayout(graph, type, shape, plan, 0);
  auto const kind = cottonwood::popops::newKind(graph, type);
  if (layout.tiles == 1 || groupSize == 0)
    return detail::createLinear(graph, kind, detail::withFirst(groupSize, shape),
                                {di, "sliceable"});
  return detail::stackGroups(groupSize, [&](std::size_t group) {
    return detail::createTable(graph, kind, shape, dims, layout, group, {di, "sliceable"});
  });
}

POP_INLINE poplar::Tensor createSliceTensor(poplar::Graph &graph, poplar::Tensor const &t,
                                            std::vector<std::size_t> const &dims,
                                            std::vector<std::size_t> const &sizes,
                                            std::size_t numIndices,
                                            poplar::DebugContext const &debugContext) {
  namespace ours = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createSliceTensor");
  ours::checkSlice("popops::createSliceTensor", "t", t, dims, sizes);
  return ours::makeSlices(graph, t, dims, sizes, numIndices, {di, "slices"});
}

POP_INLINE poplar::Tensor createSliceTensor(poplar::Graph &graph, poplar::Type const &type,
                                            std::vector<std::size_t> const &shape,
                                            std::vector<std::size_t> const &dims,
                                            std::vector<std::size_t> const &sizes,
                                            std::size_t numIndices, SlicePlan const &plan,
                                            poplar::OptionFlags const &options,
                                            poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::createSliceTensor";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createSliceTensor");
  cottonwood::popops::readSliceOptions(WHERE, options);
  cottonwood::popops::checkSlice(WHERE, shape, dims, sizes);
  cottonwood::popops::checkSlicePlan(WHERE, plan, 0, shape, dims, sizes);
  return detail::createSlices(graph, cottonwood::popops::newKind(graph, type), shape, dims, sizes,
                              numIndices, detail::tableLayout(graph, type, shape, plan, 0), 0,
                              {di, "slices"});
}

POP_INLINE poplar::Tensor createGroupedSliceTensor(
    poplar::Graph &graph, poplar::Type const &type, std::size_t const groupSize,
    std::vector<std::size_t> const &shape, std::vector<std::size_t> const &dims,
    std::vector<std::size_t> const &sizes, std::size_t const numIndices, SlicePlan const &plan,
    poplar::OptionFlags const &options, poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::createGroupedSliceTensor";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createGroupedSliceTensor");
  cottonwood::popops::readSliceOptions(WHERE, options);
  cottonwood::popops::checkSlice(WHERE, shape, dims, sizes);
  cottonwood::popops::checkSlicePlan(WHERE, plan, groupSize, shape, dims, sizes);
  auto const layout = detail::tableLayout(graph, type, shape, plan, 0);
  auto const kind = cottonwood::popops::newKind(graph, type);
  if (layout.tiles == 1 || groupSize == 0)
    return detail::createLinear(
        graph, kind,
        detail::withFirst(groupSize, detail::withFirst(numIndices, cottonwood::popops::sliceShape(
                                                                       shape, dims, sizes))),
        {di, "slices"});
  return detail::stackGroups(groupSize, [&](std::size_t group) {
    return detail::createSlices(graph, kind, shape, dims, sizes, numIndices, layout, group,
                                {di, "slices"});
  });
}

POP_INLINE poplar::Tensor createIndicesTensor(poplar::Graph &graph,
                                              std::vector<std::size_t> const &dims,
                                              std::size_t numIndices, SlicePlan const &,
                                              poplar::OptionFlags const &options,
                                              poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createIndicesTensor");
  cottonwood::popops::readSliceOptions("popops::createIndicesTensor", options);
  return cottonwood::popops::detail::createLinear(graph, {poplar::UNSIGNED_INT, {}},
                                                  {numIndices, dims.size()}, {di, "indices"});
}

POP_INLINE poplar::Tensor
createGroupedIndicesTensor(poplar::Graph &graph, std::size_t const groupSize,
                           std::vector<std::size_t> const &dims, std::size_t const numIndices,
                           SlicePlan const &plan, poplar::OptionFlags const &options,
                           poplar::DebugContext const &debugContext) {
  constexpr char WHERE[] = "popops::createGroupedIndicesTensor";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createGroupedIndicesTensor");
  cottonwood::popops::readSliceOptions(WHERE, options);
  auto const &internal = plan.getImpl();
  if (internal.isNull || internal.problem.groupSize != groupSize)
    cottonwood::base::fail<poputil::poplibs_error>(
        WHERE, "the plan is ",
        internal.isNull ? std::string("null")
                        : cottonwood::base::textOf("for ", internal.problem.groupSize, " groups"),
        "; it must be for ", groupSize, " groups");
  return cottonwood::popops::detail::createLinear(
      graph, {poplar::UNSIGNED_INT, {}}, {groupSize, numIndices, dims.size()}, {di, "indices"});
}

POP_INLINE poplar::Tensor createSliceableTensorFromSlice(poplar::Graph &graph,
                                                         poplar::Tensor const &s,
                                                         std::vector<std::size_t> const &dims,
                                                         std::vector<std::size_t> const &numSlices,
                                                         poplar::DebugContext const &debugContext) {
  namespace ours = cottonwood::popops;
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::createSliceableTensorFromSlice";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createSliceableTensorFromSlice");
  if (dims.size() != numSlices.size())
    cottonwood::base::fail<poputil::poplibs_error>(WHERE, dims.size(), " dims and ",
                                                   numSlices.size(),
                                                   " numSlices; there must be one a dimension");
  ours::checkSlice(WHERE, "s", s, dims, std::vector<std::size_t>(dims.size(), 0));
  std::vector<std::size_t> shape = s.shape();
  for (std::size_t k = 0; k != dims.size(); ++k)
    shape[dims[k]] *= numSlices[k];
  detail::TableShape const t = detail::tableShape(shape, dims);
  if (t.rows * t.columns == 0 || ours::isOneTile(graph))
    return detail::createLinear(graph, ours::kindOf(s), shape, {di, "sliceable"});
  poplar::Tensor const matrix =
      s.dimShuffle(t.order).reshape({s.numElements() / t.columns, t.columns});
  return ours::unshuffle(ours::makeColumns(graph, ours::kindOf(s), t.rows,
                                           ours::columnPieces(graph, matrix[0]), {di, "sliceable"})
                             .reshape(t.ordered),
                         t.order);
}

} // namespace popops
