#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popops/mapWide");

using namespace harness;
using namespace popops::expr;
using poplar::FLOAT;
using poplar::INT;
using poplar::LONGLONG;
using poplar::SHORT;
using poplar::Tensor;
using poplar::UNSIGNED_LONGLONG;
using poplar::UNSIGNED_SHORT;

TEST_CASE("integers of 16 and 64 bits: one vertex an operation") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    double const big = 0x1p40;
    Tensor const a = run.input(LONGLONG, {2, 2}, {big, -7, 5, -big}),
                 b = run.input(LONGLONG, {2}, {3, -2}),
                 u = run.input(UNSIGNED_LONGLONG, {3}, {big + 6, 0, 12}),
                 s = run.input(SHORT, {3}, {-1, 12, 300}),
                 t = run.input(UNSIGNED_SHORT, {3}, {65535, 10, 0});
    Tensor inPlace = run.input(LONGLONG, {4}, {1, 2, 3, 4});
    std::vector<std::pair<std::size_t, Values>> results;
    auto const expect = [&](Tensor const &out, Values const &values) {
      results.emplace_back(run.output(out), values);
    };
    expect(popops::add(g, a, b, run.prog), {big + 3, -9, 8, -big - 2});
    expect(popops::mul(g, a.transpose(), 3LL, run.prog), {3 * big, 15, -21, -3 * big});
    expect(popops::div(g, a, b, run.prog), {std::trunc(big / 3), 3, 1, big / 2});
    expect(popops::rem(g, a, b, run.prog), {1, -1, 2, 0}); // 2^40 = 1 mod 3
    expect(popops::abs(g, a, run.prog), {big, 7, 5, big});
    expect(popops::max(g, a, b, run.prog), {big, -2, 5, -2});
    expect(popops::lt(g, a, b, run.prog), {0, 1, 0, 1});
    expect(popops::shiftRight(g, u, 1ULL, run.prog), {3, 0, 6}); // of the lower 32 bits
    expect(popops::shiftRightSignExtend(g, a[1], 1LL, run.prog), {2, -big / 2});
    expect(popops::bitwiseAnd(g, s, run.input(SHORT, {1}, {6}), run.prog), {6, 4, 4});
    expect(popops::bitwiseNot(g, t, run.prog), {0, 65525, 65535});
    expect(popops::eq(g, s, run.input(SHORT, {}, {12}), run.prog), {0, 1, 0});
    expect(popops::map(g, Select(_1, Const(9), _2 > Const(2.0F)),
                       {u, run.input(FLOAT, {3}, {1, 2, 3})}, run.prog),
           {9, 9, 12});
    expect(popops::map(g, Cast(_1 + _1, LONGLONG) * _2 - Const(1),
                       {run.input(INT, {2}, {3, -4}), b}, run.prog),
           {17, 15});
    popops::mapInPlace(g, _1 * _1 - _2, {inPlace, inPlace.reverse(0)}, run.prog);
    expect(inPlace, {-3, 1, 7, 15});
    CHECK_THROWS_WITH_AS(popops::sin(g, a, run.prog),
                         doctest::Contains("Sin does not exist for elements of type long long"),
                         poputil::poplibs_error);
    CHECK_THROWS_AS(popops::add(g, s, s, run.prog), poputil::poplibs_error);
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("constants beside integers of 16 and 64 bits wrap to the width of those") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const u = run.input(UNSIGNED_LONGLONG, {2}, {5, 7}), s = run.input(SHORT, {2}, {5, -2}),
                 t = run.input(UNSIGNED_SHORT, {2}, {5, 65535});
    std::vector<std::pair<std::size_t, Values>> results;
    auto const expect = [&](Expr const &expression, Tensor const &in, Values const &values) {
      results.emplace_back(run.output(popops::map(g, expression, {in}, run.prog)), values);
    };
    expect((_1 + Const(1e19)) - Const(10000000000000000000ULL), u, {5, 7});
    expect(_1 & Const(-1LL), u, {5, 7});
    expect(_1 & Const(-1), t, {5, 65535});
    expect(_1 | Const(0xffff), s, {-1, -1});
    expect(_1 ^ Const(40000), s, {40005 - 65536, 65535 - 40001});
    expect(Equal(_1, Const(65541)), s, {1, 0});
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("a constant of 16 or 64 bits may be the whole result") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    std::vector<std::size_t> outs;
    auto const choice = Select(_1, Const(3), Const(false));
    for (auto const &type : {LONGLONG, UNSIGNED_LONGLONG})
      for (bool simplify : {true, false})
        outs.push_back(run.output(
            popops::map(g, choice, {run.input(type, {2, 9}, Values(18, 5))}, run.prog, {},
                        {{"enableExpressionOptimizations", simplify ? "true" : "false"}})));
    Tensor const given = run.input(LONGLONG, {4}, {1, 2, 3, 4});
    popops::mapInPlace(g, choice, {given.slice(1, 3)}, run.prog);
    std::size_t const inPlace = run.output(given);
    run.run();
    for (std::size_t o : outs)
      CHECK(run.values(o) == Values(18, 3));
    CHECK(run.values(inPlace) == Values{1, 3, 3, 4});
  });
}

TEST_SUITE_END();
