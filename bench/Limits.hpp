// Families whose cases keep limits of their own and need no peer; measured with Google Benchmark.
#pragma once

#include <bench/Arguments.hpp>
#include <bench/Rows.hpp>

#include <functional>
#include <span>
#include <vector>

namespace benchmark {
class State;
}

namespace cottonwood::bench {

/// One measurement, reported as one row or as several.
struct LimitCase {
  /// A row's value is the counter of its name (times in seconds); without one, the time of an
  /// iteration.
  std::vector<LimitRow> rows;
  std::function<void(benchmark::State &)> body;
  Set set = Set::Smoke;     ///< the smallest set it belongs to
  unsigned repetitions = 9; ///< the best counts: disturbances only ever add
  double minSeconds = 0.05; ///< of one repetition; 0: exactly one iteration
};

/// Measures the cases of the set, prints a row for each, and returns 0 if all limits hold.
int runLimitCases(std::span<LimitCase const> cases, Set set);

} // namespace cottonwood::bench
