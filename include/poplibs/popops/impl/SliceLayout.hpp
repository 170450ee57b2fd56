// Where the parts of tables and slices are.
//
// A table is seen as a matrix: the sliced dimensions are its rows, the others its columns.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace cottonwood::popops {

using ::poplar::Interval;
using ::poplar::Tensor;
using Sizes = std::vector<std::size_t>;

/// \throws poputil::poplibs_error          dims and sizes have different lengths
/// \throws poplar::graph_connection_error  a dimension is repeated or does not exist, or a size
///                                         is above that of its dimension
POP_API POP_INLINE void checkSlice(char const *where, Sizes const &shape, Sizes const &dims,
                                   Sizes const &sizes);
/// The same of the tensor `name`, which must be valid.
POP_API POP_INLINE void checkSlice(char const *where, char const *name, ::poplar::Tensor const &t,
                                   Sizes const &dims, Sizes const &sizes);

/// `shape` with sizes[k] at dims[k].
POP_API POP_INLINE Sizes sliceShape(Sizes shape, Sizes const &dims, Sizes const &sizes);

/// The permutation that puts the dimensions `dims` first, both groups in ascending order.
POP_API POP_INLINE std::vector<unsigned> rowsFirst(std::size_t rank, Sizes const &dims);

/// The tensor whose dimShuffle(permutation) is t.
POP_API POP_INLINE ::poplar::Tensor unshuffle(::poplar::Tensor const &t,
                                              std::vector<unsigned> const &permutation);

/// The permutation of one more dimension, which stays in front.
POP_API POP_INLINE std::vector<unsigned> behindFirst(std::vector<unsigned> const &order);

/// The integer type of that size, by which vertices that move bytes know elements.
POP_API POP_INLINE ::poplar::Type bytesType(::poplar::Graph const &graph,
                                            ::poplar::Type const &type);

POP_API POP_INLINE bool isOneTile(::poplar::Graph const &graph);

/// Columns that lie on one tile.
struct ColumnPiece {
  ::poplar::Interval columns;
  unsigned tile = 0;
};

/// Of a row: ascending, together all columns.
POP_API POP_INLINE std::vector<ColumnPiece> columnPieces(::poplar::Graph const &graph,
                                                         ::poplar::Tensor const &row);

/// Whether all elements are mapped to the same tile.
POP_API POP_INLINE bool isOnOneTile(::poplar::Graph const &graph, ::poplar::Tensor const &t);

/// Columns in grains, spread evenly over `tiles` tiles from `firstTile` on.
POP_API POP_INLINE std::vector<ColumnPiece> evenPieces(std::size_t columns, std::size_t grain,
                                                       unsigned tiles, unsigned firstTile,
                                                       unsigned step = 1);

/// What elements are: those of QUARTER share metadata.
struct ElementKind {
  ::poplar::Type type;
  ::poplar::Tensor metadata;
};
POP_INLINE ElementKind kindOf(::poplar::Tensor const &t);
/// Of new elements, which get metadata of their own where they need some.
POP_API POP_INLINE ElementKind newKind(::poplar::Graph &graph, ::poplar::Type const &type);

/// A new matrix whose columns are mapped as the pieces say, contiguous on each tile.
POP_API POP_INLINE ::poplar::Tensor makeColumns(::poplar::Graph &graph, ElementKind const &kind,
                                                std::size_t rows,
                                                std::vector<ColumnPiece> const &pieces,
                                                ::poplar::DebugContext const &debugContext);

/// Part of a table on one tile.
struct SliceCell {
  ::poplar::Interval rows;
  std::vector<::poplar::Interval> columns; ///< ascending
  unsigned tile = 0;
  std::size_t rowPart = 0; ///< which of the parts of the rows
};

/// Every part of the rows is cut into the same parts of the columns.
struct SliceGrid {
  std::vector<SliceCell> cells; ///< by part of the rows, then of the columns
  std::size_t rowParts = 1, columnParts = 1;
};

/// The parts of a matrix by its mapping: cut between rows where the first column goes to another
/// tile, and there between columns as the first row of each part does; where these differ, each
/// part of the rows is one cell.
POP_API POP_INLINE SliceGrid gridOf(::poplar::Graph const &graph, ::poplar::Tensor const &matrix);

/// Elements that lie together when the answers of a grid's cells are spread over tiles.
inline constexpr std::size_t ANSWER_GRAIN = 32;

} // namespace cottonwood::popops
