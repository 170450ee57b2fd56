// Places for what lives on one tile for a while.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cottonwood::lower {

/// Gives out and takes back ranges of bytes as a program goes on: the smallest hole that is large
/// enough, or what follows the last range. O(holes) each; ranges begin and end at multiples of
/// ALIGN.
class TileHeap {
public:
  /// What a variable has on a tile ends at a multiple of this: types want at least 4, and PopLibs
  /// asks for 8, the width of a load.
  static constexpr std::uint64_t ALIGN = 8;

  static constexpr std::uint64_t rounded(std::uint64_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
  }

  /// \returns where the bytes begin
  std::uint64_t take(std::uint64_t bytes) {
    bytes = rounded(bytes);
    std::size_t const hole = holeFor(bytes);
    if (hole == holes_.size()) {
      end_ += bytes;
      most_ = std::max(most_, end_);
      return end_ - bytes;
    }
    std::uint64_t const begin = holes_[hole].begin;
    holes_[hole].begin += bytes;
    if (holes_[hole].begin == holes_[hole].end)
      holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(hole));
    return begin;
  }

  /// \param bytes  as many as were taken
  void give(std::uint64_t begin, std::uint64_t bytes) {
    std::uint64_t end = begin + rounded(bytes);
    if (begin == end)
      return;
    auto next =
        std::upper_bound(holes_.begin(), holes_.end(), begin,
                         [](std::uint64_t at, Hole const &hole) { return at < hole.begin; });
    if (next != holes_.end() && next->begin == end) {
      end = next->end;
      next = holes_.erase(next);
    }
    if (next != holes_.begin() && std::prev(next)->end == begin) {
      begin = std::prev(next)->begin;
      next = holes_.erase(std::prev(next));
    }
    if (end == end_)
      end_ = begin;
    else
      holes_.insert(next, {begin, end});
  }

  /// Takes the bytes and gives them back at once.
  void touch(std::uint64_t bytes) {
    if (holeFor(rounded(bytes)) == holes_.size())
      most_ = std::max(most_, end_ + rounded(bytes));
  }

  /// The end of all ranges so far.
  std::uint64_t mostBytes() const { return most_; }

private:
  struct Hole {
    std::uint64_t begin, end;
  };
  std::size_t holeFor(std::uint64_t bytes) const {
    std::size_t best = holes_.size();
    for (std::size_t i = 0; i != holes_.size(); ++i) {
      std::uint64_t const size = holes_[i].end - holes_[i].begin;
      if (size >= bytes && (best == holes_.size() || size < holes_[best].end - holes_[best].begin))
        best = i;
    }
    return best;
  }

  std::vector<Hole> holes_; ///< ascending, apart from each other, before end_
  std::uint64_t end_ = 0, most_ = 0;
};

} // namespace cottonwood::lower
