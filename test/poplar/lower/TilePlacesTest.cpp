// Places on one tile, against a list of what is where.
#include <poplar/impl/lower/TilePlaces.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

using cottonwood::lower::PlaceDemand;
using cottonwood::lower::TilePlaces;

namespace {

struct Range {
  std::uint64_t begin, bytes;
  std::uint64_t end() const { return begin + TilePlaces::rounded(bytes); }
};

/// All that lives, looked at one by one.
class Naive {
public:
  Naive(std::uint64_t begin, std::uint64_t interleavedBegin)
      : begin_(begin), interleavedBegin_(interleavedBegin) {}

  /// Whether there is a hole below the interleaved region that is large enough wherever it begins.
  bool fitsBelow(std::uint64_t bytes, std::uint64_t alignment) const {
    std::uint64_t at = begin_;
    auto const fits = [&](std::uint64_t to) {
      return at + TilePlaces::rounded(bytes) + alignment - 8 <= std::min(to, interleavedBegin_);
    };
    for (auto const &[begin, range] : living_) {
      if (fits(begin))
        return true;
      at = std::max(at, range.end());
    }
    return fits(interleavedBegin_);
  }
  bool overlaps(Range const &range) const {
    return std::any_of(living_.begin(), living_.end(), [&](auto const &entry) {
      return range.begin < entry.second.end() && entry.second.begin < range.end();
    });
  }
  void add(Range const &range) {
    living_[range.begin] = range;
    sum_ += TilePlaces::rounded(range.bytes);
    mostLiving_ = std::max(mostLiving_, sum_);
    end_ = std::max(end_, range.end());
  }
  Range remove(std::size_t which) {
    auto const at = std::next(living_.begin(), static_cast<std::ptrdiff_t>(which));
    Range const range = at->second;
    sum_ -= TilePlaces::rounded(range.bytes);
    living_.erase(at);
    return range;
  }
  std::size_t size() const { return living_.size(); }
  std::uint64_t end() const { return end_; }               ///< of all that ever lived
  std::uint64_t mostLiving() const { return mostLiving_; } ///< at one time: nothing needs less

private:
  std::uint64_t begin_, interleavedBegin_;
  std::map<std::uint64_t, Range> living_;
  std::uint64_t sum_ = 0, mostLiving_ = 0, end_ = 0;
};

void checkRandom(unsigned seed, std::uint64_t begin, std::uint64_t interleavedBegin) {
  CAPTURE(seed);
  CAPTURE(begin);
  CAPTURE(interleavedBegin);
  std::mt19937 random(seed);
  TilePlaces places(begin, interleavedBegin);
  Naive naive(TilePlaces::rounded(begin), interleavedBegin);
  for (int turn = 0; turn != 2000; ++turn) {
    if (naive.size() != 0 && random() % 9 < 4) {
      Range const range = naive.remove(random() % naive.size());
      places.give(range.begin, range.bytes);
      continue;
    }
    std::uint64_t const bytes = 1 + random() % (random() % 8 == 0 ? 400 : 60);
    PlaceDemand const demand{1u << random() % 7, random() % 3 == 0};
    Range const range{places.take(bytes, demand), bytes};
    CAPTURE(range.begin);
    CAPTURE(bytes);
    std::uint64_t const alignment = std::max<std::uint64_t>(8, demand.alignment);
    REQUIRE(range.begin >= begin);
    REQUIRE(range.begin % alignment == 0);
    REQUIRE_FALSE(naive.overlaps(range));
    if (demand.interleaved)
      REQUIRE(range.begin >= interleavedBegin);
    else if (range.begin >= interleavedBegin)
      REQUIRE_FALSE(naive.fitsBelow(bytes, alignment));
    naive.add(range);
    REQUIRE(places.mostBytes() == naive.end());
  }
  CHECK(places.mostBytes() >= TilePlaces::rounded(begin) + naive.mostLiving());
  while (naive.size() != 0) {
    Range const range = naive.remove(random() % naive.size());
    places.give(range.begin, range.bytes);
  }
  // All is free again.
  CHECK(places.take(naive.end()) == TilePlaces::rounded(begin));
}

} // namespace

TEST_SUITE("poplar/lower/TilePlaces") {
  TEST_CASE("what lives at once is apart, aligned, and where it must be") {
    for (unsigned seed = 1; seed != 40; ++seed)
      for (std::uint64_t const interleavedBegin : {0, 200, 1000, 100000})
        for (std::uint64_t const begin : {0, 20, 1200})
          checkRandom(seed, begin, interleavedBegin);
  }

  TEST_CASE("the rest goes to interleaved memory when there is no room below") {
    TilePlaces places(16, 64);
    CHECK(places.take(24, {8, true}) == 64); // nothing is below
    CHECK(places.take(40) == 16);
    CHECK(places.take(16) == 88); // 8 are left below
    CHECK(places.take(8) == 56);
    places.give(16, 40);
    CHECK(places.take(8, {8, true}) == 104);
    CHECK(places.take(8) == 16);
    CHECK(places.mostBytes() == 112);
  }

  TEST_CASE("what asks for nothing may lie across the begin of the interleaved region") {
    TilePlaces places(0, 64);
    CHECK(places.take(96) == 0);
    CHECK(places.take(8, {8, true}) == 96);
    places.give(0, 96);
    CHECK(places.take(16, {8, true}) == 64); // within the hole that was left
    CHECK(places.take(64) == 0);
  }

  TEST_CASE("the smallest hole that is large enough is taken; alignment may need a larger one") {
    TilePlaces places;
    for (std::uint64_t const bytes : {24, 8, 16, 8, 40, 8})
      places.take(bytes); // at 0, 24, 32, 48, 56, 96
    places.give(0, 24);
    places.give(32, 16);
    places.give(56, 40);
    CHECK(places.take(16) == 32);
    CHECK(places.take(16, {16}) == 0);
    CHECK(places.take(16, {16}) == 64);
    CHECK(places.take(8) == 16);
    CHECK(places.take(8, {64}) == 128);
  }

  TEST_CASE("nothing takes nothing") {
    TilePlaces places(8, 64);
    places.give(places.take(0, {16, true}), 0);
    CHECK(places.mostBytes() == 0);
    CHECK(places.take(8) == 8);
    places.give(places.take(0), 0);
    CHECK(places.mostBytes() == 16);
  }

  TEST_CASE("a million places cost a few looks each, however many holes there are") {
    std::mt19937 random(7);
    TilePlaces places(0, 1 << 20);
    std::vector<Range> living;
    std::uint64_t takes = 0;
    for (int turn = 0; turn != 1'000'000; ++turn) {
      std::uint64_t const bytes = 8 * (1 + random() % 50);
      living.push_back({places.take(bytes, {1u << random() % 8, random() % 4 == 0}), bytes});
      ++takes;
      for (int i = 0; i != 2 && living.size() > 20000; ++i) {
        std::swap(living[random() % living.size()], living.back());
        places.give(living.back().begin, living.back().bytes);
        living.pop_back();
      }
    }
    CHECK(places.numLooks() <= 20 * takes);
  }
}
