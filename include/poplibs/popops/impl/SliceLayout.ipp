#pragma once

#include <popops/impl/SliceLayout.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <numeric>

namespace cottonwood::popops {

POP_INLINE void checkSlice(char const *where, Sizes const &shape, Sizes const &dims,
                           Sizes const &sizes) {
  using ::poplar::graph_connection_error;
  if (dims.size() != sizes.size())
    base::fail<::poputil::poplibs_error>(where, dims.size(), " dims and ", sizes.size(),
                                         " sizes; there must be one size a dimension");
  std::vector<bool> seen(shape.size(), false);
  for (std::size_t k = 0; k != dims.size(); ++k) {
    if (dims[k] >= shape.size())
      base::fail<graph_connection_error>(where, "dims[", k, "] = ", dims[k],
                                         " is out of range for shape ", base::shapeText(shape),
                                         "; dims must be below ", shape.size());
    if (seen[dims[k]])
      base::fail<graph_connection_error>(where, "dims ", base::shapeText(dims), " name dimension ",
                                         dims[k], " twice");
    if (sizes[k] > shape[dims[k]])
      base::fail<graph_connection_error>(where, "sizes[", k, "] = ", sizes[k],
                                         " is above dimension ", dims[k], " of shape ",
                                         base::shapeText(shape));
    seen[dims[k]] = true;
  }
}

POP_INLINE void checkSlice(char const *where, char const *name, ::poplar::Tensor const &t,
                           Sizes const &dims, Sizes const &sizes) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'", name, "' is an invalid tensor");
  checkSlice(where, t.shape(), dims, sizes);
}

POP_INLINE Sizes sliceShape(Sizes shape, Sizes const &dims, Sizes const &sizes) {
  for (std::size_t k = 0; k != dims.size(); ++k)
    shape[dims[k]] = sizes[k];
  return shape;
}

POP_INLINE std::vector<unsigned> rowsFirst(std::size_t rank, Sizes const &dims) {
  std::vector<unsigned> order(rank);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_partition(order.begin(), order.end(), [&](unsigned d) {
    return std::find(dims.begin(), dims.end(), d) != dims.end();
  });
  return order;
}

POP_INLINE std::vector<unsigned> behindFirst(std::vector<unsigned> const &order) {
  std::vector<unsigned> all{0};
  for (unsigned d : order)
    all.push_back(d + 1);
  return all;
}

POP_INLINE ::poplar::Type bytesType(::poplar::Graph const &graph, ::poplar::Type const &type) {
  switch (graph.getTarget().getTypeSize(type)) {
  case 1:
    return ::poplar::UNSIGNED_CHAR;
  case 2:
    return ::poplar::UNSIGNED_SHORT;
  case 4:
    return ::poplar::UNSIGNED_INT;
  default:
    return ::poplar::UNSIGNED_LONGLONG;
  }
}

POP_INLINE bool isOneTile(::poplar::Graph const &graph) {
  return graph.getTarget().getNumTiles() == 1;
}

POP_INLINE ::poplar::Tensor unshuffle(::poplar::Tensor const &t,
                                      std::vector<unsigned> const &permutation) {
  std::vector<unsigned> inverse(permutation.size());
  for (unsigned d = 0; d != permutation.size(); ++d)
    inverse[permutation[d]] = d;
  return t.dimShuffle(inverse);
}

POP_INLINE std::vector<ColumnPiece> columnPieces(::poplar::Graph const &graph,
                                                 ::poplar::Tensor const &row) {
  std::vector<ColumnPiece> pieces;
  auto const mapping = graph.getTileMapping(row.flatten());
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (auto const &interval : mapping[tile])
      pieces.push_back({interval, tile});
  std::sort(pieces.begin(), pieces.end(), [](ColumnPiece const &a, ColumnPiece const &b) {
    return a.columns.begin() < b.columns.begin();
  });
  return pieces;
}

POP_INLINE bool isOnOneTile(::poplar::Graph const &graph, ::poplar::Tensor const &t) {
  auto const mapping = graph.getTileMapping(t.flatten());
  return std::count_if(mapping.begin(), mapping.end(),
                       [](auto const &intervals) { return !intervals.empty(); }) == 1;
}

POP_INLINE std::vector<ColumnPiece> evenPieces(std::size_t columns, std::size_t grain,
                                               unsigned tiles, unsigned firstTile, unsigned step) {
  std::vector<ColumnPiece> pieces;
  std::size_t const each = poputil::roundUp(poputil::ceilDiv(columns, std::max(1U, tiles)),
                                            std::max<std::size_t>(1, grain));
  unsigned tile = firstTile;
  for (std::size_t begin = 0; begin < columns; begin += each, tile += step)
    pieces.push_back({{begin, std::min(begin + each, columns)}, tile});
  return pieces;
}

POP_INLINE ElementKind kindOf(::poplar::Tensor const &t) {
  return {t.elementType(), t.getMetadata()};
}

POP_INLINE ElementKind newKind(::poplar::Graph &graph, ::poplar::Type const &type) {
  return type.requiresMetadata() ? kindOf(graph.addVariable(type, {0}, "metadata"))
                                 : ElementKind{type, {}};
}

POP_INLINE ::poplar::Tensor makeColumns(::poplar::Graph &graph, ElementKind const &kind,
                                        std::size_t rows, std::vector<ColumnPiece> const &pieces,
                                        ::poplar::DebugContext const &debugContext) {
  std::size_t const columns = pieces.empty() ? 0 : pieces.back().columns.end();
  auto const sameTile = [&](ColumnPiece const &p) { return p.tile == pieces.front().tile; };
  if (std::all_of(pieces.begin(), pieces.end(), sameTile)) {
    ::poplar::Tensor const t =
        graph.addVariable(kind.type, kind.metadata, {rows, columns}, debugContext);
    graph.setTileMapping(t, pieces.empty() ? 0 : pieces.front().tile);
    return t;
  }
  // One variable for all neighbours of the same width.
  std::vector<::poplar::Tensor> parts;
  for (std::size_t i = 0; i != pieces.size();) {
    std::size_t const width = pieces[i].columns.size();
    std::size_t end = i;
    while (end != pieces.size() && pieces[end].columns.size() == width)
      ++end;
    ::poplar::Tensor const t =
        graph.addVariable(kind.type, kind.metadata, {end - i, rows, width}, debugContext);
    for (std::size_t k = i; k != end; ++k)
      graph.setTileMapping(t[k - i], pieces[k].tile);
    parts.push_back(t.dimShuffle({1, 0, 2}).reshape({rows, (end - i) * width}));
    i = end;
  }
  return ::poplar::concat(parts, 1);
}

namespace detail {

/// Adds the cells of the rows, one a tile.
POP_INLINE void addCells(::poplar::Graph const &graph, ::poplar::Tensor const &matrix,
                         ::poplar::Interval const &rows, SliceGrid &grid) {
  auto const mapping = graph.getTileMapping(matrix[rows.begin()]);
  auto const first = static_cast<std::ptrdiff_t>(grid.cells.size());
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    if (!mapping[tile].empty())
      grid.cells.push_back({rows, mapping[tile], tile, grid.rowParts});
  std::sort(grid.cells.begin() + first, grid.cells.end(),
            [](SliceCell const &a, SliceCell const &b) {
              return a.columns.front().begin() < b.columns.front().begin();
            });
  ++grid.rowParts;
}

/// One cell a part of the rows, unless all of these have the same columns.
POP_INLINE void makeRegular(SliceGrid &grid, std::size_t columns) {
  std::size_t const count = grid.cells.size();
  std::size_t const each =
      std::max<std::size_t>(1, count / std::max<std::size_t>(1, grid.rowParts));
  bool regular = each * grid.rowParts == count;
  for (std::size_t i = 0; regular && i != count; ++i)
    regular =
        grid.cells[i].rowPart == i / each && grid.cells[i].columns == grid.cells[i % each].columns;
  grid.columnParts = regular ? each : 1;
  if (regular)
    return;
  std::vector<SliceCell> cells;
  for (SliceCell &cell : grid.cells)
    if (cell.columns.front().begin() == 0) {
      cell.columns = {{0, columns}};
      cells.push_back(std::move(cell));
    }
  grid.cells = std::move(cells);
}

} // namespace detail

POP_INLINE SliceGrid gridOf(::poplar::Graph const &graph, ::poplar::Tensor const &matrix) {
  SliceGrid grid;
  grid.rowParts = 0;
  std::size_t const tiles = graph.getTarget().getNumTiles();
  std::vector<ColumnPiece> parts = columnPieces(graph, matrix.slice(0, 1, 1));
  if (parts.size() > tiles)
    // Rows are scattered: parts of even size cost as much exchange, but fewer vertices.
    parts = evenPieces(matrix.dim(0), 1, static_cast<unsigned>(tiles), 0);
  for (ColumnPiece const &part : parts)
    detail::addCells(graph, matrix, part.columns, grid);
  detail::makeRegular(grid, matrix.dim(1));
  return grid;
}

} // namespace cottonwood::popops
