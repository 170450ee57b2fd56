// What a report tells of executed programs.
#include <pva/impl/Config.hpp>

#ifndef PVA_EXECUTION_HPP
#define PVA_EXECUTION_HPP

#include <cstddef>
#include <cstdint>
#include <pva/Compilation.hpp>
#include <pva/Memory.hpp>
#include <pva/Program.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pva {

/// A number of clock cycles.
class POP_API Cycles {
public:
  explicit Cycles(std::uint64_t total) : total_(total) {}
  std::uint64_t total() const { return total_; }
  operator std::uint64_t() const { return total_; }

private:
  std::uint64_t total_;
};

/// Cycles or microseconds since the engine was loaded.
template <class T> class Span {
public:
  Span(T start, T end) : start_(start), end_(end) {}
  T start() const { return start_; }
  T end() const { return end_; }

private:
  T start_, end_;
};

/// A step `count` times in a row.
struct TraceEntry {
  std::uint32_t step; ///< in CompilationReport::steps()
  std::uint32_t count;
};

/// Entries `repeats` times in a row: what a loop did, or with one repetition a stretch of no loop.
class POP_API TraceGroup {
public:
  TraceGroup(std::vector<TraceEntry> entries, std::uint64_t repeats)
      : entries_(std::move(entries)), repeats_(repeats) {}
  std::vector<TraceEntry> entries() const { return entries_; }
  std::uint64_t repeats() const { return repeats_; }

private:
  std::vector<TraceEntry> entries_;
  std::uint64_t repeats_;
};

/// When tiles of an IPU were busy in a step, in cycles from its begin: `cyclesFrom` after its sync,
/// `cyclesTo` when the slowest is done.
class POP_API StepOfIpu {
public:
  StepOfIpu(std::uint64_t cycles, std::uint64_t from, std::uint64_t to)
      : cycles_(cycles), from_(from), to_(to) {}
  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t cyclesFrom() const { return from_; }
  std::uint64_t cyclesTo() const { return to_; }

private:
  std::uint64_t cycles_, from_, to_;
};

/// A compute set in an executed step.
class POP_API ExecutedComputeSet {
public:
  explicit ExecutedComputeSet(Step step) : step_(std::move(step)) {}
  std::string name() const { return step_.name(); }
  /// Both are the model's estimates.
  std::vector<std::uint64_t> cyclesByTile() const { return step_.cyclesByTile(); }
  std::vector<std::uint64_t> estimatedCyclesByTile() const { return step_.cyclesByTile(); }

private:
  Step step_;
};

/// A step that was executed. Its figures are of one execution; all executions are alike.
class POP_API ExecutionStep : public Step {
public:
  ExecutionStep(ReportHandle report, std::uint32_t index, std::uint64_t executions)
      : Step(std::move(report), index), executions_(executions) {}

  /// Of ExecutionReport::steps: how often in all runs. Of Run::steps: 1.
  std::uint64_t executions() const { return executions_; }
  std::vector<StepOfIpu> ipus() const;
  /// One in a step of type OnTileExecute, else none.
  std::vector<ExecutedComputeSet> computeSets() const;
  /// bytesIn() and bytesOut(), as published.
  std::uint64_t dataIn() const { return bytesIn(); }
  std::uint64_t dataOut() const { return bytesOut(); }

private:
  std::uint64_t executions_;
};

/// One call of Engine::run.
class POP_API Run {
public:
  Run(ReportHandle report, std::size_t number) : report_(std::move(report)), number_(number) {}

  std::string name() const;
  Span<std::uint64_t> cycles() const;
  Span<double> microseconds() const;
  /// What was executed, in order and unrolled, one entry an execution; see
  /// ExecutionReport::isTraceCut. trace() is the short form.
  std::vector<ExecutionStep> steps() const;
  std::vector<TraceGroup> trace() const;

private:
  ReportHandle report_;
  std::size_t number_;
};

/// How the cycles of all runs were used: averages over tiles, in cycles.
class POP_API TileAverages {
public:
  double computeIncludingIdle, computeExcludingIdle, exchange, globalExchange, hostExchange, sync;
};

/// Cycles of all vertices of a type in all runs.
class POP_API VertexTypeTotals {
public:
  VertexTypeTotals(VertexType type, std::uint64_t instances, std::uint64_t cycles)
      : type_(std::move(type)), instances_(instances), cycles_(cycles) {}
  VertexType type() const { return type_; }
  /// In the compute sets that were executed.
  std::uint64_t instances() const { return instances_; }
  std::uint64_t cycles() const { return cycles_; }

private:
  VertexType type_;
  std::uint64_t instances_, cycles_;
};

class POP_API ExecutionReport {
public:
  explicit ExecutionReport(ReportHandle report) : report_(std::move(report)) {}

  /// The first ones since load, as many as the engine option
  /// autoReport.executionProfileProgramRunCount says.
  std::vector<Run> runs() const;
  /// Distinct steps that were executed, in the order of the programs.
  std::vector<ExecutionStep> steps() const;
  /// All runs since load, in order; empty if the order was not recorded.
  std::vector<TraceGroup> trace() const;
  /// Whether more steps were executed than the engine option profiler.maxExecutedSteps keeps in
  /// order. Totals count all of them.
  bool isTraceCut() const;
  /// Of all runs.
  Cycles totalCycles() const;
  TileAverages tileAverages() const;
  /// Sorted by name.
  std::vector<VertexTypeTotals> vertexTypes() const;

private:
  ReportHandle report_;
};

} // namespace pva

#endif
