#include "Harness.hpp"

#include <popops/GatherStatistics.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/histogram");

namespace {

// From the definition.
Values histogramOf(Values const &in, Values const &levels, bool absolute) {
  Values counts(levels.size() + 1, 0);
  for (double x : in) {
    x = absolute ? std::fabs(x) : x;
    for (std::size_t i = 0; i <= levels.size(); ++i) {
      bool const above = i == 0 || x >= levels[i - 1], under = i == levels.size() || x < levels[i];
      counts[i] += above && under && !std::isnan(x);
    }
  }
  return counts;
}

Values levelsOf(Numbers &numbers, poplar::Type const &type, std::size_t n) {
  Values levels = numbers.real(type, n);
  std::sort(levels.begin(), levels.end());
  return levels;
}

} // namespace

TEST_CASE("histograms of every number of levels are those of the definition") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    std::vector<std::pair<std::size_t, Values>> results;
    for (poplar::Type const &type : {FLOAT, HALF})
      for (std::size_t numLevels : {1, 3, 4, 5, 11, 32, 33, 100})
        for (std::size_t n : {0, 1, 17, 3000}) {
          Values const levels = levelsOf(numbers, type, numLevels);
          Values in = numbers.real(type, n, -2.5, 2.5);
          if (n > 10) {
            in[3] = levels[0];
            in[5] = std::nan("");
            in[6] = std::numeric_limits<double>::infinity();
            in[7] = -in[6];
          }
          bool const absolute = numbers.below(2) == 1;
          Tensor const counts =
              popops::histogram(run.graph, run.input(type, {n}, in),
                                run.input(type, {numLevels}, levels), absolute, run.prog);
          CHECK(counts.elementType() == UNSIGNED_INT);
          CHECK(counts.shape() == Shape{numLevels + 1});
          results.emplace_back(run.output(counts), histogramOf(in, levels, absolute));
        }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      CHECK(run.values(results[i].first) == results[i].second);
    }
  });
}

TEST_CASE("outputs are written or added to, of either type; views and options") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Values const in{-3, -1, 0, 1, 2, 5};
    Tensor const t = run.input(HALF, {2, 3}, in).transpose(), levels = run.input(HALF, {2}, {0, 2});
    std::vector<std::pair<std::size_t, Values>> results;
    for (poplar::Type const &type : {UNSIGNED_INT, FLOAT})
      for (bool update : {false, true}) {
        Tensor out = run.input(type, {3}, {10, 20, 30});
        popops::histogram(g, t, out, update, levels, false, run.prog);
        results.emplace_back(run.output(out), update ? Values{12, 22, 32} : Values{2, 2, 2});
      }
    Tensor const floating =
        popops::histogram(g, t, levels, true, run.prog, {}, {{"useFloatArithmetic", "true"}});
    CHECK(floating.elementType() == FLOAT);
    results.emplace_back(run.output(floating), Values{0, 3, 3});
    results.emplace_back(
        run.output(popops::histogram(g, t, levels, true, run.prog, {},
                                     {{"useFloatArithmeticWithUnsignedIntOutput", "true"}})),
        Values{0, 3, 3});
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("options and arguments that do not fit are errors") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const t = g.addVariable(FLOAT, {4}), levels = g.addVariable(FLOAT, {2});
  Tensor ints = g.addVariable(poplar::INT, {3}), floats = g.addVariable(FLOAT, {3});
  poplar::OptionFlags const both{{"useFloatArithmetic", "true"},
                                 {"useFloatArithmeticWithUnsignedIntOutput", "true"}};
  CHECK_THROWS_AS(popops::histogram(g, t, levels, false, run.prog, {}, both),
                  poplar::invalid_option);
  CHECK_THROWS_AS(popops::histogram(g, t, levels, false, run.prog, {}, {{"fast", "true"}}),
                  poplar::invalid_option);
  CHECK_THROWS_AS(popops::histogram(g, t, floats, false, levels, false, run.prog, {},
                                    {{"useFloatArithmetic", "true"}}),
                  poplar::invalid_option);
  CHECK_THROWS_WITH_AS(
      popops::histogram(g, t, floats, false, levels, false, run.prog, {},
                        {{"useFloatArithmeticWithUnsignedIntOutput", "true"}}),
      "popops::histogram: 'output' is of type float; with useFloatArithmeticWithUnsignedIntOutput "
      "it must be unsigned int",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::histogram(g, t, ints, false, levels, false, run.prog),
                       "popops::histogram: 'output' is of type int; allowed: unsigned int, float",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::histogram(g, t, floats, false, t, false, run.prog),
                       "popops::histogram: 'output' has shape [3]; it must be [5]", poplibs_error);
  Tensor once = floats.slice(0, 1).broadcast(3, 0);
  CHECK_THROWS_WITH_AS(popops::histogram(g, t, once, false, levels, false, run.prog),
                       "popops::histogram: 'output' of shape [3] must be writeable in parallel, "
                       "but it contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::histogram(g, ints, levels, false, run.prog),
                       "popops::histogram: 'input' is of type int; allowed: float, half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::histogram(g, t, g.addVariable(HALF, {2}), false, run.prog),
      "popops::histogram: 'levels' is of type half; it must be that of 'input', float",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::histogram(g, t, levels.slice(0, 0), false, run.prog),
                       "popops::histogram: 'levels' has shape [0]; it must be [L] with L at least "
                       "1",
                       poplibs_error);
}

TEST_SUITE_END();
