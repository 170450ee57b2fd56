#include "Words.hpp"

#include <bench/Rows.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace cottonwood::bench;

TEST_SUITE("bench/rows") {
  TEST_CASE("numbers have three digits and no exponent in the usual range") {
    CHECK(shortNumber(0.07123) == "0.0712");
    CHECK(shortNumber(5.3) == "5.30");
    CHECK(shortNumber(412.4) == "412");
    CHECK(shortNumber(1234567) == "1234567");
    CHECK(shortNumber(NAN) == "-");
  }

  TEST_CASE("a time must not exceed its limit, a rate must reach it") {
    CHECK(holds({"t", "us", 0.3}, 0.3));
    CHECK_FALSE(holds({"t", "us", 0.3}, 0.31));
    CHECK(holds({"r", "vertices/s", 100}, 101));
    CHECK_FALSE(holds({"r", "vertices/s", 100}, 99));
    CHECK(holds({"t", "us", {}}, 1e9));
  }

  TEST_CASE("a median stands where one value would, its quartiles behind the limit") {
    LimitRow const row{"warm", "ms", 5};
    CHECK(wordsOf(limitText(row, Quartiles{2, 3, 4.5})) ==
          Words{"warm", "3.00", "ms", "5.00", "(2.00..4.50)"});
    CHECK(wordsOf(limitText(row, Quartiles{4, 6, 7})) ==
          Words{"warm", "6.00", "ms", "5.00", "EXCEEDED", "(4.00..7.00)"});
  }

  TEST_CASE("what was not measured keeps no limit") {
    CHECK_FALSE(holds({"t", "us", 0.3}, NAN));
    CHECK_FALSE(holds({"t", "us", {}}, NAN));
  }

  TEST_CASE("a limit row is case, value, unit, limit") {
    CHECK(wordsOf(limitText({"repeat/one", "us", 0.3}, 0.0052)) ==
          Words{"repeat/one", "0.00520", "us", "0.300"});
    CHECK(wordsOf(limitText({"repeat/one", "us", 0.3}, 0.5)) ==
          Words{"repeat/one", "0.500", "us", "0.300", "EXCEEDED"});
    CHECK(wordsOf(limitText({"build", "vertices/s", {}}, 5e6)) ==
          Words{"build", "5000000", "vertices/s", "-"});
  }

  TEST_CASE("a race row is case, ours, best peer, its name, ratio") {
    RaceRow row{"float/64x64x64", 412, "onednn", 501, {0.8, 0.82, 0.85}, false};
    CHECK(wordsOf(raceText(row)) ==
          Words{"float/64x64x64", "412", "501", "onednn", "0.82", "(0.80..0.85)"});
    row.disturbed = true;
    CHECK(wordsOf(raceText(row)).back() == "busy");
  }

  TEST_CASE("a race row without a peer says so") {
    CHECK(wordsOf(raceText({"float/64x64x64", 412, "", 0, {}, false})) ==
          Words{"float/64x64x64", "412", "-", "no-peer", "-"});
  }

  TEST_CASE("the last line is the geometric mean, or nothing") {
    CHECK(geomeanText(0.974) == "geomean 0.97");
    CHECK(geomeanText(NAN) == "geomean -");
    CHECK(geomeanText(1.104, "depthwise/own") == "geomean depthwise/own 1.10");
  }

  TEST_CASE("units of time") {
    CHECK(isTime("us"));
    CHECK_FALSE(isTime("vertices/s"));
    CHECK(unitsPerSecond("ms") == 1e3);
    CHECK(unitsPerSecond("vertices/s") == 1);
  }
}
