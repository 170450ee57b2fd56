// Which part of a tensor goes to which vertex on which tile; shared by all operations that run over
// elements or rows.
#pragma once

#include <planners/popops/ElementWise.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace cottonwood::popops {

using ::poplar::Interval;
using ::poplar::Tensor;

/// What the machine behind a target has to run vertices.
POP_API POP_INLINE planner::Crew crewOf(::poplar::Target const &target);

/// Elements (or rows) of one vertex.
struct Share {
  unsigned tile = 0;
  std::vector<Interval> intervals; ///< ascending, disjoint
};

/// Cuts [0, flat.numElements()) into the shares of vertices. On one tile: `plan.parts` ranges of
/// whole cache lines. On several: what each tile holds of `flat`, one share an interval unless
/// there are more than plan.gatherAbove. \throws poplar::invalid_tile_mapping  some element is
/// mapped to no tile of several.
POP_API POP_INLINE std::vector<Share> sharesOf(::poplar::Graph const &graph, Tensor const &flat,
                                               planner::ElementWisePlan const &plan);

/// The same for whole rows of a matrix: a row goes where most of it lies, or to another tile that
/// holds a part of it where that would leave rows to few of the tiles. One interval a share.
/// \param rowCycles  what a row costs, to choose the number of vertices on one tile.
POP_API POP_INLINE std::vector<Share> rowSharesOf(::poplar::Graph const &graph,
                                                  Tensor const &matrix, double rowCycles);

/// The tiles where the first elements of pieces live; evenly over the tiles instead if that would
/// load some tile much more than the others.
POP_API POP_INLINE std::vector<unsigned> tilesOfPieces(::poplar::Graph const &graph,
                                                       Tensor const &firsts);

/// Appends rows [begin, end) in at most `parts` shares on a tile.
POP_API POP_INLINE void appendRowShares(std::vector<Share> &shares, std::size_t begin,
                                        std::size_t end, std::size_t parts, unsigned tile);

/// The part of a flat tensor that a share names, as a tensor of rank 1.
POP_API POP_INLINE Tensor partOf(Tensor const &flat, Share const &share);

/// A permutation of the dimensions in which `t` is contiguous; the identity if there is none. Costs
/// a few look-ups for each dimension, whatever the size.
POP_API POP_INLINE std::vector<unsigned> memoryOrder(Tensor const &t);

/// [rows, columns] of a tensor with its last dimension as columns. \param columns of a tensor
/// without elements too.
POP_API POP_INLINE Tensor asRows(Tensor const &t);

} // namespace cottonwood::popops
