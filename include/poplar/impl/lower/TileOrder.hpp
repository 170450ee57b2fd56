// What a tile holds of a variable lies side by side there, in the order of the variable.
#pragma once

#include <poplar/impl/graph/TileMap.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cottonwood::lower {

/// The places of a variable's elements on its tiles. Made in O(intervals log intervals).
class TileOrder {
public:
  explicit TileOrder(graph::TileMap const &tiles) {
    tiles.forEach(0, tiles.numElements(),
                  [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                    pieces_.push_back({tile, begin, end, 0});
                  });
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [](Piece const &a, Piece const &b) { return a.tile < b.tile; });
    for (std::size_t i = 1; i < pieces_.size(); ++i)
      if (pieces_[i].tile == pieces_[i - 1].tile)
        pieces_[i].rank = pieces_[i - 1].rank + pieces_[i - 1].end - pieces_[i - 1].begin;
  }

  /// How many elements before `element` the tile holds. O(log intervals).
  std::uint64_t rank(std::uint32_t tile, std::uint64_t element) const {
    auto const after = std::upper_bound(
        pieces_.begin(), pieces_.end(), element, [&](std::uint64_t e, Piece const &piece) {
          return tile != piece.tile ? tile < piece.tile : e < piece.begin;
        });
    if (after == pieces_.begin() || std::prev(after)->tile != tile)
      return 0;
    Piece const &piece = *std::prev(after);
    return piece.rank + std::min(element, piece.end) - piece.begin;
  }

private:
  struct Piece {
    std::uint32_t tile;
    std::uint64_t begin, end;
    std::uint64_t rank; ///< elements of the tile before it
  };
  std::vector<Piece> pieces_; ///< by tile, then in order
};

} // namespace cottonwood::lower
