// Body of Intervals.hpp.
#pragma once

#include <poplar/impl/profile/Intervals.hpp>

#include <poplar/impl/base/Log.hpp>

#include <algorithm>
#include <ostream>
#include <vector>

namespace cottonwood::profile::detail {

/// Tiles by what they do; together all tiles of the target.
struct Activity {
  std::uint64_t compute = 0, exchange = 0, host = 0, sync = 0;
  friend bool operator==(Activity const &, Activity const &) = default;
};

class IntervalWriter {
public:
  explicit IntervalWriter(std::ostream &out) : out_(out) {
    out << "begin,end,compute,exchange,host exchange,sync\n";
  }
  ~IntervalWriter() { flush(); }
  IntervalWriter(IntervalWriter const &) = delete;
  IntervalWriter &operator=(IntervalWriter const &) = delete;

  void add(std::uint64_t cycles, Activity const &activity) {
    if (cycles == 0)
      return;
    if (!(activity == activity_))
      flush();
    activity_ = activity;
    end_ += cycles;
  }

private:
  void flush() {
    if (begin_ != end_)
      out_ << begin_ << ',' << end_ << ',' << activity_.compute << ',' << activity_.exchange << ','
           << activity_.host << ',' << activity_.sync << '\n';
    begin_ = end_;
  }

  std::ostream &out_;
  std::uint64_t begin_ = 0, end_ = 0;
  Activity activity_;
};

/// One execution of a step: all tiles sync, then each does its part, and waits for the slowest.
POP_INLINE void addStep(IntervalWriter &writer, lower::ExecutableData const &executable,
                        lower::BspStep const &step, std::vector<std::uint64_t> &busy) {
  using lower::StepKind;
  std::uint64_t const tiles = executable.target.getNumTiles();
  bool const host = step.kind == StepKind::StreamIn || step.kind == StepKind::StreamOut;
  std::uint64_t const syncCycles = std::min(step.syncCycles, step.maxCycles);
  writer.add(syncCycles, {.sync = tiles});
  std::uint64_t const cycles = step.maxCycles - syncCycles;
  busy.clear();
  if (host || step.kind == StepKind::GlobalExchange) // all tiles wait for the links together
    busy.assign(tiles, cycles);
  else
    for (std::uint64_t c = step.firstCost; c < step.firstCost + step.numCosts; ++c)
      busy.push_back(std::min<std::uint64_t>(executable.bsp.costs[c].cycles, cycles));
  std::sort(busy.begin(), busy.end());
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    std::uint64_t const active = busy.size() - i;
    Activity now{.sync = tiles - active};
    (host ? now.host : step.kind == StepKind::Compute ? now.compute : now.exchange) = active;
    writer.add(busy[i] - at, now);
    at = busy[i];
  }
  writer.add(cycles - at, {.sync = tiles});
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE void printIntervals(std::ostream &out, lower::ExecutableData const &executable,
                               engine::StepRecorder const &recorder) {
  detail::IntervalWriter writer(out);
  std::vector<std::uint64_t> busy;
  recorder.trace().forEach([&](std::uint32_t step, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      detail::addStep(writer, executable, executable.bsp.steps[step], busy);
  });
  if (recorder.traceIsCut())
    base::logLine("PROFILER", base::LogLevel::Warn,
                  "Engine::reportIntervals: more steps were executed than the engine option "
                  "profiler.maxExecutedSteps keeps; the last ones are missing");
}

} // namespace cottonwood::profile
