#include "Harness.hpp"

#include <poplar/exceptions.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/scaledAdd");

TEST_CASE("numbers and tensors as scales, on all pairs of floating types") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    std::size_t const n = 77;
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon;
    };
    std::vector<Result> results;
    for (auto const &types :
         {std::pair(FLOAT, FLOAT), {HALF, HALF}, {FLOAT, HALF}, {HALF, FLOAT}}) {
      poplar::Type const &typeA = types.first, &typeB = types.second;
      Values const a = numbers.real(typeA, n), b = numbers.real(typeB, n);
      auto const fresh = [&] { return run.input(typeA, {7, 11}, a); };
      Tensor const tb = run.input(typeB, {7, 11}, b);
      Tensor const two = run.input(FLOAT, {}, {2}), quarter = run.input(HALF, {1}, {0.25});
      auto const expect = [&](Tensor const &t, double sa, double sb) {
        Values expected(n);
        for (std::size_t i = 0; i != n; ++i)
          expected[i] = sa * a[i] + sb * b[i];
        results.push_back({run.output(t), expected, epsilonOf(typeA)});
      };
      Tensor t = fresh();
      popops::scaledAddTo(run.graph, t, tb, 0.5f, run.prog);
      expect(t, 1, 0.5);
      popops::scaledSubtractFrom(run.graph, t = fresh(), tb, two, run.prog);
      expect(t, 1, -2);
      popops::scaledAddTo(run.graph, t = fresh(), 3.f, tb, 0.5f, run.prog);
      expect(t, 3, 0.5);
      popops::scaledSubtractFrom(run.graph, t = fresh(), two, tb, quarter, run.prog);
      expect(t, 2, -0.25);
      popops::scaledAddTo(run.graph, t = fresh(), quarter, tb, two, run.prog,
                          popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
      expect(t, 0.75, 2);
      popops::scaledAddTo(run.graph, t = fresh(), 0.25f, tb, 2.f, run.prog,
                          popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
      expect(t, 0.75, 2);
    }
    run.run();
    for (Result const &result : results)
      checkClose(run.values(result.output), result.expected, result.epsilon, 4, 8);
  });
}

TEST_CASE("integers, views and operands that overlap") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const i = run.input(INT, {3}, {1, 2, 3}), u = run.input(UNSIGNED_INT, {3}, {10, 20, 30});
    popops::scaledAddTo(run.graph, i, i.reverse(0), 2.f, run.prog);
    popops::scaledSubtractFrom(run.graph, u, run.input(UNSIGNED_INT, {3}, {1, 2, 3}), 3.f,
                               run.prog);
    Tensor const m = run.input(FLOAT, {2, 2}, {1, 2, 3, 4});
    popops::scaledAddTo(run.graph, m, m.transpose(), 10.f, run.prog);
    Tensor const s = run.input(FLOAT, {2}, {1, 2});
    popops::scaledAddTo(run.graph, s, s, 1.f, run.prog);
    std::vector<std::size_t> const outs{run.output(i), run.output(u), run.output(m), run.output(s)};
    run.run();
    CHECK(run.values(outs[0]) == Values{7, 6, 5});
    CHECK(run.values(outs[1]) == Values{7, 14, 21});
    CHECK(run.values(outs[2]) == Values{11, 32, 23, 44});
    CHECK(run.values(outs[3]) == Values{2, 4});
  });
}

TEST_CASE("constant scales of integers are truncated before anything is computed of them") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const i = run.input(INT, {2}, {10, 20}), u = run.input(UNSIGNED_INT, {2}, {10, 20});
    popops::scaledAddTo(run.graph, i, 0.5f, run.input(INT, {2}, {1, 2}), -1.5f, run.prog,
                        popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
    popops::scaledAddTo(run.graph, u, 2.5f, run.input(UNSIGNED_INT, {2}, {31, 62}), 1.5f, run.prog,
                        popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
    std::size_t const outI = run.output(i), outU = run.output(u);
    run.run();
    CHECK(run.values(outI) == Values{9, 18});
    CHECK(run.values(outU) == Values{21, 42});
  });
}

TEST_CASE("a scale that is an element of A is read before A is written") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    std::size_t const n = 40;
    Values ones(n, 1);
    ones[5] = 2;
    Tensor const b = run.input(FLOAT, {n}, Values(n, 10)), a = run.input(FLOAT, {n}, ones),
                 c = run.input(FLOAT, {n}, ones);
    popops::scaledAddTo(run.graph, a, b, a[5], run.prog);
    popops::scaledSubtractFrom(run.graph, c, c[5], b, c[6], run.prog);
    std::size_t const outA = run.output(a), outC = run.output(c);
    run.run();
    Values expectedA(n, 21), expectedC(n, -8);
    expectedA[5] = 22;
    expectedC[5] = -6;
    CHECK(run.values(outA) == expectedA);
    CHECK(run.values(outC) == expectedC);
  });
}

TEST_CASE("what does not fit is an error") {
  Run run(cpu);
  Tensor const a = run.graph.addVariable(FLOAT, {2, 3}), b = run.graph.addVariable(FLOAT, {3, 2});
  CHECK_THROWS_WITH_AS(
      popops::scaledAddTo(run.graph, a, b, 1.f, run.prog),
      "popops::scaledAddTo: 'A' has shape [2, 3], 'B' has shape [3, 2]; they must be equal",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::scaledAddTo(run.graph, a[0].expand({0}).broadcast(2, 0), a, 1.f, run.prog),
      "popops::scaledAddTo: 'A' of shape [2, 3] must be writeable in parallel, but it contains "
      "aliases",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::scaledAddTo(run.graph, a, a, b, run.prog),
                       "popops::scaledAddTo: 'scaleB' has shape [3, 2]; it must have one element",
                       poplibs_error);
  Tensor const seven = run.graph.addVariable(FLOAT, {});
  for (Tensor const &t : {a, a.slice(0, 0)}) {
    CHECK_THROWS_WITH_AS(popops::scaledAddTo(run.graph, t, t, Tensor(), run.prog),
                         "popops::scaledAddTo: 'scaleB' is an invalid tensor", poplibs_error);
    CHECK_THROWS_WITH_AS(popops::scaledSubtractFrom(run.graph, t, seven, t, Tensor(), run.prog),
                         "popops::scaledSubtractFrom: 'scaleB' is an invalid tensor",
                         poplibs_error);
    CHECK_THROWS_WITH_AS(popops::scaledAddTo(run.graph, t, Tensor(), t, seven, run.prog),
                         "popops::scaledAddTo: 'scaleA' is an invalid tensor", poplibs_error);
  }
  Tensor const wide = run.graph.addVariable(poplar::LONGLONG, {});
  CHECK_THROWS_WITH_AS(popops::scaledAddTo(run.graph, a, a, wide, run.prog),
                       "popops::scaledAddTo: 'scaleB' is of type long long; allowed: float, half, "
                       "int, unsigned int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::scaledSubtractFrom(run.graph, a, wide, a, seven, run.prog),
                       "popops::scaledSubtractFrom: 'scaleA' is of type long long; allowed: float, "
                       "half, int, unsigned int",
                       poplibs_error);
  Tensor const i = run.graph.addVariable(poplar::INT, {2});
  for (float const scale : {3e9F, -3e9F, std::numeric_limits<float>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(popops::scaledAddTo(run.graph, i, i, scale, run.prog),
                         doctest::Contains("it must lie between -2147483648 and 2147483648"),
                         poplibs_error);
  CHECK_THROWS_AS(popops::scaledAddTo(run.graph, a, 1.f, a, 1.f, run.prog,
                                      popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY),
                  poplibs_error);
  CHECK_THROWS_AS(popops::scaledAddTo(run.graph, a, a, 1.f, run.prog, {},
                                      {{"scaleFloatToHalfTolerance", "much"}}),
                  poplar::invalid_option);
}

TEST_SUITE_END();
