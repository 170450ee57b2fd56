// What the tiles send and receive in one exchange between them.
#pragma once

#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/TileLookup.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace cottonwood::lower {

/// Collects the elements that tiles need from others. An element that several vertices of a tile
/// need arrives once; one that several tiles need is sent once (a sent word can be received by any
/// number of tiles), and by a pair of neighbours on one bus at twice the rate.
class ExchangeLedger {
public:
  /// What becomes of elements that are where they are wanted.
  enum class Own { Stays, IsSent };

  /// Elements of a set that lie on other tiles are brought `to` a tile.
  void bring(graph::TileMap const &tiles, ElementSet const &set, std::uint64_t elementBytes,
             std::uint32_t to, Own own = Own::Stays);
  /// Elements of a set that lie on other tiles are taken there `from` a tile.
  void takeHome(graph::TileMap const &tiles, ElementSet const &set, std::uint64_t elementBytes,
                std::uint32_t from, Own own = Own::Stays);

  bool empty() const { return words_.empty() && bulks_.empty(); }

  struct Traffic {
    std::uint64_t out = 0, in = 0, messages = 0;
    std::uint64_t sends = 0;  ///< contiguous runs of `out`
    std::uint64_t shared = 0; ///< of `in`: bytes that the neighbour on the bus receives as well
  };
  /// f(source IPU, destination IPU, bytes) for what leaves an IPU; a word that several tiles of
  /// another one receive crosses once.
  template <class F> void forEachCrossing(unsigned tilesPerIPU, F &&f) const;
  /// f(tile, Traffic const &) adds up for every tile that takes part. The ledger is empty then.
  /// \param tilesPerBus  tiles that share a bus: 1 or 2
  template <class F> void settle(unsigned tilesPerBus, F &&f);

private:
  /// Bytes [begin, end) of a variable.
  struct Word {
    std::uint32_t to, from;
    graph::VarId var;
    std::uint64_t begin, end;
  };
  /// Scattered elements, too many to look at each.
  struct Bulk {
    std::uint32_t to, from;
    std::uint64_t bytes, messages;
  };
  static constexpr std::uint64_t MANY_ROWS = 4096;

  template <class Add>
  static void forEachPiece(graph::TileMap const &tiles, ElementSet const &set, Add &&add);
  void add(std::uint32_t to, std::uint32_t from, graph::VarId var, std::uint64_t begin,
           std::uint64_t end, std::uint64_t bytes, std::uint64_t messages);
  void join();
  /// f(Word const &) for the bytes of each source, destination and variable, each byte once. Sorts.
  template <class F> static void forEachOnce(std::vector<Word> &words, F &&f);

  std::vector<Word> words_;
  std::vector<Bulk> bulks_;
};

template <class Add>
void ExchangeLedger::forEachPiece(graph::TileMap const &tiles, ElementSet const &set, Add &&add) {
  std::uint32_t tile = graph::kNoTile;
  bool const onOne = tiles.uniform(set.lo, set.hi, tile);
  std::uint64_t elements = 1;
  for (ElementSet::Dim const &dim : set.dims)
    elements *= dim.count;
  std::uint64_t const row = set.dims[0].stride == 1 ? set.dims[0].count : 1;
  if (elements / row > MANY_ROWS)
    return forEachTilePiece(tiles, set,
                            [&](std::uint64_t begin, std::uint64_t end, std::uint64_t count,
                                std::uint32_t at) { add(begin, end, count, at); });
  set.forEachRow([&](std::uint64_t begin, std::uint64_t end) {
    if (onOne)
      add(begin, end, end - begin, tile);
    else
      tiles.forEach(begin, end, [&](std::uint64_t from, std::uint64_t to, std::uint32_t at) {
        add(from, to, to - from, at);
      });
    return true;
  });
}

template <class F> void ExchangeLedger::forEachOnce(std::vector<Word> &words, F &&f) {
  auto const way = [](Word const &word) { return std::tuple(word.from, word.to, word.var); };
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

template <class F> void ExchangeLedger::forEachCrossing(unsigned tilesPerIPU, F &&f) const {
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

template <class F> void ExchangeLedger::settle(unsigned tilesPerBus, F &&f) {
  join();
  for (Bulk const &bulk : bulks_) {
    f(bulk.from, Traffic{bulk.bytes, 0, 0, bulk.messages, 0});
    f(bulk.to, Traffic{0, bulk.bytes, bulk.messages, 0, 0});
  }
  bulks_.clear();
  for (Word const &word : words_)
    f(word.to, Traffic{0, word.end - word.begin, 1, 0, 0});
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
      if (x.var == y.var && x.from == y.from) {
        std::uint64_t const lo = std::max(x.begin, y.begin), hi = std::min(x.end, y.end);
        shared += lo < hi ? hi - lo : 0;
      }
      (std::pair(x.var, x.end) < std::pair(y.var, y.end) ? a : b) += 1;
    }
    if (shared != 0) {
      f(words_[i].to, Traffic{0, 0, 0, 0, shared});
      f(words_[middle].to, Traffic{0, 0, 0, 0, shared});
    }
    i = end;
  }
  // Each byte is sent once, to wherever it is wanted.
  for (Word &word : words_)
    word.to = 0;
  forEachOnce(words_, [&](Word const &word) {
    f(word.from, Traffic{word.end - word.begin, 0, 0, 1, 0});
  });
  words_.clear();
}

} // namespace cottonwood::lower
