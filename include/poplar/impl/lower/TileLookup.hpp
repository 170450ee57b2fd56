// Which tiles the elements of strided pieces live on, without looking at single elements where one
// tile has them all.
#pragma once

#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/Context.hpp>

#include <algorithm>
#include <vector>

namespace cottonwood::lower {

/// f(begin, end, elements, tile) for pieces of `set` that lie on one tile each: elements of the
/// hull [begin, end).
template <class F>
void forEachTilePiece(graph::TileMap const &tiles, ElementSet const &set, F &&f) {
  std::uint32_t tile = graph::kNoTile;
  if (tiles.uniform(set.lo, set.hi, tile)) {
    std::uint64_t elements = 1;
    for (ElementSet::Dim const &dim : set.dims)
      elements *= dim.count;
    f(set.lo, set.hi, elements, tile);
    return;
  }
  ElementSet::Dim const outer = set.dims.back();
  if (set.dims.size() == 1 && outer.stride == 1) {
    tiles.forEach(set.lo, set.hi, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t at) {
      f(begin, end, end - begin, at);
    });
    return;
  }
  ElementSet part = set;
  part.dims.pop_back();
  std::uint64_t const span = set.hi - set.lo - (outer.count - 1) * outer.stride;
  if (part.dims.empty())
    part.dims.push_back({1, 1});
  for (std::uint64_t i = 0; i < outer.count; ++i) {
    part.lo = set.lo + i * outer.stride;
    part.hi = part.lo + span;
    forEachTilePiece(tiles, part, f);
  }
}

/// Gives each variable an address range of its own, so that the moves of a copy can be asked for
/// their tiles.
class VirtualMemory {
public:
  explicit VirtualMemory(graph::GraphData const &graph);

  std::uint64_t addressOf(std::size_t varIndex) const { return starts_[varIndex]; }
  /// The tile of all bytes [lo, hi), if they belong to one variable and one tile.
  bool uniform(graph::GraphData const &graph, VarIndex const &vars, std::uint64_t lo,
               std::uint64_t hi, std::uint32_t &tile) const;

private:
  std::vector<std::uint64_t> starts_; ///< by VarIndex, ascending
};

} // namespace cottonwood::lower
