// Body of ReportData.hpp: what an executable and a recorder tell.
#pragma once

#include <poplar/impl/profile/ReportData.hpp>

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/engine/Session.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace cottonwood::profile::detail {

POP_INLINE TargetFacts targetFacts(lower::ExecutableData const &executable) {
  poplar::Target const &target = executable.target;
  TargetFacts facts;
  facts.type = poplar::toString(target.getTargetType());
  facts.architecture = target.getTargetArchString().cloneAsString();
  facts.numReplicas = executable.numReplicas;
  facts.numIPUs = target.getNumIPUs();
  facts.tilesPerIPU = target.getTilesPerIPU();
  lower::MemoryLimits const limits = lower::memoryLimits(target);
  facts.bytesPerTile = limits.total;
  facts.nonInterleavedBytes = limits.nonInterleaved;
  facts.numWorkerContexts = target.getNumWorkerContexts();
  facts.exchangeBytesPerCycle = target.getExchangeBytesPerCycle();
  facts.minSyncDelay = target.getMinIPUSyncDelay();
  facts.clockFrequency = target.getTileClockFrequency();
  return facts;
}

/// Vertex types in the order of their names.
class VertexTypes {
public:
  VertexTypes(lower::ExecutableData const &executable, ReportData &report)
      : executable_(executable), report_(report) {}
  void run();
  std::uint32_t ofCodelet(std::uint32_t codelet) const { return typeOf_[codelet]; }

private:
  void countByTile();

  lower::ExecutableData const &executable_;
  ReportData &report_;
  std::vector<std::uint32_t> typeOf_; ///< by codelet
};

POP_INLINE void VertexTypes::run() {
  std::map<std::string, std::uint32_t> byName;
  for (lower::CodeletRef const &codelet : executable_.codelets)
    byName.emplace(codelet.name, 0);
  for (auto &[name, index] : byName) {
    index = static_cast<std::uint32_t>(report_.vertexTypes.size());
    report_.vertexTypes.push_back({name, 0, 0, 0, {}});
  }
  for (lower::CodeletRef const &codelet : executable_.codelets)
    typeOf_.push_back(byName.at(codelet.name));
  for (lower::VertexTypeMemory const &memory : executable_.vertexTypes) {
    VertexTypeFacts &type = report_.vertexTypes[typeOf_[memory.codelet]];
    type.instances += memory.instances;
    type.stateBytes += memory.stateBytes;
    type.codeBytes = std::max(type.codeBytes, memory.codeBytes);
  }
  countByTile();
}

POP_INLINE void VertexTypes::countByTile() {
  std::vector<std::map<std::uint32_t, std::uint64_t>> counts(report_.vertexTypes.size());
  for (lower::VertexCall const &call : executable_.calls)
    ++counts[typeOf_[call.codelet]][call.tile];
  for (std::size_t type = 0; type < counts.size(); ++type) {
    std::vector<lower::TileRun> &runs = report_.vertexTypes[type].instancesByTile;
    for (auto const &[tile, count] : counts[type])
      if (!runs.empty() && runs.back().bytes == count &&
          runs.back().tile + runs.back().count == tile)
        ++runs.back().count;
      else
        runs.push_back({tile, 1, count});
  }
}

POP_INLINE std::vector<VariableFacts> variableFacts(lower::ExecutableData const &executable) {
  std::vector<VariableFacts> facts;
  facts.reserve(executable.variables.size());
  for (lower::VariableInfo const &variable : executable.variables) {
    auto const first = executable.tileRuns.begin() + static_cast<std::ptrdiff_t>(variable.firstRun);
    facts.push_back({variable.name,
                     variable.type.toString(),
                     variable.bytes,
                     variable.alwaysLive,
                     variable.constant,
                     variable.lifeBegin,
                     variable.lifeEnd,
                     {first, first + static_cast<std::ptrdiff_t>(variable.numRuns)}});
  }
  return facts;
}

POP_INLINE StepFacts stepFacts(lower::BspProgram const &bsp, std::uint32_t index) {
  lower::BspStep const &step = bsp.steps[index];
  StepFacts facts;
  facts.kind = step.kind;
  facts.name = step.name;
  facts.computeSet = step.computeSet;
  facts.cycles = step.maxCycles;
  facts.syncCycles = std::min(step.syncCycles, step.maxCycles);
  facts.threadCycles = step.activeThreadCycles;
  facts.activeTiles = step.numCosts;
  facts.minCycles = step.numCosts == 0 ? 0 : ~std::uint64_t{0};
  for (std::uint64_t c = step.firstCost; c < step.firstCost + step.numCosts; ++c) {
    lower::TileCost const &cost = bsp.costs[c];
    facts.minCycles = std::min<std::uint64_t>(facts.minCycles, cost.cycles);
    facts.maxCycles = std::max<std::uint64_t>(facts.maxCycles, cost.cycles);
    facts.sumCycles += cost.cycles;
    facts.bytesOut += cost.bytesOut;
    facts.bytesIn += cost.bytesIn;
  }
  if (index < bsp.liveness.size())
    facts.liveness = bsp.liveness[index];
  return facts;
}

/// Steps know their program where there is just one.
POP_INLINE void addPrograms(lower::BspProgram const &bsp, ReportData &report) {
  std::vector<std::uint32_t> users(report.steps.size());
  for (lower::ProgramInfo const &info : bsp.programs) {
    auto const index = static_cast<std::uint32_t>(report.programs.size());
    auto const first = bsp.programSteps.begin() + static_cast<std::ptrdiff_t>(info.firstStep);
    auto const firstVar = bsp.programVars.begin() + static_cast<std::ptrdiff_t>(info.firstVar);
    report.programs.push_back({info.kind,
                               info.name,
                               info.parent,
                               info.callee,
                               info.count,
                               {first, first + static_cast<std::ptrdiff_t>(info.numSteps)},
                               {},
                               {firstVar, firstVar + static_cast<std::ptrdiff_t>(info.numVars)}});
    if (info.parent != NONE)
      report.programs[info.parent].children.push_back(index);
    for (std::uint32_t const step : report.programs.back().steps)
      report.steps[step].program = users[step]++ == 0 ? index : NONE;
  }
}

/// Programs that an engine can run come first among those without a parent, then functions.
POP_INLINE void addRoots(std::size_t numEntryPoints, ReportData &report) {
  for (std::uint32_t i = 0; i < report.programs.size(); ++i)
    if (report.programs[i].parent == NONE)
      (report.entryPoints.size() < numEntryPoints ? report.entryPoints : report.functions)
          .push_back(i);
}

class ExecutableCosts : public StepCosts {
public:
  explicit ExecutableCosts(std::shared_ptr<lower::ExecutableData const> executable)
      : executable_(std::move(executable)) {}
  std::vector<lower::TileCost> of(std::uint32_t step) const override {
    lower::BspProgram const &bsp = executable_->bsp;
    auto const first =
        bsp.costs.begin() + static_cast<std::ptrdiff_t>(bsp.steps.at(step).firstCost);
    return {first, first + static_cast<std::ptrdiff_t>(bsp.steps[step].numCosts)};
  }

private:
  std::shared_ptr<lower::ExecutableData const> executable_;
};

POP_INLINE void addComputeSets(lower::ExecutableData const &executable, VertexTypes const &types,
                               ReportData &report) {
  for (lower::ComputeSetPlan const &set : executable.computeSets)
    report.computeSets.push_back({set.name, {}});
  for (lower::VertexTypeCycles const &entry : executable.bsp.byType)
    report.computeSets[executable.bsp.steps[entry.step].computeSet].types.push_back(
        {types.ofCodelet(entry.codelet), entry.instances, entry.cycles});
  for (ComputeSetFacts &set : report.computeSets)
    std::sort(set.types.begin(), set.types.end(),
              [](TypeCount const &a, TypeCount const &b) { return a.type < b.type; });
}

POP_INLINE ExecutionFacts executionFacts(engine::StepRecorder const &recorder, std::size_t numSteps,
                                         std::vector<engine::RunMark> const &runs) {
  ExecutionFacts facts;
  for (engine::RunMark const &run : runs)
    facts.runs.push_back({run.name, run.beginCycle, run.endCycle, run.firstGroup, run.numGroups});
  for (std::uint32_t step = 0; step < numSteps; ++step)
    facts.executions.push_back(recorder.executions(step));
  facts.trace = recorder.trace();
  facts.traced = recorder.isTracing();
  facts.cut = recorder.traceIsCut();
  return facts;
}

POP_INLINE std::shared_ptr<ReportData> graphReport(lower::ExecutableData const &executable) {
  auto report = std::make_shared<ReportData>();
  report->poplarVersion = poplar::versionString().cloneAsString();
  report->packageHash = poplar::packageHash().cloneAsString();
  report->engineName = executable.name;
  for (auto const &[name, value] : executable.options)
    report->options.emplace_back(name, value);
  std::sort(report->options.begin(), report->options.end());
  report->plans = executable.notes;
  report->target = targetFacts(executable);
  report->graph = {executable.numVertices, executable.bsp.verticesByDefaultRule,
                   executable.numEdges, executable.numVariables, executable.numComputeSets};
  report->tiles = executable.tileMemory;
  VertexTypes types(executable, *report);
  types.run();
  addComputeSets(executable, types, *report);
  report->variables = variableFacts(executable);
  for (std::uint32_t step = 0; step < executable.bsp.steps.size(); ++step)
    report->steps.push_back(stepFacts(executable.bsp, step));
  addPrograms(executable.bsp, *report);
  addRoots(executable.entryPoints.size(), *report);
  return report;
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE std::shared_ptr<ReportData> makeReport(lower::ExecutableData const &executable) {
  auto report = detail::graphReport(executable);
  auto copy = std::make_shared<lower::ExecutableData>();
  copy->bsp.steps = executable.bsp.steps;
  copy->bsp.costs = executable.bsp.costs;
  report->costs = std::make_shared<detail::ExecutableCosts>(std::move(copy));
  return report;
}

POP_INLINE std::shared_ptr<ReportData>
makeReport(std::shared_ptr<lower::ExecutableData const> executable,
           engine::StepRecorder const *recorder, std::vector<engine::RunMark> const &runs) {
  auto report = detail::graphReport(*executable);
  report->hasExecution = recorder != nullptr;
  if (recorder)
    report->execution = detail::executionFacts(*recorder, report->steps.size(), runs);
  report->costs = std::make_shared<detail::ExecutableCosts>(std::move(executable));
  return report;
}

POP_INLINE std::shared_ptr<ReportData> reportOf(engine::Session const &session,
                                                bool withExecution) {
  if (session.executable().target.getTargetType() == poplar::TargetType::CPU)
    throw poplar::profiling_disabled();
  auto report = makeReport(session.sharedExecutable(), withExecution ? session.recorder() : nullptr,
                           session.runs());
  report->hasExecution = withExecution;
  report->execution.executions.resize(withExecution ? report->steps.size() : 0);
  report->options.clear(); // those in effect now
  for (auto const &[name, value] : session.options())
    report->options.emplace_back(name, value);
  std::sort(report->options.begin(), report->options.end());
  return report;
}

POP_INLINE char const *nameOf(lower::StepKind kind) {
  static constexpr char const *names[] = {"OnTileExecute", "DoExchange",    "OnTileCopy",
                                          "StreamCopyMid", "StreamCopyMid", "Sync",
                                          "Control",       "GlobalExchange"};
  static_assert(std::size(names) == lower::NUM_STEP_KINDS);
  return names[static_cast<std::size_t>(kind)];
}

POP_INLINE char const *nameOf(program::NodeKind kind) { return program::kindName(kind); }

POP_INLINE char const *nameOf(lower::MemoryKind kind) {
  static constexpr char const *names[lower::NUM_MEMORY_KINDS] = {"variable",
                                                                 "constant",
                                                                 "hostExchangePacketHeader",
                                                                 "globalExchangePacketHeader",
                                                                 "stack",
                                                                 "vertexInstanceState",
                                                                 "copyDescriptor",
                                                                 "vectorListDescriptor",
                                                                 "vertexFieldData",
                                                                 "controlTable",
                                                                 "controlCode",
                                                                 "vertexCode",
                                                                 "internalExchangeCode",
                                                                 "hostExchangeCode",
                                                                 "globalExchangeCode",
                                                                 "instrumentationResults",
                                                                 "sharedCodeStorage",
                                                                 "sharedDataStorage"};
  return names[static_cast<std::size_t>(kind)];
}

POP_INLINE void addRuns(std::vector<lower::TileRun> const &runs,
                        std::vector<std::uint64_t> &bytes) {
  for (lower::TileRun const &run : runs)
    for (std::uint64_t i = 0; i < run.count && run.tile + i < bytes.size(); ++i)
      bytes[run.tile + i] += run.bytes;
}

} // namespace cottonwood::profile
