#pragma once

#include <popops/impl/Partition.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/model/Machine.hpp>

#include <algorithm>
#include <numeric>
#include <span>

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

/// Whether all rows lie on one tile each.
POP_INLINE bool keepsRowsWhole(::poplar::Graph::TileToTensorMapping const &mapping,
                               std::size_t columns) {
  for (auto const &intervals : mapping)
    for (Interval const &interval : intervals)
      if (interval.begin() % columns != 0 || interval.end() % columns != 0)
        return false;
  return true;
}

/// Which tiles hold parts of the rows of a matrix, and which of them rows go to.
class RowPlaces {
public:
  RowPlaces(::poplar::Graph::TileToTensorMapping const &mapping, std::size_t rows,
            std::size_t columns)
      : ends_(rows + 1, 0), rows_(rows), loads_(mapping.size(), 0) {
    std::vector<Part> byTile; // and by row
    std::vector<std::size_t> rowOf;
    for (unsigned tile = 0; tile != mapping.size(); ++tile) {
      holders_ += mapping[tile].empty() ? 0 : 1;
      for (Interval const &interval : mapping[tile])
        for (std::size_t begin = interval.begin(), end = 0; begin != interval.end(); begin = end) {
          std::size_t const row = begin / columns;
          end = std::min((row + 1) * columns, interval.end());
          if (!byTile.empty() && rowOf.back() == row && byTile.back().tile == tile) {
            byTile.back().elements += end - begin;
            continue;
          }
          byTile.push_back({tile, end - begin});
          rowOf.push_back(row);
          ++ends_[row + 1];
        }
    }
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    parts_.resize(byTile.size());
    std::vector<std::size_t> next(ends_.begin(), ends_.end() - 1);
    for (std::size_t i = 0; i != byTile.size(); ++i)
      parts_[next[rowOf[i]]++] = byTile[i];
  }

  /// Each row goes where most of it lies. If that loads some tile much more than evenly, rows go on
  /// to others that hold a part of them, neighbours to the same one.
  std::vector<unsigned> tiles() {
    std::vector<unsigned> tiles(rows_);
    std::size_t const even = poputil::ceilDiv(rows_, holders_);
    std::size_t most = 0;
    for (std::size_t row = 0; row != rows_; ++row) {
      tiles[row] = largestOf(row);
      most = std::max(most, ++loads_[tiles[row]]);
    }
    if (most <= 2 * even)
      return tiles;
    std::fill(loads_.begin(), loads_.end(), 0);
    for (std::size_t row = 0; row != rows_; ++row) {
      unsigned const before = row == 0 ? tiles[0] : tiles[row - 1];
      if (loads_[tiles[row]] >= even)
        tiles[row] = holds(before, row) && loads_[before] < even ? before : leastLoadedOf(row);
      ++loads_[tiles[row]];
    }
    return tiles;
  }

private:
  struct Part {
    unsigned tile;
    std::size_t elements;
  };
  std::span<Part const> partsOf(std::size_t row) const {
    return {parts_.data() + ends_[row], parts_.data() + ends_[row + 1]};
  }
  unsigned largestOf(std::size_t row) const {
    auto const parts = partsOf(row);
    return std::max_element(parts.begin(), parts.end(),
                            [](Part const &a, Part const &b) { return a.elements < b.elements; })
        ->tile;
  }
  unsigned leastLoadedOf(std::size_t row) const {
    auto const parts = partsOf(row);
    return std::min_element(
               parts.begin(), parts.end(),
               [&](Part const &a, Part const &b) { return loads_[a.tile] < loads_[b.tile]; })
        ->tile;
  }
  bool holds(unsigned tile, std::size_t row) const {
    auto const parts = partsOf(row);
    return std::any_of(parts.begin(), parts.end(),
                       [&](Part const &part) { return part.tile == tile; });
  }

  std::vector<Part> parts_; ///< row by row
  std::vector<std::size_t> ends_;
  std::size_t rows_, holders_ = 0;
  std::vector<std::size_t> loads_; ///< rows of each tile
};

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
  auto const mapping = graph.getTileMapping(matrix.flatten());
  std::vector<Share> shares;
  if (detail::keepsRowsWhole(mapping, matrix.dim(1))) {
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (Interval const &interval : mapping[tile])
        shares.push_back(
            {tile, {Interval(interval.begin() / matrix.dim(1), interval.end() / matrix.dim(1))}});
    return shares;
  }
  auto const tiles = detail::RowPlaces(mapping, rows, matrix.dim(1)).tiles();
  for (std::size_t begin = 0, end = 0; begin != rows; begin = end) {
    while (end != rows && tiles[end] == tiles[begin])
      ++end;
    shares.push_back({tiles[begin], {Interval(begin, end)}});
  }
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
