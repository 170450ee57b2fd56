// Many products in one program, each compared with sums in double.
#pragma once

#include "../popops/Harness.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>

#include <functional>

namespace products {

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::Type;

/// Makes IPU Models of so many tiles.
inline DeviceMaker tiles(unsigned count) {
  return [count] { return modelOf(count); };
}

/// A matrix, or matrices, as numbers.
struct Matrix {
  Shape shape; ///< [g, rows, columns]
  Values values;

  double at(std::size_t g, std::size_t i, std::size_t j) const {
    return values[(g * shape[1] + i) * shape[2] + j];
  }
};

/// What the product should be, and how far from it each element may be.
struct Expectation {
  Values values, bounds;
};

/// Each sum of k rounded products may be off by k roundings of float (and `steps` of the type of
/// partial results) of the sum of magnitudes; the result is rounded once.
inline Expectation expectation(Matrix const &a, Matrix const &b, Type const &out,
                               Type const &partials = FLOAT) {
  Expectation e;
  std::size_t const g = a.shape[0], m = a.shape[1], k = a.shape[2], n = b.shape[2];
  for (std::size_t x = 0; x != g; ++x)
    for (std::size_t i = 0; i != m; ++i)
      for (std::size_t j = 0; j != n; ++j) {
        double sum = 0, magnitude = 0;
        for (std::size_t p = 0; p != k; ++p) {
          double const term = a.at(x, i, p) * b.at(x, p, j);
          sum += term;
          magnitude += std::fabs(term);
        }
        double const roundings = static_cast<double>(k) * epsilonOf(FLOAT) +
                                 (partials == HALF ? 8 * epsilonOf(HALF) : 0);
        // The smallest half is 2^-24, and half of it is lost below that.
        double const underflow = out == HALF ? std::ldexp(1.0, -25) : 0;
        e.values.push_back(sum);
        e.bounds.push_back(roundings * magnitude + epsilonOf(out) * std::fabs(sum) * 1.01 +
                           underflow);
      }
  return e;
}

inline void checkWithin(Values const &actual, Expectation const &e) {
  REQUIRE(actual.size() == e.values.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != actual.size(); ++i) {
    bool const good = (std::isnan(e.values[i]) && std::isnan(actual[i])) ||
                      actual[i] == e.values[i] || std::fabs(actual[i] - e.values[i]) <= e.bounds[i];
    if (!good && ++wrong <= 3) {
      CAPTURE(i);
      CAPTURE(e.bounds[i]);
      CHECK(actual[i] == e.values[i]);
    }
  }
  CHECK(wrong == 0);
}

/// Collects products, runs them all at once, then checks them.
class Products {
public:
  explicit Products(DeviceMaker const &device, std::uint64_t seed = 1)
      : run(device), numbers(seed) {
    poplin::addCodelets(run.graph);
  }

  Matrix random(Type const &type, Shape const &shape) {
    return {shape, numbers.real(type, product(shape))};
  }

  /// A variable that holds the matrices, of the shape asked for.
  Tensor input(Type const &type, Matrix const &matrix, Shape const &shape) {
    return run.input(type, shape, matrix.values);
  }

  void expect(std::string name, Tensor const &result, Expectation e) {
    checks_.push_back({std::move(name), run.output(result), std::move(e)});
  }

  void runAndCheck() {
    run.run();
    for (Check const &check : checks_) {
      CAPTURE(check.name);
      checkWithin(run.values(check.output), check.expectation);
    }
  }

  Run run;
  Numbers numbers;

private:
  struct Check {
    std::string name;
    std::size_t output;
    Expectation expectation;
  };
  std::vector<Check> checks_;
};

inline std::string sizeText(Shape const &sizes) {
  std::string text;
  for (std::size_t size : sizes)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

} // namespace products
