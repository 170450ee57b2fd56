#include <bench/Statistics.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

using namespace cottonwood::bench;

TEST_SUITE("bench/statistics") {
  TEST_CASE("quantiles interpolate between sorted neighbours") {
    std::vector<double> const samples = {4, 1, 3, 2};
    CHECK(quantile(samples, 0) == 1);
    CHECK(quantile(samples, 0.5) == 2.5);
    CHECK(quantile(samples, 1) == 4);
    CHECK(quantile(std::vector<double>{7}, 0.25) == 7);
    CHECK(std::isnan(quantile({}, 0.5)));
  }

  TEST_CASE("quartiles of fifteen values are the 4.5th, 8th and 11.5th") {
    std::vector<double> samples;
    for (int i = 15; i > 0; --i)
      samples.push_back(i);
    Quartiles const q = quartiles(samples);
    CHECK(q.lower == 4.5);
    CHECK(q.median == 8);
    CHECK(q.upper == 11.5);
  }

  TEST_CASE("the geometric mean of ratios and of their inverses are inverse") {
    CHECK(geometricMean(std::vector<double>{0.5, 2}) == doctest::Approx(1));
    CHECK(geometricMean(std::vector<double>{1, 8}) == doctest::Approx(std::sqrt(8)));
    CHECK(std::isnan(geometricMean({})));
  }

  TEST_CASE("ratios are taken pair by pair") {
    std::vector<double> const ours = {1, 10}, theirs = {2, 5};
    CHECK(pairRatios(ours, theirs) == std::vector<double>{2, 0.5});
    CHECK_THROWS_AS(pairRatios(ours, std::vector<double>{1}), std::invalid_argument);
  }

  TEST_CASE("ranks correlate fully if both order alike, whatever the values") {
    std::vector<double> const a = {3, 1, 2}, alike = {1e9, -5, 0}, reversed = {1, 3, 2};
    CHECK(rankCorrelation(a, alike) == doctest::Approx(1));
    CHECK(rankCorrelation(a, reversed) == doctest::Approx(-1));
    CHECK_THROWS_AS(rankCorrelation(a, std::vector<double>{1}), std::invalid_argument);
  }

  TEST_CASE("equal values share the mean of their ranks") {
    // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3: covariance 4.5, variances 4.5 and 5.
    std::vector<double> const a = {1, 2, 2, 3}, b = {1, 2, 3, 4};
    CHECK(rankCorrelation(a, b) == doctest::Approx(4.5 / std::sqrt(4.5 * 5)));
  }

  TEST_CASE("what cannot be ranked does not correlate") {
    CHECK(std::isnan(rankCorrelation({}, {})));
    CHECK(std::isnan(rankCorrelation(std::vector<double>{1, 2}, std::vector<double>{1, 2})));
    CHECK(std::isnan(rankCorrelation(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3})));
  }

  TEST_CASE("a drift that both sides share leaves the ratio alone") {
    std::vector<double> ours, theirs;
    for (int i = 0; i < 15; ++i) {
      double const clock = 1 + 0.1 * i;
      ours.push_back(clock);
      theirs.push_back(1.25 * clock);
    }
    Quartiles const q = quartiles(pairRatios(ours, theirs));
    CHECK(q.lower == doctest::Approx(1.25));
    CHECK(q.upper == doctest::Approx(1.25));
  }
}
