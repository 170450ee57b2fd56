// The report of a race: a Markdown table and, beside it, a roofline picture.
#pragma once

#include <bench/Arguments.hpp>
#include <bench/Machine.hpp>
#include <bench/Roofline.hpp>
#include <bench/Rows.hpp>

#include <string>
#include <vector>

namespace cottonwood::bench {

struct ReportRow {
  RaceRow row{}; ///< rates in the unit of the report
  double intensity = 0;
};

struct Report {
  Machine machine{};
  Roofs roofs{};
  std::vector<ReportRow> rows{};
  std::vector<std::string> foot{}; ///< as printed below the rows
  std::string unit = "GF/s";       ///< of rates; GB/s: of operands and result
};

/// \param picture  the file name of the roofline picture
std::string markdownOf(Arguments const &arguments, Report const &report,
                       std::string const &picture);

/// Writes FILE.md and FILE.svg.
/// \throws std::runtime_error  a file cannot be written.
void writeReport(Arguments const &arguments, Report const &report);

} // namespace cottonwood::bench
