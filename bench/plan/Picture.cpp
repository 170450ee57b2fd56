#include <bench/plan/Picture.hpp>

#include <planners/poplin/TileCost.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cottonwood::plan {

namespace {

constexpr std::size_t MAX_COLUMNS = 12, MAX_ROWS = 8;

std::string count(std::uint64_t n, char const *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// A line of cells: `edge` and `fill` of some width each, and an ellipsis if there are more.
std::string line(std::size_t cells, bool more, char const *edge, std::string const &fill) {
  std::string text;
  for (std::size_t i = 0; i != cells; ++i)
    text += edge + fill;
  return text + edge + (more ? " ..." : "") + "\n";
}

} // namespace

std::string splitText(planner::TilePlan const &plan) {
  auto const n = [](std::uint64_t value) { return std::to_string(value); };
  static constexpr char const *METHODS[] = {"1x1", "nx1", "slic", "hmac", "vmac", "outer"};
  std::string text = METHODS[static_cast<std::size_t>(plan.method)];
  text += plan.swap ? " swapped" : plan.expand ? " expanded" : "";
  auto const further = [&](std::uint64_t split) { return split > 1 ? "x" + n(split) : ""; };
  text += " g" + n(plan.splitG) + " f" + n(plan.splitB) + "x" + n(plan.splitY0) + "x" +
          n(plan.splitY1) + further(plan.splitY2) + " o" + n(plan.splitN) + " i" + n(plan.splitI) +
          " k" + n(plan.splitK0) + further(plan.splitK1 * plan.splitK2);
  if (plan.convGroup > 1)
    text += " groups by " + n(plan.convGroup);
  if (plan.filterHeight > 1)
    text += " height " + n(plan.filterHeight);
  if (plan.serialParts() > 1)
    text += " serial " + n(plan.serialN) + further(plan.serialI);
  if (plan.stages > 1)
    text += " stages " + n(plan.stages);
  return text;
}

std::string partitionPicture(planner::TileProblem const &problem, planner::TilePlan const &plan) {
  planner::TileProblem const seen = planner::detail::seenBy(problem, plan);
  planner::TileMachine const machine;
  planner::TileCost const cost(seen, machine, plan);
  planner::TileBlock const &block = cost.block();
  std::uint64_t const rows = plan.places(), columns = plan.splitN;
  std::size_t const r = std::min<std::size_t>(rows, MAX_ROWS),
                    c = std::min<std::size_t>(columns, MAX_COLUMNS);
  std::string text = "  " + count(columns, "part") + " of " + std::to_string(seen.n) +
                     (plan.swap ? " rows" : " output channels") + ", " + std::to_string(block.n) +
                     " each ->\n";
  std::string const sums = plan.sums() == 1 ? "     " : "  " + std::string("+") + "  ";
  for (std::size_t row = 0; row != r; ++row)
    text += "  " + line(c, columns > c, "+", "-----") + "  " + line(c, columns > c, "|", sums);
  text += "  " + line(c, columns > c, "+", "-----");
  if (rows > r)
    text += "  ...\n";
  text += "  down: " + count(rows, "part") + " of " + std::to_string(seen.positions()) +
          (plan.swap ? " columns" : " positions") + ", " + std::to_string(block.positions()) +
          " each\n";
  if (plan.sums() > 1)
    text += "  each cell is the sum of " + std::to_string(plan.sums()) +
            " tiles' partial sums: " + count(plan.splitI, "part") + " of " +
            std::to_string(seen.i) + " input channels" +
            (plan.sums() > plan.splitI ? ", " + count(plan.sums() / plan.splitI, "part") + " of " +
                                             std::to_string(seen.taps()) + " taps"
                                       : "") +
            "; added in " + count(plan.stages, "stage") + "\n";
  if (seen.g > 1)
    text += "  " + std::to_string(plan.splitG) + " such pictures, of " + count(block.g, "group") +
            " each\n";
  if (plan.serialParts() > 1)
    text += "  all of this " + std::to_string(plan.serialParts()) + " times, one after another\n";
  return text;
}

std::string curvePicture(std::vector<planner::Cost> const &points) {
  constexpr std::size_t WIDTH = 64, HEIGHT = 16;
  if (points.empty())
    return {};
  auto const log = [](double value) { return std::log(std::max(value, 1.0)); };
  double x0 = log(static_cast<double>(points.front().temporaryBytes)),
         x1 = log(static_cast<double>(points.back().temporaryBytes));
  double y0 = log(points.back().cycles), y1 = log(points.front().cycles);
  std::vector<std::string> rows(HEIGHT, std::string(WIDTH, ' '));
  for (planner::Cost const &point : points) {
    auto const at = [](double value, double low, double high, std::size_t size) {
      return high > low ? static_cast<std::size_t>((value - low) / (high - low) *
                                                   static_cast<double>(size - 1))
                        : std::size_t{0};
    };
    rows[HEIGHT - 1 - at(log(point.cycles), y0, y1, HEIGHT)]
        [at(log(static_cast<double>(point.temporaryBytes)), x0, x1, WIDTH)] = '*';
  }
  std::string text;
  char label[32];
  for (std::size_t row = 0; row != HEIGHT; ++row) {
    double const cycles =
        std::exp(y1 - (y1 - y0) * static_cast<double>(row) / static_cast<double>(HEIGHT - 1));
    std::snprintf(label, sizeof label, "%12.0f |", cycles);
    text += label + rows[row] + "\n";
  }
  std::snprintf(label, sizeof label, "%12s +", "cycles");
  text += label + std::string(WIDTH, '-') + "\n";
  char low[32], high[32];
  std::snprintf(low, sizeof low, "%llu",
                static_cast<unsigned long long>(points.front().temporaryBytes));
  std::snprintf(high, sizeof high, "%llu bytes of a tile",
                static_cast<unsigned long long>(points.back().temporaryBytes));
  std::string axis = std::string(14, ' ') + low;
  std::size_t const end = 14 + WIDTH, length = std::string(high).size();
  axis += std::string(end > axis.size() + length ? end - axis.size() - length : 1, ' ') + high;
  return text + axis + "\n";
}

} // namespace cottonwood::plan
