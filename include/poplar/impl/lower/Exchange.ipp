// Body of Exchange.hpp.
#pragma once

#include <poplar/impl/lower/Exchange.hpp>

#include <algorithm>
#include <tuple>

namespace cottonwood::lower {

POP_INLINE void ExchangeLedger::bring(graph::TileMap const &tiles, ElementSet const &set,
                                      std::uint64_t elementBytes, std::uint32_t to, Own own) {
  forEachPiece(tiles, set, [&](auto begin, auto end, auto count, std::uint32_t from) {
    if (from != to || own == Own::IsSent)
      add(to, from, set.var, begin * elementBytes, end * elementBytes, count * elementBytes, count);
  });
}

POP_INLINE void ExchangeLedger::takeHome(graph::TileMap const &tiles, ElementSet const &set,
                                         std::uint64_t elementBytes, std::uint32_t from, Own own) {
  forEachPiece(tiles, set, [&](auto begin, auto end, auto count, std::uint32_t to) {
    if (from != to || own == Own::IsSent)
      add(to, from, set.var, begin * elementBytes, end * elementBytes, count * elementBytes, count);
  });
}

POP_INLINE void ExchangeLedger::add(std::uint32_t to, std::uint32_t from, graph::VarId var,
                                    std::uint64_t begin, std::uint64_t end, std::uint64_t bytes,
                                    std::uint64_t messages) {
  if (bytes == end - begin)
    words_.push_back({to, from, var, begin, end});
  else
    bulks_.push_back({to, from, bytes, messages});
}

/// Words of a tile in order, those that touch or overlap as one.
POP_INLINE void ExchangeLedger::join() {
  std::sort(words_.begin(), words_.end(), [](Word const &a, Word const &b) {
    return std::tuple(a.to, a.var, a.begin, a.from) < std::tuple(b.to, b.var, b.begin, b.from);
  });
  std::size_t kept = 0;
  for (Word const &word : words_) {
    if (kept != 0) {
      Word &last = words_[kept - 1];
      if (last.to == word.to && last.var == word.var && last.from == word.from &&
          word.begin <= last.end) {
        last.end = std::max(last.end, word.end);
        continue;
      }
    }
    words_[kept++] = word;
  }
  words_.resize(kept);
}

} // namespace cottonwood::lower
