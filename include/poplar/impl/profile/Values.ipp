// The profiles of poplar/Engine.hpp as trees of values.
#pragma once

#include <poplar/Engine.hpp>

#include <map>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/engine/Session.hpp>
#include <poplar/impl/engine/StepRecorder.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>
#include <string>
#include <utility>

namespace cottonwood::profile::detail {

using Values = poplar::ProfileValue;

POP_INLINE Values targetValues(poplar::Target const &target) {
  Values::Map map;
  map["type"] = poplar::toString(target.getTargetType());
  map["architecture"] = target.getTargetArchString().cloneAsString();
  map["numIPUs"] = target.getNumIPUs();
  map["tilesPerIPU"] = target.getTilesPerIPU();
  map["numTiles"] = target.getNumTiles();
  map["bytesPerTile"] = target.getBytesPerTile();
  map["totalMemory"] = target.getMemoryBytes();
  map["clockFrequency"] = target.getTileClockFrequency();
  // Nothing pretends to be hardware: all figures are a model's.
  map["isEstimate"] = Values(true);
  return map;
}

POP_INLINE Values graphValues(lower::ExecutableData const &executable) {
  Values::Map map;
  map["numVertices"] = executable.numVertices;
  map["numEdges"] = executable.numEdges;
  map["numVars"] = executable.numVariables;
  map["numComputeSets"] = executable.numComputeSets;
  return map;
}

POP_INLINE Values vertexTypeValues(lower::ExecutableData const &executable) {
  std::map<std::string, std::uint64_t> counts;
  for (lower::VertexCall const &call : executable.calls)
    ++counts[executable.codelets[call.codelet].name];
  Values::Map map;
  for (auto const &[name, count] : counts)
    map[name] = count;
  return map;
}

/// One list with an entry a tile for each kind of memory.
POP_INLINE Values memoryValues(std::vector<lower::TileMemory> const &tiles) {
  Values::Vector total, alwaysLive, notAlwaysLive, constants, vertexState;
  for (lower::TileMemory const &tile : tiles) {
    total.emplace_back(tile.total());
    alwaysLive.emplace_back(tile.alwaysLive);
    notAlwaysLive.emplace_back(tile.notAlwaysLive);
    constants.emplace_back(tile.constants);
    vertexState.emplace_back(tile.vertexState);
  }
  Values::Map byTile;
  byTile["total"] = std::move(total);
  byTile["alwaysLive"] = std::move(alwaysLive);
  byTile["notAlwaysLive"] = std::move(notAlwaysLive);
  byTile["constants"] = std::move(constants);
  byTile["vertexState"] = std::move(vertexState);
  Values::Map map;
  map["byTile"] = Values(std::move(byTile));
  return map;
}

POP_INLINE char const *nameOf(lower::StepKind kind) {
  static constexpr char const *names[] = {"OnTileExecute", "DoExchange", "OnTileCopy", "StreamCopy",
                                          "StreamCopy",    "Sync",       "Control"};
  return names[static_cast<std::size_t>(kind)];
}

POP_INLINE Values stepValues(lower::ExecutableData const &executable,
                             engine::StepRecorder const &recorder, std::uint64_t &cycles) {
  Values::Vector steps;
  for (std::uint32_t i = 0; i < executable.bsp.steps.size(); ++i) {
    lower::BspStep const &step = executable.bsp.steps[i];
    std::uint64_t const times = recorder.executions(i);
    cycles += step.maxCycles * times;
    if (times == 0 || step.kind == lower::StepKind::Control)
      continue;
    Values::Map map;
    map["type"] = nameOf(step.kind);
    map["name"] = step.name;
    map["executions"] = times;
    map["cycles"] = step.maxCycles;
    steps.emplace_back(std::move(map));
  }
  return steps;
}

POP_INLINE lower::ExecutableData const &profiled(engine::Session const &session) {
  if (session.executable().target.getTargetType() == poplar::TargetType::CPU)
    throw poplar::profiling_disabled();
  return session.executable();
}

} // namespace cottonwood::profile::detail

namespace poplar {

POP_INLINE ProfileValue Engine::getGraphProfile() const {
  namespace detail = cottonwood::profile::detail;
  auto const &executable = detail::profiled(*session_);
  ProfileValue::Map map;
  map["target"] = detail::targetValues(executable.target);
  map["graph"] = detail::graphValues(executable);
  map["vertexTypes"] = detail::vertexTypeValues(executable);
  map["memory"] = detail::memoryValues(executable.tileMemory);
  return map;
}

POP_INLINE ProfileValue Engine::getExecutionProfile() const {
  namespace detail = cottonwood::profile::detail;
  auto const &executable = detail::profiled(*session_);
  ProfileValue::Vector programs, steps;
  std::uint64_t cycles = 0;
  for (std::string const &name : session_->runNames())
    programs.emplace_back(name);
  ProfileValue::Map map;
  map["programs"] = std::move(programs);
  if (auto const *recorder = session_->recorder())
    map["steps"] = detail::stepValues(executable, *recorder, cycles);
  else
    map["steps"] = std::move(steps);
  map["cycles"] = cycles;
  return map;
}

POP_INLINE ProfileValue Engine::getProfile() const {
  ProfileValue::Map map;
  map["graphProfile"] = getGraphProfile();
  map["executionProfile"] = getExecutionProfile();
  return map;
}

} // namespace poplar
