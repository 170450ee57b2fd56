// Every elementwise operation on every instruction set of this machine: accuracy against double,
// special values, equal bits on all instruction sets, ragged and misaligned arrays.
#include "MapKernels.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <string>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::Walk;
using vertices::MapOp;
using vertices::MapType;

namespace {

using test::mapKernel;

constexpr double HALF_PI_SQUARE_ROOT = 0.79788456080286536; // sqrt(2 / pi)

double normal(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double geluSlope(double x) {
  const double u = HALF_PI_SQUARE_ROOT * (x + 0.044715 * x * x * x);
  const double s = logistic(2 * u);
  return s + x * s * (1 - s) * 2 * HALF_PI_SQUARE_ROOT * (1 + 3 * 0.044715 * x * x);
}

/// An operation on floating numbers: its exact value, and the largest error in ulp of a float
/// result for lo <= x <= hi (outside, and where the result is subnormal, 1e-37 absolute is added).
struct UnaryRule {
  MapOp op;
  double (*exact)(double);
  double bound;
  double lo = -INFINITY, hi = INFINITY;
};

const UnaryRule UNARY[] = {
    {MapOp::ABSOLUTE, [](double x) { return std::fabs(x); }, 0},
    {MapOp::ASIN, [](double x) { return std::asin(x); }, 2},
    {MapOp::CBRT, [](double x) { return std::cbrt(x); }, 1},
    {MapOp::CEIL, [](double x) { return std::ceil(x); }, 0},
    {MapOp::COS, [](double x) { return std::cos(x); }, 2},
    {MapOp::ERF, [](double x) { return std::erf(x); }, 3},
    {MapOp::EXPONENT, [](double x) { return std::exp(x); }, 1.1},
    {MapOp::EXPONENT_MINUS_ONE, [](double x) { return std::expm1(x); }, 2},
    {MapOp::EXPONENT2, [](double x) { return std::exp2(x); }, 1},
    {MapOp::FLOOR, [](double x) { return std::floor(x); }, 0},
    {MapOp::GELU_ERF, [](double x) { return x == -INFINITY ? -0.0 : x * normal(x); }, 32, -5},
    {MapOp::INVERSE, [](double x) { return 1 / x; }, 0.5001},
    {MapOp::LOGARITHM, [](double x) { return std::log(x); }, 1},
    {MapOp::LOGARITHM_ONE_PLUS, [](double x) { return std::log1p(x); }, 2},
    {MapOp::NEGATE, [](double x) { return -x; }, 0},
    {MapOp::NEARBY_INT, [](double x) { return std::nearbyint(x); }, 0},
    {MapOp::RELU, [](double x) { return x > 0 ? x : 0; }, 0},
    {MapOp::SIGNUM, [](double x) { return static_cast<double>((x > 0) - (x < 0)); }, 0},
    {MapOp::SIN, [](double x) { return std::sin(x); }, 2},
    {MapOp::TAN, [](double x) { return std::tan(x); }, 4},
    {MapOp::TANH, [](double x) { return std::tanh(x); }, 3},
    {MapOp::ROUND, [](double x) { return std::round(x); }, 0},
    {MapOp::SQRT, [](double x) { return std::sqrt(x); }, 0.5001},
    {MapOp::SQUARE, [](double x) { return x * x; }, 0.5001},
    {MapOp::SIGMOID, logistic, 2.5, -87},
    {MapOp::RSQRT, [](double x) { return 1 / std::sqrt(x); }, 1.5},
    {MapOp::TRUNC, [](double x) { return std::trunc(x); }, 0},
    {MapOp::GELU,
     [](double x) {
       return x == -INFINITY ? -0.0
                             : x * logistic(2 * HALF_PI_SQUARE_ROOT * (x + 0.044715 * x * x * x));
     },
     48, -5},
    {MapOp::SWISH, [](double x) { return x == -INFINITY ? -0.0 : x * logistic(x); }, 3, -80},
    {MapOp::HARD_SIGMOID,
     [](double x) { return std::isnan(x) ? x : std::clamp(0.2 * x + 0.5, 0.0, 1.0); }, 3, -2,
     INFINITY},
};

struct BinaryRule {
  MapOp op;
  double (*exact)(double, double);
  double bound;
};

const BinaryRule BINARY[] = {
    {MapOp::ADD, [](double x, double y) { return x + y; }, 0.5001},
    {MapOp::ATAN2, [](double x, double y) { return std::atan2(x, y); }, 2},
    {MapOp::DIVIDE, [](double x, double y) { return x / y; }, 0.5001},
    {MapOp::MAXIMUM, [](double x, double y) { return std::fmax(x, y); }, 0},
    {MapOp::MINIMUM, [](double x, double y) { return std::fmin(x, y); }, 0},
    {MapOp::MULTIPLY, [](double x, double y) { return x * y; }, 0.5001},
    {MapOp::POWER, [](double x, double y) { return std::pow(x, y); }, 6},
    {MapOp::REMAINDER, [](double x, double y) { return std::fmod(x, y); }, 0},
    {MapOp::SUBTRACT, [](double x, double y) { return x - y; }, 0.5001},
    {MapOp::RELU_GRADIENT, [](double y, double g) { return y > 0 ? g : 0; }, 0},
};

/// Error of a result in units of the last place of T.
double unitsOff(float got, double exact) { return test::ulps(got, exact); }
double unitsOff(Half got, double exact) {
  const double value = static_cast<double>(test::toFloat(got));
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) && std::isnan(value) ? 0 : INFINITY;
  if (std::isinf(value))
    return std::fabs(exact) >= 65519.99 && (exact > 0) == (value > 0) ? 0 : INFINITY;
  int exponent;
  std::frexp(std::max(std::fabs(exact), 0x1p-14), &exponent);
  return std::fabs(value - exact) / std::ldexp(1.0, exponent - 11);
}

std::vector<float> sampleFloats() {
  std::vector<float> all{0.f,
                         -0.f,
                         1.f,
                         -1.f,
                         INFINITY,
                         -INFINITY,
                         NAN,
                         0.5f,
                         -0.5f,
                         2.f,
                         -2.f,
                         2.5f,
                         -2.5f,
                         3.5f,
                         1e-45f,
                         -1e-45f,
                         1.17549435e-38f,
                         3.4028235e38f,
                         -3.4028235e38f,
                         0.99999994f,
                         1.0000001f};
  // Every 40009th float, and a denser grid where functions have their shape; sanitizers do not look
  // for accuracy.
  int const STEP = test::SANITIZED ? 16 : 1;
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += STEP * 40009)
    all.push_back(arch::bitCast<float>(static_cast<std::uint32_t>(bits)));
  for (int i = -60000; i <= 60000; i += STEP)
    all.push_back(static_cast<float>(i) * 0.00031f);
  return all;
}

template <class T>
std::vector<T> run(isa::Isa isa, MapOp op, MapType type, const std::vector<T> &a) {
  std::vector<T> out(a.size());
  mapKernel(isa, op, type)(out.data(), a.data(), nullptr, nullptr, a.size(), Walk::NEAR);
  return out;
}

float anyFloat(std::mt19937 &random) {
  static const float special[] = {0.f,      -0.f,      1.f, -1.f,   2.f,     -2.f,  3.f,  0.5f,
                                  INFINITY, -INFINITY, NAN, 1e-40f, -1e-40f, 3e38f, 2.5f, 1e10f};
  if (random() % 3 == 0)
    return special[random() % std::size(special)];
  if (random() % 2)
    return std::uniform_real_distribution<float>(-50.f, 50.f)(random);
  return arch::bitCast<float>(static_cast<std::uint32_t>(random()));
}

const MapType INTEGERS[] = {MapType::INT, MapType::UNSIGNED_INT};

} // namespace

TEST_SUITE("codelets/popops/mapOps") {
  TEST_CASE("one-operand operations on float keep their error bounds on every instruction set") {
    const std::vector<float> in = sampleFloats();
    for (const UnaryRule &rule : UNARY) {
      CAPTURE(static_cast<int>(rule.op));
      const auto reference = run(isa::Isa::Scalar, rule.op, MapType::FLOAT, in);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double x = static_cast<double>(in[i]), exact = rule.exact(x);
        const bool bounded = !(x < rule.lo || x > rule.hi);
        if (bounded || std::isinf(x))
          REQUIRE_MESSAGE(unitsOff(reference[i], exact) <= rule.bound, "x = ", in[i], ", result ",
                          reference[i], ", exact ", exact);
        else
          REQUIRE_MESSAGE(std::fabs(static_cast<double>(reference[i]) - exact) <=
                              1e-37 + 3e-5 * std::fabs(exact) + 1e-7,
                          "x = ", in[i]);
      }
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        const auto out = run(isa, rule.op, MapType::FLOAT, in);
        for (std::size_t i = 0; i < in.size(); ++i)
          REQUIRE_MESSAGE(test::same(out[i], reference[i]), "x = ", in[i], ": ", out[i],
                          " and scalar ", reference[i]);
      }
    }
  }

  TEST_CASE("one-operand operations are right for every half") {
    std::vector<Half> in(0x10000);
    for (unsigned bits = 0; bits < in.size(); ++bits)
      in[bits].bits = static_cast<std::uint16_t>(bits);
    for (const UnaryRule &rule : UNARY) {
      CAPTURE(static_cast<int>(rule.op));
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        const auto out = run(isa, rule.op, MapType::HALF, in);
        for (std::size_t i = 0; i < in.size(); ++i) {
          const double x = static_cast<double>(test::toFloat(in[i])), exact = rule.exact(x);
          // Half the last place, and what the float result before it may be off.
          const bool exactly = rule.bound == 0 || rule.op == MapOp::SQRT || rule.op == MapOp::RSQRT;
          const double bound = exactly ? 0.5 : 0.5 + 0.01;
          REQUIRE_MESSAGE(unitsOff(out[i], exact) <= bound, "x = ", x, ", result ",
                          test::toFloat(out[i]), ", exact ", exact);
        }
      }
    }
  }

  TEST_CASE("classification gives BOOL") {
    const std::vector<float> in{0.f, -1.f, INFINITY, -INFINITY, NAN, 1e-45f, 3e38f};
    const auto check = [&](MapOp op, std::vector<unsigned char> expected) {
      for (isa::Isa isa : test::vectorIsas()) {
        std::vector<unsigned char> out(in.size()), fromHalf(in.size());
        mapKernel(isa, op, MapType::FLOAT)(out.data(), in.data(), nullptr, nullptr, in.size(),
                                           Walk::NEAR);
        CHECK(out == expected);
        std::vector<Half> halves;
        for (float x : in)
          halves.push_back(test::toHalf(std::fabs(x) > 1e38f && !std::isinf(x) ? 1.f : x));
        mapKernel(isa, op, MapType::HALF)(fromHalf.data(), halves.data(), nullptr, nullptr,
                                          in.size(), Walk::NEAR);
        CHECK(fromHalf == expected);
      }
    };
    check(MapOp::IS_FINITE, {1, 1, 0, 0, 0, 1, 1});
    check(MapOp::IS_INF, {0, 0, 1, 1, 0, 0, 0});
    check(MapOp::IS_NAN, {0, 0, 0, 0, 1, 0, 0});
  }

  TEST_CASE("two-operand operations on float and half keep their error bounds") {
    std::mt19937 random(11);
    const std::size_t n = 60001;
    std::vector<float> a(n), b(n), reference(n), out(n);
    std::vector<Half> ha(n), hb(n), hout(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = anyFloat(random);
      b[i] = anyFloat(random);
      ha[i].bits = static_cast<std::uint16_t>(random());
      hb[i].bits = static_cast<std::uint16_t>(random());
    }
    for (const BinaryRule &rule : BINARY) {
      CAPTURE(static_cast<int>(rule.op));
      mapKernel(isa::Isa::Scalar, rule.op, MapType::FLOAT)(reference.data(), a.data(), b.data(),
                                                           nullptr, n, Walk::NEAR);
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        mapKernel(isa, rule.op, MapType::FLOAT)(out.data(), a.data(), b.data(), nullptr, n,
                                                Walk::NEAR);
        mapKernel(isa, rule.op, MapType::HALF)(hout.data(), ha.data(), hb.data(), nullptr, n,
                                               Walk::NEAR);
        for (std::size_t i = 0; i < n; ++i) {
          REQUIRE_MESSAGE(test::same(out[i], reference[i]), a[i], " ", b[i], ": ", out[i],
                          " and scalar ", reference[i]);
          const double exact = rule.exact(static_cast<double>(a[i]), static_cast<double>(b[i]));
          REQUIRE_MESSAGE(unitsOff(out[i], exact) <= rule.bound, a[i], " ", b[i], " -> ", out[i],
                          ", exact ", exact);
          const double hx = static_cast<double>(test::toFloat(ha[i])),
                       hy = static_cast<double>(test::toFloat(hb[i]));
          REQUIRE_MESSAGE(unitsOff(hout[i], rule.exact(hx, hy)) <= (rule.bound == 0 ? 0.5 : 0.51),
                          hx, " ", hy);
        }
      }
    }
  }

  TEST_CASE("variance conversions and gradients follow their formulas") {
    std::mt19937 random(12);
    std::uniform_real_distribution<float> values(-6.f, 6.f), positive(0.01f, 9.f);
    struct Rule {
      MapOp op;
      double (*exact)(double, double);
      bool positive;
    };
    const Rule rules[] = {
        {MapOp::VARIANCE_TO_INV_STD_DEV, [](double v, double e) { return 1 / std::sqrt(v + e); },
         true},
        {MapOp::INV_STD_DEV_TO_VARIANCE, [](double s, double e) { return 1 / (s * s) - e; }, true},
        {MapOp::SIGMOID_GRADIENT, [](double y, double g) { return g * y * (1 - y); }, false},
        {MapOp::TANH_GRADIENT, [](double y, double g) { return g * (1 - y * y); }, false},
        {MapOp::GELU_GRADIENT, [](double x, double g) { return g * geluSlope(x); }, false},
        {MapOp::GELU_ERF_GRADIENT,
         [](double x, double g) {
           return g * (normal(x) + x * 0.3989422804014327 * std::exp(-x * x / 2));
         },
         false},
        {MapOp::SWISH_GRADIENT,
         [](double x, double g) {
           const double s = logistic(x);
           return g * (s + x * s * (1 - s));
         },
         false},
        {MapOp::HARD_SIGMOID_GRADIENT,
         [](double x, double g) { return std::fabs(x) <= 2.5 ? 0.2 * g : 0; }, false},
    };
    for (const Rule &rule : rules) {
      CAPTURE(static_cast<int>(rule.op));
      const std::size_t n = 5003;
      std::vector<float> a(n), b(n), reference(n), out(n);
      for (std::size_t i = 0; i < n; ++i) {
        a[i] = rule.positive ? positive(random) : values(random);
        b[i] = rule.positive ? positive(random) : values(random);
      }
      mapKernel(isa::Isa::Scalar, rule.op, MapType::FLOAT)(reference.data(), a.data(), b.data(),
                                                           nullptr, n, Walk::NEAR);
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        mapKernel(isa, rule.op, MapType::FLOAT)(out.data(), a.data(), b.data(), nullptr, n,
                                                Walk::NEAR);
        for (std::size_t i = 0; i < n; ++i) {
          const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
          const double exact = rule.exact(x, y);
          // A dozen float operations on terms no larger than these.
          const double terms =
              std::fabs(exact) + std::fabs(y) * (1 + x * x) + (rule.positive ? 1 / (x * x) : 0);
          REQUIRE(test::same(out[i], reference[i]));
          REQUIRE_MESSAGE(std::fabs(static_cast<double>(out[i]) - exact) <= 12 * 6e-8 * terms, x,
                          " ", y);
        }
      }
    }
  }

  TEST_CASE("comparisons of all types follow the order of the type") {
    std::mt19937 random(13);
    const MapOp ops[] = {MapOp::EQUAL,        MapOp::NOT_EQUAL,       MapOp::GREATER_THAN_EQUAL,
                         MapOp::GREATER_THAN, MapOp::LESS_THAN_EQUAL, MapOp::LESS_THAN};
    const auto expected = [](MapOp op, auto x, auto y) {
      return op == MapOp::EQUAL                ? x == y
             : op == MapOp::NOT_EQUAL          ? x != y
             : op == MapOp::GREATER_THAN_EQUAL ? x >= y
             : op == MapOp::GREATER_THAN       ? x > y
             : op == MapOp::LESS_THAN_EQUAL    ? x <= y
                                               : x < y;
    };
    const auto check = [&](MapType type, auto make, auto value) {
      using T = decltype(make());
      const std::size_t n = 1003;
      std::vector<T> a(n), b(n);
      for (std::size_t i = 0; i < n; ++i) {
        a[i] = make();
        b[i] = random() % 3 ? make() : a[i];
      }
      for (MapOp op : ops)
        for (isa::Isa isa : test::vectorIsas()) {
          std::vector<unsigned char> out(n);
          mapKernel(isa, op, type)(out.data(), a.data(), b.data(), nullptr, n, Walk::NEAR);
          for (std::size_t i = 0; i < n; ++i)
            REQUIRE(out[i] == (expected(op, value(a[i]), value(b[i])) ? 1 : 0));
        }
    };
    check(
        MapType::FLOAT, [&] { return anyFloat(random); }, [](float x) { return x; });
    check(
        MapType::HALF, [&] { return Half{static_cast<std::uint16_t>(random())}; },
        [](Half x) { return test::toFloat(x); });
    check(
        MapType::INT, [&] { return static_cast<std::int32_t>(random()); },
        [](std::int32_t x) { return x; });
    check(
        MapType::UNSIGNED_INT, [&] { return static_cast<std::uint32_t>(random()); },
        [](std::uint32_t x) { return x; });
    check(
        MapType::BOOL, [&] { return static_cast<unsigned char>(random() % 2); },
        [](unsigned char x) { return x; });
  }

  TEST_CASE("integer operations wrap, and division by zero is defined") {
    std::mt19937 random(14);
    const std::size_t n = 2003;
    std::vector<std::uint32_t> a(n), b(n), out(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<std::uint32_t>(random()) >> (random() % 32);
      b[i] = random() % 8 == 0   ? 0u
             : random() % 8 == 0 ? ~0u
                                 : static_cast<std::uint32_t>(random()) >> (random() % 32);
      if (random() % 16 == 0)
        a[i] = 0x80000000u;
    }
    using U = std::uint32_t;
    using S = std::int32_t;
    const auto check = [&](MapOp op, auto rule) {
      for (MapType type : INTEGERS)
        for (isa::Isa isa : test::vectorIsas()) {
          mapKernel(isa, op, type)(out.data(), a.data(), b.data(), nullptr, n, Walk::NEAR);
          for (std::size_t i = 0; i < n; ++i)
            REQUIRE_MESSAGE(out[i] == rule(a[i], b[i], type == MapType::INT), "op ",
                            static_cast<int>(op), ": ", a[i], " ", b[i]);
        }
    };
    check(MapOp::ADD, [](U x, U y, bool) { return x + y; });
    check(MapOp::SUBTRACT, [](U x, U y, bool) { return x - y; });
    check(MapOp::MULTIPLY, [](U x, U y, bool) { return x * y; });
    check(MapOp::BITWISE_AND, [](U x, U y, bool) { return x & y; });
    check(MapOp::BITWISE_OR, [](U x, U y, bool) { return x | y; });
    check(MapOp::BITWISE_XOR, [](U x, U y, bool) { return x ^ y; });
    check(MapOp::BITWISE_XNOR, [](U x, U y, bool) { return ~(x ^ y); });
    check(MapOp::MAXIMUM, [](U x, U y, bool s) {
      return s ? static_cast<U>(std::max(static_cast<S>(x), static_cast<S>(y))) : std::max(x, y);
    });
    check(MapOp::MINIMUM, [](U x, U y, bool s) {
      return s ? static_cast<U>(std::min(static_cast<S>(x), static_cast<S>(y))) : std::min(x, y);
    });
    check(MapOp::DIVIDE, [](U x, U y, bool s) {
      return y == 0 ? 0u
             : s ? static_cast<U>(static_cast<std::int64_t>(static_cast<S>(x)) / static_cast<S>(y))
                 : x / y;
    });
    check(MapOp::REMAINDER, [](U x, U y, bool s) {
      return y == 0 ? x
             : s ? static_cast<U>(static_cast<std::int64_t>(static_cast<S>(x)) % static_cast<S>(y))
                 : x % y;
    });
    check(MapOp::POWER, [](U x, U y, bool s) {
      if (s && static_cast<S>(y) < 0)
        return 0u;
      U result = 1;
      for (int bit = 31; bit >= 0; --bit)
        result = result * result * (y >> bit & 1u ? x : 1u);
      return result;
    });
    for (std::size_t i = 0; i < n; ++i)
      b[i] %= 34;
    check(MapOp::SHIFT_LEFT, [](U x, U y, bool) { return y > 31 ? 0u : x << y; });
    check(MapOp::SHIFT_RIGHT, [](U x, U y, bool) { return y > 31 ? 0u : x >> y; });
    check(MapOp::SHIFT_RIGHT_SIGN_EXTEND, [](U x, U y, bool) {
      return static_cast<U>(static_cast<S>(x) >> (y > 31 ? 31 : static_cast<int>(y)));
    });
    const auto unary = [&](MapOp op, auto rule) {
      check(op, [&](U x, U, bool s) { return rule(x, s); });
    };
    unary(MapOp::ABSOLUTE, [](U x, bool s) { return s && static_cast<S>(x) < 0 ? 0u - x : x; });
    unary(MapOp::NEGATE, [](U x, bool) { return 0u - x; });
    unary(MapOp::BITWISE_NOT, [](U x, bool) { return ~x; });
    unary(MapOp::COUNT_LEADING_ZEROS,
          [](U x, bool) { return static_cast<U>(std::countl_zero(x)); });
    unary(MapOp::POPCOUNT, [](U x, bool) { return static_cast<U>(std::popcount(x)); });
    unary(MapOp::SIGNUM, [](U x, bool s) {
      return s && static_cast<S>(x) < 0 ? ~0u : x != 0 ? 1u : 0u;
    });
    unary(MapOp::SQUARE, [](U x, bool) { return x * x; });
    unary(MapOp::SQRT, [](U x, bool s) {
      return s && static_cast<S>(x) < 0 ? 0u : static_cast<U>(std::sqrt(static_cast<double>(x)));
    });
  }

  TEST_CASE("BOOL logic is right for all combinations and lengths") {
    std::mt19937 random(15);
    for (std::size_t n : test::lengths())
      for (isa::Isa isa : test::vectorIsas()) {
        test::Misaligned<unsigned char> a(n), b(n), c(n), out(n);
        for (std::size_t i = 0; i < n; ++i) {
          a.set(i, random() & 1);
          b.set(i, random() & 1);
          c.set(i, random() & 1);
        }
        const auto check = [&](MapOp op, auto rule) {
          mapKernel(isa, op, MapType::BOOL)(out.data(), a.data(), b.data(), c.data(), n,
                                            Walk::NEAR);
          REQUIRE(out.guardsIntact());
          for (std::size_t i = 0; i < n; ++i)
            REQUIRE(out.get(i) == rule(a.get(i), b.get(i), c.get(i)));
        };
        check(MapOp::LOGICAL_AND, [](int x, int y, int) { return x && y; });
        check(MapOp::LOGICAL_OR, [](int x, int y, int) { return x || y; });
        check(MapOp::LOGICAL_NOT, [](int x, int, int) { return !x; });
        check(MapOp::SELECT, [](int x, int y, int z) { return z ? x : y; });
        check(MapOp::COPY, [](int x, int, int) { return x; });
      }
  }

  TEST_CASE("quotients and remainders of integers are exact") {
    const auto check = [](MapType type, auto example) {
      using T = decltype(example);
      std::mt19937 random(43);
      constexpr T EDGES[] = {0,
                             1,
                             static_cast<T>(-1),
                             2,
                             3,
                             static_cast<T>(-7),
                             std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::max() - 1,
                             std::numeric_limits<T>::min(),
                             std::numeric_limits<T>::min() + 1,
                             1 << 30,
                             65535,
                             65537};
      std::vector<T> a, b;
      const auto add = [&](T x, T y) { a.push_back(x), b.push_back(y); };
      for (const T x : EDGES)
        for (const T y : EDGES)
          add(x, y);
      for (int i = 0; i < 20000; ++i) {
        const T x = static_cast<T>(random()), y = static_cast<T>(random() >> random() % 31);
        add(x, y);
        // Next to multiples of the divisor.
        const auto multiple = static_cast<T>(static_cast<std::uint32_t>(y) * (random() % 1000));
        for (const std::uint32_t beside : {0U, 1U, 0xffffffffU})
          add(static_cast<T>(static_cast<std::uint32_t>(multiple) + beside), y);
      }
      for (const isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        std::vector<T> quotients(a.size()), rests(a.size());
        mapKernel(isa, MapOp::DIVIDE, type)(quotients.data(), a.data(), b.data(), nullptr, a.size(),
                                            Walk::NEAR);
        mapKernel(isa, MapOp::REMAINDER, type)(rests.data(), a.data(), b.data(), nullptr, a.size(),
                                               Walk::NEAR);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
          const auto x = static_cast<std::int64_t>(a[i]), y = static_cast<std::int64_t>(b[i]);
          wrong += quotients[i] != static_cast<T>(y == 0 ? 0 : x / y);
          wrong += rests[i] != static_cast<T>(y == 0 ? x : x % y);
        }
        CHECK(wrong == 0);
      }
    };
    check(MapType::INT, std::int32_t{0});
    check(MapType::UNSIGNED_INT, std::uint32_t{0});
  }

  TEST_CASE("CLAMP and SELECT on all numeric types") {
    std::mt19937 random(16);
    const auto check = [&](MapType type, auto example) {
      using T = decltype(example);
      for (std::size_t n : test::lengths())
        for (isa::Isa isa : test::vectorIsas()) {
          test::Misaligned<T> a(n), b(n), c(n), out(n);
          std::vector<unsigned char> mask(n + 1);
          const auto value = [&] {
            return test::fromFloat<T>(static_cast<float>(random() % 200) -
                                      (std::is_unsigned_v<T> ? 0.f : 100.f));
          };
          for (std::size_t i = 0; i < n; ++i) {
            a.set(i, value());
            b.set(i, value());
            c.set(i, value());
            mask[i] = random() & 1;
          }
          mapKernel(isa, MapOp::CLAMP, type)(out.data(), a.data(), b.data(), c.data(), n,
                                             Walk::NEAR);
          REQUIRE(out.guardsIntact());
          const auto number = [](T x) {
            if constexpr (std::is_same_v<T, Half>)
              return test::toFloat(x);
            else
              return x;
          };
          for (std::size_t i = 0; i < n; ++i) {
            const auto x = number(a.get(i)), low = number(b.get(i)), high = number(c.get(i));
            REQUIRE(number(out.get(i)) == (x < low ? low : x > high ? high : x));
          }
          mapKernel(isa, MapOp::SELECT, type)(out.data(), a.data(), b.data(), mask.data(), n,
                                              Walk::NEAR);
          REQUIRE(out.guardsIntact());
          for (std::size_t i = 0; i < n; ++i)
            REQUIRE(number(out.get(i)) == number(mask[i] ? a.get(i) : b.get(i)));
        }
    };
    check(MapType::FLOAT, 0.f);
    check(MapType::HALF, Half{0});
    check(MapType::INT, std::int32_t{0});
    check(MapType::UNSIGNED_INT, std::uint32_t{0});
  }

  TEST_CASE("ragged and misaligned arrays, and results in place of an operand") {
    for (MapType type : {MapType::FLOAT, MapType::HALF})
      for (std::size_t n : test::lengths())
        for (isa::Isa isa : test::vectorIsas()) {
          const auto check = [&](auto example) {
            using T = decltype(example);
            test::Misaligned<T> a(n), b(n), out(n);
            for (std::size_t i = 0; i < n; ++i) {
              a.set(i, test::fromFloat<T>(static_cast<float>(i % 50)));
              b.set(i, test::fromFloat<T>(0.5f));
            }
            mapKernel(isa, MapOp::ADD, type)(out.data(), a.data(), b.data(), nullptr, n,
                                             Walk::NEAR);
            mapKernel(isa, MapOp::ADD, type)(a.data(), a.data(), b.data(), nullptr, n, Walk::NEAR);
            REQUIRE(out.guardsIntact());
            REQUIRE(a.guardsIntact());
            for (std::size_t i = 0; i < n; ++i) {
              REQUIRE(test::toFloat(out.get(i)) == static_cast<float>(i % 50) + 0.5f);
              REQUIRE(test::same(a.get(i), out.get(i)));
            }
          };
          if (type == MapType::FLOAT)
            check(0.f);
          else
            check(Half{0});
        }
  }

  TEST_CASE("what is fetched ahead or written past the caches has the same bits") {
    std::mt19937 random(18);
    for (std::size_t n : test::lengths())
      for (isa::Isa isa : test::vectorIsas())
        for (MapOp op :
             {MapOp::EXPONENT, MapOp::RELU, MapOp::ADD, MapOp::POWER, MapOp::RELU_GRADIENT}) {
          const auto check = [&](MapType type, auto example) {
            using T = decltype(example);
            std::vector<T> a(n), b(n), out(n);
            std::vector<unsigned char> room(n * sizeof(T) + 128);
            void *const past =
                room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64;
            for (std::size_t i = 0; i < n; ++i) {
              a[i] = test::fromFloat<T>(static_cast<float>(random() % 900) * 0.01f);
              b[i] = test::fromFloat<T>(0.3f);
            }
            mapKernel(isa, op, type)(out.data(), a.data(), b.data(), nullptr, n, Walk::NEAR);
            mapKernel(isa, op, type)(past, a.data(), b.data(), nullptr, n, Walk::PAST);
            CHECK((n == 0 || std::memcmp(past, out.data(), n * sizeof(T)) == 0));
            mapKernel(isa, op, type)(a.data(), a.data(), b.data(), nullptr, n, Walk::FAR);
            CHECK((n == 0 || std::memcmp(a.data(), out.data(), n * sizeof(T)) == 0));
          };
          check(MapType::FLOAT, 0.f);
          check(MapType::HALF, Half{0});
        }
  }

  TEST_CASE("a kernel exists exactly where the program format says so") {
    for (unsigned op = 0; op < vertices::NUM_MAP_OPS; ++op)
      for (unsigned type = 0; type < vertices::NUM_MAP_TYPES; ++type)
        for (isa::Isa isa : test::vectorIsas())
          CHECK((mapKernel(isa, static_cast<MapOp>(op), static_cast<MapType>(type)) != nullptr) ==
                vertices::isSupported(static_cast<MapOp>(op), static_cast<MapType>(type)));
  }
}
