#include <bench/Statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace cottonwood::bench {
namespace {

constexpr double NOTHING = std::numeric_limits<double>::quiet_NaN();

/// Ranks less their mean.
std::vector<double> centredRanks(std::span<double const> values) {
  std::vector<double> ranks;
  for (double value : values) {
    double rank = 0;
    for (double other : values)
      rank += other < value ? 1 : other == value ? 0.5 : 0;
    ranks.push_back(rank - static_cast<double>(values.size()) / 2);
  }
  return ranks;
}

} // namespace

double quantile(std::span<double const> samples, double q) {
  if (samples.empty())
    return NOTHING;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  double const place = q * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Quartiles quartiles(std::span<double const> samples) {
  return {quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75)};
}

double geometricMean(std::span<double const> values) {
  if (values.empty())
    return NOTHING;
  double logs = 0;
  for (double value : values)
    logs += std::log(value);
  return std::exp(logs / static_cast<double>(values.size()));
}

std::vector<double> pairRatios(std::span<double const> ours, std::span<double const> theirs) {
  if (ours.size() != theirs.size())
    throw std::invalid_argument("pairRatios: the two sides differ in length");
  std::vector<double> ratios(ours.size());
  std::transform(theirs.begin(), theirs.end(), ours.begin(), ratios.begin(),
                 [](double their, double our) { return their / our; });
  return ratios;
}

double rankCorrelation(std::span<double const> a, std::span<double const> b) {
  if (a.size() != b.size())
    throw std::invalid_argument("rankCorrelation: the two sides differ in length");
  if (a.size() < 3)
    return NOTHING;
  std::vector<double> const x = centredRanks(a), y = centredRanks(b);
  double both = 0, ofX = 0, ofY = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += x[i] * y[i];
    ofX += x[i] * x[i];
    ofY += y[i] * y[i];
  }
  return ofX == 0 || ofY == 0 ? NOTHING : both / std::sqrt(ofX * ofY);
}

} // namespace cottonwood::bench
