#pragma once

#include <popops/impl/Partition.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/model/Machine.hpp>

#include <algorithm>
#include <numeric>

namespace cottonwood::popops {

POP_INLINE planner::Crew crewOf(::poplar::Target const &target) {
  planner::Crew crew;
  model::Machine const machine = model::machineOf(target);
  crew.workers = machine.workers;
  crew.oneTile = machine.tiles == 1;
  crew.threads = machine.isCpu ? machine.cpu.threads : machine.workers;
  return crew;
}

namespace detail {

/// Elements in 64 bytes of the smallest type: ranges that start at multiples share no cache line.
inline constexpr std::size_t SHARE_GRAIN = 64;

POP_INLINE std::vector<Share> evenShares(std::size_t elements, std::size_t parts,
                                         std::size_t grain) {
  std::size_t const each = poputil::roundUp(poputil::ceilDiv(elements, parts), grain);
  std::vector<Share> shares;
  for (std::size_t begin = 0; begin < elements; begin += each)
    shares.push_back({0, {Interval(begin, std::min(begin + each, elements))}});
  return shares;
}

POP_INLINE std::size_t offsetOf(Tensor const &t, std::vector<std::size_t> const &indices,
                                ::poplar::VariableRef &variable) {
  auto const regions = t.index(indices).getVarRegions();
  variable = regions.front().var;
  return regions.front().interval.begin();
}

} // namespace detail

POP_INLINE std::vector<Share> sharesOf(::poplar::Graph const &graph, Tensor const &flat,
                                       planner::ElementWisePlan const &plan) {
  if (flat.numElements() == 0)
    return {};
  if (graph.getTarget().getNumTiles() == 1)
    return detail::evenShares(flat.numElements(), plan.parts, detail::SHARE_GRAIN);
  std::vector<Share> shares;
  auto const mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    auto const &intervals = mapping[tile];
    if (intervals.size() > plan.gatherAbove)
      shares.push_back({tile, intervals});
    else
      for (Interval const &interval : intervals)
        shares.push_back({tile, {interval}});
  }
  return shares;
}

POP_INLINE std::vector<Share> rowSharesOf(::poplar::Graph const &graph, Tensor const &matrix,
                                          double rowCycles) {
  std::size_t const rows = matrix.dim(0);
  if (matrix.numElements() == 0)
    return {};
  planner::Crew const crew = crewOf(graph.getTarget());
  if (crew.oneTile) {
    planner::ElementWiseProblem problem;
    problem.elements = rows;
    problem.cyclesPer8 = static_cast<unsigned>(std::min(rowCycles * 8, 1e9));
    return detail::evenShares(
        rows, std::min<std::size_t>(rows, planner::planElementWise(problem, crew).parts), 1);
  }
  std::vector<Share> shares;
  auto const mapping = graph.getTileMapping(matrix.slice(0, 1, 1).flatten());
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (Interval const &interval : mapping[tile])
      shares.push_back({tile, {interval}});
  return shares;
}

POP_INLINE std::vector<unsigned> tilesOfPieces(::poplar::Graph const &graph, Tensor const &firsts) {
  std::size_t const count = firsts.numElements(), tiles = graph.getTarget().getNumTiles();
  std::vector<unsigned> result(count, 0);
  if (tiles == 1)
    return result;
  std::size_t const even = poputil::ceilDiv(count, tiles);
  auto const mapping = graph.getTileMapping(firsts.flatten());
  std::size_t most = 0;
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    std::size_t here = 0;
    for (Interval const &interval : mapping[tile]) {
      here += interval.size();
      std::fill(result.begin() + static_cast<std::ptrdiff_t>(interval.begin()),
                result.begin() + static_cast<std::ptrdiff_t>(interval.end()), tile);
    }
    most = std::max(most, here);
  }
  if (most > 2 * even)
    for (std::size_t i = 0; i != count; ++i)
      result[i] = static_cast<unsigned>(i * tiles / count);
  return result;
}

POP_INLINE void appendRowShares(std::vector<Share> &shares, std::size_t begin, std::size_t end,
                                std::size_t parts, unsigned tile) {
  std::size_t const each = poputil::ceilDiv(end - begin, parts);
  for (; begin < end; begin += each)
    shares.push_back({tile, {Interval(begin, std::min(begin + each, end))}});
}

POP_INLINE Tensor partOf(Tensor const &flat, Share const &share) {
  if (share.intervals.size() == 1)
    return flat.slice(share.intervals.front());
  return ::poplar::concat(flat.slices(share.intervals));
}

POP_INLINE std::vector<unsigned> memoryOrder(Tensor const &t) {
  std::vector<unsigned> order(t.rank());
  std::iota(order.begin(), order.end(), 0U);
  if (t.rank() < 2 || t.numElements() < 2 || t.isContiguous())
    return order;
  std::vector<std::size_t> strides(t.rank(), 0), indices(t.rank(), 0);
  ::poplar::VariableRef first, other;
  std::size_t const origin = detail::offsetOf(t, indices, first);
  for (unsigned d = 0; d != t.rank(); ++d) {
    if (t.dim(d) < 2)
      continue;
    indices[d] = 1;
    std::size_t const offset = detail::offsetOf(t, indices, other);
    if (!(other == first) || offset < origin)
      return order;
    strides[d] = offset - origin;
    indices[d] = 0;
  }
  std::vector<unsigned> permuted = order;
  std::stable_sort(permuted.begin(), permuted.end(),
                   [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  return t.dimShuffle(permuted).isContiguous() ? permuted : order;
}

POP_INLINE Tensor asRows(Tensor const &t) { return t.rank() == 2 ? t : t.flatten(0, t.rank() - 1); }

} // namespace cottonwood::popops
