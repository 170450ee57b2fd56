#include <bench/Rows.hpp>
#include <bench/Statistics.hpp>
#include <bench/Summary.hpp>

#include <algorithm>

namespace cottonwood::bench {
namespace {

bool contains(std::vector<std::string> const &groups, std::string const &group) {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

} // namespace

void Summary::add(std::vector<std::string> const &groups, double ratio, bool disturbed) {
  rows_.push_back({groups, ratio, disturbed});
  for (std::string const &group : groups)
    if (!contains(groups_, group))
      groups_.push_back(group);
}

/// Of one group, or of all rows.
double Summary::mean(std::string const *group) const {
  std::vector<double> quiet, all;
  for (Row const &row : rows_) {
    if (group && !contains(row.groups, *group))
      continue;
    all.push_back(row.ratio);
    if (!row.disturbed)
      quiet.push_back(row.ratio);
  }
  return geometricMean(quiet.empty() ? all : quiet);
}

std::vector<std::string> Summary::lines() const {
  std::vector<std::string> lines;
  auto const busy = static_cast<std::size_t>(
      std::count_if(rows_.begin(), rows_.end(), [](Row const &row) { return row.disturbed; }));
  std::string const count = std::to_string(busy) + " of " + std::to_string(rows_.size());
  if (busy != 0 && busy == rows_.size())
    lines.push_back("# all rows were disturbed by other programs; the means are over them");
  else if (busy != 0)
    lines.push_back("# " + count +
                    " rows were disturbed by other programs and are left out of means that have "
                    "others");
  for (std::string const &group : groups_)
    lines.push_back(geomeanText(mean(&group), group));
  lines.push_back(geomeanText(mean(nullptr)));
  return lines;
}

} // namespace cottonwood::bench
