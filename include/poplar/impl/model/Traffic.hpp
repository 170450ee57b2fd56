// What tiles send and receive in one exchange.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace cottonwood::model {

struct TileTraffic {
  std::uint64_t out = 0, in = 0, messages = 0;
  std::uint64_t sends = 0;  ///< contiguous runs of `out`
  std::uint64_t shared = 0; ///< of `in`: bytes that the neighbour on the bus receives as well

  /// Bytes that hold the tile up: what neighbours on a bus both receive comes at twice the rate.
  std::uint64_t transferred() const { return std::max(out, in - shared / 2); }
};

/// Collects the bytes that tiles need from others. A byte that a tile needs more than once arrives
/// once; one that several tiles need is sent once (a sent word can be received by any number of
/// tiles), and by a pair of neighbours on one bus at twice the rate.
class TrafficLedger {
public:
  /// Bytes [begin, end) of a variable go from tile to tile. `bytes` of them where these lie apart:
  /// then they are too many pieces to look at each, and come in so many messages.
  void add(std::uint32_t to, std::uint32_t from, std::uint64_t what, std::uint64_t begin,
           std::uint64_t end, std::uint64_t bytes, std::uint64_t messages);
  bool empty() const { return words_.empty() && bulks_.empty(); }

  /// f(source IPU, destination IPU, bytes) for what leaves an IPU; a word that several tiles of
  /// another one receive crosses once.
  template <class F> void forEachCrossing(unsigned tilesPerIPU, F &&f) const;
  /// f(tile, TileTraffic const &) adds up for every tile that takes part. The ledger is empty then.
  /// \param tilesPerBus  tiles that share a bus: 1 or 2
  template <class F> void settle(unsigned tilesPerBus, F &&f);

private:
  /// Bytes [begin, end) of a variable.
  struct Word {
    std::uint32_t to, from;
    std::uint64_t what;
    std::uint64_t begin, end;
  };
  struct Bulk {
    std::uint32_t to, from;
    std::uint64_t bytes, messages;
  };
  void join();
  /// f(Word const &) for the bytes of each source, destination and variable, each byte once. Sorts.
  template <class F> static void forEachOnce(std::vector<Word> &words, F &&f);

  std::vector<Word> words_;
  std::vector<Bulk> bulks_;
};

inline void TrafficLedger::add(std::uint32_t to, std::uint32_t from, std::uint64_t what,
                               std::uint64_t begin, std::uint64_t end, std::uint64_t bytes,
                               std::uint64_t messages) {
  if (bytes == end - begin)
    words_.push_back({to, from, what, begin, end});
  else
    bulks_.push_back({to, from, bytes, messages});
}

/// Words of a tile in order, those that touch or overlap as one.
inline void TrafficLedger::join() {
  std::sort(words_.begin(), words_.end(), [](Word const &a, Word const &b) {
    return std::tuple(a.to, a.what, a.begin, a.from) < std::tuple(b.to, b.what, b.begin, b.from);
  });
  std::size_t kept = 0;
  for (Word const &word : words_) {
    if (kept != 0) {
      Word &last = words_[kept - 1];
      if (last.to == word.to && last.what == word.what && last.from == word.from &&
          word.begin <= last.end) {
        last.end = std::max(last.end, word.end);
        continue;
      }
    }
    words_[kept++] = word;
  }
  words_.resize(kept);
}

template <class F> void TrafficLedger::forEachOnce(std::vector<Word> &words, F &&f) {
  auto const way = [](Word const &word) { return std::tuple(word.from, word.to, word.what); };
  std::sort(words.begin(), words.end(), [&](Word const &a, Word const &b) {
    return std::pair(way(a), a.begin) < std::pair(way(b), b.begin);
  });
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Word word = words[i];
    if (i == 0 || way(word) != way(words[i - 1]))
      done = 0;
    if (word.end <= done)
      continue;
    word.begin = std::max(word.begin, done);
    done = word.end;
    f(word);
  }
}

template <class F> void TrafficLedger::forEachCrossing(unsigned tilesPerIPU, F &&f) const {
  for (Bulk const &bulk : bulks_)
    if (bulk.from / tilesPerIPU != bulk.to / tilesPerIPU)
      f(bulk.from / tilesPerIPU, bulk.to / tilesPerIPU, bulk.bytes);
  std::vector<Word> words;
  for (Word word : words_)
    if (word.from / tilesPerIPU != word.to / tilesPerIPU) {
      word.to /= tilesPerIPU;
      words.push_back(word);
    }
  forEachOnce(
      words, [&](Word const &word) { f(word.from / tilesPerIPU, word.to, word.end - word.begin); });
}

template <class F> void TrafficLedger::settle(unsigned tilesPerBus, F &&f) {
  join();
  for (Bulk const &bulk : bulks_) {
    f(bulk.from, TileTraffic{bulk.bytes, 0, 0, bulk.messages, 0});
    f(bulk.to, TileTraffic{0, bulk.bytes, bulk.messages, 0, 0});
  }
  bulks_.clear();
  for (Word const &word : words_)
    f(word.to, TileTraffic{0, word.end - word.begin, 1, 0, 0});
  // Neighbours: their words are side by side, those of a variable in order.
  auto const sameBus = [&](std::uint32_t a, std::uint32_t b) {
    return a / tilesPerBus == b / tilesPerBus;
  };
  for (std::size_t i = 0; tilesPerBus > 1 && i < words_.size();) {
    std::size_t middle = i, end = i;
    while (middle < words_.size() && words_[middle].to == words_[i].to)
      ++middle;
    if (middle == words_.size() || !sameBus(words_[i].to, words_[middle].to)) {
      i = middle;
      continue;
    }
    for (end = middle; end < words_.size() && words_[end].to == words_[middle].to;)
      ++end;
    std::uint64_t shared = 0;
    for (std::size_t a = i, b = middle; a < middle && b < end;) {
      Word const &x = words_[a], &y = words_[b];
      if (x.what == y.what && x.from == y.from) {
        std::uint64_t const lo = std::max(x.begin, y.begin), hi = std::min(x.end, y.end);
        shared += lo < hi ? hi - lo : 0;
      }
      (std::pair(x.what, x.end) < std::pair(y.what, y.end) ? a : b) += 1;
    }
    if (shared != 0) {
      f(words_[i].to, TileTraffic{0, 0, 0, 0, shared});
      f(words_[middle].to, TileTraffic{0, 0, 0, 0, shared});
    }
    i = end;
  }
  // Each byte is sent once, to wherever it is wanted.
  for (Word &word : words_)
    word.to = 0;
  forEachOnce(words_, [&](Word const &word) {
    f(word.from, TileTraffic{word.end - word.begin, 0, 0, 1, 0});
  });
  words_.clear();
}

} // namespace cottonwood::model
