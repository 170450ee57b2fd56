#include <bench/race/Values.hpp>

#include <algorithm>
#include <cmath>

namespace cottonwood::bench {
namespace {

constexpr std::size_t SAMPLES = 64;
constexpr double FLOAT_EPS = 0x1p-24, HALF_EPS = 0x1p-11; // half a unit in the last place
constexpr double PRODUCTS_OF_HALF_SUMS = 32;
constexpr int FLOAT_BITS = 24, HALF_BITS = 11; // of the significand

/// Knuth's MMIX generator; the upper bits are the good ones.
std::uint64_t nextRandom(std::uint64_t &state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33;
}

} // namespace

std::vector<float> randomValues(std::size_t count, std::uint64_t seed, bool ofHalf) {
  std::int64_t const one = ofHalf ? 1 << HALF_BITS : 1 << FLOAT_BITS;
  std::vector<float> values(count);
  for (float &value : values) {
    auto const random = static_cast<std::int64_t>(nextRandom(seed)) % (2 * one + 1);
    value = static_cast<float>(random - one) / static_cast<float>(one);
  }
  return values;
}

std::vector<std::size_t> samplePositions(std::size_t size) {
  std::vector<std::size_t> positions;
  if (size == 0)
    return positions;
  positions = {0, size - 1};
  std::uint64_t state = 3;
  while (positions.size() < std::min(SAMPLES, size))
    positions.push_back(nextRandom(state) % size);
  return positions;
}

double worstError(Reference const &reference, std::span<double const> values) {
  if (values.size() != reference.values.size())
    return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double const error = std::fabs(values[i] - reference.values[i]);
    // 0 / 0 where all products are zero; a NaN result must not pass.
    double const relative = error == 0 ? 0 : error / reference.magnitudes[i];
    worst = std::isnan(relative) ? INFINITY : std::max(worst, relative);
  }
  return worst;
}

double roundingError(std::size_t products, bool halfSums, bool halfResult) {
  double const terms = static_cast<double>(products) + 2;
  double const half = halfSums ? std::min(terms, PRODUCTS_OF_HALF_SUMS) : 0;
  return FLOAT_EPS * terms + HALF_EPS * (half + (halfResult ? 1 : 0));
}

} // namespace cottonwood::bench
