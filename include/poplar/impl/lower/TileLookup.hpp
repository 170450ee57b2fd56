// Which tiles the elements of strided pieces live on, without looking at single elements where one
// tile has them all.
#pragma once

#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/Context.hpp>

#include <algorithm>
#include <optional>
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
  /// The variable whose range has this address.
  std::size_t variableAt(std::uint64_t address) const;

private:
  std::vector<std::uint64_t> starts_; ///< by VarIndex, ascending
};

/// One end of the moves of a copy: which tiles have the bytes at virtual addresses. Remembers the
/// variable of the last answer.
class TileCursor {
public:
  TileCursor(Context const &context, VirtualMemory const &memory)
      : context_(context), memory_(memory) {}

  /// The tile of all bytes [lo, hi), if they belong to one variable and one tile.
  bool uniform(std::uint64_t lo, std::uint64_t hi, std::uint32_t &tile) {
    seek(lo);
    if (hi > end_)
      return false;
    return tiles_->uniform((lo - begin_) / size_, (hi - begin_ + size_ - 1) / size_, tile);
  }
  /// f(bytes from `at`, tile) for the pieces of [at, at + bytes), which are in one variable, in
  /// order; the first number is where the piece ends.
  template <class F> void forEach(std::uint64_t at, std::uint64_t bytes, F &&f) {
    seek(at);
    std::uint64_t const first = (at - begin_) / size_;
    variable_->tiles.forEach(first, first + bytes / size_,
                             [&](std::uint64_t, std::uint64_t to, std::uint32_t tile) {
                               f((to - first) * size_, tile);
                             });
  }

private:
  void seek(std::uint64_t at);

  Context const &context_;
  VirtualMemory const &memory_;
  graph::Variable const *variable_ = nullptr;
  std::optional<graph::TileMap::Cursor> tiles_;  ///< of the variable
  std::uint64_t begin_ = 0, end_ = 0, size_ = 1; ///< of the variable: bytes, and of an element
};

} // namespace cottonwood::lower
