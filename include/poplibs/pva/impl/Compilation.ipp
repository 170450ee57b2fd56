// Body of <pva/Compilation.hpp>.
#pragma once

#include <pva/Compilation.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/profile/ReportData.hpp>
#include <poplar/impl/profile/Totals.hpp>

#include <algorithm>
#include <numeric>

namespace pva::detail {

using cottonwood::profile::VariableFacts;

POP_INLINE std::uint64_t bytesOnTile(VariableFacts const &variable, std::size_t tile) {
  std::uint64_t bytes = 0;
  for (cottonwood::lower::TileRun const &run : variable.runs)
    if (run.tile <= tile && tile - run.tile < run.count)
      bytes += run.bytes;
  return bytes;
}

/// Those of the variables that `wanted` takes, with what `size` says of them if it is not 0;
/// largest first.
template <class Wanted, class Size>
std::vector<VariableSize> sizes(ReportHandle const &report, Wanted &&wanted, Size &&size) {
  std::vector<VariableSize> list;
  for (VariableFacts const &variable : report->variables)
    if (wanted(variable))
      if (std::uint64_t const bytes = size(variable); bytes != 0)
        list.emplace_back(variable.name, bytes);
  std::stable_sort(list.begin(), list.end(), [](VariableSize const &a, VariableSize const &b) {
    return a.size() > b.size();
  });
  return list;
}

POP_INLINE LiveMemory together(std::vector<VariableSize> variables) {
  std::uint64_t bytes = 0;
  for (VariableSize const &variable : variables)
    bytes += variable.size();
  return LiveMemory(bytes, std::move(variables));
}

POP_INLINE void checkTile(ReportHandle const &report, char const *where, std::size_t tile) {
  if (tile >= report->target.numTiles())
    cottonwood::base::fail<poplar::poplar_error>(where, "tile ", tile,
                                                 " does not exist; the report has ",
                                                 report->target.numTiles(), " tiles");
}

POP_INLINE auto sizeOnTile(std::size_t tile) {
  return [tile](VariableFacts const &variable) { return bytesOnTile(variable, tile); };
}

template <class T> std::vector<T> handles(ReportHandle const &report, std::size_t count) {
  std::vector<T> list;
  list.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    list.emplace_back(report, static_cast<std::uint32_t>(i));
  return list;
}

} // namespace pva::detail

namespace pva {

POP_INLINE std::string Target::type() const { return report_->target.type; }
POP_INLINE std::string Target::architecture() const { return report_->target.architecture; }
POP_INLINE std::uint64_t Target::numReplicas() const { return report_->target.numReplicas; }
POP_INLINE std::uint64_t Target::numIPUs() const { return report_->target.numIPUs * numReplicas(); }
POP_INLINE std::uint64_t Target::numTiles() const { return tilesPerIpu() * numIPUs(); }
POP_INLINE std::uint64_t Target::tilesPerIpu() const { return report_->target.tilesPerIPU; }
POP_INLINE std::uint64_t Target::numTilesPerReplica() const { return report_->target.numTiles(); }
POP_INLINE std::uint64_t Target::bytesPerTile() const { return report_->target.bytesPerTile; }
POP_INLINE std::uint64_t Target::nonInterleavedBytesPerTile() const {
  return report_->target.nonInterleavedBytes;
}
POP_INLINE std::uint64_t Target::bytesPerIPU() const { return bytesPerTile() * tilesPerIpu(); }
POP_INLINE std::uint64_t Target::totalMemory() const { return bytesPerTile() * numTiles(); }
POP_INLINE double Target::clockFrequency() const { return report_->target.clockFrequency; }
POP_INLINE std::uint64_t Target::numWorkerContexts() const {
  return report_->target.numWorkerContexts;
}
POP_INLINE std::uint64_t Target::exchangeBytesPerCycle() const {
  return report_->target.exchangeBytesPerCycle;
}

POP_INLINE std::uint64_t Graph::numVertices() const { return report_->graph.numVertices; }
POP_INLINE std::uint64_t Graph::numEdges() const { return report_->graph.numEdges; }
POP_INLINE std::uint64_t Graph::numVars() const { return report_->graph.numVars; }
POP_INLINE std::uint64_t Graph::numComputeSets() const { return report_->graph.numComputeSets; }
POP_INLINE std::uint64_t Graph::numVerticesByDefaultRule() const {
  return report_->graph.numVerticesByDefaultRule;
}

POP_INLINE std::string VertexType::name() const { return report_->vertexTypes[index_].name; }
POP_INLINE std::uint64_t VertexType::instances() const {
  return report_->vertexTypes[index_].instances;
}
POP_INLINE std::uint64_t VertexType::stateBytes() const {
  return report_->vertexTypes[index_].stateBytes;
}
POP_INLINE std::uint64_t VertexType::codeBytes() const {
  return report_->vertexTypes[index_].codeBytes;
}
POP_INLINE std::vector<std::uint64_t> VertexType::instancesByTile() const {
  std::vector<std::uint64_t> byTile(report_->target.numTiles());
  cottonwood::profile::addRuns(report_->vertexTypes[index_].instancesByTile, byTile);
  return byTile;
}

POP_INLINE std::string ComputeSet::name() const { return report_->computeSets[index_].name; }
POP_INLINE std::vector<ComputeSetVertices> ComputeSet::vertices() const {
  std::vector<ComputeSetVertices> vertices;
  for (cottonwood::profile::TypeCount const &type : report_->computeSets[index_].types)
    vertices.emplace_back(VertexType(report_, type.type), type.instances, type.cycles);
  return vertices;
}

POP_INLINE LiveMemory LivenessProgramStep::notAlwaysLiveMemory() const {
  std::uint32_t const position = report_->steps[step_].liveness.position;
  return LiveMemory(notAlwaysLiveBytes(),
                    detail::sizes(
                        report_, [&](auto const &variable) { return variable.livesAt(position); },
                        [](auto const &variable) { return variable.bytes; }));
}
POP_INLINE std::uint64_t LivenessProgramStep::notAlwaysLiveBytes() const {
  return report_->steps[step_].liveness.bytes;
}
POP_INLINE LiveMemory LivenessProgramStep::notAlwaysLiveMemoryForTile(std::size_t tile) const {
  detail::checkTile(report_, "pva::LivenessProgramStep::notAlwaysLiveMemoryForTile", tile);
  std::uint32_t const position = report_->steps[step_].liveness.position;
  return detail::together(detail::sizes(
      report_, [&](auto const &variable) { return variable.livesAt(position); },
      detail::sizeOnTile(tile)));
}
POP_INLINE std::vector<std::uint64_t> LivenessProgramStep::notAlwaysLiveBytesByTile() const {
  std::vector<std::uint64_t> bytes(report_->target.numTiles());
  for (cottonwood::profile::VariableFacts const &variable : report_->variables)
    if (variable.livesAt(report_->steps[step_].liveness.position))
      cottonwood::profile::addRuns(variable.runs, bytes);
  return bytes;
}

POP_INLINE std::string LoweredVariable::name() const { return report_->variables[index_].name; }
POP_INLINE std::string LoweredVariable::type() const { return report_->variables[index_].type; }
POP_INLINE std::uint64_t LoweredVariable::bytes() const { return report_->variables[index_].bytes; }
POP_INLINE bool LoweredVariable::alwaysLive() const {
  return report_->variables[index_].alwaysLive;
}
POP_INLINE bool LoweredVariable::constant() const { return report_->variables[index_].constant; }
POP_INLINE std::vector<std::uint64_t> LoweredVariable::bytesByTile() const {
  std::vector<std::uint64_t> bytes(report_->target.numTiles());
  cottonwood::profile::addRuns(report_->variables[index_].runs, bytes);
  return bytes;
}

POP_INLINE std::vector<VariableSize> LoweredVariables::forTile(std::size_t tile) const {
  detail::checkTile(report_, "pva::LoweredVariables::forTile", tile);
  return detail::sizes(
      report_, [](auto const &) { return true; }, detail::sizeOnTile(tile));
}
POP_INLINE std::vector<LoweredVariable> LoweredVariables::allBriefVars() const {
  return detail::handles<LoweredVariable>(report_, report_->variables.size());
}

POP_INLINE std::vector<Tile> IPU::tiles() const {
  std::vector<Tile> tiles;
  std::uint64_t const perIpu = report_->target.tilesPerIPU;
  for (std::uint64_t i = number_ * perIpu; i < (number_ + 1) * perIpu; ++i)
    tiles.emplace_back(report_, i);
  return tiles;
}

POP_INLINE std::vector<Tile> CompilationReport::tiles() const {
  return detail::handles<Tile>(report_, report_->tiles.size());
}
POP_INLINE std::vector<IPU> CompilationReport::ipus() const {
  return detail::handles<IPU>(report_, report_->target.numIPUs);
}
POP_INLINE std::vector<Program> CompilationReport::programs() const {
  std::vector<Program> programs;
  for (std::uint32_t const index : report_->entryPoints)
    programs.emplace_back(report_, index, false);
  return programs;
}
POP_INLINE std::vector<Program> CompilationReport::functions() const {
  std::vector<Program> functions;
  for (std::uint32_t const index : report_->functions)
    functions.emplace_back(report_, index, false);
  return functions;
}
POP_INLINE std::vector<Step> CompilationReport::steps() const {
  return detail::handles<Step>(report_, report_->steps.size());
}
POP_INLINE std::vector<VertexType> CompilationReport::vertexTypes() const {
  return detail::handles<VertexType>(report_, report_->vertexTypes.size());
}
POP_INLINE std::vector<ComputeSet> CompilationReport::computeSets() const {
  return detail::handles<ComputeSet>(report_, report_->computeSets.size());
}
POP_INLINE std::vector<VariableSize> CompilationReport::alwaysLiveVariables() const {
  return detail::sizes(
      report_, [](auto const &variable) { return variable.alwaysLive; },
      [](auto const &variable) { return variable.bytes; });
}
POP_INLINE std::vector<VariableSize>
CompilationReport::alwaysLiveVariablesForTile(std::size_t tile) const {
  detail::checkTile(report_, "pva::CompilationReport::alwaysLiveVariablesForTile", tile);
  return detail::sizes(
      report_, [](auto const &variable) { return variable.alwaysLive; }, detail::sizeOnTile(tile));
}
POP_INLINE std::vector<LivenessProgramStep> CompilationReport::livenessProgramSteps() const {
  std::vector<LivenessProgramStep> steps;
  for (std::uint32_t const step : cottonwood::profile::stepsInOrder(*report_))
    steps.emplace_back(report_, step);
  return steps;
}
POP_INLINE std::vector<std::size_t> CompilationReport::tilesWithLivenessInfo() const {
  std::vector<std::size_t> tiles(report_->hasLoweredVariables ? report_->tiles.size() : 0);
  std::iota(tiles.begin(), tiles.end(), std::size_t{0});
  return tiles;
}
POP_INLINE LoweredVariables CompilationReport::loweredVariables() const {
  if (!report_->hasLoweredVariables)
    cottonwood::base::fail<poplar::missing_profile_data>(
        "pva::CompilationReport::loweredVariables",
        "the report has no variables; the engine option autoReport.outputLoweredVars adds them");
  return LoweredVariables(report_);
}

} // namespace pva
