#include <bench/Report.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cottonwood::bench {
namespace {

std::string ratioText(RaceRow const &row) {
  if (row.peer.empty())
    return "- | -";
  char text[80];
  std::snprintf(text, sizeof text, "%.2f | %.2f..%.2f", row.ratio.median, row.ratio.lower,
                row.ratio.upper);
  return text;
}

std::string commandOf(Arguments const &arguments) {
  std::string text = "./run bench " + arguments.family;
  constexpr char const *SETS[] = {"smoke", "ci", "all"};
  text += " --set " +
          (arguments.group.empty() ? SETS[static_cast<int>(arguments.set)] : arguments.group);
  if (!arguments.only.empty())
    text += " --only " + arguments.only;
  text += " --workers " + std::to_string(arguments.workers);
  if (!arguments.isa.empty())
    text += " --isa " + arguments.isa;
  if (!arguments.against.empty())
    text += " --against " + arguments.against;
  return text;
}

void writeFile(std::filesystem::path const &path, std::string const &text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush())
    throw std::runtime_error("cannot write " + path.string());
}

std::vector<RooflinePoint> pointsOf(Report const &report) {
  std::vector<RooflinePoint> points;
  bool const bytes = report.unit == "GB/s"; // the picture is of operations
  for (ReportRow const &row : report.rows) {
    double const scale = bytes ? row.intensity : 1;
    points.push_back({row.row.name, row.intensity, scale * row.row.ours,
                      row.row.peer.empty() ? 0 : scale * row.row.theirs});
  }
  return points;
}

} // namespace

std::string markdownOf(Arguments const &arguments, Report const &report,
                       std::string const &picture) {
  std::ostringstream text;
  text << "# " << arguments.family << "\n\n"
       << textOf(report.machine) << "\n\n`" << commandOf(arguments) << "`\n\n"
       << "Rates in " << report.unit
       << "; ratio: median of pairs of batches side by side, above 1 ours is "
          "faster.\n\n"
       << "| case | ours | best peer | | ratio | quartiles | |\n|---|---|---|---|---|---|---|\n";
  for (ReportRow const &reported : report.rows) {
    RaceRow const &row = reported.row;
    text << "| " << row.name << " | " << shortNumber(row.ours) << " | "
         << (row.peer.empty() ? "-" : shortNumber(row.theirs)) << " | "
         << (row.peer.empty() ? "no peer" : row.peer) << " | " << ratioText(row) << " | "
         << (row.disturbed ? "busy" : "") << " |\n";
  }
  text << "\n```\n";
  for (std::string const &line : report.foot)
    text << line << '\n';
  text << "```\n\nRoofs measured in the same run: " << textOf(report.roofs) << ".\n\n![roofline]("
       << picture << ")\n";
  return text.str();
}

void writeReport(Arguments const &arguments, Report const &report) {
  std::filesystem::path const file = arguments.report;
  std::filesystem::path picture = file;
  picture.replace_extension(".svg");
  writeFile(file, markdownOf(arguments, report, picture.filename().string()));
  writeFile(picture, svgOf(arguments.family, report.roofs, pointsOf(report)));
}

} // namespace cottonwood::bench
