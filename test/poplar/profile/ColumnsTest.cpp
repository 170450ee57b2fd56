// Lists of numbers as bytes.
#include <poplar/impl/profile/Columns.hpp>

#include <poplar/impl/profile/Columns.ipp>

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <random>

using namespace cottonwood::profile;

namespace {

using List = std::vector<std::uint64_t>;

List reread(List const &list) {
  std::string const bytes = packed(list);
  std::string_view rest = bytes;
  List back;
  REQUIRE(unpack(rest, list.size(), back));
  CHECK(rest.empty());
  return back;
}

} // namespace

TEST_SUITE("poplar/profile/Columns") {
  TEST_CASE("lists are read back as they were, whatever they hold") {
    constexpr auto MOST = std::numeric_limits<std::uint64_t>::max();
    for (List const &list : {List{}, List{0}, List{MOST}, List{MOST, 0, MOST}, List{5, 5, 5, 4, 3},
                             List{1, MOST / 2, MOST / 2 + 2, 7}})
      CHECK(reread(list) == list);
    std::mt19937_64 random(5);
    List list(1000);
    for (std::uint64_t &value : list)
      value = random() >> (random() % 64);
    CHECK(reread(list) == list);
  }

  TEST_CASE("all tiles in order, or with equal numbers, take a handful of bytes") {
    List tiles(1472);
    std::iota(tiles.begin(), tiles.end(), 0);
    // 1472 in two bytes, one time 0, 1471 (two bytes) times a difference of 1.
    CHECK(packed(tiles) == std::string("\xc0\x0b\x01\x00\xbf\x0b\x02", 7));
    CHECK(packed(List(1472, 3)).size() == 7);
  }

  TEST_CASE("several lists follow one another") {
    std::string const bytes = packed(List{1, 2}) + packed(List{9});
    std::string_view rest = bytes;
    List list;
    REQUIRE(unpack(rest, 2, list));
    CHECK(list == List{1, 2});
    REQUIRE(unpack(rest, 2, list));
    CHECK(list == List{9});
    CHECK_FALSE(unpack(rest, 2, list));
  }

  TEST_CASE("what is cut, longer than it may be or inconsistent is refused") {
    List list;
    std::string const good = packed(List{10, 20, 40});
    for (std::size_t length = 0; length < good.size(); ++length) {
      std::string_view rest = std::string_view(good).substr(0, length);
      CHECK_FALSE(unpack(rest, 3, list));
    }
    for (std::string const &bad : {good, std::string("\x02\x03\x00", 3), // 2 of which 3 are alike
                                   std::string("\x01\x00\x00", 3),       // none is alike
                                   std::string(11, '\xff')}) {           // more than 64 bits
      std::string_view rest = bad;
      CHECK_FALSE(unpack(rest, 2, list));
    }
  }
}
