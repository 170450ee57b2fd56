// Reductions of an application against the library's own and against plain loops. Compiled once per
// instruction set by poplar_add_kernels.
#include "Harness.hpp"

#include <popops/Reduce.hpp>
#include <popops/ReduceFunctor.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

TEST_SUITE_BEGIN("popops/reducefunctor");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::Type;
using poplar::UNSIGNED_INT;

namespace reducefunctortest {

struct Sum {
  static constexpr float identity = 0;
  template <class V> V combine(V a, V b) const { return a + b; }
};

/// sqrt(sum of (x - centre)^2): everything a reduction can have.
/// Shows the order, and what elements that are not there are taken for.
struct Lopsided {
  static constexpr float identity = 0.125F;
  template <class V> V combine(V a, V b) const { return a + b * 0.5F; }
};

inline constexpr auto WHOLE = popops::reduction(3, [](auto a, auto b) { return a + b; });

struct Distance {
  static constexpr float identity = 0;
  float centre;
  template <class V> V map(V x) const {
    V const d = x - centre;
    return d * d;
  }
  template <class V> V combine(V a, V b) const { return a + b; }
  template <class V> V finish(V x) const { return sqrt(x); }
};

inline constexpr auto LARGEST = popops::reduction(
    0.0F, [](auto a, auto b) { return max(a, b); }, [](auto x) { return abs(x); });

struct Xor {
  static constexpr unsigned identity = 0;
  template <class V> V combine(V a, V b) const { return a ^ b; }
};

/// The identity is a member.
struct AtLeast {
  int identity;
  template <class V> V combine(V a, V b) const { return V::max(a, b); }
};

} // namespace reducefunctortest

using namespace reducefunctortest;

namespace {

struct Case {
  Shape shape;
  std::vector<std::size_t> dims;
};

std::vector<Case> const CASES = {{{1}, {0}},
                                 {{63}, {0}},
                                 {{64}, {0}},
                                 {{65}, {0}},
                                 {{1000}, {0}},
                                 {{7, 130}, {1}},
                                 {{130, 7}, {0}},
                                 {{33, 600}, {0}},
                                 {{5, 9, 11}, {1}},
                                 {{5, 9, 11}, {0, 2}},
                                 {{5, 9, 11}, {0, 1, 2}},
                                 {{4, 6}, {}},
                                 {{0, 5}, {0}},
                                 {{5, 0}, {0}},
                                 {{3, 1, 8}, {1}},
                                 {{}, {}},
                                 {{2, 3, 40, 2}, {0, 2}},
                                 {{40000}, {0}}};

/// f(group of the elements that are reduced to one result) for each result.
template <class F> Values reducedBy(Case const &c, Values const &x, F const &f) {
  Shape kept;
  std::vector<bool> isReduced(c.shape.size(), false);
  for (std::size_t d : c.dims)
    isReduced[d] = true;
  for (std::size_t d = 0; d != c.shape.size(); ++d)
    if (!isReduced[d])
      kept.push_back(c.shape[d]);
  std::vector<Values> groups(product(kept));
  for (std::size_t i = 0; i != x.size(); ++i) {
    std::size_t rest = i, to = 0, stride = 1;
    for (std::size_t d = c.shape.size(); d-- > 0;) {
      if (!isReduced[d]) {
        to += rest % c.shape[d] * stride;
        stride *= c.shape[d];
      }
      rest /= c.shape[d];
    }
    groups[to].push_back(x[i]);
  }
  Values results;
  for (Values const &group : groups)
    results.push_back(f(group));
  return results;
}

std::string textOf(Case const &c) {
  std::string text;
  for (std::size_t d : c.shape)
    text += std::to_string(d) + " ";
  text += "over";
  for (std::size_t d : c.dims)
    text += " " + std::to_string(d);
  return text;
}

} // namespace

TEST_CASE("a sum of one's own has the bits of popops::reduce") {
  onDevices([](DeviceMaker const &device) {
    Numbers random(1);
    for (Case const &c : CASES)
      for (Type const &in : {FLOAT, HALF}) {
        CAPTURE(textOf(c));
        Type const out = in == FLOAT ? HALF : FLOAT;
        Run run(device);
        Tensor const t = run.input(in, c.shape, random.real(in, product(c.shape)));
        Tensor const own = popops::reduce(run.graph, t, c.dims, Sum{}, run.prog);
        Tensor const ownOut = popops::reduce(run.graph, t, out, c.dims, Sum{}, run.prog);
        Tensor const same = popops::reduce(run.graph, t, c.dims, popops::Operation::ADD, run.prog);
        Tensor const sameOut =
            popops::reduce(run.graph, t, out, c.dims, popops::Operation::ADD, run.prog);
        CHECK(own.shape() == same.shape());
        std::size_t const outputs[] = {run.output(own), run.output(same), run.output(ownOut),
                                       run.output(sameOut)};
        run.run();
        CHECK(run.values(outputs[0]) == run.values(outputs[1]));
        CHECK(run.values(outputs[2]) == run.values(outputs[3]));
      }
  });
}

TEST_CASE("elements are mapped once and results finished once, whatever the stages") {
  onDevices([](DeviceMaker const &device) {
    Numbers random(2);
    for (Case const &c : CASES)
      for (Type const &type : {FLOAT, HALF}) {
        CAPTURE(textOf(c));
        Run run(device);
        Values const x = random.real(type, product(c.shape));
        Tensor const t = run.input(type, c.shape, x);
        auto const distance =
            run.output(popops::reduce(run.graph, t, FLOAT, c.dims, Distance{0.75F}, run.prog));
        auto const largest = run.output(popops::reduce(run.graph, t, c.dims, LARGEST, run.prog));
        run.run();
        Values const expected = reducedBy(c, x, [](Values const &group) {
          double sum = 0;
          for (double e : group)
            sum += (e - 0.75) * (e - 0.75);
          return std::sqrt(sum);
        });
        // Three roundings an element, one a level of the tree or a row of eight, one for the root.
        checkClose(run.values(distance), expected, epsilonOf(FLOAT), 24);
        CHECK(run.values(largest) == reducedBy(c, x, [](Values const &group) {
                double most = 0;
                for (double e : group)
                  most = std::max(most, std::fabs(e));
                return most;
              }));
      }
  });
}

TEST_CASE("integers, and an identity that is a member") {
  onDevices([](DeviceMaker const &device) {
    Numbers random(3);
    for (Case const &c : CASES) {
      CAPTURE(textOf(c));
      Run run(device);
      Values const x = random.integer(product(c.shape), -50, 50),
                   y = random.integer(product(c.shape), 0, 1000000);
      auto const most = run.output(
          popops::reduce(run.graph, run.input(INT, c.shape, x), c.dims, AtLeast{20}, run.prog));
      auto const bits = run.output(
          popops::reduce(run.graph, run.input(UNSIGNED_INT, c.shape, y), c.dims, Xor{}, run.prog));
      run.run();
      CHECK(run.values(most) == reducedBy(c, x, [](Values const &group) {
              double result = 20;
              for (double e : group)
                result = std::max(result, e);
              return result;
            }));
      CHECK(run.values(bits) == reducedBy(c, y, [](Values const &group) {
              unsigned result = 0;
              for (double e : group)
                result ^= static_cast<unsigned>(e);
              return static_cast<double>(result);
            }));
    }
  });
}

TEST_CASE("inputs of any layout, outputs that overlap them") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers random(4);
    Values const x = random.integer(12 * 30, -9, 9);
    Tensor const t = run.input(FLOAT, {12, 30}, x);
    Tensor const view = t.transpose().subSample(3, 0); // [10, 12]
    popops::reduceWithOutput(run.graph, view, t[0].slice(0, 12), {0}, Sum{}, run.prog);
    auto const output = run.output(t[0].slice(0, 12));
    run.run();
    Values expected(12, 0);
    for (std::size_t r = 0; r != 12; ++r)
      for (std::size_t c = 0; c != 30; c += 3)
        expected[r] += x[r * 30 + c];
    CHECK(run.values(output) == expected);
  });
}

TEST_CASE("on plain memory the order is that of one vertex") {
  namespace kernels = popops::kernels;
  Numbers random(5);
  for (Shape const &s : {Shape{1, 1000, 1}, Shape{5, 70, 1}, Shape{3, 19, 530}, Shape{2, 0, 3}}) {
    std::vector<float> in, out(s[0] * s[2] + 1, 99.0F), same(out);
    for (double x : random.real(FLOAT, product(s) + 1))
      in.push_back(static_cast<float>(x));
    kernels::ReduceShape const shape{s[0], s[1], s[2]};
    kernels::reduce(Sum{}, out.data(), shape, in.data() + 1);
    kernels::reduce(popops::Operation::ADD, same.data(), shape, in.data() + 1);
    CHECK(out == same);
    std::vector<poplar::IeeeHalf> half;
    for (float x : in)
      half.push_back(poplar::IeeeHalf(x));
    kernels::reduce(Sum{}, out.data(), shape, half.data() + 1);
    kernels::reduce(popops::Operation::ADD, same.data(), shape, half.data() + 1);
    CHECK(out == same);
  }
}

/// results of `rows` rows of n elements, reduced in one call and row by row.
template <class R, class T>
void checkRowsTogether(R const &reduction, std::vector<T> const &in, std::size_t rows,
                       std::size_t n) {
  namespace kernels = popops::kernels;
  std::vector<T> together(rows), alone(rows);
  kernels::reduce(reduction, together.data(), kernels::ReduceShape{rows, n, 1}, in.data());
  for (std::size_t r = 0; r != rows; ++r)
    kernels::reduce(reduction, alone.data() + r, kernels::ReduceShape{1, n, 1}, in.data() + r * n);
  CHECK(std::memcmp(together.data(), alone.data(), rows * sizeof(T)) == 0);
}

TEST_CASE("rows reduced side by side have the bits of each alone") {
  Numbers random(8);
  for (std::size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 200}) {
    CAPTURE(n);
    std::size_t const rows = 37;
    std::vector<float> x;
    std::vector<int> whole;
    for (double value : random.real(FLOAT, rows * n)) {
      x.push_back(static_cast<float>(value));
      whole.push_back(static_cast<int>(value * 1000));
    }
    checkRowsTogether(Sum{}, x, rows, n);
    checkRowsTogether(Distance{0.75F}, x, rows, n);
    checkRowsTogether(Lopsided{}, x, rows, n);
    checkRowsTogether(WHOLE, whole, rows, n);
  }
}

TEST_CASE("errors name types and dimensions") {
  using poputil::poplibs_error;
  Run run(cpu);
  Tensor const a = run.input(FLOAT, {3, 4}, Values(12)), i = run.input(INT, {3}, Values(3));
  CHECK_THROWS_WITH_AS(popops::reduce(run.graph, i, {0}, Sum{}, run.prog),
                       "popops::reduce: the reduction combines elements of type float, but 'in' is "
                       "of type int and the output of type int; both must be float or half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduce(run.graph, a, {2}, Sum{}, run.prog),
                       "popops::reduce: dims[0] = 2 is out of range for 'in' of shape [3, 4]; dims "
                       "must be below 2",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(popops::reduceWithOutput(run.graph, a, a[0], {1}, Sum{}, run.prog),
                       "popops::reduceWithOutput: the output has shape [4], but reducing 'in' of "
                       "shape [3, 4] gives shape [3]",
                       poplibs_error);
}

TEST_SUITE_END();
