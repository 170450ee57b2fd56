// The splits of plans for tiles that the search tries, and how many turns.
#pragma once

#include "TileBest.hpp"

#include <map>

namespace cottonwood::planner::detail {

/// Lists of numbers of parts, made once for each number of what is cut.
class TileSplitLists {
public:
  /// \param published  as published planners have them, which take tiles without work for granted
  TileSplitLists(std::uint64_t tiles, bool published) : tiles_(tiles), published_(published) {}

  /// Of output channels also the next even number: pairs of tiles share what they receive.
  std::vector<std::uint64_t> const &outChannels(std::uint64_t groups) {
    auto const [entry, isNew] = out_.try_emplace(groups);
    if (isNew) {
      std::vector<std::uint64_t> &splits = entry->second;
      splits = distinctSplits(groups, tiles_);
      for (std::size_t i = 0, count = splits.size(); i < count; ++i) {
        std::uint64_t const even = splits[i] + 1;
        if (even % 2 == 0 && (published_ || realParts(groups, even) == even))
          splits.push_back(even);
      }
      std::sort(splits.begin(), splits.end());
      splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
    }
    return entry->second;
  }
  /// Stages of the addition depend on the number itself.
  std::vector<std::uint64_t> const &inChannels(std::uint64_t groups) {
    auto const [entry, isNew] = in_.try_emplace(groups);
    if (isNew)
      entry->second = allSplits(groups, tiles_, published_);
    return entry->second;
  }

  /// How many turns to compute groups of channels in; each costs its own exchanges, so large
  /// numbers pay only where memory is short.
  std::vector<std::uint64_t> turns(std::uint64_t groups) const {
    std::vector<std::uint64_t> splits;
    if (!published_ && groups <= 64)
      return distinctSplits(groups, groups);
    constexpr std::uint64_t SOME[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64};
    for (std::uint64_t const s : SOME)
      if (s <= groups)
        splits.push_back(s);
    return splits;
  }

  /// One for each size of the largest part.
  std::vector<std::uint64_t> const &distinct(std::uint64_t size) {
    auto const [entry, isNew] = distinct_.try_emplace(size);
    if (isNew)
      entry->second = distinctSplits(size, tiles_);
    return entry->second;
  }

private:
  std::uint64_t tiles_;
  bool published_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> distinct_, in_, out_;
};

} // namespace cottonwood::planner::detail
