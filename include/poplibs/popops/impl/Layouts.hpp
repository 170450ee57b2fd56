// Where tensors lie on tiles, as planners are told.
#pragma once

#include <planners/core/Intervals.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>

namespace cottonwood::popops {

/// Where the elements of a flat tensor lie; empty if it is in too many pieces to look at, or some
/// of it on no tile of the graph. \throws poplar::invalid_tile_mapping  that is so and
/// `mustBeMapped`.
POP_API POP_INLINE planner::IntervalLayout intervalLayout(::poplar::Graph const &graph,
                                                          ::poplar::Tensor const &flat,
                                                          bool mustBeMapped = true);

/// Elements of a flat tensor that follow each other in storage, on average; 0 if that is as many as
/// its layout of so many intervals has.
POP_INLINE std::uint64_t runLength(::poplar::Tensor const &flat, std::size_t intervals);

namespace detail {

/// Intervals, or rows, of which a tile may have so many on average.
inline constexpr std::size_t MANY_INTERVALS = 16, MANY_RUNS = 64;

/// Stretches of storage in flat order; no more than most + 1 are counted. Takes time for each
/// strided block of the view, not for each stretch.
POP_INLINE std::uint64_t countRuns(::poplar::Tensor const &t, std::uint64_t most);

} // namespace detail

} // namespace cottonwood::popops
