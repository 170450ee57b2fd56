// Adding partial sums that lie on several tiles, in stages.
#pragma once

#include <codelets/poplin/AmpCost.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace cottonwood::planner {

/// How many partial sums each stage of published plans adds, first stage first; one entry of 1 if
/// there is but one. Fewer messages in all where there are many: two stages from 16 partials, three
/// from 125, each about as deep as the others. (Thresholds as published for convolutions on IPUs.)
inline std::vector<std::uint64_t> reduceStages(std::uint64_t depth) {
  int const stages = depth >= 125 ? 3 : depth >= 16 ? 2 : 1;
  // How many remain after each stage but the last: the power of the depth, rounded up or down,
  // whatever needs fewer messages.
  std::vector<std::uint64_t> best{depth};
  std::uint64_t fewest = ~std::uint64_t{0};
  for (int rounding = 0; stages > 1 && rounding != 1 << (stages - 1); ++rounding) {
    std::vector<std::uint64_t> depths;
    std::uint64_t remaining = depth, messages = 0;
    for (int s = 1; s != stages; ++s) {
      double const power = std::pow(static_cast<double>(depth),
                                    static_cast<double>(stages - s) / static_cast<double>(stages));
      // A whole number that came out a little less is meant.
      auto const left = static_cast<std::uint64_t>(power + 1e-9) +
                        static_cast<std::uint64_t>(rounding >> (s - 1) & 1);
      depths.push_back((remaining + left - 1) / left);
      messages += depths.back();
      remaining = (remaining + depths.back() - 1) / depths.back();
    }
    depths.push_back(remaining);
    messages += remaining;
    if (messages <= fewest) {
      fewest = messages;
      best = depths;
    }
  }
  return best;
}

inline constexpr std::uint64_t MAX_STAGES = 3;

/// A few numbers in order.
struct RowsLeft {
  std::array<std::uint64_t, MAX_STAGES> rows{1, 1, 1};
  std::size_t count = 1;
  std::uint64_t const *begin() const { return rows.data(); }
  std::uint64_t const *end() const { return rows.data() + count; }
};

/// How many rows of partial sums remain after each stage of an addition in `stages` stages (1 to
/// MAX_STAGES), about equally deep; the last number is 1.
inline RowsLeft rowsAfterStages(std::uint64_t rows, std::uint64_t stages) {
  RowsLeft left;
  left.count = static_cast<std::size_t>(stages);
  auto const all = static_cast<double>(rows);
  auto const whole = [](double root) { return static_cast<std::uint64_t>(std::llround(root)); };
  if (stages == 2)
    left.rows[0] = whole(std::sqrt(all));
  if (stages == 3) {
    left.rows[0] = whole(std::cbrt(all * all));
    left.rows[1] = whole(std::cbrt(all));
  }
  return left;
}

} // namespace cottonwood::planner
