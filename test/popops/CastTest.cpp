#include "Harness.hpp"

#include <poplar/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/Fill.hpp>
#include <popops/Zero.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_CHAR;
using poplar::UNSIGNED_INT;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/cast");

TEST_CASE("conversions truncate, saturate bytes, wrap integers and round halves") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const f = run.input(FLOAT, {4}, {1.75, -1.75, 300, 70000}),
                 i = run.input(INT, {3}, {-1, 65537, 7});
    Tensor const b = run.input(poplar::BOOL, {2}, {0, 1}),
                 u = run.input(UNSIGNED_CHAR, {2}, {255, 3});
    auto const to = [&](Tensor const &t, poplar::Type const &type) {
      Tensor const out = popops::cast(run.graph, t, type, run.prog);
      CHECK(out.elementType() == type);
      CHECK(out.shape() == t.shape());
      return run.output(out);
    };
    std::vector<std::pair<std::size_t, Values>> const results{
        {to(f, INT), {1, -1, 300, 70000}},
        {to(f, UNSIGNED_CHAR), {1, 0, 255, 255}},
        {to(f, HALF), {1.75, -1.75, 300, std::numeric_limits<double>::infinity()}},
        {to(f, poplar::BOOL), {1, 1, 1, 1}},
        {to(f, FLOAT), {1.75, -1.75, 300, 70000}},
        {to(i, poplar::UNSIGNED_SHORT), {65535, 1, 7}},
        {to(i, UNSIGNED_INT), {4294967295.0, 65537, 7}},
        {to(i, poplar::LONGLONG), {-1, 65537, 7}},
        {to(b, HALF), {0, 1}},
        {to(u, FLOAT), {255, 3}}};
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("casting transposed views and to a given tensor") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
    std::size_t const transposed =
        run.output(popops::cast(run.graph, a.transpose(), HALF, run.prog));
    Tensor const out = run.input(HALF, {3, 2}, Values(6, 0));
    popops::castWithOutput(run.graph, a, out.transpose(), run.prog);
    auto const cs = run.graph.addComputeSet();
    Tensor const same = popops::cast(run.graph, a, FLOAT, cs);
    run.prog.add(poplar::program::Execute(cs));
    std::size_t const given = run.output(out), copied = run.output(same);
    Tensor const none = popops::cast(run.graph, a.slice(0, 0, 0), INT, run.prog);
    CHECK(none.shape() == Shape{0, 3});
    run.run();
    CHECK(run.values(transposed) == Values{1, 4, 2, 5, 3, 6});
    CHECK(run.values(given) == Values{1, 4, 2, 5, 3, 6});
    CHECK(run.values(copied) == Values{1, 2, 3, 4, 5, 6});
  });
}

TEST_CASE("vertices copy between equal types of all sizes") {
  onDevices([](DeviceMaker const &device) {
    using poplar::LONGLONG;
    using poplar::UNSIGNED_LONGLONG;
    Run run(device);
    Values const values{1, 0, 100, 7, 8, 9};
    auto const cs = run.graph.addComputeSet();
    std::vector<std::size_t> outs;
    for (auto const &type : {UNSIGNED_CHAR, HALF, UNSIGNED_INT, LONGLONG, UNSIGNED_LONGLONG})
      outs.push_back(
          run.output(popops::cast(run.graph, run.input(type, {2, 3}, values), type, cs)));
    Tensor const large = run.input(LONGLONG, {2}, {0x1p40, -0x1p40}),
                 out = run.input(UNSIGNED_LONGLONG, {2}, {0, 0});
    popops::cast(run.graph, large, out, cs);
    run.prog.add(poplar::program::Execute(cs));
    std::size_t const converted = run.output(out.reinterpret(LONGLONG));
    run.run();
    for (std::size_t o : outs)
      CHECK(run.values(o) == values);
    CHECK(run.values(converted) == Values{0x1p40, -0x1p40});
  });
}

TEST_CASE("a source that overlaps its destination is read before that is written") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Values const values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    Values const reversed(values.rbegin(), values.rend());
    auto const fresh = [&] { return run.input(INT, {10}, values); };
    Tensor const crossed = fresh(), same = fresh(), copied = fresh();
    popops::castWithOutput(run.graph, crossed.reverse(0), crossed.reinterpret(FLOAT), run.prog);
    popops::castWithOutput(run.graph, same, same.reinterpret(FLOAT), run.prog);
    popops::castWithOutput(run.graph, copied.reverse(0), copied.reinterpret(UNSIGNED_INT),
                           run.prog);
    std::vector<std::size_t> const outs{run.output(crossed.reinterpret(FLOAT)),
                                        run.output(same.reinterpret(FLOAT)), run.output(copied)};
    run.run();
    CHECK(run.values(outs[0]) == reversed);
    CHECK(run.values(outs[1]) == values);
    CHECK(run.values(outs[2]) == reversed);
  });
}

TEST_CASE("a million elements of every length of tail convert") {
  Run run(cpu);
  Numbers numbers;
  std::vector<std::pair<std::size_t, Values>> results;
  for (std::size_t n : {1, 15, 16, 17, 63, 100, 1000003}) {
    Values const values = numbers.real(HALF, n, -100, 100);
    results.emplace_back(
        run.output(popops::cast(run.graph, run.input(HALF, {n}, values), FLOAT, run.prog)), values);
  }
  run.run();
  for (auto const &[output, expected] : results)
    checkClose(run.values(output), expected, 0, 0);
}

TEST_CASE("pairs of types without a conversion are errors") {
  Run run(cpu);
  Tensor const f = run.graph.addVariable(FLOAT, {2}),
               l = run.graph.addVariable(poplar::LONGLONG, {2});
  CHECK_THROWS_WITH_AS(popops::cast(run.graph, f, poplar::LONGLONG, run.prog),
                       "popops::cast: from float to long long; allowed: float, half, bool and "
                       "integers of up to 32 bits "
                       "to each other, the latter two also to 64-bit integers; quarter to "
                       "and from itself, float, half and 8-bit integers",
                       poplibs_error);
  CHECK_THROWS_AS(popops::cast(run.graph, l, INT, run.prog), poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::castWithOutput(run.graph, f, run.graph.addVariable(INT, {3}), run.prog),
      "popops::castWithOutput: the source has shape [2], the destination [3]; they must be equal",
      poplibs_error);
}

TEST_CASE("errors name the tensor that is invalid or mapped nowhere") {
  Run run(model);
  Tensor const f = run.graph.addVariable(FLOAT, {2}, "source");
  CHECK_THROWS_WITH_AS(popops::cast(run.graph, Tensor(), HALF, run.prog),
                       "popops::cast: the source is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(popops::castWithOutput(run.graph, f, Tensor(), run.prog),
                       "popops::castWithOutput: the destination is an invalid tensor",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::cast(run.graph, f, HALF, run.prog), doctest::Contains("source"),
                       poplar::invalid_tile_mapping);
}

TEST_CASE("a destination with aliases or constants is an error of the cast that writes it") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const f = run.input(FLOAT, {3}, {1, 2, 3}), i = run.input(INT, {1}, {0}),
               repeated = i.broadcast(3, 0), constant = g.addConstant(FLOAT, {3}, 1.f);
  CHECK_THROWS_WITH_AS(popops::castWithOutput(g, f, repeated, run.prog),
                       "popops::castWithOutput: the destination of shape [3] must be writeable in "
                       "parallel, but it contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::castWithOutput(g, f, constant, run.prog),
                       "popops::castWithOutput: the destination of shape [3] must be writeable in "
                       "parallel, but it contains constants",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::cast(g, f, repeated, g.addComputeSet()),
                       "popops::cast: the destination of shape [3] must be writeable in parallel, "
                       "but it contains aliases",
                       poplibs_error);
}

TEST_CASE("whether numbers survive the way through half") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    struct Case {
      double x, tolerance;
      bool expected;
    };
    double const infinity = std::numeric_limits<double>::infinity();
    // 1 + 2^-12 is 1 in half: a relative error of 2^-12 / (1 + 2^-12), just below 2^-12.
    double const between = 1 + std::ldexp(1, -12);
    Case const cases[] = {{1.5, 1e-6, true},
                          {-0.333251953125, 1e-6, true},
                          {between, 1e-6, false},
                          {between, std::ldexp(1, -12), true},
                          {-between, std::ldexp(0.99, -12), false},
                          {65504, 1e-6, true},
                          {65519, 1e-3, true},
                          {65520, 1e-3, false},
                          {std::ldexp(1, -24), 1e-6, true},
                          {std::ldexp(1, -26), 0.5, false},
                          {0, 1e-6, false},
                          {1, 0, false},
                          {infinity, 1, false},
                          {std::nan(""), 1, false}};
    std::vector<std::size_t> outs;
    for (Case const &c : cases) {
      Tensor const ok = popops::checkAccuracyWhenCast(run.graph, run.input(FLOAT, {1, 1}, {c.x}),
                                                      HALF, c.tolerance, run.prog);
      CHECK(ok.shape() == Shape{});
      CHECK(ok.elementType() == poplar::BOOL);
      outs.push_back(run.output(ok));
    }
    outs.push_back(run.output(popops::checkAccuracyWhenCast(
        run.graph, run.input(HALF, {}, {infinity}), FLOAT, 0, run.prog)));
    run.run();
    for (std::size_t i = 0; i != std::size(cases); ++i) {
      CAPTURE(cases[i].x);
      CAPTURE(cases[i].tolerance);
      CHECK(run.values(outs[i]) == Values{cases[i].expected ? 1. : 0.});
      CHECK(poputil::checkAccuracyWhenCast(run.graph.getTarget(), cases[i].x, FLOAT, HALF,
                                           cases[i].tolerance) == cases[i].expected);
    }
    CHECK(run.values(outs.back()) == Values{1});
  });
}

TEST_CASE("what has no accuracy to check is an error") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const two = g.addVariable(FLOAT, {2}), i = g.addVariable(INT, {});
  CHECK_THROWS_WITH_AS(
      popops::checkAccuracyWhenCast(g, two, HALF, 1, run.prog),
      "popops::checkAccuracyWhenCast: 'input' has shape [2]; it must have one element",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::checkAccuracyWhenCast(g, i, HALF, 1, run.prog),
                       "popops::checkAccuracyWhenCast: from int to half; allowed: float to half, "
                       "half to float",
                       poplibs_error);
  CHECK_THROWS_AS(popops::checkAccuracyWhenCast(g, two[0], FLOAT, 1, run.prog), poplibs_error);
  CHECK_THROWS_AS(popops::checkAccuracyWhenCast(g, Tensor(), HALF, 1, run.prog), poplibs_error);
}

TEST_CASE("a misspelt vertex name is answered with the name meant") {
  Run run(cpu);
  auto const cs = run.graph.addComputeSet();
  try {
    run.graph.addVertex(cs, "popops::Cast<float,hlaf>");
    FAIL("no exception");
  } catch (poplar::unknown_vertex_type const &error) {
    CHECK(std::string(error.what()).find("near names that are known: 'popops::Cast<float,half>'") !=
          std::string::npos);
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("popops/fill");

TEST_CASE("fill and zero in all their forms") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {5}, {1, 2, 3, 4, 5}),
                 h = run.input(HALF, {2, 3}, Values(6, 1));
    Tensor const c = run.input(poplar::SIGNED_CHAR, {3}, {1, 2, 3}),
                 l = run.input(poplar::LONGLONG, {2}, {1, 2});
    Tensor const b = run.input(poplar::BOOL, {2}, {0, 0});
    popops::fill(run.graph, h.transpose(), run.prog, 0.1);
    popops::fill(run.graph, c, run.prog, -7);
    popops::fill(run.graph, l, run.prog, 1LL << 40);
    popops::fill(run.graph, b, run.prog, 1u);
    auto const cs = run.graph.addComputeSet();
    popops::zero(run.graph, a, {{0, 1}, {3, 4}}, 0, cs);
    popops::fill<float>(run.graph, a.slice(1, 2), 0, cs, 9.f);
    run.prog.add(poplar::program::Execute(cs));
    Tensor const z = run.input(INT, {4}, {1, 2, 3, 4});
    popops::zero(run.graph, z.slice(1, 3), run.prog);
    popops::zero(run.graph, z.slice(1, 1), run.prog);
    std::vector<std::size_t> const outs{run.output(a), run.output(h), run.output(c),
                                        run.output(l), run.output(b), run.output(z)};
    run.run();
    CHECK(run.values(outs[0]) == Values{0, 9, 3, 0, 5});
    CHECK(run.values(outs[1]) == Values(6, rounded(HALF, 0.1)));
    CHECK(run.values(outs[2]) == Values(3, -7));
    CHECK(run.values(outs[3]) == Values(2, 1099511627776.0));
    CHECK(run.values(outs[4]) == Values(2, 1));
    CHECK(run.values(outs[5]) == Values{1, 0, 0, 4});
  });
}

TEST_CASE("what cannot be filled is an error of the function that was called") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const repeated = run.input(FLOAT, {2}, {1, 2}).broadcast(2, 0),
               constant = g.addConstant(FLOAT, {3}, 1.f);
  auto const cs = g.addComputeSet();
  CHECK_THROWS_WITH_AS(popops::fill(g, constant, run.prog, 1.f),
                       "popops::fill: the tensor of shape [3] must be writeable in parallel, but "
                       "it contains constants",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::zero(g, repeated, run.prog),
                       "popops::zero: the tensor of shape [4] must be writeable in parallel, but "
                       "it contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::zero(g, repeated, 0, cs),
                       "popops::zero: the tensor of shape [4] must be writeable in parallel, but "
                       "it contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::zero(g, repeated, {{{0, 1}}, {{2, 5}}}, cs),
                       "popops::zero: the region [2, 5) is out of range for the tensor of shape "
                       "[4], which has 4 elements",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::fill(g, repeated, {{0, 1}, {2, 3}}, 0, cs, 1),
                       "popops::fill: the regions of shape [2] must be writeable in parallel, but "
                       "it contains aliases",
                       poplibs_error);
  CHECK_NOTHROW(popops::fill(g, repeated, {{0, 2}}, 0, cs, 1));
  CHECK_THROWS_WITH_AS(popops::zero(g, Tensor(), run.prog), "popops::zero: the tensor is invalid",
                       poplibs_error);
}

TEST_CASE("fills and casts too large for the caches are written past them") {
  constexpr std::size_t LARGE = 8'500'003; // a vertex each, or two
  poplar::Graph graph(cpu().getTarget());
  popops::addCodelets(graph);
  poplar::program::Sequence prog;
  Tensor const t = graph.addVariable(FLOAT, {LARGE}, poplar::VariableMappingMethod::LINEAR);
  popops::fill(graph, t, prog, 2.5f);
  Tensor const whole = popops::cast(graph, t, INT, prog);
  graph.createHostRead("t", t);
  graph.createHostRead("whole", whole);
  poplar::Engine engine(graph, prog, {{"engine.numThreads", "1"}});
  engine.load(cpu());
  engine.run(0);
  std::vector<float> values(LARGE);
  std::vector<int> ints(LARGE);
  engine.readTensor("t", values.data(), values.data() + LARGE);
  engine.readTensor("whole", ints.data(), ints.data() + LARGE);
  CHECK(static_cast<std::size_t>(std::count(values.begin(), values.end(), 2.5f)) == LARGE);
  CHECK(static_cast<std::size_t>(std::count(ints.begin(), ints.end(), 2)) == LARGE);
}

TEST_CASE("the program form works without addCodelets") {
  poplar::Graph graph(cpu().getTarget());
  poplar::program::Sequence prog;
  Tensor const t = graph.addVariable(INT, {3}, poplar::VariableMappingMethod::LINEAR);
  popops::fill(graph, t, prog, 5);
  graph.createHostRead("t", t);
  poplar::Engine engine(graph, prog);
  engine.load(cpu());
  engine.run(0);
  std::vector<int> values(3);
  engine.readTensor("t", gccs::ArrayRef<int>(values));
  CHECK(values == std::vector<int>(3, 5));
}

TEST_SUITE_END();
