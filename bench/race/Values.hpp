// Operands of problems, and how results are compared with a reference in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cottonwood::bench {

/// Pseudo-random values in [-1, 1] that fill the significand: of float, or only of half, so that
/// half holds them exactly. (Matrix units draw less power, and run faster, on values with many zero
/// bits.)
std::vector<float> randomValues(std::size_t count, std::uint64_t seed, bool ofHalf);

/// What elements and sums of a product or convolution of ours are: float, half, half-partials.
template <class Problem> std::string nameOfType(Problem const &problem) {
  return !problem.half ? "float" : problem.halfPartials ? "half-partials" : "half";
}

/// Where results of `size` elements are compared: indices, first and last element among them.
std::vector<std::size_t> samplePositions(std::size_t size);

/// Elements of the result in double precision, and the sum of |a * b| behind each.
struct Reference {
  std::vector<double> values, magnitudes;

  /// Another element, from the terms that `sum` hands to its argument one by one.
  template <class Sum> void add(Sum &&sum) {
    double value = 0, magnitude = 0;
    sum([&](double term) {
      value += term;
      magnitude += term < 0 ? -term : term;
    });
    values.push_back(value);
    magnitudes.push_back(magnitude);
  }
};

/// The largest |value - reference| / magnitude.
double worstError(Reference const &reference, std::span<double const> values);

/// What rounding may do to worstError in sums of so many products: a rounding to float each, and
/// one to half at the end if the result is half. Sums kept in half (`halfSums`) do so for up to 32
/// products and are then added to float ones.
double roundingError(std::size_t products, bool halfSums, bool halfResult);

} // namespace cottonwood::bench
