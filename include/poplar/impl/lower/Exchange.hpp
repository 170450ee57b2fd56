// What the tiles send and receive in one exchange between them.
#pragma once

#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/TileLookup.hpp>
#include <poplar/impl/model/Traffic.hpp>

#include <cstdint>

namespace cottonwood::lower {

/// Collects the elements that tiles need from others, as bytes of their variables.
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

  bool empty() const { return traffic_.empty(); }
  model::TrafficLedger &traffic() { return traffic_; }

private:
  static constexpr std::uint64_t MANY_ROWS = 4096;

  template <class Add>
  static void forEachPiece(graph::TileMap const &tiles, ElementSet const &set, Add &&add);
  model::TrafficLedger traffic_;
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

} // namespace cottonwood::lower
