#include "Words.hpp"

#include <bench/race/Tags.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace cottonwood::bench;
using SlowTags = std::vector<SlowTag>;

TEST_SUITE("bench/tags") {
  TEST_CASE("a tag is slow if any lower one is clearly faster") {
    CHECK(slowTags({{"scalar", 5}, {"avx2", 100}, {"avx512", 200}}).empty());
    CHECK(slowTags({{"scalar", 5}, {"avx2", 100}, {"avx512", 98}}).empty());
    CHECK(slowTags({{"scalar", 5}, {"avx2", 100}, {"avx512", 90}}) == SlowTags{{"avx512", "avx2"}});
    CHECK(slowTags({{"scalar", 50}, {"avx2", 20}, {"avx512", 30}}) ==
          SlowTags{{"avx2", "scalar"}, {"avx512", "scalar"}});
    CHECK(slowTags({{"scalar", 5}, {"avx2", NAN}, {"avx512", 4}}) ==
          SlowTags{{"avx512", "scalar"}});
  }

  TEST_CASE("a tag is clearly slower if it loses most of the pairs of a race") {
    CHECK(isClearlySlower({0.9, 0.9, 0.95, 0.96, 1.2}));
    CHECK(!isClearlySlower({0.7, 0.8, 0.9, 1.0, 1.1}));
    CHECK(!isClearlySlower({0.98, 0.98, 0.98}));
    CHECK(!isClearlySlower({})); // one of the two failed
  }

  TEST_CASE("a row is case, a rate a tag, the ratio, and which tags are slow") {
    CHECK(wordsOf(tagText("float/1x1x1", {{"scalar", 5}, {"avx2", 100}, {"avx512", 250}}, {},
                          true)) == Words{"float/1x1x1", "5.00", "100", "250", "2.50", "busy"});
    CHECK(wordsOf(tagText("x", {{"scalar", 5}, {"avx2", 4}}, {{"avx2", "scalar"}}, false)) ==
          Words{"x", "5.00", "4.00", "0.80", "SLOWER:", "avx2", "below", "scalar"});
    CHECK(wordsOf(tagText("x", {{"scalar", 5}}, {}, false)) == Words{"x", "5.00", "-"});
    CHECK(wordsOf(tagText("x", {{"scalar", 5}, {"avx2", NAN}}, {}, false)) ==
          Words{"x", "5.00", "-", "-"});
  }

  TEST_CASE("the header names the tags above their rates") {
    auto const words = wordsOf(tagHeader({"scalar", "avx2"}, "GF/s"));
    CHECK(words[0] == "case");
    CHECK(words[1] == "scalar");
    CHECK(words[2] == "avx2");
  }
}
