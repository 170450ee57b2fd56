// Where elements lie on tiles, as planners are told.
#pragma once

#include <cstdint>
#include <vector>

namespace cottonwood::planner {

/// Elements [begin, end) of a tensor, in row-major order, that lie on a tile.
struct LaidInterval {
  std::uint64_t begin, end;
  unsigned tile;
  friend bool operator==(LaidInterval const &, LaidInterval const &) = default;
};
/// Ascending; together all elements. Empty: nothing is known, or too many to look at.
using IntervalLayout = std::vector<LaidInterval>;

} // namespace cottonwood::planner
