// The modelled clock of tiled targets, and what was executed.
#pragma once

#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstdint>
#include <vector>

namespace cottonwood::engine {

/// Steps that followed one another without another in between.
struct StepRun {
  std::uint32_t step;
  std::uint32_t count;
};

class StepRecorder {
public:
  explicit StepRecorder(lower::BspProgram const &program) : executions_(program.steps.size()) {
    cycles_.reserve(program.steps.size());
    for (lower::BspStep const &step : program.steps)
      cycles_.push_back(step.maxCycles);
  }

  void account(std::uint32_t step) {
    clock_ += cycles_[step];
    if (recording_)
      record(step);
  }

  /// Waits for another replica, whose clock shows `time`.
  void waitUntil(std::uint64_t time) { clock_ = clock_ < time ? time : clock_; }

  /// Cycles since load, whether recorded or not.
  std::uint64_t clock() const { return clock_; }
  std::uint64_t executions(std::uint32_t step) const { return executions_[step]; }
  /// The steps in order, as far as they were kept.
  std::vector<StepRun> const &trace() const { return trace_; }
  /// Whether later steps than those of the trace were executed.
  bool traceIsCut() const { return traceIsCut_; }
  bool isTracing() const { return tracing_; }
  void setRecording(bool on) { recording_ = on; }
  void setTracing(bool on) { tracing_ = on; }
  void reset() {
    executions_.assign(executions_.size(), 0);
    trace_.clear();
    traceIsCut_ = false;
  }

private:
  /// A trace is cut here: 8 MB.
  static constexpr std::size_t MAX_TRACE = std::size_t{1} << 20;

  void record(std::uint32_t step) {
    ++executions_[step];
    if (!tracing_)
      return;
    if (traceIsCut_)
      return;
    if (!trace_.empty() && trace_.back().step == step && trace_.back().count != ~std::uint32_t{0})
      ++trace_.back().count;
    else if (trace_.size() < MAX_TRACE)
      trace_.push_back({step, 1});
    else
      traceIsCut_ = true;
  }

  std::uint64_t clock_ = 0;
  bool recording_ = true, tracing_ = false, traceIsCut_ = false;
  std::vector<std::uint64_t> cycles_;
  std::vector<std::uint64_t> executions_;
  std::vector<StepRun> trace_;
};

} // namespace cottonwood::engine
