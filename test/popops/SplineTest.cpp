#include "Harness.hpp"

#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <poputil/exceptions.hpp>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using poplar::UNSIGNED_CHAR;
using poputil::poplibs_error;

TEST_SUITE_BEGIN("popops/spline");

namespace {

// The uniform B-spline of a degree at u, by its recursion: N_0 is 1 on [0, 1).
double bSpline(unsigned degree, double u) {
  if (degree == 0)
    return u >= 0 && u < 1 ? 1 : 0;
  double const n = degree;
  return u / n * bSpline(degree - 1, u) + (n + 1 - u) / n * bSpline(degree - 1, u - 1);
}

} // namespace

TEST_CASE("bases are products of B-splines, indices wrap around the kernel") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t basis, index;
      Values expectedBasis, expectedIndex;
      double epsilon;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {FLOAT, HALF})
      for (unsigned degree : {1U, 2U, 3U})
        for (std::size_t dims : {1, 2, 3}) {
          std::size_t const edges = 19;
          std::size_t splines = 1;
          for (std::size_t d = 0; d != dims; ++d)
            splines *= degree + 1;
          Values const pseudo = numbers.real(type, edges * dims, 0, 1),
                       size = numbers.integer(dims, 4, 7), open = numbers.integer(dims, 0, 1);
          Values basis, index;
          for (std::size_t e = 0; e != edges; ++e)
            for (std::size_t s = 0; s != splines; ++s) {
              double product = 1, sum = 0, stride = 1;
              std::size_t rest = s;
              for (std::size_t d = 0; d != dims; ++d, rest /= degree + 1) {
                double const k = static_cast<double>(rest % (degree + 1));
                double const v = pseudo[e * dims + d] * (size[d] - degree * open[d]);
                // The k-th spline from the left has come degree - k spans further.
                product *= bSpline(degree, v - std::floor(v) + degree - k);
                sum += std::fmod(std::floor(v) + k, size[d]) * stride;
                stride *= size[d];
              }
              basis.push_back(product);
              index.push_back(sum);
            }
          Tensor const out = run.input(type, {edges, splines}, Values(edges * splines, 9)),
                       indices = run.input(INT, {edges, splines}, Values(edges * splines, 9));
          popops::splineBasis(run.graph, run.input(type, {edges, dims}, pseudo),
                              run.input(INT, {dims}, size), run.input(UNSIGNED_CHAR, {dims}, open),
                              out, indices, degree, run.prog);
          results.push_back({run.output(out), run.output(indices), basis, index, epsilonOf(type)});
        }
    run.run();
    for (std::size_t i = 0; i != results.size(); ++i) {
      CAPTURE(i);
      // A rounding of v moves the fraction by some units of v.
      checkClose(run.values(results[i].basis), results[i].expectedBasis, results[i].epsilon, 64, 1);
      CHECK(run.values(results[i].index) == results[i].expectedIndex);
    }
  });
}

TEST_CASE("sizes of kernels below 1 are read as 1") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Tensor const pseudo = run.input(FLOAT, {1, 2}, {0.25, 0.5}),
                 size = run.input(INT, {2}, {0, -3}), open = run.input(UNSIGNED_CHAR, {2}, {0, 0}),
                 basis = run.input(FLOAT, {1, 4}, {9, 9, 9, 9}),
                 index = run.input(INT, {1, 4}, {9, 9, 9, 9});
    popops::splineBasis(run.graph, pseudo, size, open, basis, index, 1, run.prog);
    std::size_t const b = run.output(basis), i = run.output(index);
    run.run();
    CHECK(run.values(b) == Values{0.375, 0.125, 0.375, 0.125});
    CHECK(run.values(i) == Values{0, 0, 0, 0});
  });
}

TEST_CASE("weighting sums over splines and channels") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    struct Result {
      std::size_t output;
      Values expected;
      double epsilon;
    };
    std::vector<Result> results;
    for (poplar::Type const &type : {FLOAT, HALF})
      for (Shape const &shape : {Shape{1, 1, 1, 1, 1}, {5, 3, 4, 7, 2}, {13, 2, 5, 70, 4}}) {
        std::size_t const edges = shape[0], in = shape[1], kernels = shape[2], out = shape[3],
                          splines = shape[4];
        Values const x = numbers.real(type, edges * in), w = numbers.real(type, kernels * in * out),
                     b = numbers.real(type, edges * splines),
                     index = numbers.integer(edges * splines, 0, static_cast<long>(kernels) - 1);
        Values expected;
        for (std::size_t e = 0; e != edges; ++e)
          for (std::size_t o = 0; o != out; ++o) {
            double sum = 0;
            for (std::size_t p = 0; p != splines; ++p)
              for (std::size_t i = 0; i != in; ++i)
                sum += b[e * splines + p] * x[e * in + i] *
                       w[(static_cast<std::size_t>(index[e * splines + p]) * in + i) * out + o];
            expected.push_back(sum);
          }
        Tensor const t = popops::splineWeighting(
            run.graph, run.input(type, {in, edges}, Values(edges * in)).transpose(),
            run.input(type, {kernels, in, out}, w), run.input(type, {edges, splines}, b),
            run.input(INT, {edges, splines}, index), run.prog);
        CHECK(t.shape() == Shape{edges, out});
        Tensor const plain = popops::splineWeighting(
            run.graph, run.input(type, {edges, in}, x), run.input(type, {kernels, in, out}, w),
            run.input(type, {edges, splines}, b), run.input(INT, {edges, splines}, index),
            run.prog);
        results.push_back({run.output(t), Values(edges * out, 0), 0});
        results.push_back({run.output(plain), expected, epsilonOf(type)});
      }
    Tensor const f = run.graph.addVariable(FLOAT, {4, 0});
    Tensor const none =
        popops::splineWeighting(run.graph, f, run.graph.addVariable(FLOAT, {3, 0, 2}), f,
                                run.graph.addVariable(INT, {4, 0}), run.prog);
    results.push_back({run.output(none), Values(8, 0), 0});
    run.run();
    for (Result const &result : results)
      checkClose(run.values(result.output), result.expected, result.epsilon, 16, 4);
  });
}

TEST_CASE("arguments that do not fit are named in the error") {
  Run run(cpu);
  auto &g = run.graph;
  Tensor const pseudo = g.addVariable(FLOAT, {5, 2}), size = g.addVariable(INT, {2}),
               open = g.addVariable(UNSIGNED_CHAR, {2}), basis = g.addVariable(FLOAT, {5, 4}),
               index = g.addVariable(INT, {5, 4});
  auto const call = [&](Tensor const &p, Tensor const &k, Tensor const &o, Tensor const &b,
                        Tensor const &w, unsigned degree) {
    popops::splineBasis(g, p, k, o, b, w, degree, run.prog);
  };
  CHECK_THROWS_WITH_AS(call(size, size, open, basis, index, 1),
                       "popops::splineBasis: 'pseudo' is of type int; allowed: float, half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(call(pseudo, open, open, basis, index, 1),
                       "popops::splineBasis: 'kernelSize' is of type unsigned char; it must be int",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(call(pseudo, size, open, basis, index, 4),
                       "popops::splineBasis: 'degree' is 4; allowed: 1, 2, 3", poplibs_error);
  CHECK_THROWS_WITH_AS(call(pseudo, size, open, basis, index, 2),
                       "popops::splineBasis: 'basis' has shape [5, 4]; it must be [5, 9]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(call(pseudo, size, open, basis, g.addConstant(INT, {5, 4}, 1), 1),
                       "popops::splineBasis: 'weightIndex' of shape [5, 4] must be writeable in "
                       "parallel, but it contains constants",
                       poplibs_error);
  CHECK_THROWS_AS(call(pseudo, size.slice(0, 1), open, basis, index, 1), poplibs_error);
  CHECK_THROWS_AS(call(pseudo, size, open, basis, index.slice(0, 4), 1), poplibs_error);
  CHECK_THROWS_AS(call(pseudo, size, open, basis[0], index, 1), poplibs_error);
  Tensor const weight = g.addVariable(FLOAT, {3, 2, 6});
  CHECK_THROWS_WITH_AS(
      popops::splineWeighting(g, basis, weight, basis, index, run.prog),
      "popops::splineWeighting: 'weight' has shape [3, 2, 6]; it must be [3, 4, 6]", poplibs_error);
  CHECK_THROWS_WITH_AS(popops::splineWeighting(g, pseudo, weight, basis, basis, run.prog),
                       "popops::splineWeighting: 'weightIndex' is of type float; it must be int",
                       poplibs_error);
  CHECK_THROWS_AS(popops::splineWeighting(g, pseudo, pseudo, basis, index, run.prog),
                  poplibs_error);
}

TEST_SUITE_END();
