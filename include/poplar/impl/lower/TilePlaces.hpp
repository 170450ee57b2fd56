// Places for what lies on one tile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace cottonwood::lower {

/// What is asked of a place.
struct PlaceDemand {
  std::uint32_t alignment = 1; ///< bytes, a power of two
  bool interleaved = false;    ///< in interleaved memory, and nowhere else

  /// The stronger of both.
  void join(PlaceDemand const &other) {
    alignment = std::max(alignment, other.alignment);
    interleaved = interleaved || other.interleaved;
  }
  friend bool operator==(PlaceDemand const &, PlaceDemand const &) = default;
};

/// Gives out and takes back ranges of a tile's addresses as a program goes on. What asks for
/// interleaved memory lies from its begin on; the rest below if there is room, and else there, too.
/// Of holes the smallest that is large enough is taken, and otherwise what follows the last range.
/// Nothing ends at a limit: who asks looks whether it lies beyond. O(log holes) each; ranges begin
/// and end at multiples of ALIGN.
class TilePlaces {
public:
  /// Types want at least 4, and PopLibs asks for 8, the width of a load.
  static constexpr std::uint64_t ALIGN = 8;

  static constexpr std::uint64_t rounded(std::uint64_t bytes) { return aligned(bytes, ALIGN); }

  TilePlaces() = default;
  /// \param begin             the first address that is free
  /// \param interleavedBegin  the first of the interleaved region, a multiple of ALIGN
  TilePlaces(std::uint64_t begin, std::uint64_t interleavedBegin)
      : interleavedBegin_(interleavedBegin), end_(rounded(begin)) {}

  /// \returns where the bytes begin
  std::uint64_t take(std::uint64_t bytes, PlaceDemand const &demand = {}) {
    bytes = rounded(bytes);
    if (bytes == 0)
      return end_;
    std::uint64_t const alignment = std::max<std::uint64_t>(ALIGN, demand.alignment);
    Found const hole = demand.interleaved ? bestOf(bestIn(upper_, bytes, alignment, NOWHERE),
                                                   acrossTheBegin(bytes, alignment))
                                          : anywhere(bytes, alignment);
    if (hole.end == 0)
      return append(bytes, alignment, demand.interleaved ? interleavedBegin_ : 0);
    erase(hole.begin);
    insert(hole.begin, hole.at);
    insert(hole.at + bytes, hole.end);
    return hole.at;
  }

  /// \param bytes  as many as were taken
  void give(std::uint64_t begin, std::uint64_t bytes) {
    if (bytes == 0)
      return;
    std::uint64_t end = begin + rounded(bytes);
    auto const next = holes_.lower_bound(begin);
    auto const before = next == holes_.begin() ? holes_.end() : std::prev(next);
    bool const goesOn = before != holes_.end() && before->second == begin;
    std::uint64_t const from = goesOn ? before->first : begin;
    if (next != holes_.end() && next->first == end) {
      end = next->second;
      erase(next->first);
    }
    if (goesOn)
      erase(from);
    if (end == end_)
      end_ = from;
    else
      insert(from, end);
  }

  /// The end of all ranges so far, 0 if there was none.
  std::uint64_t mostBytes() const { return most_; }
  /// Holes that were looked at so far.
  std::uint64_t numLooks() const { return looks_; }

private:
  /// By size, then by begin.
  using Sizes = std::set<std::pair<std::uint64_t, std::uint64_t>>;
  /// A hole and the place in it; `end` is 0 if there is none.
  struct Found {
    std::uint64_t begin = 0, end = 0, at = 0, size = 0;
  };
  /// Of holes that are large enough but for the alignment; then larger ones are taken.
  static constexpr int MOST_LOOKS = 8;
  static constexpr std::uint64_t NOWHERE = ~std::uint64_t{0};

  static constexpr std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) {
    return (at + alignment - 1) / alignment * alignment;
  }

  /// \param before  where the place begins at the latest, and not there
  Found bestIn(Sizes const &sizes, std::uint64_t bytes, std::uint64_t alignment,
               std::uint64_t before) {
    auto hole = sizes.lower_bound({bytes, 0});
    for (int look = 0; hole != sizes.end(); ++hole, ++look) {
      if (look == MOST_LOOKS) // whatever the alignment leaves of such a hole is enough
        hole = sizes.lower_bound({bytes + alignment - ALIGN, 0});
      if (hole == sizes.end())
        break;
      ++looks_;
      auto const [size, begin] = *hole;
      std::uint64_t const at = aligned(begin, alignment);
      if (at < before && at + bytes <= begin + size)
        return {begin, begin + size, at, size};
    }
    return {};
  }
  Found anywhere(std::uint64_t bytes, std::uint64_t alignment) {
    Found const found = bestIn(lower_, bytes, alignment, interleavedBegin_);
    return found.end != 0 ? found : bestIn(upper_, bytes, alignment, NOWHERE);
  }
  /// In the hole that reaches into the interleaved region from below, if there is one.
  Found acrossTheBegin(std::uint64_t bytes, std::uint64_t alignment) {
    auto const next = holes_.lower_bound(interleavedBegin_);
    if (next == holes_.begin())
      return {};
    auto const [begin, end] = *std::prev(next);
    ++looks_;
    std::uint64_t const at = aligned(interleavedBegin_, alignment);
    if (at + bytes > end)
      return {};
    return {begin, end, at, end - interleavedBegin_};
  }
  static Found bestOf(Found const &a, Found const &b) {
    return b.end == 0 || (a.end != 0 && a.size <= b.size) ? a : b;
  }

  std::uint64_t append(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t atLeast) {
    std::uint64_t const at = aligned(std::max(end_, atLeast), alignment);
    insert(end_, at);
    end_ = at + bytes;
    most_ = std::max(most_, end_);
    return at;
  }

  void insert(std::uint64_t begin, std::uint64_t end) {
    if (begin == end)
      return;
    holes_.emplace(begin, end);
    (begin < interleavedBegin_ ? lower_ : upper_).emplace(end - begin, begin);
  }
  void erase(std::uint64_t begin) {
    auto const hole = holes_.find(begin);
    (begin < interleavedBegin_ ? lower_ : upper_).erase({hole->second - begin, begin});
    holes_.erase(hole);
  }

  std::uint64_t interleavedBegin_ = NOWHERE / ALIGN * ALIGN;
  std::uint64_t end_ = 0, most_ = 0, looks_ = 0;
  std::map<std::uint64_t, std::uint64_t> holes_; ///< apart from each other, before end_
  Sizes lower_, upper_; ///< holes that begin below the interleaved region, and others
};

} // namespace cottonwood::lower
