// The modelled clock of tiled targets, and what was executed.
#pragma once

#include <poplar/impl/engine/StepTrace.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cottonwood::engine {

/// One run of a program.
struct RunMark {
  std::string name;
  std::uint64_t beginCycle = 0, endCycle = 0;  ///< of StepRecorder::clock()
  std::uint64_t firstGroup = 0, numGroups = 0; ///< in StepTrace::groups
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
  /// The steps in order, as far as they were kept and their run has ended.
  StepTrace const &trace() const { return trace_.trace(); }
  /// Whether later steps than those of the trace were executed.
  bool traceIsCut() const { return traceIsCut_; }
  bool isTracing() const { return tracing_; }
  /// At the begin and at the end of a run. Returns the number of groups of the trace.
  std::size_t separateRuns() { return trace_.flush(); }
  /// So many steps are kept in order.
  void setMaxTraced(std::uint64_t steps) { maxTraced_ = steps; }
  void setRecording(bool on) { recording_ = on; }
  void setTracing(bool on) { tracing_ = on; }
  void reset() {
    executions_.assign(executions_.size(), 0);
    trace_.clear();
    traced_ = 0;
    traceIsCut_ = false;
  }

private:
  void record(std::uint32_t step) {
    ++executions_[step];
    if (!tracing_ || traceIsCut_)
      return;
    traceIsCut_ = traced_ == maxTraced_;
    if (traceIsCut_)
      return;
    ++traced_;
    trace_.add(step);
  }

  std::uint64_t clock_ = 0;
  bool recording_ = true, tracing_ = false, traceIsCut_ = false;
  std::vector<std::uint64_t> cycles_;
  std::vector<std::uint64_t> executions_;
  StepTraceBuilder trace_;
  std::uint64_t traced_ = 0, maxTraced_ = 0;
};

} // namespace cottonwood::engine
