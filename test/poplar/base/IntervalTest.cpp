#include <doctest/doctest.h>
#include <poplar/Interval.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <vector>

using poplar::Interval;

TEST_SUITE("poplar/base/Interval") {
  TEST_CASE("an interval holds begin and the end beyond its last element") {
    Interval const interval(2, 5);
    CHECK(interval.begin() == 2);
    CHECK(interval.end() == 5);
    CHECK(interval.size() == 3);
    CHECK(Interval().size() == 0);
    CHECK(Interval(4, 4).size() == 0);
  }

  TEST_CASE("intervals are ordered by begin, then by end") {
    CHECK(Interval(1, 3) == Interval(1, 3));
    CHECK(Interval(1, 3) != Interval(1, 4));
    CHECK(Interval(1, 9) < Interval(2, 3));
    CHECK(Interval(1, 2) < Interval(1, 3));
    CHECK(Interval(1, 3) <= Interval(1, 3));
    CHECK(Interval(2, 3) > Interval(1, 9));
    CHECK(Interval(2, 3) >= Interval(2, 3));
  }

  TEST_CASE("an interval prints as [begin:end)") {
    std::ostringstream stream;
    stream << Interval(1, 3);
    CHECK(stream.str() == "[1:3)");
  }

  TEST_CASE("an interval that ends before it begins is an error naming both") {
    CHECK_THROWS_WITH_AS(
        Interval(5, 2),
        "poplar::Interval: begin 5 is above end 2; an interval [begin:end) needs begin <= end",
        poplar::poplar_error);
  }
}
