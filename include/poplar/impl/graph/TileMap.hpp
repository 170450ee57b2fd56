#pragma once
// Which tile each element of a variable lives on: a step function over [0, numElements).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::graph {

/// Marks elements that are mapped to no tile.
inline constexpr std::uint32_t kNoTile = ~std::uint32_t{0};

/// Neighbouring intervals of one tile are always merged. set() costs O(log intervals) plus the
/// intervals it replaces, and O(1) when it appends; forEach() costs O(log intervals) plus the
/// intervals it visits. A variable on a single tile allocates nothing.
class POP_API TileMap {
public:
  TileMap() = default;
  explicit TileMap(std::uint64_t numElements) : numElements_(numElements) {}
  TileMap(TileMap const &other);
  TileMap(TileMap &&other) noexcept = default;
  TileMap &operator=(TileMap const &other);
  TileMap &operator=(TileMap &&other) noexcept = default;

  std::uint64_t numElements() const { return numElements_; }

  /// Maps elements [begin, end) to `tile` (kNoTile unmaps them). Empty ranges have no effect.
  void set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile);

  /// Tile of one element, kNoTile if unmapped.
  std::uint32_t at(std::uint64_t element) const;

  /// Calls f(intervalBegin, intervalEnd, tile) for every maximal interval cut to [begin, end), in
  /// order; unmapped intervals come with kNoTile.
  template <class F> void forEach(std::uint64_t begin, std::uint64_t end, F &&f) const;

  /// True if all of [begin, end) has one tile (or none), which is stored in `tile`.
  bool uniform(std::uint64_t begin, std::uint64_t end, std::uint32_t &tile) const;

  /// True if every element of [begin, end) is mapped.
  bool complete(std::uint64_t begin, std::uint64_t end) const;
  bool complete() const { return complete(0, numElements_); }

  std::size_t numIntervals() const; ///< unmapped ones count

  class Cursor;

private:
  /// An interval begins at `begin` and ends where the next one begins. Chunks are never empty, so
  /// that a two-level search finds an interval and an insertion moves at most one chunk.
  struct Step {
    std::uint64_t begin;
    std::uint32_t tile;
  };
  using Chunk = std::vector<Step>;
  static constexpr std::size_t kChunkSteps = 256;

  struct Position {
    std::size_t chunk, step;
  };
  Position find(std::uint64_t element) const;
  bool next(Position &position) const;
  void setSteps(std::uint64_t begin, std::uint64_t end, std::uint32_t tile);
  void replace(Position first, Position last, Step const *steps, std::size_t numSteps);
  void split(std::size_t chunk);

  std::uint64_t numElements_ = 0;
  std::uint32_t only_ = kNoTile;               ///< the tile of all elements while chunks_ is null
  std::unique_ptr<std::vector<Chunk>> chunks_; ///< the first step begins at 0
};

/// Looks elements up one after another: O(1) in the interval of the last one and in the next.
class POP_API TileMap::Cursor {
public:
  /// Keeps a pointer to the map, which must not change.
  explicit Cursor(TileMap const &map);

  /// True if all of [begin, end) has one tile (or none), which is stored in `tile`.
  bool uniform(std::uint64_t begin, std::uint64_t end, std::uint32_t &tile) {
    if (begin < begin_ || begin >= end_)
      seek(begin);
    tile = tile_;
    return end <= end_;
  }

private:
  void seek(std::uint64_t element);
  void load();

  TileMap const *map_;
  Position position_{0, 0};
  Chunk const *chunk_ = nullptr;      ///< at the position
  std::uint64_t begin_ = 0, end_ = 0; ///< of the interval at the position
  std::uint32_t tile_ = kNoTile;
};

template <class F> void TileMap::forEach(std::uint64_t begin, std::uint64_t end, F &&f) const {
  if (begin >= end)
    return;
  if (!chunks_) {
    f(begin, end, only_);
    return;
  }
  Position position = find(begin);
  std::uint64_t from = begin;
  while (from < end) {
    std::uint32_t const tile = (*chunks_)[position.chunk][position.step].tile;
    std::uint64_t to = end;
    if (next(position)) {
      std::uint64_t const following = (*chunks_)[position.chunk][position.step].begin;
      to = following < end ? following : end;
    }
    f(from, to, tile);
    from = to;
  }
}

} // namespace cottonwood::graph
