// Geometric means over rows, by group.
#pragma once

#include <string>
#include <vector>

namespace cottonwood::bench {

/// Collects the ratios of rows. Rows that other programs disturbed are left out of a mean, unless
/// all of its rows were.
class Summary {
public:
  void add(std::vector<std::string> const &groups, double ratio, bool disturbed);

  /// What to print at the end: how many rows were left out, `geomean GROUP R.RR` for every group in
  /// the order in which they came, and `geomean R.RR`.
  std::vector<std::string> lines() const;

private:
  struct Row {
    std::vector<std::string> groups;
    double ratio;
    bool disturbed;
  };
  double mean(std::string const *group) const;
  std::vector<Row> rows_;
  std::vector<std::string> groups_;
};

} // namespace cottonwood::bench
