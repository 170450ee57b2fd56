#include "Harness.hpp"

#include <popops/NaN.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/nan");

TEST_CASE("NaN and infinities are found wherever they stand") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    double const inf = std::numeric_limits<double>::infinity();
    struct Result {
      std::size_t nan, special;
      double found;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {FLOAT, HALF})
      for (std::size_t n : {1, 7, 33, 64, 300, 1025})
        for (double found : {0., inf, -inf, std::nan("")}) {
          Values values = numbers.real(type, n, -60000, 60000);
          if (found != 0)
            values[numbers.below(n)] = found;
          Tensor const t = run.input(type, {n}, values);
          results.push_back({run.output(popops::hasNaN(run.graph, t, run.prog)),
                             run.output(popops::hasNaNOrInf(run.graph, t, run.prog)), found});
        }
    run.run();
    for (Result const &result : results) {
      CHECK(run.values(result.nan) == Values{std::isnan(result.found) ? 1. : 0.});
      CHECK(run.values(result.special) == Values{result.found != 0 ? 1. : 0.});
    }
  });
}

TEST_CASE("views, scalars and tensors without elements") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const m = run.input(FLOAT, {2, 3}, {1, std::nan(""), 3, 4, 5, 6});
    Tensor const whole = popops::hasNaN(g, m.transpose(), run.prog),
                 part = popops::hasNaN(g, m.slice(2, 3, 1), run.prog),
                 repeated = popops::hasNaN(g, m[0][1].expand({0}).broadcast(9, 0), run.prog),
                 scalar = popops::hasNaNOrInf(g, m[0][0], run.prog),
                 none = popops::hasNaN(g, m.slice(0, 0, 0), run.prog);
    CHECK(whole.rank() == 0);
    CHECK(whole.elementType() == poplar::BOOL);
    CHECK(none.rank() == 0);
    std::vector<std::size_t> outs;
    for (Tensor const &t : {whole, part, repeated, scalar, none})
      outs.push_back(run.output(t));
    run.run();
    Values found;
    for (std::size_t out : outs)
      found.push_back(run.values(out)[0]);
    CHECK(found == Values{1, 0, 1, 0, 0});
  });
}

TEST_CASE("other types are errors") {
  Run run(cpu);
  CHECK_THROWS_WITH_AS(popops::hasNaN(run.graph, run.graph.addVariable(poplar::INT, {2}), run.prog),
                       "popops::hasNaN: 'src' is of type int; allowed: float, half", poplibs_error);
  CHECK_THROWS_WITH_AS(popops::hasNaNOrInf(run.graph, Tensor(), run.prog),
                       "popops::hasNaNOrInf: 'src' is an invalid tensor", poplibs_error);
}

TEST_SUITE_END();
