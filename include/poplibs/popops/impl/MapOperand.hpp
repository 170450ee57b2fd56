// One tensor as operand of map vertices: which region a vertex needs of it, and how it steps
// through that region.
#pragma once

#include <popops/impl/MapTerm.hpp>
#include <popops/impl/Partition.hpp>

#include <planners/popops/ElementWiseTilesTypes.hpp>

namespace cottonwood::popops {

/// A region to connect and the pattern that reads it.
struct OperandRegion {
  Tensor region;
  vertices::MapPattern pattern;
};

/// A tensor broadcast to the shape of a result. Where the broadcast dimensions allow it, vertices
/// read the tensor itself by a pattern; else they get the elements of the broadcast view.
class MapOperand {
public:
  /// \param t  of the rank of `shape`: each dimension is that of the shape or 1.
  MapOperand(Tensor const &t, std::vector<std::size_t> const &shape, MapType type,
             bool expandBroadcasts);

  MapType type() const { return type_; }
  /// For the elements of the result that a share names. \param laidOut  repeated elements as often
  /// as they are read; scalars are not
  OperandRegion region(Share const &share, bool laidOut = false) const;
  /// As planners for tiles see it.
  planner::TileMapOperand planned(::poplar::Graph const &graph) const;

private:
  OperandRegion patternRegion(Interval const &range) const;

  MapType type_;
  bool isFull_ = false, isScalar_ = false;
  std::size_t distinct_ = 0; ///< elements of the tensor, if flat_ repeats them
  Tensor flat_;     ///< the tensor's own elements, those of outer broadcasts repeated if need be
  Tensor expanded_; ///< all elements of the result's shape
  std::size_t period_ = 0, repeat_ = 0; ///< of the pattern over the whole result
};

} // namespace cottonwood::popops
