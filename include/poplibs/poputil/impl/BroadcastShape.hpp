// Shapes under numpy's broadcasting rules, without tensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cottonwood::poputil {

using Shape = std::vector<std::size_t>;

/// Common shape of two, or nothing if a dimension differs and neither is 1. Dimensions count from
/// the last.
inline std::optional<Shape> commonShape(std::span<std::size_t const> a,
                                        std::span<std::size_t const> b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i != result.size(); ++i) {
    std::size_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
    std::size_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (da != db && da != 1 && db != 1)
      return std::nullopt;
    result[result.size() - 1 - i] = da == 1 ? db : da;
  }
  return result;
}

} // namespace cottonwood::poputil
