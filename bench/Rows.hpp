// The rows that families print, one a case.
#pragma once

#include <bench/Statistics.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace cottonwood::bench {

/// Three significant digits, without exponent from 0.001 up to ten million: 0.0712, 5.31, 412,
/// 1234567.
std::string shortNumber(double value);

/// A measured quantity and, if there is one, the limit it has to keep.
struct LimitRow {
  std::string name{};
  std::string unit{}; ///< ns, us, ms, s: a time, at most `limit`; else a rate, at least `limit`
  std::optional<double> limit;
};

bool isTime(std::string_view unit);
/// How many of the unit are in a second; 1 for what is no time.
double unitsPerSecond(std::string_view unit);
/// Whether a value in the row's unit keeps its limit; NaN (not measured) keeps none.
bool holds(LimitRow const &row, double value);

std::string limitHeader();
/// `case value unit limit`; a broken limit is pointed at behind it.
std::string limitText(LimitRow const &row, double value);
/// The same of a median, the quartiles behind it: `case value unit limit (lower..upper)`
std::string limitText(LimitRow const &row, Quartiles const &values);

/// A case measured against peers. Rates are in the unit of the header.
struct RaceRow {
  std::string name{};
  double ours = 0;
  std::string peer{}; ///< the best one; empty if there is none
  double theirs = 0;
  Quartiles ratio{};
  bool disturbed = false; ///< other programs were running: the row says so
};

std::string raceHeader(std::string_view unit);
/// `case ours best-peer peer-name ratio (lower..upper)`, and `busy` where other programs disturbed
std::string raceText(RaceRow const &row);
/// `geomean R.RR`, or `geomean GROUP R.RR`
std::string geomeanText(double value, std::string const &group = {});

} // namespace cottonwood::bench
