// Body of <pva/Execution.hpp>.
#pragma once

#include <pva/Execution.hpp>

#include <poplar/impl/profile/ReportData.hpp>
#include <poplar/impl/profile/Totals.hpp>

namespace pva::detail {

using cottonwood::engine::StepTrace;

POP_INLINE std::vector<TraceGroup> traceOf(StepTrace const &trace, std::size_t begin,
                                           std::size_t end) {
  std::vector<TraceGroup> groups;
  for (std::size_t g = begin; g < end; ++g) {
    std::vector<TraceEntry> entries;
    for (std::uint32_t i = 0; i < trace.groups[g].length; ++i) {
      cottonwood::engine::StepRun const &run = trace.runs[trace.groups[g].first + i];
      entries.push_back({run.step, run.count});
    }
    groups.emplace_back(std::move(entries), trace.groups[g].repeats);
  }
  return groups;
}

} // namespace pva::detail

namespace pva {

/// Tiles are synchronised in all steps, so all IPUs have the step's cycles.
POP_INLINE std::vector<StepOfIpu> ExecutionStep::ipus() const {
  std::vector<StepOfIpu> ipus;
  for (std::uint64_t i = 0; i < report_->target.numIPUs; ++i)
    ipus.emplace_back(cycles(), syncCycles(), cycles());
  return ipus;
}
POP_INLINE std::vector<ExecutedComputeSet> ExecutionStep::computeSets() const {
  if (report_->steps[index_].kind != cottonwood::lower::StepKind::Compute)
    return {};
  return {ExecutedComputeSet(*this)};
}

POP_INLINE std::string Run::name() const { return report_->execution.runs[number_].name; }
POP_INLINE Span<std::uint64_t> Run::cycles() const {
  cottonwood::profile::RunFacts const &run = report_->execution.runs[number_];
  return {run.beginCycle, run.endCycle};
}
POP_INLINE Span<double> Run::microseconds() const {
  double const scale = 1e6 / report_->target.clockFrequency;
  Span<std::uint64_t> const span = cycles();
  return {static_cast<double>(span.start()) * scale, static_cast<double>(span.end()) * scale};
}
POP_INLINE std::vector<ExecutionStep> Run::steps() const {
  cottonwood::profile::RunFacts const &run = report_->execution.runs[number_];
  std::vector<ExecutionStep> steps;
  report_->execution.trace.forEach(
      run.firstGroup, run.firstGroup + run.numGroups, [&](std::uint32_t step, std::uint32_t count) {
        if (report_->steps[step].kind != cottonwood::lower::StepKind::Control)
          for (std::uint32_t i = 0; i < count; ++i)
            steps.emplace_back(report_, step, 1);
      });
  return steps;
}
POP_INLINE std::vector<TraceGroup> Run::trace() const {
  cottonwood::profile::RunFacts const &run = report_->execution.runs[number_];
  return detail::traceOf(report_->execution.trace, run.firstGroup, run.firstGroup + run.numGroups);
}

POP_INLINE std::vector<Run> ExecutionReport::runs() const {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < report_->execution.runs.size(); ++i)
    runs.emplace_back(report_, i);
  return runs;
}
POP_INLINE std::vector<ExecutionStep> ExecutionReport::steps() const {
  std::vector<ExecutionStep> steps;
  for (std::uint32_t const step : cottonwood::profile::stepsInOrder(*report_))
    if (report_->execution.executions[step] != 0)
      steps.emplace_back(report_, step, report_->execution.executions[step]);
  return steps;
}
POP_INLINE std::vector<TraceGroup> ExecutionReport::trace() const {
  return detail::traceOf(report_->execution.trace, 0, report_->execution.trace.groups.size());
}
POP_INLINE bool ExecutionReport::isTraceCut() const { return report_->execution.cut; }
POP_INLINE Cycles ExecutionReport::totalCycles() const {
  return Cycles(cottonwood::profile::totalsOf(*report_).cycles);
}
POP_INLINE TileAverages ExecutionReport::tileAverages() const {
  cottonwood::profile::Totals const totals = cottonwood::profile::totalsOf(*report_);
  auto const tiles = static_cast<double>(report_->target.numTiles());
  TileAverages averages;
  averages.computeIncludingIdle = totals.computeIdle / tiles;
  averages.computeExcludingIdle = totals.computeBusy / tiles;
  averages.exchange = totals.exchange / tiles;
  averages.globalExchange = totals.globalExchange / tiles;
  averages.hostExchange = totals.host / tiles;
  averages.sync = totals.sync / tiles;
  return averages;
}
POP_INLINE std::vector<VertexTypeTotals> ExecutionReport::vertexTypes() const {
  std::vector<VertexTypeTotals> types;
  for (cottonwood::profile::TypeCount const &type : cottonwood::profile::typeTotals(*report_))
    types.emplace_back(VertexType(report_, type.type), type.instances, type.cycles);
  return types;
}

} // namespace pva
