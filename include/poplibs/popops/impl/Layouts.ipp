#pragma once

#include <popops/impl/Layouts.hpp>

#include <poplar/impl/graph/View.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

/// Those of one block. From one element to the next the indices inside some dimension start again:
/// how far apart the two lie depends on the dimension only.
POP_INLINE std::uint64_t runsOf(graph::StridedBlock const &block, std::int64_t &span) {
  std::uint64_t runs = 1, outside = 1;
  for (std::uint64_t size : block.sizes)
    outside *= size;
  span = 0; // from the first element to the last
  for (std::size_t d = block.sizes.size(); d-- != 0;) {
    outside /= block.sizes[d];
    if (block.strides[d] - span != 1)
      runs += (block.sizes[d] - 1) * outside;
    span += static_cast<std::int64_t>(block.sizes[d] - 1) * block.strides[d];
  }
  return runs;
}

POP_INLINE std::uint64_t countRuns(::poplar::Tensor const &t, std::uint64_t most) {
  if (t.isContiguous())
    return std::min<std::uint64_t>(t.numElements() == 0 ? 0 : 1, most + 1);
  std::uint64_t runs = 0;
  graph::VarId var{};
  std::int64_t last = 0;
  graph::viewOf(t).forEachBlock([&](graph::StridedBlock const &block) {
    auto const begin = static_cast<std::int64_t>(block.offset);
    std::int64_t span = 0;
    bool const continues = runs != 0 && block.var == var && begin == last + 1;
    runs += runsOf(block, span) - (continues ? 1 : 0);
    var = block.var;
    last = begin + span;
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
