// The accuracy of reductions, softmax, norms and casts that docs/accuracy.md states, against
// double. POP_PRINT_ACCURACY=1 prints its rows.
#include <codelets/poplin/Norm.hpp>
#include <codelets/popnn/Softmax.hpp>
#include <codelets/popops/Cast.hpp>
#include <codelets/popops/Reduce.hpp>
#include <test/codelets/Isas.hpp>

#include <cstdio>
#include <cstdlib>

using namespace cottonwood;
using kernels::ReduceOp;
using kernels::SoftmaxKind;

namespace {

struct Errors {
  double most = 0, sum = 0;
  std::size_t count = 0;

  void add(double error) {
    most = std::max(most, error);
    sum += error;
    ++count;
  }
  void print() const { std::printf(" %.3g | %.2g |", most, sum / static_cast<double>(count)); }
};

bool prints() { return std::getenv("POP_PRINT_ACCURACY") != nullptr; }

/// The machine's best instruction set; other tests prove that all give the same bits.
isa::Isa best() {
  return isa::withTag(test::vectorIsas().back(), [](auto tag) {
    if constexpr (requires { typename decltype(tag)::Lower; })
      return decltype(tag)::Lower::ID;
    else
      return decltype(tag)::ID;
  });
}

std::vector<float> uniform(std::size_t n, float lo, float hi, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(lo, hi);
  std::vector<float> data(n);
  for (float &value : data)
    value = values(random);
  return data;
}

/// Of out[outer, inner] from in[outer, reduced, inner].
std::vector<float> reduced(ReduceOp op, const std::vector<float> &in, std::size_t length,
                           std::size_t inner) {
  std::vector<float> out(in.size() / length);
  auto state = test::zeroed<vertices::Reduce<isa::scalar, float, float>>();
  test::connect(state.in, in.data());
  test::connect(state.out, out.data(), out.size());
  state.op = static_cast<unsigned>(op);
  state.reduced = static_cast<unsigned>(length);
  state.inner = static_cast<unsigned>(inner);
  test::runOn<vertices::ReduceFamily>(best(), state);
  return out;
}

/// Sums in units of 2^-24 of the sum of their terms' magnitudes, LOG_ADD in units in the last
/// place.
Errors errorsOfReduce(ReduceOp op, float lo, std::size_t length, std::size_t inner) {
  constexpr std::size_t OUTPUTS = 64;
  const std::vector<float> in = uniform(OUTPUTS * length, lo, 1, 5);
  const std::vector<float> out = reduced(op, in, length, inner);
  Errors errors;
  for (std::size_t o = 0; o < OUTPUTS; ++o) {
    double sum = 0, magnitude = 0;
    for (std::size_t r = 0; r < length; ++r) {
      const double x = static_cast<double>(in[(o / inner * length + r) * inner + o % inner]);
      const double term = op == ReduceOp::SQUARE_ADD ? x * x
                          : op == ReduceOp::LOG_ADD  ? std::exp(x)
                                                     : x;
      sum += term;
      magnitude += std::fabs(term);
    }
    if (op == ReduceOp::LOG_ADD)
      errors.add(test::ulps(out[o], std::log(sum)));
    else
      errors.add(std::fabs(static_cast<double>(out[o]) - sum) / magnitude * 0x1p24);
  }
  return errors;
}

struct StatedReduce {
  const char *name;
  ReduceOp op;
  float lo; ///< terms are uniform from here to 1
  std::size_t length;
  double rows, columns; ///< bounds
};
const StatedReduce REDUCTIONS[] = {
    {"ADD", ReduceOp::ADD, -1, 1000, 0.5, 1},
    {"ADD", ReduceOp::ADD, -1, 100'000, 0.5, 1},
    {"ADD", ReduceOp::ADD, 0, 1000, 3, 10},
    {"ADD", ReduceOp::ADD, 0, 100'000, 8, 100},
    {"SQUARE_ADD", ReduceOp::SQUARE_ADD, -1, 1000, 3, 12},
    {"SQUARE_ADD", ReduceOp::SQUARE_ADD, -1, 100'000, 6, 140},
    {"LOG_ADD", ReduceOp::LOG_ADD, -1, 1000, 2, 3},
    {"LOG_ADD", ReduceOp::LOG_ADD, -1, 100'000, 2, 12},
};

template <class T> double last(double exact) {
  int exponent;
  const bool half = sizeof(T) == 2;
  std::frexp(std::max(std::fabs(exact), half ? 0x1p-14 : 0x1p-126), &exponent);
  return std::ldexp(1.0, exponent - (half ? 11 : 24));
}

template <class Plain>
auto softmax(SoftmaxKind kind, const std::vector<float> &values, std::size_t length) {
  using T = vertices::KernelType<Plain>;
  std::vector<T> in(values.size()), out(values.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = test::fromFloat<T>(values[i]);
  auto state = test::zeroed<vertices::Softmax<isa::scalar, Plain>>();
  test::connect(state.in, in.data());
  test::connect(state.out, out.data(), out.size());
  state.length = static_cast<unsigned>(length);
  state.kind = static_cast<unsigned>(kind);
  test::runOn<vertices::SoftmaxFamily>(best(), state);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < in.size(); ++i) {
    x.push_back(static_cast<double>(test::toFloat(in[i])));
    y.push_back(static_cast<double>(test::toFloat(out[i])));
  }
  return std::make_pair(x, y);
}

template <class Plain> Errors errorsOfSoftmax(SoftmaxKind kind, float range, std::size_t length) {
  const auto [x, y] = softmax<Plain>(kind, uniform(16 * length, -range, range, 6), length);
  Errors errors;
  for (std::size_t row = 0; row < x.size(); row += length) {
    double sum = 0;
    for (std::size_t i = row; i < row + length; ++i)
      sum += std::exp(x[i]);
    for (std::size_t i = row; i < row + length; ++i) {
      const double exact = kind == SoftmaxKind::LOG ? x[i] - std::log(sum) : std::exp(x[i]) / sum;
      errors.add(std::fabs(y[i] - exact) / last<vertices::KernelType<Plain>>(exact));
    }
  }
  return errors;
}

struct StatedSoftmax {
  const char *name;
  SoftmaxKind kind;
  float range;
  std::size_t length;
  double bound;
};
const StatedSoftmax SOFTMAXES[] = {
    {"softmax", SoftmaxKind::STABLE, 8, 100, 4},    {"softmax", SoftmaxKind::STABLE, 8, 5000, 4},
    {"softmax", SoftmaxKind::STABLE, 60, 5000, 4},  {"softmax", SoftmaxKind::STABLE, 65, 5000, 90},
    {"log-softmax", SoftmaxKind::LOG, 8, 100, 3},   {"log-softmax", SoftmaxKind::LOG, 8, 5000, 3},
    {"log-softmax", SoftmaxKind::LOG, 60, 5000, 3},
};

/// {mean in units of 2^-24 of the mean magnitude, invStdDev in units in the last place}
std::pair<Errors, Errors> errorsOfStatistics(float centre, std::size_t length, bool stable) {
  constexpr std::size_t ROWS = 64;
  const std::vector<float> in = uniform(ROWS * length, centre - 1, centre + 1, 7);
  std::vector<float> mean(ROWS), factor(ROWS);
  auto state = test::zeroed<vertices::NormStatistics<isa::scalar, float>>();
  test::connect(state.in, in.data());
  test::connect(state.mean, mean.data(), ROWS);
  test::connect(state.invStdDev, factor.data(), ROWS);
  state.r1 = 1, state.k2 = 1, state.r2 = static_cast<unsigned>(length);
  state.eps = 1e-5F, state.factor = 1, state.stable = stable;
  test::runOn<vertices::NormFamily>(best(), state);
  std::pair<Errors, Errors> errors;
  for (std::size_t row = 0; row < ROWS; ++row) {
    double sum = 0, magnitude = 0, variance = 0;
    const float *x = in.data() + row * length;
    for (std::size_t i = 0; i < length; ++i)
      sum += static_cast<double>(x[i]), magnitude += std::fabs(static_cast<double>(x[i]));
    const double n = static_cast<double>(length), exact = sum / n;
    for (std::size_t i = 0; i < length; ++i)
      variance += (static_cast<double>(x[i]) - exact) * (static_cast<double>(x[i]) - exact) / n;
    errors.first.add(std::fabs(static_cast<double>(mean[row]) - exact) / (magnitude / n) * 0x1p24);
    errors.second.add(
        test::ulps(factor[row], 1 / std::sqrt(variance + static_cast<double>(1e-5F))));
  }
  return errors;
}

struct StatedNorm {
  float centre;
  std::size_t length;
  bool stable;
  double mean, invStdDev;
};
const StatedNorm NORMS[] = {
    {0, 768, false, 0.5, 4},   {0, 768, true, 0.5, 4},   {0, 50'000, false, 0.5, 4},
    {0, 50'000, true, 0.5, 4}, {10, 768, false, 3, 800}, {10, 768, true, 3, 4},
};

} // namespace

TEST_SUITE("codelets/popnn/rowAccuracy") {
  TEST_CASE("reductions keep the accuracy that is stated for them") {
    for (const StatedReduce &stated : REDUCTIONS) {
      const Errors rows = errorsOfReduce(stated.op, stated.lo, stated.length, 1);
      const Errors columns = errorsOfReduce(stated.op, stated.lo, stated.length, 64);
      INFO(stated.name, " of ", stated.length, " from ", stated.lo);
      CHECK(rows.most <= stated.rows);
      CHECK(columns.most <= stated.columns);
      if (prints()) {
        std::printf("| %s | %g to 1 | %zu | %g |", stated.name, static_cast<double>(stated.lo),
                    stated.length, stated.rows);
        rows.print();
        std::printf(" %g |", stated.columns);
        columns.print();
        std::printf("\n");
      }
    }
  }

  TEST_CASE("MAX and MIN are exact") {
    const std::vector<float> in = uniform(64 * 1001, -1, 1, 8);
    for (std::size_t inner : {1, 64}) {
      const auto most = reduced(ReduceOp::MAX, in, 1001, inner);
      const auto least = reduced(ReduceOp::MIN, in, 1001, inner);
      for (std::size_t o = 0; o < 64; ++o) {
        float high = -INFINITY, low = INFINITY;
        for (std::size_t r = 0; r < 1001; ++r) {
          const float x = in[(o / inner * 1001 + r) * inner + o % inner];
          high = std::max(high, x), low = std::min(low, x);
        }
        CHECK(most[o] == high);
        CHECK(least[o] == low);
      }
    }
  }

  TEST_CASE("reductions of special values") {
    const float inf = INFINITY, nan = NAN, tiny = 0x1p-149F;
    const auto of = [](ReduceOp op, std::vector<float> in) {
      return reduced(op, in, in.size(), 1)[0];
    };
    CHECK(of(ReduceOp::ADD, {tiny, tiny, tiny}) == 3 * tiny);
    CHECK(of(ReduceOp::ADD, {inf, 1}) == inf);
    CHECK(std::isnan(of(ReduceOp::ADD, {inf, -inf})));
    CHECK(of(ReduceOp::MAX, {nan, 1, -2}) == 1);
    CHECK(of(ReduceOp::MIN, {nan, nan}) == inf);
    CHECK(of(ReduceOp::LOG_ADD, {-inf, 3}) == 3);
    CHECK(of(ReduceOp::LOG_ADD, {-inf, -inf}) == -inf);
    CHECK(of(ReduceOp::LOG_ADD, {inf, 3}) == inf);
    CHECK(of(ReduceOp::LOG_ADD, {200, 200}) == doctest::Approx(200.6931));
    CHECK(std::isnan(of(ReduceOp::LOG_ADD, {nan, 3})));
  }

  TEST_CASE("softmax keeps the accuracy that is stated for it") {
    for (const StatedSoftmax &stated : SOFTMAXES) {
      const Errors ofFloat = errorsOfSoftmax<float>(stated.kind, stated.range, stated.length);
      const Errors ofHalf = errorsOfSoftmax<poplar::half>(stated.kind, stated.range, stated.length);
      INFO(stated.name, " of ", stated.length, " within ", stated.range);
      CHECK(ofFloat.most <= stated.bound);
      // Rounded once; and exponentials are within 2^-14 of theirs, which shows where they are
      // results.
      CHECK(ofHalf.most <= (stated.kind == SoftmaxKind::LOG ? 0.51 : 0.63));
      if (prints()) {
        std::printf("| %s | %g | %zu | %g |", stated.name, static_cast<double>(stated.range),
                    stated.length, stated.bound);
        ofFloat.print();
        ofHalf.print();
        std::printf("\n");
      }
    }
  }

  TEST_CASE("softmax of special values") {
    const float inf = INFINITY;
    const auto of = [](SoftmaxKind kind, std::vector<float> in) {
      return softmax<float>(kind, in, in.size()).second;
    };
    for (SoftmaxKind kind : {SoftmaxKind::STABLE, SoftmaxKind::LOG}) {
      for (double y : of(kind, {1, NAN, 2}))
        CHECK(std::isnan(y));
      for (double y : of(kind, {-inf, -inf}))
        CHECK(std::isnan(y));
      CHECK(std::isnan(of(kind, {1, inf})[1]));
    }
    const auto y = of(SoftmaxKind::STABLE, {0, -inf, -95, -200, 0});
    CHECK(y[0] == doctest::Approx(0.5));
    CHECK(y[1] == 0);
    CHECK(y[2] == doctest::Approx(std::exp(-95.0) / 2).epsilon(1e-3)); // subnormal
    CHECK(y[3] == 0);
    CHECK(of(SoftmaxKind::LOG, {0, -inf})[1] == -INFINITY);
    CHECK(of(SoftmaxKind::LOG, {0, -200})[1] == -200);
    // Beyond what single exponentials could take.
    CHECK(of(SoftmaxKind::STABLE, {1e30F, 1e30F})[0] == 0.5);
  }

  TEST_CASE("statistics of norms keep the accuracy that is stated for them") {
    for (const StatedNorm &stated : NORMS) {
      const auto errors = errorsOfStatistics(stated.centre, stated.length, stated.stable);
      INFO("centre ", stated.centre, ", length ", stated.length, ", stable ", stated.stable);
      CHECK(errors.first.most <= stated.mean);
      CHECK(errors.second.most <= stated.invStdDev);
      if (prints()) {
        std::printf("| %g | %zu | %s |", static_cast<double>(stated.centre), stated.length,
                    stated.stable ? "yes" : "no");
        errors.first.print();
        errors.second.print();
        std::printf("\n");
      }
    }
  }
}
