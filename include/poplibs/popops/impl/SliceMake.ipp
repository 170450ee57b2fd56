#pragma once

#include <popops/impl/Partition.hpp>
#include <popops/impl/SliceEmit.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

/// [rows, columns of the matrix] where the cells of the matrix add up their answers.
POP_INLINE Tensor makeAnswers(::poplar::Graph &graph, Tensor const &matrix, std::size_t rows,
                              ::poplar::DebugContext const &di) {
  SliceGrid const grid = gridOf(graph, matrix);
  std::vector<std::pair<std::size_t, Tensor>> columns;
  for (std::size_t c = 0; c != grid.columnParts; ++c) {
    std::size_t width = 0, at = 0;
    for (Interval const &interval : grid.cells[c].columns)
      width += interval.size();
    Tensor const t =
        graph.addVariable(matrix.elementType(), matrix.getMetadata(), {rows, width}, di);
    for (ColumnPiece const &piece :
         evenPieces(rows * width, ANSWER_GRAIN, static_cast<unsigned>(grid.rowParts), 0))
      graph.setTileMapping(t.flatten().slice(piece.columns),
                           grid.cells[piece.tile * grid.columnParts + c].tile);
    for (Interval const &interval : grid.cells[c].columns) {
      columns.emplace_back(interval.begin(), t.slice(at, at + interval.size(), 1));
      at += interval.size();
    }
  }
  std::sort(columns.begin(), columns.end(),
            [](auto const &a, auto const &b) { return a.first < b.first; });
  std::vector<Tensor> tensors;
  for (auto const &part : columns)
    tensors.push_back(part.second);
  return ::poplar::concat(tensors, 1);
}

} // namespace detail

POP_INLINE ::poplar::Tensor makeSlices(::poplar::Graph &graph, ::poplar::Tensor const &table,
                                       Sizes const &dims, Sizes const &sizes, std::size_t numSlices,
                                       ::poplar::DebugContext const &debugContext) {
  bool const oneTile = isOneTile(graph);
  auto const order = oneTile ? memoryOrder(table) : rowsFirst(table.rank(), dims);
  Sizes const shape = sliceShape(table.shape(), dims, sizes);
  Sizes ordered{numSlices};
  for (unsigned d : order)
    ordered.push_back(shape[d]);
  ::poplar::Tensor slices;
  std::size_t rows = 1, sliceRows = numSlices;
  for (std::size_t k = 0; k != dims.size(); ++k) {
    rows *= table.dim(static_cast<unsigned>(dims[k]));
    sliceRows *= sizes[k];
  }
  if (!oneTile && table.numElements() != 0) {
    ::poplar::Tensor const matrix =
        table.dimShuffle(order).reshape({rows, table.numElements() / rows});
    if (isOnOneTile(graph, matrix.slice(0, 1, 1)))
      slices =
          makeColumns(graph, kindOf(table), sliceRows, columnPieces(graph, matrix[0]), debugContext)
              .reshape(ordered);
    else if (sliceRows != 0)
      slices = detail::makeAnswers(graph, matrix, sliceRows, debugContext).reshape(ordered);
  }
  if (!slices.valid()) {
    slices = graph.addVariable(table.elementType(), table.getMetadata(), ordered, debugContext);
    ::poputil::mapTensorLinearly(graph, slices);
  }
  return unshuffle(slices, behindFirst(order));
}

POP_INLINE Gathered makeGathered(::poplar::Graph &graph, ::poplar::Tensor const &table,
                                 std::size_t dim, std::size_t numSlices,
                                 ::poplar::DebugContext const &debugContext) {
  auto const at = static_cast<unsigned>(dim);
  Gathered gathered;
  if (!isOneTile(graph)) {
    gathered.slices = makeSlices(graph, table, {dim}, {1}, numSlices, debugContext);
    gathered.result = gathered.slices.squeeze({dim + 1}).dimRoll(0, at);
    return gathered;
  }
  auto const order = memoryOrder(table);
  Sizes ordered;
  for (unsigned d : order)
    ordered.push_back(d == dim ? numSlices : table.dim(d));
  ::poplar::Tensor const t =
      graph.addVariable(table.elementType(), table.getMetadata(), ordered, debugContext);
  ::poputil::mapTensorLinearly(graph, t);
  gathered.result = unshuffle(t, order);
  gathered.slices = gathered.result.dimRoll(at, 0).expand({dim + 1});
  return gathered;
}

} // namespace cottonwood::popops
