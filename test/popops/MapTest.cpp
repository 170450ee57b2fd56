#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <limits>

TEST_SUITE_BEGIN("popops/map");

using namespace harness;
using namespace popops::expr;
using poplar::BOOL;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poputil::poplibs_error;

namespace {

// The element of `values` (of shape `from`) that numpy's rules put at position `i` of shape `to`.
double at(Values const &values, Shape const &from, Shape const &to, std::size_t i) {
  std::size_t index = 0, stride = 1;
  for (std::size_t d = to.size(); d-- != 0;) {
    std::size_t const coordinate = i % to[d];
    i /= to[d];
    if (to.size() - d > from.size())
      continue;
    std::size_t const extent = from[d + from.size() - to.size()];
    index += (extent == 1 ? 0 : coordinate) * stride;
    stride *= extent;
  }
  return values[index];
}

struct UnaryCase {
  UnaryOpType op;
  double (*reference)(double);
  double low, high;
};

} // namespace

TEST_CASE("unary operations agree with the C library on float and half") {
  static UnaryCase const cases[] = {
      {UnaryOpType::ABSOLUTE, [](double x) { return std::fabs(x); }, -3, 3},
      {UnaryOpType::CEIL, [](double x) { return std::ceil(x); }, -3, 3},
      {UnaryOpType::COS, [](double x) { return std::cos(x); }, -3, 3},
      {UnaryOpType::EXPONENT, [](double x) { return std::exp(x); }, -3, 3},
      {UnaryOpType::FLOOR, [](double x) { return std::floor(x); }, -3, 3},
      {UnaryOpType::INVERSE, [](double x) { return 1 / x; }, 0.5, 3},
      {UnaryOpType::LOGARITHM, [](double x) { return std::log(x); }, 2, 9},
      {UnaryOpType::NEGATE, [](double x) { return -x; }, -3, 3},
      {UnaryOpType::RELU, [](double x) { return x > 0 ? x : 0; }, -3, 3},
      {UnaryOpType::SIGMOID, [](double x) { return 1 / (1 + std::exp(-x)); }, -3, 3},
      {UnaryOpType::SIGNUM, [](double x) { return double((x > 0) - (x < 0)); }, -3, 3},
      {UnaryOpType::SQRT, [](double x) { return std::sqrt(x); }, 0, 9},
      {UnaryOpType::SQUARE, [](double x) { return x * x; }, -3, 3},
      {UnaryOpType::TANH, [](double x) { return std::tanh(x); }, -3, 3}};
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    std::vector<std::pair<std::size_t, Values>> results;
    std::vector<poplar::Type> types;
    for (UnaryCase const &c : cases)
      for (poplar::Type const &type : {FLOAT, HALF}) {
        Values const in = numbers.real(type, 100, c.low, c.high);
        Values expected(in.size());
        for (std::size_t i = 0; i != in.size(); ++i)
          expected[i] = rounded(type, c.reference(in[i]));
        results.emplace_back(
            run.output(popops::map(run.graph, c.op, run.input(type, {10, 10}, in), run.prog)),
            expected);
        types.push_back(type);
      }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i / 2);
      checkClose(run.values(results[i].first), results[i].second, epsilonOf(types[i]), 8);
    }
  });
}

TEST_CASE("binary operations broadcast by numpy's rules") {
  onDevices([](DeviceMaker const &device) {
    std::vector<std::pair<Shape, Shape>> const shapes{{{4, 6}, {4, 6}},
                                                      {{4, 6}, {6}},
                                                      {{4, 6}, {4, 1}},
                                                      {{4, 6}, {}},
                                                      {{1}, {4, 6}},
                                                      {{4, 1}, {1, 6}},
                                                      {{3, 5, 7}, {3, 1, 7}},
                                                      {{3, 5, 7}, {1, 5, 1}},
                                                      {{2, 3, 4, 5}, {1, 3, 1, 5}},
                                                      {{2, 1, 4, 1}, {1, 3, 1, 5}},
                                                      {{300}, {1}},
                                                      {{0, 3}, {1, 3}},
                                                      {{1, 70, 9}, {6, 70, 1}}};
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t output;
      Values expected;
    };
    std::vector<Result> results;
    for (auto const &[a, b] : shapes) {
      Values const va = numbers.real(FLOAT, product(a)), vb = numbers.real(FLOAT, product(b));
      Tensor const out =
          popops::sub(run.graph, run.input(FLOAT, a, va), run.input(FLOAT, b, vb), run.prog);
      Values expected(out.numElements());
      for (std::size_t i = 0; i != expected.size(); ++i)
        expected[i] = static_cast<float>(at(va, a, out.shape(), i) - at(vb, b, out.shape(), i));
      results.push_back({run.output(out), expected});
    }
    run.run();
    for (auto const &result : results)
      checkClose(run.values(result.output), result.expected, 0, 0);
  });
}

TEST_CASE("a fused expression over views of all kinds agrees with a loop") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    Values const va = numbers.real(FLOAT, 12 * 20), vb = numbers.real(FLOAT, 20 * 12);
    Tensor const a = run.input(FLOAT, {12, 20}, va), b = run.input(FLOAT, {20, 12}, vb);
    auto const expression = Select(_1 * _2 + 1.5f, Sqrt(Abs(_1)), _2 > 0.25f);
    auto const reference = [](double x, double y) {
      return y > 0.25 ? double(float(float(x * y) + 1.5f)) : double(std::sqrt(std::fabs(float(x))));
    };
    std::size_t const transposed =
        run.output(popops::map(run.graph, expression, {a, b.transpose()}, run.prog));
    std::size_t const both =
        run.output(popops::map(run.graph, expression, {a.transpose(), b}, run.prog));
    std::size_t const sliced = run.output(popops::map(
        run.graph, expression, {a.slice(3, 9, 0).reverse(1), a.slice(1, 7, 0)}, run.prog));
    std::size_t const strided = run.output(
        popops::map(run.graph, expression, {a.subSample(3, 1), a.subSample(3, 1)}, run.prog));
    run.run();
    Values expected(240);
    for (std::size_t i = 0; i != 12; ++i)
      for (std::size_t j = 0; j != 20; ++j)
        expected[i * 20 + j] = reference(va[i * 20 + j], vb[j * 12 + i]);
    checkClose(run.values(transposed), expected, epsilonOf(FLOAT), 2);
    for (std::size_t i = 0; i != 12; ++i)
      for (std::size_t j = 0; j != 20; ++j)
        expected[j * 12 + i] = reference(va[i * 20 + j], vb[j * 12 + i]);
    checkClose(run.values(both), expected, epsilonOf(FLOAT), 2);
    expected.resize(120);
    for (std::size_t i = 0; i != 6; ++i)
      for (std::size_t j = 0; j != 20; ++j)
        expected[i * 20 + j] = reference(va[(3 + i) * 20 + 19 - j], va[(1 + i) * 20 + j]);
    checkClose(run.values(sliced), expected, epsilonOf(FLOAT), 2);
    expected.resize(84);
    for (std::size_t i = 0; i != 12; ++i)
      for (std::size_t j = 0; j != 7; ++j)
        expected[i * 7 + j] = reference(va[i * 20 + 3 * j], va[i * 20 + 3 * j]);
    checkClose(run.values(strided), expected, epsilonOf(FLOAT), 2);
  });
}

TEST_CASE("large tensors are split among vertices without a seam") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    std::size_t const n = 100003;
    Values values(n);
    for (std::size_t i = 0; i != n; ++i)
      values[i] = static_cast<double>(i % 1000);
    Tensor const a = run.input(FLOAT, {n}, values);
    std::size_t const out = run.output(popops::map(run.graph, _1 * 2.f + 1.f, {a}, run.prog));
    run.run();
    for (double &value : values)
      value = 2 * value + 1;
    checkClose(run.values(out), values, 0, 0);
  });
}

TEST_CASE("constants take the type of the operand beside them") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const half = run.input(HALF, {3}, {1, 2, 3}), integer = run.input(INT, {3}, {5, -6, 7});
    Tensor const scaled = popops::map(run.graph, _1 * Const(2), {half}, run.prog);
    CHECK(scaled.elementType() == HALF);
    std::size_t const outScaled = run.output(scaled);
    std::size_t const truncated =
        run.output(popops::map(run.graph, _1 + Const(0.75f), {integer}, run.prog));
    std::size_t const selected = run.output(
        popops::map(run.graph, Select(Const(1.f), Const(-1.f), _1 > 0), {integer}, run.prog));
    run.run();
    CHECK(run.values(outScaled) == Values{2, 4, 6});
    CHECK(run.values(truncated) == Values{5, -6, 7});
    CHECK(run.values(selected) == Values{1, -1, 1});
  });
}

TEST_CASE("integer operations wrap, truncate and shift as documented") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(INT, {4}, {7, -7, 2147483647, -8}),
                 b = run.input(INT, {4}, {2, 2, 1, 3});
    Tensor const u = run.input(UNSIGNED_INT, {4}, {7, 8, 4294967295.0, 100});
    std::vector<std::pair<std::size_t, Values>> const results{
        {run.output(popops::div(run.graph, a, b, run.prog)), {3, -3, 2147483647, -2}},
        {run.output(popops::rem(run.graph, a, b, run.prog)), {1, -1, 0, -2}},
        {run.output(popops::add(run.graph, a, b, run.prog)), {9, -5, -2147483648.0, -5}},
        {run.output(popops::shiftRightSignExtend(run.graph, a, b, run.prog)),
         {1, -2, 1073741823, -1}},
        {run.output(popops::shiftLeft(run.graph, b, 4, run.prog)), {32, 32, 16, 48}},
        {run.output(popops::rem(run.graph, u, 8u, run.prog)), {7, 0, 7, 4}},
        {run.output(popops::div(run.graph, u, 4u, run.prog)), {1, 2, 1073741823, 25}},
        {run.output(popops::pow(run.graph, a, b, run.prog)), {49, 49, 2147483647, -512}},
        {run.output(popops::bitwiseXnor(run.graph, u, u, run.prog)),
         {4294967295.0, 4294967295.0, 4294967295.0, 4294967295.0}},
        {run.output(popops::popcount(run.graph, u, run.prog)), {3, 1, 32, 3}},
        {run.output(popops::gt(run.graph, a, b, run.prog)), {1, 0, 1, 0}}};
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("comparisons, logic and tests for special values give BOOL") {
  onDevices([](DeviceMaker const &device) {
    double const inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
    Run run(device);
    Tensor const a = run.input(FLOAT, {4}, {1, nan, inf, -2}),
                 b = run.input(FLOAT, {4}, {1, 1, 1, 1});
    std::vector<std::pair<std::size_t, Values>> const results{
        {run.output(popops::isFinite(run.graph, a, run.prog)), {1, 0, 0, 1}},
        {run.output(popops::map(run.graph, UnaryOpType::IS_NAN, a, run.prog)), {0, 1, 0, 0}},
        {run.output(popops::map(run.graph, UnaryOpType::IS_INF, a, run.prog)), {0, 0, 1, 0}},
        {run.output(popops::neq(run.graph, a, b, run.prog)), {0, 1, 1, 1}},
        {run.output(popops::lteq(run.graph, a, b, run.prog)), {1, 0, 0, 1}},
        {run.output(popops::map(run.graph, (_1 > 0.f) && !(_1 > _2), {a, b}, run.prog)),
         {1, 0, 0, 0}}};
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("in-place forms write the first tensor and nothing else") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {6}, {1, 2, 3, 4, 5, 6}),
                 b = run.input(FLOAT, {3}, {10, 20, 30});
    popops::addInPlace(run.graph, a.slice(0, 3), b, run.prog);
    popops::mulInPlace(run.graph, a.slice(3, 6), 2.f, run.prog);
    popops::mapInPlace(run.graph, _1, {b}, run.prog);
    std::size_t const outA = run.output(a), outB = run.output(b);
    run.run();
    CHECK(run.values(outA) == Values{11, 22, 33, 8, 10, 12});
    CHECK(run.values(outB) == Values{10, 20, 30});
  });
}

TEST_CASE("in-place operations read overlapping operands before they write") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {4}, {1, 2, 3, 4}),
                 b = run.input(FLOAT, {2, 2}, {1, 2, 3, 4});
    popops::addInPlace(run.graph, a, a.reverse(0), run.prog);
    popops::subInPlace(run.graph, b, b[0], run.prog);
    Tensor const c = run.input(FLOAT, {4}, {1, 2, 3, 4});
    popops::mulInPlace(run.graph, c, c, run.prog);
    Tensor const d = run.input(FLOAT, {2, 2}, {1, 2, 3, 4});
    popops::mapInPlace(run.graph, _2, {d, d.transpose()}, run.prog);
    std::size_t const outA = run.output(a), outB = run.output(b), outC = run.output(c),
                      outD = run.output(d);
    run.run();
    CHECK(run.values(outA) == Values{5, 5, 5, 5});
    CHECK(run.values(outB) == Values{0, 0, 2, 2});
    CHECK(run.values(outC) == Values{1, 4, 9, 16});
    CHECK(run.values(outD) == Values{1, 3, 2, 4});
  });
}

TEST_CASE("several expressions are all computed from the old contents") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {2}, {1, 2}), b = run.input(FLOAT, {2}, {10, 20});
    auto const sums = popops::map(run.graph, {Any(_1 + _2), Any(_1 - _2)}, {a, b}, run.prog);
    popops::mapInPlace(run.graph, std::vector<Any>{Any(_2), Any(_1)}, {a, b}, run.prog);
    std::vector<std::size_t> const outs{run.output(sums[0]), run.output(sums[1]), run.output(a),
                                        run.output(b)};
    run.run();
    CHECK(run.values(outs[0]) == Values{11, 22});
    CHECK(run.values(outs[1]) == Values{-9, -18});
    CHECK(run.values(outs[2]) == Values{10, 20});
    CHECK(run.values(outs[3]) == Values{1, 2});
  });
}

TEST_CASE("mapWithOutput writes a given tensor, also one that overlaps an operand") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {5}, {1, 2, 3, 4, 5});
    popops::mapWithOutput(run.graph, _1 + _2, {a.slice(0, 3), a.slice(2, 5)}, a.slice(1, 4),
                          run.prog);
    std::size_t const out = run.output(a);
    run.run();
    CHECK(run.values(out) == Values{1, 4, 6, 8, 5});
  });
}

TEST_CASE("half times one float is rounded once") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(HALF, {3}, {1000, 3, 0.5}), s = run.input(FLOAT, {}, {0.1f});
    Tensor const product = popops::mul(run.graph, a, s, run.prog);
    CHECK(product.elementType() == HALF);
    std::size_t const out = run.output(product);
    run.run();
    Values expected;
    for (double x : {1000., 3., 0.5})
      expected.push_back(rounded(HALF, x * 0.1f));
    CHECK(run.values(out) == expected);
  });
}

TEST_CASE("an expression larger than one vertex program is evaluated in parts") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {9}, Values(9, 1));
    Any sum = _1;
    for (int i = 1; i != 400; ++i)
      sum = Add(sum, Mul(_1, Const(float(i % 7))));
    Any nested = Square(_1);
    for (int i = 0; i != 60; ++i)
      nested =
          i % 2 ? Any(Add(Square(_1), nested)) : Any(Add(nested, Mul(Square(_1), Const(float(i)))));
    std::size_t const out = run.output(popops::map(run.graph, sum, {a}, run.prog));
    std::size_t const outNested = run.output(popops::map(run.graph, nested, {a}, run.prog));
    run.run();
    double expected = 1, expectedNested = 1;
    for (int i = 1; i != 400; ++i)
      expected += i % 7;
    for (int i = 0; i != 60; ++i)
      expectedNested += i % 2 ? 1 : i;
    CHECK(run.values(out) == Values(9, expected));
    CHECK(run.values(outNested) == Values(9, expectedNested));
  });
}

TEST_CASE("rewritten expressions keep their shape and value") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const a = run.input(FLOAT, {1}, {3}), b = run.input(FLOAT, {4}, {1, 2, 3, 4});
    std::vector<std::size_t> outs;
    for (char const *on : {"true", "false"}) {
      poplar::OptionFlags const options{{"enableExpressionOptimizations", on}};
      Tensor const chosen =
          popops::map(run.graph, Select(_1, _2, Const(true)), {a, b}, run.prog, {}, options);
      CHECK(chosen.shape() == Shape{4});
      outs.push_back(run.output(chosen));
      outs.push_back(run.output(
          popops::map(run.graph, Pow(_1, Const(2.f)) * 1.f + 0.f, {b}, run.prog, {}, options)));
    }
    run.run();
    for (std::size_t i : {0, 2}) {
      CHECK(run.values(outs[i]) == Values(4, 3));
      CHECK(run.values(outs[i + 1]) == Values{1, 4, 9, 16});
    }
  });
}

TEST_CASE("constants beside tensors must have the tensor's type") {
  Run run(cpu);
  Tensor const a = run.graph.addVariable(FLOAT, {2});
  CHECK_THROWS_WITH_AS(
      popops::add(run.graph, a, 1, run.prog),
      "popops::add: Type mismatch between Binary op Tensor and constant: the tensor is of type "
      "float, the constant of type int; give the constant the type of the tensor (float for half)",
      std::runtime_error);
  CHECK_THROWS_WITH_AS(
      popops::mulInPlace(run.graph, a, 2u, run.prog),
      "popops::mulInPlace: Type mismatch between Binary op Tensor and constant: the tensor is of "
      "type float, the constant of type unsigned int; give the constant the type of the tensor "
      "(float for half)",
      std::runtime_error);
  CHECK_THROWS_WITH_AS(
      popops::subWithOutput(run.graph, true, a, a, run.prog),
      "popops::subWithOutput: Type mismatch between Binary op Tensor and constant: the tensor is "
      "of type float, the constant of type bool; give the constant the type of the tensor (float "
      "for half)",
      std::runtime_error);
}

TEST_CASE("arguments that do not fit are named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  auto &p = run.prog;
  Tensor const a = g.addVariable(FLOAT, {2, 3}), b = g.addVariable(FLOAT, {4}),
               h = g.addVariable(HALF, {2, 3});
  Tensor const l = g.addVariable(poplar::LONGLONG, {2, 3});
  for (Tensor const &t : {a, b, h, l})
    g.setTileMapping(t, 0);
  CHECK_THROWS_WITH_AS(
      popops::add(g, a, b, p),
      "popops::map: the shape [4] of operand _2 does not fit the shape [2, 3] of the others; "
      "dimensions, counted from the last, must be equal or 1",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::add(g, a, h, p),
                       "popops::map: the operands of Add must have same type, but they are of "
                       "float and half, in the "
                       "expression\nAdd(\n  PlaceHolder(1),\n  PlaceHolder(2)\n)\nwith _1 of type "
                       "float, _2 of type half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::map(g, Abs(_2), {a}, p),
      "popops::map: placeholder _2 stands for none of 1 tensors; they count from _1, in the "
      "expression\nAbsolute(\n  PlaceHolder(2)\n)\nwith _1 of type float",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::logicalNot(g, a, p),
      "popops::map: LogicalNot does not exist for elements of type float; allowed: bool, in the "
      "expression\nLogicalNot(\n  PlaceHolder(1)\n)\nwith _1 of type float",
      poplibs_error);
  CHECK_THROWS_AS(popops::atan2(g, l, l, p), poplibs_error);
  CHECK_THROWS_AS(popops::map(g, Cast(Const(1.f), HALF), {a}, p), poplibs_error);
  CHECK_THROWS_AS(popops::map(g, Equal(Const(1.f), Const(2.f)), {a}, p), poplibs_error);
  CHECK_THROWS_AS(popops::map(g, Abs(_1), {Tensor()}, p), poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::mapInPlace(g, Cast(_1, HALF), {a}, p),
      "popops::mapInPlace: the result is of type half, but the output is of type float",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::mapWithOutput(g, _1 + 1.f, {b}, a, p),
      "popops::mapWithOutput: the result has shape [4], but the output has shape [2, 3]",
      poplibs_error);
  CHECK_THROWS_WITH_AS(popops::addInPlace(g, b.expand({0}).broadcast(2, 0), b, p),
                       "popops::mapInPlace: the output of shape [2, 4] must be writeable in "
                       "parallel, but it contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::negInPlace(g, g.addConstant<float>(FLOAT, {2}, {1, 2}), p),
                       "popops::mapInPlace: the output of shape [2] must be writeable in parallel, "
                       "but it contains constants",
                       poplibs_error);
  poplar::OptionFlags const options{{"noSuchOption", "1"}};
  std::vector<popops::expr::Any> const sums{_1 + 1.f};
  auto const refuses = [&](char const *function, auto const &call) {
    CAPTURE(function);
    CHECK_THROWS_WITH_AS(
        call(),
        doctest::Contains(("popops::" + std::string(function) + ": Unrecognised option").c_str()),
        poplar::invalid_option);
  };
  refuses("map", [&] { popops::add(g, a, a, p, {}, options); });
  refuses("map", [&] { popops::map(g, sums, {a}, p, {}, options); });
  refuses("mapInPlace", [&] { popops::addInPlace(g, a, a, p, {}, options); });
  refuses("mapInPlace", [&] { popops::mapInPlace(g, sums, {a}, p, {}, options); });
  refuses("mapWithOutput", [&] { popops::addWithOutput(g, a, a, a, p, {}, options); });
  refuses("mapWithOutput", [&] { popops::mapWithOutput(g, sums, {a}, {a}, p, {}, options); });
}

TEST_CASE("expressions that write the same elements are refused, others are not") {
  Run run(cpu);
  auto &g = run.graph;
  auto &p = run.prog;
  std::vector<Any> const two{_1 + 1.f, _1 * 2.f};
  Tensor const a = run.input(FLOAT, {2, 2}, {1, 2, 3, 4}),
               t = run.input(FLOAT, {3, 3}, Values(9, 0.)), out = t.slice({0, 0}, {2, 2});
  auto const refuses = [&](Tensor const &first, Tensor const &second, std::string const &text) {
    CHECK_THROWS_WITH_AS(popops::mapWithOutput(g, two, {a}, {first, second}, p),
                         ("popops::mapWithOutput: outs[0] and outs[1] share elements, the first "
                          "being element " +
                          text + " of the other; both are written")
                             .c_str(),
                         poplibs_error);
  };
  refuses(out, out, "[0, 0] of the one and [0, 0]");
  refuses(out, out.transpose(), "[0, 0] of the one and [0, 0]");
  refuses(out, out.reverse(1), "[0, 0] of the one and [0, 1]");
  refuses(out, t.slice({1, 1}, {3, 3}), "[1, 1] of the one and [0, 0]");
  refuses(t.slice({1, 1}, {3, 3}), out, "[0, 0] of the one and [1, 1]");
  Tensor const row = t.slice({0, 0}, {1, 2}), other = t.slice({2, 0}, {3, 2});
  refuses(concat(row, other), t.slice({1, 1}, {3, 3}), "[1, 1] of the one and [1, 0]");
  CHECK_THROWS_WITH_AS(popops::mapInPlace(g, two, {a, a.reverse(0)}, p),
                       "popops::mapInPlace: ts[0] and ts[1] share elements, the first being "
                       "element [0, 0] of the one and [1, 0] of the other; both are written",
                       poplibs_error);
  Tensor const bits = t.reinterpret(UNSIGNED_INT).slice({1, 1}, {3, 3});
  CHECK_THROWS_WITH_AS(
      popops::mapWithOutput(g, {_1 + 1.f, Cast(_1, UNSIGNED_INT)}, {a}, {out, bits}, p),
      "popops::mapWithOutput: outs[0] and outs[1] share elements, the first being element [1, 1] "
      "of the one and [0, 0] of the other; both are written",
      poplibs_error);
  // What is no output may be anything.
  popops::mapInPlace(g, std::vector<Any>{_2 + 1.f}, {a, a, a.reverse(0)}, p);
  popops::mapWithOutput(g, two, {a.slice(0, 1)}, {t.slice({0, 0}, {1, 2}), other}, p);
  std::vector<std::size_t> const outs{run.output(a), run.output(t)};
  run.run();
  CHECK(run.values(outs[0]) == Values{2, 3, 4, 5});
  CHECK(run.values(outs[1]) == Values{3, 4, 0, 0, 0, 0, 4, 6, 0});
}

TEST_CASE("invalid tensors and operations that do not exist are named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  auto &p = run.prog;
  Tensor const a = run.input(FLOAT, {2}, {1, 2}), l = run.input(poplar::LONGLONG, {2}, {1, 2});
  CHECK_THROWS_WITH_AS(popops::absWithOutput(g, a, Tensor(), p),
                       "popops::mapWithOutput: the output is an invalid tensor", poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::add(g, Tensor(), 1.f, p),
      "popops::add: the operand beside the constant of a binary op is an invalid tensor",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::map(g, static_cast<UnaryOpType>(99), a, p),
      "popops::map: the expression has an operation of UnaryOpType 99; allowed: 0 to 33",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::mapInPlace(g, static_cast<BinaryOpType>(99), a, a, p),
      "popops::mapInPlace: the expression has an operation of BinaryOpType 99; allowed: 0 to 25",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::map(g, static_cast<TernaryOpType>(2), a, a, a, p),
      "popops::map: the expression has an operation of TernaryOpType 2; allowed: 0 to 1",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::map(g, Cast(_1, INT), {l}, p),
      doctest::Contains("Cast does not exist for elements of type long long to int; allowed: "
                        "float, half, bool and integers of up to 32 bits to each other, the latter "
                        "two also to 64-bit integers, in the expression"),
      poplibs_error);
}

TEST_CASE("forgetting addCodelets and mixing graphs are errors that say so") {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  poplar::program::Sequence prog;
  Tensor const a = graph.addVariable(FLOAT, {2}, poplar::VariableMappingMethod::LINEAR);
  try {
    popops::neg(graph, a, prog);
    FAIL("no exception");
  } catch (poplar::unknown_vertex_type const &error) {
    CHECK(std::string(error.what()).find("popops::addCodelets") != std::string::npos);
  }
  Run other(cpu);
  CHECK_THROWS_AS(popops::neg(other.graph, a, other.prog), poplar::poplar_error);
}

TEST_SUITE_END();
