#include <bench/Limits.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace cottonwood::bench {
namespace {

/// Keeps the best value of each row over the repetitions.
class BestOf : public benchmark::BenchmarkReporter {
public:
  explicit BestOf(LimitCase const &measured)
      : case_(measured), best_(measured.rows.size(), std::numeric_limits<double>::quiet_NaN()) {}

  bool ReportContext(Context const &) override { return true; }

  void ReportRuns(std::vector<Run> const &runs) override {
    for (Run const &run : runs) {
      if (run.error_occurred)
        error_ = run.error_message;
      else if (run.run_type == Run::RT_Iteration)
        for (std::size_t i = 0; i < best_.size(); ++i)
          keep(i, valueOf(run, case_.rows[i]));
    }
  }

  double best(std::size_t row) const { return best_[row]; }
  std::string const &error() const { return error_; }

private:
  static double valueOf(Run const &run, LimitRow const &row) {
    auto const counter = run.counters.find(row.name);
    double const seconds = counter != run.counters.end()
                               ? counter->second.value
                               : run.real_accumulated_time / static_cast<double>(run.iterations);
    return seconds * unitsPerSecond(row.unit);
  }

  void keep(std::size_t row, double value) {
    double &best = best_[row];
    bool const smaller = isTime(case_.rows[row].unit);
    best = smaller ? std::fmin(best, value) : std::fmax(best, value);
  }

  LimitCase const &case_;
  std::vector<double> best_;
  std::string error_;
};

void measure(LimitCase const &measured, BestOf &best) {
  benchmark::ClearRegisteredBenchmarks();
  auto *const registered =
      benchmark::RegisterBenchmark(measured.rows.front().name.c_str(), measured.body);
  registered->UseRealTime()->Repetitions(static_cast<int>(measured.repetitions));
  if (measured.minSeconds > 0)
    registered->MinTime(measured.minSeconds);
  else
    registered->Iterations(1);
  benchmark::RunSpecifiedBenchmarks(&best, ".*");
}

bool printRows(LimitCase const &measured, BestOf const &best) {
  bool good = true;
  for (std::size_t i = 0; i < measured.rows.size(); ++i) {
    std::printf("%s\n", limitText(measured.rows[i], best.best(i)).c_str());
    good &= holds(measured.rows[i], best.best(i));
  }
  if (!best.error().empty())
    std::fprintf(stderr, "poplar-bench: %s: %s\n", measured.rows.front().name.c_str(),
                 best.error().c_str());
  std::fflush(stdout);
  return good;
}

} // namespace

int runLimitCases(std::span<LimitCase const> cases, Set set) {
  bool good = true;
  std::printf("%s\n", limitHeader().c_str());
  for (LimitCase const &measured : cases) {
    if (measured.set > set)
      continue;
    BestOf best(measured);
    measure(measured, best);
    good &= printRows(measured, best);
  }
  return good ? 0 : 1;
}

} // namespace cottonwood::bench
