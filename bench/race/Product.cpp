#include <bench/race/Product.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace cottonwood::bench {
namespace {

constexpr std::size_t SAMPLES = 64;
constexpr double FLOAT_EPS = 0x1p-24, HALF_EPS = 0x1p-11; // half a unit in the last place

/// Knuth's MMIX generator; the upper bits are the good ones.
std::uint64_t nextRandom(std::uint64_t &state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33;
}

std::vector<float> randomValues(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(static_cast<int>(nextRandom(seed) % 513) - 256) / 256;
  return values;
}

std::string layoutOf(Product const &product) {
  return {product.transposedA ? 't' : 'n', product.transposedB ? 't' : 'n'};
}

} // namespace

std::string nameOf(Product const &product) {
  std::ostringstream text;
  text << (product.half ? "half/" : "float/");
  if (product.batch != 1)
    text << product.batch << "x(";
  text << product.m << 'x' << product.n << 'x' << product.k;
  if (product.batch != 1)
    text << ')';
  if (product.transposedA || product.transposedB)
    text << '/' << layoutOf(product);
  if (product.constantB)
    text << "/constant";
  return text.str();
}

std::string textOf(Product const &product) {
  std::ostringstream text;
  text << (product.half ? "half " : "float ") << product.batch << ' ' << product.m << ' '
       << product.n << ' ' << product.k << ' ' << layoutOf(product)
       << (product.constantB ? " constant" : " plain");
  return text.str();
}

Product parseProduct(std::string const &text) {
  std::istringstream words(text);
  std::string type, layout, form;
  Product product;
  words >> type >> product.batch >> product.m >> product.n >> product.k >> layout >> form;
  product.half = type == "half";
  product.transposedA = layout.starts_with('t');
  product.transposedB = layout.ends_with('t');
  product.constantB = form == "constant";
  if (!words || textOf(product) != text)
    throw std::invalid_argument("not a product: '" + text + "'");
  return product;
}

std::vector<float> valuesOfA(Product const &product) { return randomValues(product.sizeA(), 1); }
std::vector<float> valuesOfB(Product const &product) { return randomValues(product.sizeB(), 2); }

std::vector<std::size_t> samplePositions(Product const &product) {
  std::vector<std::size_t> positions;
  if (product.sizeC() == 0)
    return positions;
  positions = {0, product.sizeC() - 1};
  std::uint64_t state = 3;
  while (positions.size() < std::min(SAMPLES, product.sizeC()))
    positions.push_back(nextRandom(state) % product.sizeC());
  return positions;
}

Reference referenceOf(Product const &product, std::span<float const> a, std::span<float const> b) {
  Reference reference;
  std::size_t const rowA = product.transposedA ? 1 : product.k,
                    stepA = product.transposedA ? product.m : 1;
  std::size_t const columnB = product.transposedB ? product.k : 1,
                    stepB = product.transposedB ? 1 : product.n;
  for (std::size_t position : samplePositions(product)) {
    std::size_t const g = position / (product.m * product.n);
    std::size_t const i = position / product.n % product.m, j = position % product.n;
    double sum = 0, magnitude = 0;
    for (std::size_t p = 0; p < product.k; ++p) {
      double const term = double{a[g * product.m * product.k + i * rowA + p * stepA]} *
                          double{b[g * product.k * product.n + j * columnB + p * stepB]};
      sum += term;
      magnitude += std::fabs(term);
    }
    reference.values.push_back(sum);
    reference.magnitudes.push_back(magnitude);
  }
  return reference;
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

double allowedError(Product const &product, bool halfResult) {
  return FLOAT_EPS * static_cast<double>(product.k + 2) + (halfResult ? HALF_EPS : 0);
}

} // namespace cottonwood::bench
