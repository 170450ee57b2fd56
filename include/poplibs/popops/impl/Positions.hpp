// Shares of the elements of a row-major matrix for vertices that must know where their elements
// stand.
#pragma once

#include <popops/impl/Partition.hpp>

namespace cottonwood::popops {

/// A run of elements for one vertex.
struct PositionShare {
  unsigned tile;
  Interval elements; ///< of the flattened matrix
  Interval rows;     ///< those that the run has a part of
  unsigned column;   ///< of its first element
};

/// The shares of a matrix with at least one element. On several tiles they follow the mapping: one
/// share an interval. Empty if that takes more than a few a tile; the caller then works on a copy.
/// \throws poplar::invalid_tile_mapping  some element is mapped to no tile.
POP_API POP_INLINE std::vector<PositionShare> positionSharesOf(::poplar::Graph const &graph,
                                                               Tensor const &matrix);

/// A tensor of the shape and type of a matrix whose mapping gives few shares.
POP_API POP_INLINE Tensor addLinearTwin(::poplar::Graph &graph, Tensor const &matrix,
                                        ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::popops
