#pragma once

#include <popops/impl/Layouts.hpp>

#include <poplar/impl/graph/View.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

/// Intervals, or rows, of which a tile may have so many on average.
inline constexpr std::size_t MANY_INTERVALS = 16, MANY_RUNS = 64;

/// Stretches of storage in flat order, about; no more than `most` are counted.
POP_INLINE std::uint64_t countRuns(::poplar::Tensor const &flat, std::uint64_t most) {
  if (flat.isContiguous())
    return flat.numElements() == 0 ? 0 : 1;
  std::uint64_t runs = 0;
  graph::viewOf(flat).forEachBlock([&](graph::StridedBlock const &block) {
    std::uint64_t of = 1;
    for (std::size_t d = 0; d != block.sizes.size(); ++d)
      of *= d + 1 == block.sizes.size() && block.strides[d] == 1 ? 1 : block.sizes[d];
    runs += of;
    return runs <= most;
  });
  return std::min(runs, most + 1);
}

} // namespace detail

POP_INLINE planner::IntervalLayout intervalLayout(::poplar::Graph const &graph,
                                                  ::poplar::Tensor const &flat, bool mustBeMapped) {
  planner::IntervalLayout layout;
  std::size_t const tiles = graph.getTarget().getNumTiles();
  if (!mustBeMapped &&
      detail::countRuns(flat, detail::MANY_RUNS * tiles) > detail::MANY_RUNS * tiles)
    return layout;
  bool isComplete = true;
  auto const mapping =
      mustBeMapped ? graph.getTileMapping(flat) : graph.getTileMapping(flat, &isComplete, true);
  std::size_t pieces = 0, elements = 0;
  for (auto const &intervals : mapping)
    pieces += intervals.size();
  if (!isComplete || pieces > detail::MANY_INTERVALS * mapping.size())
    return layout;
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (::poplar::Interval const &interval : mapping[tile]) {
      layout.push_back({interval.begin(), interval.end(), tile});
      elements += interval.size();
    }
  if (elements != flat.numElements()) // the rest is on tiles that the graph does not show
    return {};
  std::sort(layout.begin(), layout.end(),
            [](auto const &a, auto const &b) { return a.begin < b.begin; });
  return layout;
}

POP_INLINE std::uint64_t runLength(::poplar::Tensor const &flat, std::size_t intervals) {
  std::uint64_t const n = flat.numElements();
  std::uint64_t const runs = detail::countRuns(flat, n);
  return runs <= std::max<std::size_t>(intervals, 16) ? 0 : std::max<std::uint64_t>(1, n / runs);
}

} // namespace cottonwood::popops
