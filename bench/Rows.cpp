#include <bench/Rows.hpp>

#include <cmath>
#include <cstdio>

namespace cottonwood::bench {
namespace {

template <class... Values> std::string format(char const *pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

constexpr int NAME_WIDTH = 48;

} // namespace

std::string shortNumber(double value) {
  if (std::isnan(value))
    return "-";
  double const size = std::fabs(value);
  if (size >= 100 && size < 1e7)
    return format("%.0f", value);
  return format("%#.3g", value);
}

bool isTime(std::string_view unit) {
  return unit == "ns" || unit == "us" || unit == "ms" || unit == "s";
}

double unitsPerSecond(std::string_view unit) {
  return unit == "ns" ? 1e9 : unit == "us" ? 1e6 : unit == "ms" ? 1e3 : 1;
}

bool holds(LimitRow const &row, double value) {
  if (!row.limit)
    return !std::isnan(value);
  return isTime(row.unit) ? value <= *row.limit : value >= *row.limit;
}

std::string limitHeader() {
  return format("%-*s %10s %-10s %s", NAME_WIDTH, "case", "value", "unit", "limit");
}

std::string limitText(LimitRow const &row, double value) {
  std::string const limit = row.limit ? shortNumber(*row.limit) : "-";
  return format("%-*s %10s %-10s %s%s", NAME_WIDTH, row.name.c_str(), shortNumber(value).c_str(),
                row.unit.c_str(), limit.c_str(), holds(row, value) ? "" : "  EXCEEDED");
}

std::string limitText(LimitRow const &row, Quartiles const &values) {
  return limitText(row, values.median) + "  (" + shortNumber(values.lower) + ".." +
         shortNumber(values.upper) + ")";
}

std::string raceHeader(std::string_view unit) {
  return format("%-*s %9s %9s  %-18s %5s", NAME_WIDTH, "case", "ours", "best-peer", "peer-name",
                "ratio") +
         format("  (quartiles); rates in %s", std::string(unit).c_str());
}

std::string raceText(RaceRow const &row) {
  std::string const head =
      format("%-*s %9s", NAME_WIDTH, row.name.c_str(), shortNumber(row.ours).c_str());
  if (row.peer.empty())
    return head + format(" %9s  %-18s     -", "-", "no-peer");
  return head + format(" %9s  %-18s %5.2f  (%.2f..%.2f)%s", shortNumber(row.theirs).c_str(),
                       row.peer.c_str(), row.ratio.median, row.ratio.lower, row.ratio.upper,
                       row.disturbed ? "  busy" : "");
}

std::string geomeanText(double value, std::string const &group) {
  return "geomean " + (group.empty() ? "" : group + ' ') +
         (std::isnan(value) ? "-" : format("%.2f", value));
}

} // namespace cottonwood::bench
