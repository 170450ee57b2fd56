// Steps in the order in which they were executed, repetitions folded.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cottonwood::engine {

/// Steps that followed one another without another in between.
struct StepRun {
  std::uint32_t step;
  std::uint32_t count;
  friend bool operator==(StepRun const &, StepRun const &) = default;
};

/// Entries [first, first + length) of StepTrace::runs, `repeats` times in a row: a loop.
struct StepGroup {
  std::uint64_t first;
  std::uint32_t length;
  std::uint32_t repeats;
};

struct StepTrace {
  std::vector<StepRun> runs;
  std::vector<StepGroup> groups;

  /// f(step, count) in order, loops unrolled.
  template <class F> void forEach(F &&f) const { forEach(0, groups.size(), f); }
  template <class F> void forEach(std::size_t begin, std::size_t end, F &&f) const {
    for (std::size_t g = begin; g < end; ++g)
      for (std::uint32_t turn = 0; turn < groups[g].repeats; ++turn)
        for (std::uint32_t i = 0; i < groups[g].length; ++i)
          f(runs[groups[g].first + i].step, runs[groups[g].first + i].count);
  }
};

/// Builds a trace step by step. A sequence of runs that occurs twice in a row becomes one group,
/// and counts its further repetitions; constant time a step, but for sequences that look alike at
/// their ends only.
class StepTraceBuilder {
public:
  void add(std::uint32_t step) {
    if (open_.count != 0 && open_.step == step && open_.count != ~std::uint32_t{0}) {
      ++open_.count;
      return;
    }
    closeRun();
    open_ = {step, 1};
  }
  /// Ends what is open: later steps begin a new group. Returns how many groups there are.
  std::size_t flush();
  StepTrace const &trace() const { return trace_; }
  /// Entries of memory in use.
  std::size_t size() const { return trace_.runs.size() + trace_.groups.size(); }
  void clear() { *this = StepTraceBuilder(); }

private:
  /// A loop of more different entries than this is not found.
  static constexpr std::size_t MAX_LENGTH = 4096;

  void closeRun();
  void literal(StepRun run);
  void leaveLoop();

  StepTrace trace_;
  StepRun open_{0, 0};
  std::uint64_t literalBegin_ = 0;    ///< runs from here on are in no group yet
  bool looping_ = false;              ///< the last group may be repeated once more
  std::uint32_t at_ = 0;              ///< entries of it that have been repeated already
  std::vector<std::uint64_t> lastOf_; ///< by step: 1 + where its last run is in trace_.runs
};

} // namespace cottonwood::engine
