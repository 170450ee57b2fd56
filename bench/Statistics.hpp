// Order statistics of measured times and ratios.
#pragma once

#include <span>
#include <vector>

namespace cottonwood::bench {

struct Quartiles {
  double lower = 0, median = 0, upper = 0;
};

/// The value below which the fraction `q` of the samples lies, interpolated between neighbours;
/// NaN if there are none.
double quantile(std::span<double const> samples, double q);

Quartiles quartiles(std::span<double const> samples);

/// (x1 * x2 * ... * xn)^(1/n); NaN if there are none.
double geometricMean(std::span<double const> values);

/// theirs[i] / ours[i]: above 1 where ours took less time. Pairs were measured side by side, so
/// that what drifts (clock, neighbours) divides out.
/// \throws std::invalid_argument  the two differ in length.
std::vector<double> pairRatios(std::span<double const> ours, std::span<double const> theirs);

/// Spearman's: the correlation of the ranks of two measures of the same things; 1 if both order
/// them alike, -1 if the other way round. Equal values share the mean of their ranks. NaN for fewer
/// than three things, or if one measure has but one value.
/// \throws std::invalid_argument  the two differ in length.
double rankCorrelation(std::span<double const> a, std::span<double const> b);

} // namespace cottonwood::bench
