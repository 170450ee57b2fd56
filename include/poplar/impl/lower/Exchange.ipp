// Body of Exchange.hpp.
#pragma once

#include <poplar/impl/lower/Exchange.hpp>

namespace cottonwood::lower {

POP_INLINE void ExchangeLedger::bring(graph::TileMap const &tiles, ElementSet const &set,
                                      std::uint64_t elementBytes, std::uint32_t to, Own own) {
  forEachPiece(tiles, set, [&](auto begin, auto end, auto count, std::uint32_t from) {
    if (from != to || own == Own::IsSent)
      traffic_.add(to, from, set.var, begin * elementBytes, end * elementBytes,
                   count * elementBytes, count);
  });
}

POP_INLINE void ExchangeLedger::takeHome(graph::TileMap const &tiles, ElementSet const &set,
                                         std::uint64_t elementBytes, std::uint32_t from, Own own) {
  forEachPiece(tiles, set, [&](auto begin, auto end, auto count, std::uint32_t to) {
    if (from != to || own == Own::IsSent)
      traffic_.add(to, from, set.var, begin * elementBytes, end * elementBytes,
                   count * elementBytes, count);
  });
}

} // namespace cottonwood::lower
