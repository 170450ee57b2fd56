// Bodies of <pva/pva.hpp>, and of Engine::getReport.
#pragma once

#include <pva/pva.hpp>

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/profile/ProfileFile.hpp>

#include <cstdio>

namespace pva::detail {

using Values = std::shared_ptr<poplar::ProfileValue const>;

/// A part of what `whole` keeps alive.
POP_INLINE Values part(Values const &whole, char const *name) {
  return Values(whole, &(*whole)[name]);
}

} // namespace pva::detail

namespace pva {

POP_INLINE PoplarVersion::PoplarVersion(poplar::ProfileValue const &report)
    : text_(report["poplarVersion"].asString()),
      packageHash_(report["packageHash"].asString()), numbers_{} {
  std::sscanf(text_.c_str(), "%u.%u.%u", &numbers_[0], &numbers_[1], &numbers_[2]);
}

POP_INLINE Target::Target(std::shared_ptr<poplar::ProfileValue const> target)
    : target_(std::move(target)) {}
POP_INLINE std::string Target::architecture() const {
  return (*target_)["architecture"].asString();
}
POP_INLINE std::uint64_t Target::numReplicas() const { return (*target_)["numReplicas"].asUint(); }
POP_INLINE std::uint64_t Target::numIPUs() const {
  return (*target_)["numIPUs"].asUint() * numReplicas();
}
POP_INLINE std::uint64_t Target::numTiles() const { return tilesPerIpu() * numIPUs(); }
POP_INLINE std::uint64_t Target::tilesPerIpu() const { return (*target_)["tilesPerIPU"].asUint(); }
POP_INLINE std::uint64_t Target::bytesPerTile() const {
  return (*target_)["bytesPerTile"].asUint();
}
POP_INLINE std::uint64_t Target::bytesPerIPU() const { return bytesPerTile() * tilesPerIpu(); }
POP_INLINE std::uint64_t Target::totalMemory() const { return bytesPerTile() * numTiles(); }
POP_INLINE double Target::clockFrequency() const { return (*target_)["clockFrequency"].asDouble(); }

POP_INLINE Graph::Graph(std::shared_ptr<poplar::ProfileValue const> graph)
    : graph_(std::move(graph)) {}
POP_INLINE std::uint64_t Graph::numVertices() const { return (*graph_)["numVertices"].asUint(); }
POP_INLINE std::uint64_t Graph::numEdges() const { return (*graph_)["numEdges"].asUint(); }
POP_INLINE std::uint64_t Graph::numVars() const { return (*graph_)["numVars"].asUint(); }
POP_INLINE std::uint64_t Graph::numComputeSets() const {
  return (*graph_)["numComputeSets"].asUint();
}

POP_INLINE CompilationReport::CompilationReport(std::shared_ptr<poplar::ProfileValue const> profile)
    : profile_(std::move(profile)) {}
POP_INLINE Target CompilationReport::target() const {
  return Target(detail::part(profile_, "target"));
}
POP_INLINE Graph CompilationReport::graph() const { return Graph(detail::part(profile_, "graph")); }
POP_INLINE std::vector<Tile> CompilationReport::tiles() const {
  poplar::ProfileValue const &byTile = (*profile_)["memory"]["byTile"];
  auto const total = byTile["total"].toUintVector();
  auto const notAlwaysLive = byTile["notAlwaysLive"].toUintVector();
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < total.size(); ++i)
    tiles.emplace_back(TileMemory(total[i], notAlwaysLive.at(i)));
  return tiles;
}

POP_INLINE Program::Program(std::shared_ptr<poplar::ProfileValue const> step)
    : step_(std::move(step)) {}
POP_INLINE std::string Program::type() const { return (*step_)["type"].asString(); }
POP_INLINE std::string Program::name() const { return (*step_)["name"].asString(); }

POP_INLINE ExecutionStep::ExecutionStep(std::shared_ptr<poplar::ProfileValue const> step)
    : step_(std::move(step)) {}
POP_INLINE Program ExecutionStep::program() const { return Program(step_); }
POP_INLINE std::uint64_t ExecutionStep::cycles() const { return (*step_)["cycles"].asUint(); }
POP_INLINE std::uint64_t ExecutionStep::executions() const {
  return (*step_)["executions"].asUint();
}

POP_INLINE ExecutionReport::ExecutionReport(std::shared_ptr<poplar::ProfileValue const> profile)
    : profile_(std::move(profile)) {}
POP_INLINE std::vector<Run> ExecutionReport::runs() const {
  std::vector<Run> runs;
  for (poplar::ProfileValue const &name : (*profile_)["programs"].asVector())
    runs.emplace_back(name.asString());
  return runs;
}
POP_INLINE std::vector<ExecutionStep> ExecutionReport::steps() const {
  std::vector<ExecutionStep> steps;
  for (poplar::ProfileValue const &step : (*profile_)["steps"].asVector())
    steps.emplace_back(detail::Values(profile_, &step));
  return steps;
}
POP_INLINE std::uint64_t ExecutionReport::totalCycles() const {
  return (*profile_)["cycles"].asUint();
}

POP_INLINE Report::Report(std::shared_ptr<poplar::ProfileValue const> report)
    : report_(std::move(report)) {}
POP_INLINE PoplarVersion Report::poplarVersion() const { return PoplarVersion(*report_); }
POP_INLINE CompilationReport Report::compilation() const {
  return CompilationReport(detail::part(report_, "graphProfile"));
}
POP_INLINE ExecutionReport Report::execution() const {
  detail::Values const execution = detail::part(report_, "executionProfile");
  if (execution->size() == 0)
    cottonwood::base::fail<poplar::missing_profile_data>(
        "pva::Report::execution",
        "the report tells of the graph alone; the engine option "
        "autoReport.outputExecutionProfile adds what was executed, and so "
        "does Engine::getReport(true)");
  return ExecutionReport(execution);
}

POP_INLINE Report openReport(std::string const &filename) {
  return Report(std::make_shared<poplar::ProfileValue const>(
      cottonwood::profile::readProfile("pva::openReport", filename)));
}

} // namespace pva

namespace poplar {

POP_INLINE pva::Report Engine::getReport(bool reportExecution) const {
  ProfileValue::Map map;
  map["poplarVersion"] = versionString().cloneAsString();
  map["packageHash"] = packageHash().cloneAsString();
  map["graphProfile"] = getGraphProfile();
  map["executionProfile"] = reportExecution ? getExecutionProfile() : ProfileValue();
  return pva::Report(std::make_shared<ProfileValue const>(std::move(map)));
}

} // namespace poplar
