#pragma once
// Which tiles of the top-level graph a virtual graph shows, and in what order.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/graph/TileMap.hpp>

namespace cottonwood::graph {

class TileTable {
public:
  /// Tiles [first, first + count).
  TileTable(unsigned first, unsigned count) : first_(first), count_(count) {}
  /// Any tiles, none twice. `numTopTiles` bounds their numbers.
  TileTable(std::vector<std::uint32_t> topTiles, unsigned numTopTiles)
      : count_(static_cast<unsigned>(topTiles.size())), toTop_(std::move(topTiles)),
        fromTop_(numTopTiles, kNoTile) {
    for (std::uint32_t tile = 0; tile < count_; ++tile)
      fromTop_[toTop_[tile]] = tile;
  }

  unsigned size() const { return count_; }
  std::uint32_t toTop(std::uint32_t tile) const {
    return toTop_.empty() ? first_ + tile : toTop_[tile];
  }
  /// kNoTile if the tile is not shown.
  std::uint32_t fromTop(std::uint32_t topTile) const {
    if (!toTop_.empty())
      return topTile < fromTop_.size() ? fromTop_[topTile] : kNoTile;
    return topTile >= first_ && topTile - first_ < count_ ? topTile - first_ : kNoTile;
  }

private:
  std::uint32_t first_ = 0;
  std::uint32_t count_;
  std::vector<std::uint32_t> toTop_, fromTop_; ///< empty: a range
};

} // namespace cottonwood::graph
