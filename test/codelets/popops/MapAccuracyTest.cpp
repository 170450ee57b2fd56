// The accuracy of elementary functions that docs/accuracy.md states: largest and mean error against
// double, over dense samples of floats and all halves. POP_PRINT_ACCURACY=1 prints its rows, from
// more samples.
#include "MapKernels.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::Walk;
using vertices::MapOp;
using vertices::MapType;

namespace {

/// As the document names it, where it holds, and the bound that it states in units of the last
/// place of a float result. A half result is off by its rounding and hardly more.
struct Stated {
  const char *name;
  MapOp op;
  double (*exact)(double);
  double lo, hi;
  double bound;
};

double normal(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return x * logistic(2 * 0.79788456080286536 * (x + 0.044715 * x * x * x)); }

constexpr double MOST = 3.4028234e38;

const Stated STATED[] = {
    {"exp", MapOp::EXPONENT, [](double x) { return std::exp(x); }, -104, 88.7, 1.1},
    {"exp2", MapOp::EXPONENT2, [](double x) { return std::exp2(x); }, -151, 127.99, 1},
    {"expm1", MapOp::EXPONENT_MINUS_ONE, [](double x) { return std::expm1(x); }, -104, 88.7, 2},
    {"log", MapOp::LOGARITHM, [](double x) { return std::log(x); }, 0, MOST, 1},
    {"log1p", MapOp::LOGARITHM_ONE_PLUS, [](double x) { return std::log1p(x); }, -0.9999999, MOST,
     2},
    {"sqrt", MapOp::SQRT, [](double x) { return std::sqrt(x); }, 0, MOST, 0.5001},
    {"rsqrt", MapOp::RSQRT, [](double x) { return 1 / std::sqrt(x); }, 1e-38, MOST, 1.1},
    {"cbrt", MapOp::CBRT, [](double x) { return std::cbrt(x); }, -MOST, MOST, 1},
    {"inverse", MapOp::INVERSE, [](double x) { return 1 / x; }, -MOST, MOST, 0.5001},
    {"tanh", MapOp::TANH, [](double x) { return std::tanh(x); }, -MOST, MOST, 3},
    {"sigmoid", MapOp::SIGMOID, logistic, -87, MOST, 2.5},
    {"erf", MapOp::ERF, [](double x) { return std::erf(x); }, -MOST, MOST, 3},
    {"sin", MapOp::SIN, [](double x) { return std::sin(x); }, -32768, 32768, 2},
    {"cos", MapOp::COS, [](double x) { return std::cos(x); }, -32768, 32768, 2},
    {"tan", MapOp::TAN, [](double x) { return std::tan(x); }, -32768, 32768, 4},
    {"asin", MapOp::ASIN, [](double x) { return std::asin(x); }, -1, 1, 2},
    {"swish", MapOp::SWISH, [](double x) { return x * logistic(x); }, -80, 1e38, 3},
    {"gelu", MapOp::GELU, gelu, -1, 1e10, 4},
    {"gelu", MapOp::GELU, gelu, -5, -1, 48},
    {"geluErf", MapOp::GELU_ERF, [](double x) { return x * normal(x); }, -1, 1e38, 5},
    {"geluErf", MapOp::GELU_ERF, [](double x) { return x * normal(x); }, -12.5, -1, 7},
};

struct StatedPair {
  const char *name;
  MapOp op;
  double (*exact)(double, double);
  double bound;
};

const StatedPair PAIRS[] = {
    {"pow", MapOp::POWER, [](double x, double y) { return std::pow(x, y); }, 1.5},
    {"atan2", MapOp::ATAN2, [](double y, double x) { return std::atan2(y, x); }, 2},
    {"divide", MapOp::DIVIDE, [](double x, double y) { return x / y; }, 0.5001},
};

bool printsErrors() { return std::getenv("POP_PRINT_ACCURACY") != nullptr; }

struct Errors {
  double most = 0, sum = 0;
  std::size_t count = 0;

  void add(double error) {
    most = std::max(most, error);
    sum += error;
    ++count;
  }
  std::string cells() const {
    char text[64];
    std::snprintf(text, sizeof text, " %.3g | %.2g |", most, sum / static_cast<double>(count));
    return text;
  }
};

/// Every so-manieth float from lo to hi, both ends among them; equally many of each binade.
std::vector<float> floatsIn(double lo, double hi) {
  const auto order = [](float x) { // ascending as integers
    const auto bits = static_cast<std::int64_t>(arch::bitCast<std::uint32_t>(std::fabs(x)));
    return std::signbit(x) ? -bits : bits;
  };
  const std::int64_t first = order(static_cast<float>(lo)), last = order(static_cast<float>(hi));
  const std::int64_t wanted = printsErrors() ? 1 << 23 : 1 << 16;
  const std::int64_t step = std::max<std::int64_t>(1, (last - first) / wanted) | 1;
  std::vector<float> values{static_cast<float>(hi)};
  for (std::int64_t i = first; i < last; i += step) {
    const float x = arch::bitCast<float>(static_cast<std::uint32_t>(std::abs(i)));
    values.push_back(i < 0 ? -x : x);
  }
  return values;
}

/// The kernel of the machine's best instruction set; MapOpsTest proves that all give the same bits.
kernels::MapKernel kernelOf(MapOp op, MapType type) {
  return test::mapKernel(test::vectorIsas().back(), op, type, type);
}

Errors errorsOfFloat(const Stated &stated) {
  const std::vector<float> in = floatsIn(stated.lo, stated.hi);
  std::vector<float> out(in.size());
  kernelOf(stated.op, MapType::FLOAT)(out.data(), in.data(), nullptr, nullptr, in.size(),
                                      Walk::NEAR);
  Errors errors;
  for (std::size_t i = 0; i < in.size(); ++i)
    errors.add(test::ulps(out[i], stated.exact(static_cast<double>(in[i]))));
  return errors;
}

/// In units of the last place of half; results that overflow are left out.
double halfUlps(Half got, double exact) {
  const double value = static_cast<double>(test::toFloat(got));
  int exponent;
  std::frexp(std::max(std::fabs(exact), 0x1p-14), &exponent);
  return std::fabs(value - exact) / std::ldexp(1.0, exponent - 11);
}

Errors errorsOfHalf(const Stated &stated) {
  std::vector<Half> in(0x10000), out(in.size());
  for (unsigned bits = 0; bits < in.size(); ++bits)
    in[bits].bits = static_cast<std::uint16_t>(bits);
  kernelOf(stated.op, MapType::HALF)(out.data(), in.data(), nullptr, nullptr, in.size(),
                                     Walk::NEAR);
  Errors errors;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = static_cast<double>(test::toFloat(in[i]));
    if (!(x >= stated.lo && x <= stated.hi) || std::isinf(x))
      continue;
    const double exact = stated.exact(x);
    if (std::fabs(exact) < 65520)
      errors.add(halfUlps(out[i], exact));
  }
  return errors;
}

/// Operands of all magnitudes at which results are neither 0 nor infinite as a rule.
std::pair<std::vector<float>, std::vector<float>> pairsFor(MapOp op) {
  std::mt19937 random(17);
  const std::size_t n = printsErrors() ? 1 << 23 : 1 << 16;
  std::vector<float> a(n), b(n);
  std::uniform_real_distribution<float> exponent(-30, 30), sign(-1, 1);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = std::exp2(exponent(random));
    b[i] = std::copysign(std::exp2(op == MapOp::POWER ? exponent(random) / 6 : exponent(random)),
                         sign(random));
  }
  return {a, b};
}

std::string rangeText(const Stated &stated) {
  char text[64];
  const auto end = [](double x) {
    char number[24];
    std::snprintf(number, sizeof number, "%.7g", x);
    return std::fabs(x) > 1e38 ? std::string(x < 0 ? "-max" : "max") : std::string(number);
  };
  std::snprintf(text, sizeof text, "%s to %s", end(stated.lo).c_str(), end(stated.hi).c_str());
  return text;
}

float valueAt(MapOp op, float x, float y = 0) {
  float out = 0;
  kernelOf(op, MapType::FLOAT)(&out, &x, &y, nullptr, 1, Walk::NEAR);
  return out;
}

} // namespace

TEST_SUITE("codelets/popops/mapAccuracy") {
  TEST_CASE("functions keep the accuracy that is stated for them") {
    for (const Stated &stated : STATED) {
      const Errors ofFloat = errorsOfFloat(stated), ofHalf = errorsOfHalf(stated);
      INFO(stated.name, " from ", stated.lo, ": ", ofFloat.most, " ulp, half ", ofHalf.most);
      CHECK(ofFloat.count > 60000);
      CHECK(ofFloat.most <= stated.bound);
      CHECK(ofHalf.most <= 0.51);
      char bound[32];
      std::snprintf(bound, sizeof bound, " %.2g |", stated.bound);
      if (printsErrors())
        std::printf("| %s | %s |%s%s%s\n", stated.name, rangeText(stated).c_str(), bound,
                    ofFloat.cells().c_str(), ofHalf.cells().c_str());
    }
  }

  TEST_CASE("a power of halves is the same beside others that take another way") {
    constexpr std::uint16_t MINUS_ONE = 0xbc00, TWO = 0x4000, INFINITE = 0x7c00;
    const kernels::MapKernel pow = kernelOf(MapOp::POWER, MapType::HALF);
    for (std::uint16_t const y :
         std::vector<std::uint16_t>{0x3555, 0x3e00, 0x4248, 0x4910, 0xb555, 0xc248, 0xc910}) {
      std::vector<std::uint16_t> x, mixed, exponents, mixedExponents;
      for (std::uint16_t bits = 1; bits < INFINITE; ++bits) {
        x.push_back(bits), exponents.push_back(y);
        mixed.insert(mixed.end(), {bits, MINUS_ONE});
        mixedExponents.insert(mixedExponents.end(), {y, TWO});
      }
      std::vector<std::uint16_t> alone(x.size()), beside(mixed.size());
      pow(alone.data(), x.data(), exponents.data(), nullptr, x.size(), Walk::NEAR);
      pow(beside.data(), mixed.data(), mixedExponents.data(), nullptr, mixed.size(), Walk::NEAR);
      std::size_t different = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        different += alone[i] != beside[2 * i];
      CHECK(different == 0);
    }
  }

  TEST_CASE("sine and cosine of halves are as accurate for the largest") {
    const auto sine = [](double x) { return std::sin(x); };
    const auto cosine = [](double x) { return std::cos(x); };
    CHECK(errorsOfHalf({"sin", MapOp::SIN, sine, -65504, 65504, 2}).most <= 0.51);
    CHECK(errorsOfHalf({"cos", MapOp::COS, cosine, -65504, 65504, 2}).most <= 0.51);
  }

  TEST_CASE("functions of two operands keep the accuracy that is stated for them") {
    for (const StatedPair &stated : PAIRS) {
      const auto [a, b] = pairsFor(stated.op);
      std::vector<float> out(a.size());
      kernelOf(stated.op, MapType::FLOAT)(out.data(), a.data(), b.data(), nullptr, a.size(),
                                          Walk::NEAR);
      Errors errors;
      for (std::size_t i = 0; i < a.size(); ++i)
        errors.add(
            test::ulps(out[i], stated.exact(static_cast<double>(a[i]), static_cast<double>(b[i]))));
      INFO(stated.name, ": ", errors.most, " ulp");
      CHECK(errors.most <= stated.bound);
      if (printsErrors())
        std::printf("| %s | %.2g |%s\n", stated.name, stated.bound, errors.cells().c_str());
    }
  }

  TEST_CASE("results at special values") {
    const float inf = INFINITY, tiny = 1e-40F;
    const auto is = [](float got, float expected) { return test::same(got, expected); };
    CHECK(is(valueAt(MapOp::EXPONENT, inf), inf));
    CHECK(is(valueAt(MapOp::EXPONENT, -inf), 0.F));
    CHECK(is(valueAt(MapOp::EXPONENT, 89), inf));
    CHECK(valueAt(MapOp::EXPONENT, -100) > 0); // subnormal
    CHECK(is(valueAt(MapOp::LOGARITHM, 0), -inf));
    CHECK(is(valueAt(MapOp::LOGARITHM, -0.F), -inf));
    CHECK(std::isnan(valueAt(MapOp::LOGARITHM, -1)));
    CHECK(valueAt(MapOp::LOGARITHM, tiny) == doctest::Approx(std::log(1e-40)));
    CHECK(std::isnan(valueAt(MapOp::SQRT, -1)));
    CHECK(is(valueAt(MapOp::SQRT, -0.F), -0.F));
    CHECK(is(valueAt(MapOp::RSQRT, 0), inf));
    CHECK(is(valueAt(MapOp::RSQRT, inf), 0.F));
    CHECK(std::isnan(valueAt(MapOp::SIN, inf)));
    CHECK(std::isnan(valueAt(MapOp::COS, -inf)));
    CHECK(std::isnan(valueAt(MapOp::ASIN, 1.5F)));
    CHECK(is(valueAt(MapOp::SIGMOID, -inf), 0.F));
    CHECK(is(valueAt(MapOp::SIGMOID, inf), 1.F));
    CHECK(is(valueAt(MapOp::POWER, 0, 0), 1.F));
    CHECK(is(valueAt(MapOp::POWER, NAN, 0), 1.F));
    CHECK(is(valueAt(MapOp::POWER, 1, NAN), 1.F));
    CHECK(is(valueAt(MapOp::POWER, -2, 3), -8.F));
    CHECK(std::isnan(valueAt(MapOp::POWER, -2, 0.5F)));
    CHECK(is(valueAt(MapOp::POWER, 0, -1), inf));
    for (MapOp op : {MapOp::EXPONENT_MINUS_ONE, MapOp::LOGARITHM_ONE_PLUS, MapOp::TANH, MapOp::SIN,
                     MapOp::TAN, MapOp::ASIN, MapOp::CBRT, MapOp::ERF}) {
      CAPTURE(static_cast<int>(op));
      CHECK(is(valueAt(op, -0.F), -0.F)); // odd, or as good as near 0
      CHECK(is(valueAt(op, 0.F), 0.F));
    }
    for (MapOp op : {MapOp::TANH, MapOp::ERF}) {
      CHECK(is(valueAt(op, inf), 1.F));
      CHECK(is(valueAt(op, -inf), -1.F));
    }
    for (MapOp op : {MapOp::EXPONENT_MINUS_ONE, MapOp::LOGARITHM_ONE_PLUS, MapOp::TANH, MapOp::SIN,
                     MapOp::TAN, MapOp::ASIN}) {
      CAPTURE(static_cast<int>(op));
      CHECK(is(valueAt(op, tiny), tiny)); // subnormal operands are not flushed
    }
    for (const Stated &stated : STATED)
      CHECK(std::isnan(valueAt(stated.op, NAN)));
  }
}
