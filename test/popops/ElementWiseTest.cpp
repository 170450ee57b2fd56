// The named functions: that each is the operation of its name in all of its forms. How exact the
// operations are is tested with the codelets.
#include "Harness.hpp"

#include <popops/AllTrue.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <bit>

TEST_SUITE_BEGIN("popops/elementWise");

using namespace harness;
using poplar::BOOL;
using poplar::DebugContext;
using poplar::FLOAT;
using poplar::Graph;
using poplar::HALF;
using poplar::INT;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::UNSIGNED_INT;
using poplar::program::Sequence;

namespace {

struct Unary {
  char const *name;
  Tensor (*fresh)(Graph &, Tensor const &, Sequence &, DebugContext const &, OptionFlags const &);
  void (*inPlace)(Graph &, Tensor const &, Sequence &, DebugContext const &, OptionFlags const &);
  void (*withOutput)(Graph &, Tensor const &, Tensor const &, Sequence &, DebugContext const &,
                     OptionFlags const &);
  Type type;
  double low, high; ///< of the arguments
  double (*reference)(double);
};

struct Binary {
  char const *name;
  Tensor (*fresh)(Graph &, Tensor const &, Tensor const &, Sequence &, DebugContext const &,
                  OptionFlags const &);
  void (*inPlace)(Graph &, Tensor const &, Tensor const &, Sequence &, DebugContext const &,
                  OptionFlags const &);
  void (*withOutput)(Graph &, Tensor const &, Tensor const &, Tensor const &, Sequence &,
                     DebugContext const &, OptionFlags const &);
  Type type;
  double low, high;
  double (*reference)(double, double);
};

#define NAMED(name) #name, popops::name, popops::name##InPlace, popops::name##WithOutput

unsigned u(double x) { return static_cast<unsigned>(x); }
int i(double x) { return static_cast<int>(x); }

std::vector<Unary> const &unaries() {
  using F = double;
  static std::vector<Unary> const table = {
      {NAMED(abs), FLOAT, -3, 3, [](F x) { return std::fabs(x); }},
      {NAMED(inv), FLOAT, 0.5, 3, [](F x) { return 1 / x; }},
      {NAMED(neg), INT, -99, 99, [](F x) { return -x; }},
      {NAMED(signum), FLOAT, -3, 3, [](F x) { return F((x > 0) - (x < 0)); }},
      {NAMED(ceil), FLOAT, -3, 3, [](F x) { return std::ceil(x); }},
      {NAMED(floor), FLOAT, -3, 3, [](F x) { return std::floor(x); }},
      {NAMED(round), FLOAT, -3, 3, [](F x) { return std::round(x); }},
      {NAMED(nearbyint), FLOAT, -3, 3, [](F x) { return std::nearbyint(x); }},
      {NAMED(cbrt), FLOAT, -9, 9, [](F x) { return std::cbrt(x); }},
      {NAMED(exp), FLOAT, -3, 3, [](F x) { return std::exp(x); }},
      {NAMED(exp2), FLOAT, -3, 3, [](F x) { return std::exp2(x); }},
      {NAMED(expm1), FLOAT, -3, 3, [](F x) { return std::expm1(x); }},
      {NAMED(log), FLOAT, 2, 9, [](F x) { return std::log(x); }},
      {NAMED(log1p), FLOAT, 1, 9, [](F x) { return std::log1p(x); }},
      {NAMED(sqrt), FLOAT, 0, 9, [](F x) { return std::sqrt(x); }},
      {NAMED(square), FLOAT, -3, 3, [](F x) { return x * x; }},
      {NAMED(rsqrt), FLOAT, 0.5, 9, [](F x) { return 1 / std::sqrt(x); }},
      {NAMED(sigmoid), FLOAT, -3, 3, [](F x) { return 1 / (1 + std::exp(-x)); }},
      {NAMED(asin), FLOAT, -1, 1, [](F x) { return std::asin(x); }},
      {NAMED(cos), FLOAT, -1, 1, [](F x) { return std::cos(x); }},
      {NAMED(sin), FLOAT, -1, 1, [](F x) { return std::sin(x); }},
      {NAMED(tan), FLOAT, -1, 1, [](F x) { return std::tan(x); }},
      {NAMED(tanh), FLOAT, -3, 3, [](F x) { return std::tanh(x); }},
      {NAMED(erf), FLOAT, -2, 2, [](F x) { return std::erf(x); }},
      {NAMED(geluErf), FLOAT, 0.5, 3, [](F x) { return x / 2 * (1 + std::erf(x / std::sqrt(2))); }},
      {NAMED(logicalNot), BOOL, 0, 1, [](F x) { return F(x == 0); }},
      {NAMED(bitwiseNot), INT, -99, 99, [](F x) { return F(~i(x)); }},
      {NAMED(popcount), UNSIGNED_INT, 0, 1e9, [](F x) { return F(std::popcount(u(x))); }},
      {NAMED(countLeadingZeros), UNSIGNED_INT, 0, 1e9,
       [](F x) { return F(std::countl_zero(u(x))); }}};
  return table;
}

std::vector<Binary> const &binaries() {
  using F = double;
  static std::vector<Binary> const table = {
      {NAMED(add), FLOAT, -3, 3, [](F x, F y) { return x + y; }},
      {NAMED(sub), FLOAT, -3, 3, [](F x, F y) { return x - y; }},
      {NAMED(mul), FLOAT, -3, 3, [](F x, F y) { return x * y; }},
      {NAMED(div), FLOAT, 1, 3, [](F x, F y) { return x / y; }},
      {NAMED(pow), FLOAT, 1, 3, [](F x, F y) { return std::pow(x, y); }},
      {NAMED(rem), FLOAT, 1, 9, [](F x, F y) { return std::fmod(x, y); }},
      {NAMED(max), HALF, -3, 3, [](F x, F y) { return std::max(x, y); }},
      {NAMED(min), HALF, -3, 3, [](F x, F y) { return std::min(x, y); }},
      {NAMED(atan2), FLOAT, -3, 3, [](F x, F y) { return std::atan2(x, y); }},
      {NAMED(bitwiseAnd), INT, -99, 99, [](F x, F y) { return F(i(x) & i(y)); }},
      {NAMED(bitwiseOr), INT, -99, 99, [](F x, F y) { return F(i(x) | i(y)); }},
      {NAMED(bitwiseXor), INT, -99, 99, [](F x, F y) { return F(i(x) ^ i(y)); }},
      {NAMED(bitwiseXnor), INT, -99, 99, [](F x, F y) { return F(~(i(x) ^ i(y))); }},
      {NAMED(shiftLeft), UNSIGNED_INT, 0, 31, [](F x, F y) { return F(u(x) << u(y)); }},
      {NAMED(shiftRight), UNSIGNED_INT, 0, 31, [](F x, F y) { return F(u(x) >> u(y)); }},
      {NAMED(shiftRightSignExtend), INT, 0, 31, [](F x, F y) { return F(i(x) >> i(y)); }},
      {NAMED(logicalAnd), BOOL, 0, 1, [](F x, F y) { return F(x != 0 && y != 0); }},
      {NAMED(logicalOr), BOOL, 0, 1, [](F x, F y) { return F(x != 0 || y != 0); }},
      {NAMED(eq), BOOL, 0, 1, [](F x, F y) { return F(x == y); }},
      {NAMED(neq), BOOL, 0, 1, [](F x, F y) { return F(x != y); }},
      {NAMED(gteq), BOOL, 0, 1, [](F x, F y) { return F(x >= y); }},
      {NAMED(gt), BOOL, 0, 1, [](F x, F y) { return F(x > y); }},
      {NAMED(lteq), BOOL, 0, 1, [](F x, F y) { return F(x <= y); }},
      {NAMED(lt), BOOL, 0, 1, [](F x, F y) { return F(x < y); }}};
  return table;
}

/// Numbers that the type holds.
Values numbersOf(Numbers &numbers, Type const &type, std::size_t n, double low, double high) {
  if (type == FLOAT || type == HALF)
    return numbers.real(type, n, low, high);
  return numbers.integer(n, static_cast<long>(low), static_cast<long>(high));
}

struct Expectation {
  char const *name;
  std::size_t output;
  Values expected;
  double epsilon;
};

void checkAll(Run &run, std::vector<Expectation> const &expectations) {
  run.run();
  for (Expectation const &e : expectations) {
    CAPTURE(std::string(e.name));
    checkClose(run.values(e.output), e.expected, e.epsilon, 8, 1);
  }
}

constexpr std::size_t N = 37;

} // namespace

TEST_CASE("functions of one tensor, in place, and with an output") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    std::vector<Expectation> expectations;
    for (Unary const &f : unaries()) {
      CAPTURE(std::string(f.name));
      Values const values = numbersOf(numbers, f.type, N, f.low, f.high);
      Values expected(N);
      for (std::size_t k = 0; k != N; ++k)
        expected[k] = f.reference(values[k]);
      auto const expect = [&](Tensor const &t) {
        expectations.push_back({f.name, run.output(t), expected, epsilonOf(f.type)});
      };
      Tensor const a = run.input(f.type, {N}, values), changed = run.input(f.type, {N}, values),
                   out = run.input(f.type, {N}, Values(N, 1));
      expect(f.fresh(run.graph, a, run.prog, f.name, {}));
      f.inPlace(run.graph, changed, run.prog, f.name, {});
      expect(changed);
      f.withOutput(run.graph, a, out, run.prog, f.name, {});
      expect(out);
      expectations.push_back({f.name, run.output(a), values, 0});
    }
    checkAll(run, expectations);
  });
}

TEST_CASE("functions of two tensors, in place, and with an output") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    std::vector<Expectation> expectations;
    for (Binary const &f : binaries()) {
      CAPTURE(std::string(f.name));
      Values const x = numbersOf(numbers, f.type, N, f.low, f.high),
                   y = numbersOf(numbers, f.type, N, f.low, f.high);
      Values expected(N);
      for (std::size_t k = 0; k != N; ++k)
        expected[k] = f.reference(x[k], y[k]);
      auto const expect = [&](Tensor const &t) {
        expectations.push_back({f.name, run.output(t), expected, epsilonOf(f.type)});
      };
      Tensor const a = run.input(f.type, {N}, x), b = run.input(f.type, {N}, y),
                   changed = run.input(f.type, {N}, x), out = run.input(f.type, {N}, Values(N, 1));
      expect(f.fresh(run.graph, a, b, run.prog, f.name, {}));
      f.inPlace(run.graph, changed, b, run.prog, f.name, {});
      expect(changed);
      f.withOutput(run.graph, a, b, out, run.prog, f.name, {});
      expect(out);
      expectations.push_back({f.name, run.output(b), y, 0});
    }
    checkAll(run, expectations);
  });
}

TEST_CASE("a constant may stand on either side, in every form") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const f = run.input(FLOAT, {2}, {3, 8}), h = run.input(HALF, {2}, {3, 8}),
                 n = run.input(INT, {2}, {3, 8}), out = run.input(FLOAT, {2}, {0, 0}),
                 changed = run.input(HALF, {2}, {3, 8});
    std::vector<Expectation> expectations;
    auto const expect = [&](Tensor const &t, Values const &values) {
      expectations.push_back({"constant", run.output(t), values, 0});
    };
    expect(popops::sub(run.graph, f, 1.f, run.prog), {2, 7});
    expect(popops::sub(run.graph, 1.0, h, run.prog), {-2, -7});
    expect(popops::div(run.graph, n, 2, run.prog), {1, 4});
    Tensor const greater = popops::gt(run.graph, 5.f, f, run.prog);
    CHECK(greater.elementType() == BOOL);
    expect(greater, {1, 0});
    popops::subInPlace(run.graph, changed, 2.f, run.prog);
    expect(changed, {1, 6});
    popops::subWithOutput(run.graph, 10.f, f, out, run.prog);
    expect(popops::add(run.graph, out, out, run.prog), {14, 4});
    popops::subWithOutput(run.graph, f, 10.f, out, run.prog);
    expect(out, {-7, -2});
    checkAll(run, expectations);
  });
}

TEST_CASE("select, clamp, isFinite and allTrue") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    double const inf = std::numeric_limits<double>::infinity();
    Tensor const a = run.input(FLOAT, {4}, {1, 5, -3, inf}),
                 b = run.input(FLOAT, {4}, {9, 8, 7, 6}), c = run.input(BOOL, {4}, {1, 0, 0, 1}),
                 low = run.input(FLOAT, {}, {0}), high = run.input(FLOAT, {}, {4}),
                 x = run.input(FLOAT, {4}, {1, 5, -3, inf}),
                 y = run.input(FLOAT, {4}, {1, 5, -3, inf}),
                 z = run.input(FLOAT, {4}, Values(4, 0)),
                 finite = run.input(BOOL, {4}, Values(4, 0));
    std::vector<Expectation> expectations;
    auto const expect = [&](Tensor const &t, Values const &values) {
      expectations.push_back({"ternary", run.output(t), values, 0});
    };
    expect(popops::select(run.graph, a, b, c, run.prog), {1, 8, 7, inf});
    expect(popops::clamp(run.graph, a, low, high, run.prog), {1, 4, 0, 4});
    popops::selectInPlace(run.graph, x, b, c, run.prog);
    expect(x, {1, 8, 7, inf});
    popops::clampInPlace(run.graph, y, low, high, run.prog);
    expect(y, {1, 4, 0, 4});
    popops::clampWithOutput(run.graph, a, low, b, z, run.prog);
    expect(popops::neg(run.graph, z, run.prog), {-1, -5, 0, -6});
    popops::selectWithOutput(run.graph, b, a, c, z, run.prog);
    expect(z, {9, 5, -3, 6});
    expect(popops::isFinite(run.graph, a, run.prog), {1, 1, 1, 0});
    popops::isFiniteWithOutput(run.graph, a, finite, run.prog);
    expect(finite, {1, 1, 1, 0});
    expect(popops::allTrue(run.graph, finite, run.prog), {0});
    expect(popops::allTrue(run.graph, finite.slice(0, 3), run.prog), {1});
    expect(popops::allTrue(run.graph, finite.slice(0, 0), run.prog), {1});
    checkAll(run, expectations);
  });
}

TEST_CASE("the conversions between variance and inverse standard deviation") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const v = run.input(FLOAT, {2}, {3, 8}), h = run.input(HALF, {2}, {0.5, 0.25});
    Tensor const isd = popops::varianceToInvStdDev(run.graph, v, 1.f, run.prog);
    CHECK(isd.elementType() == HALF);
    Tensor const variance = popops::invStdDevToVariance(run.graph, h, 1.f, run.prog, FLOAT);
    CHECK(variance.elementType() == FLOAT);
    std::size_t const outIsd = run.output(isd), outVariance = run.output(variance);
    run.run();
    checkClose(run.values(outIsd), {0.5, 1.0 / 3}, epsilonOf(HALF), 2);
    checkClose(run.values(outVariance), {3, 15}, epsilonOf(FLOAT), 2);
    using poputil::poplibs_error;
    Tensor const two = run.input(FLOAT, {2}, {1, 1});
    CHECK_THROWS_AS(popops::varianceToInvStdDev(run.graph, v, two, run.prog, HALF), poplibs_error);
    CHECK_THROWS_WITH_AS(popops::varianceToInvStdDev(run.graph, v, Tensor(), run.prog, HALF),
                         "popops::varianceToInvStdDev: 'epsilon' is an invalid tensor",
                         poplibs_error);
    CHECK_THROWS_WITH_AS(popops::invStdDevToVariance(run.graph, Tensor(), 1.f, run.prog),
                         "popops::invStdDevToVariance: 'src' is an invalid tensor", poplibs_error);
  });
}

TEST_CASE("variances of halves are computed in float where epsilon or the result is float") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    double const s = rounded(HALF, 0.003), t = rounded(HALF, 0.03), tiny = 1e-9, small = 1e-4;
    Tensor const h = run.input(HALF, {2}, {s, t}), zero = run.input(HALF, {1}, {0});
    Tensor const epsilon = run.input(FLOAT, {1}, {tiny}), halfEpsilon = run.input(HALF, {}, {1});
    std::vector<Expectation> expectations;
    auto const expect = [&](Tensor const &out, Type const &type, Values const &values) {
      CHECK(out.elementType() == type);
      expectations.push_back({"variance", run.output(out), values, epsilonOf(type)});
    };
    expect(popops::invStdDevToVariance(g, h, 0.f, run.prog), FLOAT, {1 / (s * s), 1 / (t * t)});
    expect(popops::invStdDevToVariance(g, h, halfEpsilon, run.prog, FLOAT), FLOAT,
           {1 / (s * s) - 1, 1 / (t * t) - 1});
    expect(popops::varianceToInvStdDev(g, zero, static_cast<float>(tiny), run.prog), HALF,
           {1 / std::sqrt(tiny)});
    expect(popops::varianceToInvStdDev(g, zero, epsilon, run.prog, HALF), HALF,
           {1 / std::sqrt(tiny)});
    expect(popops::varianceToInvStdDev(g, zero, static_cast<float>(small), run.prog, HALF), HALF,
           {1 / std::sqrt(small)});
    checkAll(run, expectations);
  });
}

TEST_CASE("named functions refuse what does not fit, with the values") {
  Run run(cpu);
  Graph &g = run.graph;
  Tensor const f = run.input(FLOAT, {2, 3}, Values(6)), h = run.input(HALF, {2, 3}, Values(6)),
               n = run.input(INT, {2, 3}, Values(6));
  CHECK_THROWS_WITH_AS(
      popops::addInPlace(g, f.slice(0, 2, 1), f, run.prog),
      "popops::mapInPlace: the shape [2, 3] of operand _2 does not fit the shape [2, 2] of the "
      "others; dimensions, counted from the last, must be equal or 1",
      poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::addInPlace(g, f[0], f, run.prog),
                       "popops::mapInPlace: the result has shape [2, 3], but the output has shape "
                       "[3]",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::ltInPlace(g, f, f, run.prog),
      "popops::mapInPlace: the result is of type bool, but the output is of type float",
      poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::expWithOutput(g, f, h, run.prog),
                       "popops::mapWithOutput: the result is of type float, but the output is of "
                       "type half",
                       poputil::poplibs_error);
  CHECK_THROWS_AS(popops::bitwiseAnd(g, f, f, run.prog), poputil::poplibs_error);
  CHECK_THROWS_AS(popops::select(g, f, f, n, run.prog), poputil::poplibs_error);
  CHECK_THROWS_AS(popops::clamp(g, f, h, f, run.prog), poputil::poplibs_error);
  CHECK_THROWS_AS(popops::allTrue(g, n, run.prog), poputil::poplibs_error);
}

TEST_SUITE_END();
