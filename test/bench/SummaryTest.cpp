#include <bench/Summary.hpp>
#include <bench/race/Totals.hpp>

#include <doctest/doctest.h>

using namespace cottonwood::bench;

using Lines = std::vector<std::string>;

TEST_SUITE("bench/summary") {
  TEST_CASE("a mean a group, in the order in which groups come, and one of all at the end") {
    Summary summary;
    summary.add({"squares", "large"}, 2, false);
    summary.add({"gemv"}, 0.5, false);
    summary.add({"squares"}, 8, false);
    CHECK(summary.lines() ==
          Lines{"geomean squares 4.00", "geomean large 2.00", "geomean gemv 0.50", "geomean 2.00"});
  }

  TEST_CASE("disturbed rows are left out of means that have others") {
    Summary summary;
    summary.add({"a"}, 2, false);
    summary.add({"a"}, 100, true);
    summary.add({"b"}, 3, true);
    CHECK(summary.lines() == Lines{"# 2 of 3 rows were disturbed by other programs and are left "
                                   "out of means that have others",
                                   "geomean a 2.00", "geomean b 3.00", "geomean 2.00"});
  }

  TEST_CASE("if all rows were disturbed the means are over them") {
    Summary summary;
    summary.add({"a"}, 2, true);
    summary.add({"a"}, 8, true);
    CHECK(summary.lines() ==
          Lines{"# all rows were disturbed by other programs; the means are over them",
                "geomean a 4.00", "geomean 4.00"});
  }

  TEST_CASE("without rows there is no mean") { CHECK(Summary().lines() == Lines{"geomean -"}); }

  TEST_CASE("a network takes what its layers take, each as often as it has them") {
    Conv const conv{.in = 1000, .out = 500, .size = 1000}; // 1e12 operations
    Totals totals;
    totals.add({.groups = {"net/own", "one"}, .problem = conv, .count = 3}, 0.5, 1);
    totals.add({.groups = {"net/own"}, .problem = conv}, 1.5, 1);
    totals.add({.groups = {"single"}, .problem = conv}, 1, 1);
    CHECK(totals.lines() ==
          Lines{"net/own: 4 layers, ours 3000 ms (1333 GF/s), best peers 4000 ms (1000 GF/s)"});
  }
}
