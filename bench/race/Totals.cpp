#include <bench/Rows.hpp>
#include <bench/race/Totals.hpp>

namespace cottonwood::bench {

void Totals::add(Case const &measured, double ours, double theirs) {
  if (measured.groups.empty())
    return;
  Total &total = totals_[measured.groups.front()];
  total.layers += measured.count;
  total.isNetwork |= measured.count > 1;
  total.ours += measured.count * ours;
  total.theirs += measured.count * theirs;
  total.flops += measured.count * flopsOf(measured.problem);
}

std::vector<std::string> Totals::lines() const {
  std::vector<std::string> lines;
  for (auto const &[group, total] : totals_) {
    if (!total.isNetwork)
      continue;
    auto const text = [&total = total](double seconds) {
      return shortNumber(seconds * 1e3) + " ms (" + shortNumber(total.flops / seconds * 1e-9) +
             " GF/s)";
    };
    lines.push_back(group + ": " + std::to_string(total.layers) + " layers, ours " +
                    text(total.ours) + ", best peers " + text(total.theirs));
  }
  return lines;
}

} // namespace cottonwood::bench
