// Whether numbers have the distributions they should; all seeds are fixed, so that a test passes
// always or never.
#include "Draws.hpp"

#include <climits>
#include <set>

using namespace draws;

namespace {

constexpr std::size_t COUNT = 200000;
constexpr double KOLMOGOROV_LIMIT = 1.95;

Values drawn(std::function<Tensor(RandomRun &, Tensor const &)> const &operation,
             std::size_t n = COUNT) {
  return draw(cpu, [&](RandomRun &run) { return operation(run, run.reference({n})); });
}

Values uniform(Type const &type, double low, double high, std::size_t n = COUNT,
               unsigned modifier = 1) {
  return drawn(
      [&](RandomRun &run, Tensor const &reference) {
        return poprand::uniform(run.graph, &run.seed, modifier, reference, type, low, high,
                                run.prog);
      },
      n);
}

Values truncated(Type const &type, double mean, double stdDev, double alpha) {
  return drawn([&](RandomRun &run, Tensor const &reference) {
    return poprand::truncatedNormal(run.graph, &run.seed, 7, reference, type, mean, stdDev, alpha,
                                    run.prog);
  });
}

Values logUniform(Type const &type, double low, double high) {
  return drawn([&](RandomRun &run, Tensor const &reference) {
    return poprand::logUniform(run.graph, &run.seed, 9, reference, type, low, high, run.prog);
  });
}

void checkWithin(Values const &values, double low, double high) {
  auto const [least, most] = std::minmax_element(values.begin(), values.end());
  CHECK(*least >= low);
  CHECK(*most <= high);
}

} // namespace

TEST_SUITE_BEGIN("poprand/distributions");

TEST_CASE("uniform numbers fill their interval evenly") {
  struct {
    double low, high;
  } const intervals[] = {{0, 1}, {-3, 5}, {1e-3, 2e-3}, {-3e38, 3e38}, {100, 101}};
  for (auto const &[low, high] : intervals) {
    CAPTURE(low);
    Values const values = uniform(FLOAT, low, high);
    checkWithin(values, low, high);
    double const a = low, width = high - low;
    CHECK(kolmogorov(values, [&](double x) { return (x - a) / width; }) < KOLMOGOROV_LIMIT);
  }
}

TEST_CASE("uniform halves stay in their interval") {
  struct {
    double low, high;
  } const intervals[] = {{0, 1}, {1e-7, 3}, {-0.3, 0.1}, {-1e6, 1e6}, {1000.3, 1001.7}};
  for (auto const &[low, high] : intervals) {
    CAPTURE(low);
    Values const values = uniform(HALF, low, high, 20000);
    checkWithin(values, low, high);
    double const from = std::max(low, -65504.), to = std::min(high, 65504.);
    CHECK(std::fabs(mean(values) - (from + to) / 2) < 0.02 * (to - from));
  }
}

TEST_CASE("each of few numbers gets the share that is nearest to it") {
  float const above = std::nextafter(1.f, 2.f);
  struct {
    double low, step;
    int steps;
  } const intervals[] = {{16777216, 2, 1},     {16777216, 2, 3},    {-16777222, 2, 3},
                         {1e8, 8, 3},          {1e8, 8, 11},        {1, above - 1.0, 1},
                         {1, above - 1.0, 15}, {1, above - 1.0, 2}, {-1.5, above - 1.0, 101},
                         {3e38, 0x1p104, 7},   {1000, 0x1p-14, 5}};
  for (auto const &[start, step, steps] : intervals) {
    double const low = static_cast<float>(start);
    CAPTURE(low);
    CAPTURE(steps);
    Values const values = uniform(FLOAT, low, low + steps * step);
    std::vector<double> counts(static_cast<std::size_t>(steps) + 1);
    for (double value : values) {
      double const at = (value - low) / step;
      REQUIRE(at == std::floor(at));
      ++counts.at(static_cast<std::size_t>(at));
    }
    double const whole = static_cast<double>(COUNT) / steps;
    for (std::size_t i = 0; i != counts.size(); ++i) {
      CAPTURE(i);
      double const expected = i == 0 || i + 1 == counts.size() ? whole / 2 : whole;
      CHECK(std::fabs(counts[i] - expected) < 5 * std::sqrt(expected) + whole * 0x1p-8);
    }
  }
}

TEST_CASE("an interval without a number of the type gives the nearest one, above 0") {
  CHECK(uniform(HALF, 0.10001, 0.10002, 5) == Values(5, rounded(HALF, 0.10001)));
  CHECK(uniform(HALF, 1e-9, 2e-9, 3) == Values(3, std::ldexp(1.0, -24)));
  CHECK(uniform(FLOAT, 1e-60, 2e-60, 3) == Values(3, std::ldexp(1.0, -149)));
  CHECK(uniform(FLOAT, 0.5, 0.5, 3) == Values(3, 0.5));
}

TEST_CASE("integers have equal probabilities") {
  Values const values = uniform(INT, -3.5, 6.2);
  checkWithin(values, -3, 6);
  std::vector<double> counts(10);
  for (double value : values)
    ++counts[static_cast<std::size_t>(value + 3)];
  double chiSquare = 0, expected = COUNT / 10.0;
  for (double count : counts)
    chiSquare += (count - expected) * (count - expected) / expected;
  CHECK(chiSquare < 27.9); // 9 degrees of freedom, 1/1000
}

TEST_CASE("the whole range of INT is available") {
  Values const values = uniform(INT, INT_MIN, INT_MAX);
  double const width = 0x1p32;
  CHECK(kolmogorov(values, [&](double x) { return (x + 0x1p31) / width; }) < KOLMOGOROV_LIMIT);
  CHECK(uniform(INT, INT_MAX, INT_MAX, 3) == Values(3, INT_MAX));
}

TEST_CASE("bernoulli numbers are 1 as often as asked") {
  for (Type const &type : {FLOAT, HALF, INT})
    for (double p : {0.0, 0.25, 0.7, 1.0}) {
      CAPTURE(p);
      Values const values = drawn([&](RandomRun &run, Tensor const &reference) {
        return poprand::bernoulli(run.graph, &run.seed, 3, reference, type, p, run.prog);
      });
      for (double value : values)
        REQUIRE((value == 0 || value == 1));
      CHECK(std::fabs(mean(values) - p) <= 3.3 * std::sqrt(p * (1 - p) / COUNT) + 0x1p-16 * p);
    }
}

TEST_CASE("normal numbers") {
  Values const values = drawn([&](RandomRun &run, Tensor const &reference) {
    return poprand::normal(run.graph, &run.seed, 4, reference, FLOAT, 0, 1, run.prog);
  });
  double const n = COUNT;
  CHECK(std::fabs(mean(values)) < 3.3 / std::sqrt(n));
  CHECK(std::fabs(mean(values, 2) - 1) < 3.3 * std::sqrt(2 / n));
  CHECK(std::fabs(mean(values, 3)) < 3.3 * std::sqrt(15 / n));
  CHECK(std::fabs(mean(values, 4) - 3) < 3.3 * std::sqrt(96 / n));
  CHECK(kolmogorov(values, normalCdf) < KOLMOGOROV_LIMIT);
  // Both numbers that are made together, and neighbours, are unrelated.
  for (std::size_t lag : {1, 15, 16, 32, 48, 64}) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < values.size(); ++i)
      sum += values[i] * values[i + lag];
    CHECK(std::fabs(sum) < 3.5 * std::sqrt(n));
  }
}

TEST_CASE("normal halves, scaled and shifted") {
  Values const values = drawn([&](RandomRun &run, Tensor const &reference) {
    return poprand::normal(run.graph, &run.seed, 5, reference, HALF, 2, 0.5, run.prog);
  });
  CHECK(std::fabs(mean(values) - 2) < 2e-3);
  CHECK(std::fabs(mean(values, 2, 2) - 0.25) < 4e-3);
}

TEST_CASE("truncated normal numbers") {
  for (double alpha : {0.1, 1.0, 2.5, 8.0}) {
    CAPTURE(alpha);
    Values const values = truncated(FLOAT, -4, 3, alpha);
    checkWithin(values, -4 - 3 * alpha, -4 + 3 * alpha);
    double const cut = normalCdf(-alpha);
    CHECK(kolmogorov(values, [&](double x) {
            return (normalCdf((x + 4) / 3) - cut) / (1 - 2 * cut);
          }) < KOLMOGOROV_LIMIT);
  }
  checkWithin(truncated(HALF, 1, 0.1, 2), 0.8, 1.2);
  CHECK(truncated(FLOAT, 1.5, 0, 2) == Values(COUNT, 1.5));
  checkWithin(truncated(FLOAT, 0, -2, 1.5), -3, 3);
}

TEST_CASE("log uniform numbers have uniform logarithms") {
  for (auto const &[low, high] : {std::pair(1.0, 10.0), std::pair(2.5, 60000.0)})
    for (Type const &type : {FLOAT, HALF}) {
      Values values = logUniform(type, low, high);
      checkWithin(values, low, high);
      double const from = std::log(low), width = std::log(high / low);
      for (double &value : values)
        value = (std::log(value) - from) / width;
      CHECK(std::fabs(mean(values) - 0.5) < 3.3 * std::sqrt(1.0 / 12 / COUNT) + 1e-4);
      if (type == FLOAT)
        CHECK(kolmogorov(values, [](double x) { return x; }) < KOLMOGOROV_LIMIT);
    }
}

TEST_CASE("log uniform integers") {
  Values const values = logUniform(INT, 1, 1000);
  checkWithin(values, 1, 1000);
  double below10 = 0;
  for (double value : values)
    below10 += value < 10 ? 1 : 0;
  CHECK(std::fabs(below10 / COUNT - 1.0 / 3) < 3.3 * std::sqrt(2.0 / 9 / COUNT));
  // No float lies between these.
  Values const large = logUniform(INT, 1073741825, 1073741830);
  checkWithin(large, 1073741825, 1073741830);
  CHECK(std::set<double>(large.begin(), large.end()).size() == 6);
}

TEST_CASE("streams of other modifiers and seeds are unrelated") {
  Values const a = uniform(FLOAT, -1, 1, COUNT, 1), b = uniform(FLOAT, -1, 1, COUNT, 2);
  double sum = 0;
  for (std::size_t i = 0; i != a.size(); ++i)
    sum += a[i] * b[i];
  CHECK(std::fabs(sum) < 3.3 * std::sqrt(COUNT / 9.0));
}

TEST_SUITE_END();
