#include <poplar/impl/graph/TileMap.hpp>

#include <doctest/doctest.h>
#include <random>
#include <utility>
#include <vector>

using cottonwood::graph::kNoTile;
using cottonwood::graph::TileMap;

namespace {

using Intervals = std::vector<std::pair<std::uint64_t, std::uint32_t>>; // begin, tile

Intervals intervalsOf(TileMap const &map) {
  Intervals intervals;
  map.forEach(0, map.numElements(), [&](std::uint64_t begin, std::uint64_t, std::uint32_t tile) {
    intervals.emplace_back(begin, tile);
  });
  return intervals;
}

} // namespace

TEST_SUITE_BEGIN("poplar/graph/tileMap");

TEST_CASE("a new map is one unmapped interval") {
  TileMap map(10);
  CHECK(map.at(3) == kNoTile);
  CHECK_FALSE(map.complete());
  CHECK(intervalsOf(map) == Intervals{{0, kNoTile}});
  CHECK(TileMap(0).complete());
}

TEST_CASE("neighbours on one tile are merged from both sides") {
  TileMap map(10);
  map.set(0, 3, 1);
  map.set(6, 10, 1);
  CHECK(map.numIntervals() == 3);
  map.set(3, 6, 1);
  CHECK(map.numIntervals() == 1);
  CHECK(map.complete());
  map.set(4, 5, kNoTile);
  CHECK(intervalsOf(map) == Intervals{{0, 1}, {4, kNoTile}, {5, 1}});
  CHECK_FALSE(map.complete());
  CHECK(map.complete(5, 10));
}

TEST_CASE("uniform sees exactly the range asked for") {
  TileMap map(10);
  map.set(0, 5, 1);
  map.set(5, 10, 2);
  std::uint32_t tile = 0;
  CHECK(map.uniform(0, 5, tile));
  CHECK(tile == 1);
  CHECK_FALSE(map.uniform(4, 6, tile));
}

TEST_CASE("random changes agree with an array of tiles") {
  std::mt19937 random(7);
  for (std::size_t const size : {std::size_t{1}, std::size_t{13}, std::size_t{5000}}) {
    CAPTURE(size);
    TileMap map(size);
    std::vector<std::uint32_t> expected(size, kNoTile);
    std::uniform_int_distribution<std::size_t> position(0, size);
    std::uniform_int_distribution<std::uint32_t> tiles(0, 4);
    std::uniform_int_distribution<std::size_t> lengths(1, 6);
    for (unsigned turn = 0; turn < 20000; ++turn) {
      std::size_t begin = position(random);
      std::size_t end =
          turn % 500 == 0 ? position(random) : std::min(size, begin + lengths(random));
      if (begin > end)
        std::swap(begin, end);
      std::uint32_t tile = tiles(random);
      if (tile == 4)
        tile = kNoTile;
      map.set(begin, end, tile);
      std::fill(expected.begin() + static_cast<std::ptrdiff_t>(begin),
                expected.begin() + static_cast<std::ptrdiff_t>(end), tile);
    }
    std::size_t numIntervals = 0;
    for (std::size_t i = 0; i < size; ++i)
      numIntervals += i == 0 || expected[i] != expected[i - 1];
    CHECK(map.numIntervals() == numIntervals);
    bool same = true;
    map.forEach(0, size, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
      for (std::uint64_t i = begin; i < end; ++i)
        same = same && expected[i] == tile && map.at(i) == tile;
    });
    CHECK(same);
    TileMap const copy = map;
    CHECK(intervalsOf(copy) == intervalsOf(map));
  }
}

TEST_CASE("strided order builds large maps quickly") {
  constexpr std::uint64_t kRows = 1000, kColumns = 1000;
  TileMap map(kRows * kColumns);
  for (std::uint64_t column = 0; column < kColumns; ++column)
    for (std::uint64_t row = 0; row < kRows; ++row)
      map.set(row * kColumns + column, row * kColumns + column + 1,
              static_cast<std::uint32_t>(column % 7));
  CHECK(map.complete());
  CHECK(map.at(5 * kColumns + 9) == 2);
}

TEST_SUITE_END();
