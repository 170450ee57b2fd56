// Body of Values.hpp.
#pragma once

#include <poplar/impl/profile/Values.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace cottonwood::profile::detail {

POP_INLINE Values targetValues(lower::ExecutableData const &executable) {
  poplar::Target const &target = executable.target;
  Values::Map map;
  map["type"] = poplar::toString(target.getTargetType());
  map["architecture"] = target.getTargetArchString().cloneAsString();
  // Of one replica, but for the number of these.
  map["numReplicas"] = executable.numReplicas;
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
  map["numVerticesByDefaultRule"] = executable.bsp.verticesByDefaultRule;
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

POP_INLINE Values variableValues(std::vector<lower::VariableInfo> const &variables) {
  Values::Vector all;
  all.reserve(variables.size());
  for (lower::VariableInfo const &variable : variables) {
    Values::Map map;
    map["name"] = variable.name;
    map["bytes"] = variable.bytes;
    map["alwaysLive"] = Values(variable.alwaysLive);
    all.emplace_back(std::move(map));
  }
  return all;
}

POP_INLINE char const *nameOf(lower::StepKind kind) {
  static constexpr char const *names[] = {"OnTileExecute", "DoExchange", "OnTileCopy", "StreamCopy",
                                          "StreamCopy",    "Sync",       "Control"};
  return names[static_cast<std::size_t>(kind)];
}

POP_INLINE Values stepValues(lower::ExecutableData const &executable,
                             engine::StepRecorder const &recorder) {
  Values::Vector steps;
  for (std::uint32_t i = 0; i < executable.bsp.steps.size(); ++i) {
    lower::BspStep const &step = executable.bsp.steps[i];
    std::uint64_t const times = recorder.executions(i);
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

/// Cycles of all steps that were executed, and what the tiles did in them, summed over tiles.
struct ExecutionTotals {
  std::uint64_t cycles = 0;
  double computeIdle = 0, computeBusy = 0, exchange = 0, host = 0, sync = 0;
};

POP_INLINE ExecutionTotals addUp(lower::ExecutableData const &executable,
                                 engine::StepRecorder const &recorder) {
  using lower::StepKind;
  ExecutionTotals totals;
  unsigned const contexts = executable.target.getNumWorkerContexts();
  double const tiles = executable.target.getNumTiles();
  for (std::uint32_t i = 0; i < executable.bsp.steps.size(); ++i) {
    lower::BspStep const &step = executable.bsp.steps[i];
    auto const times = static_cast<double>(recorder.executions(i));
    totals.cycles += step.maxCycles * recorder.executions(i);
    double sum = 0;
    for (std::uint64_t c = step.firstCost; c < step.firstCost + step.numCosts; ++c)
      sum += executable.bsp.costs[c].cycles;
    if (step.kind == StepKind::Compute) {
      totals.computeIdle += times * sum;
      totals.computeBusy += times * static_cast<double>(step.activeThreadCycles) / contexts;
    } else if (step.kind == StepKind::Exchange || step.kind == StepKind::OnTileCopy) {
      totals.exchange += times * sum;
    } else if (step.kind == StepKind::StreamIn || step.kind == StepKind::StreamOut) {
      totals.host += times * tiles * static_cast<double>(step.maxCycles - step.syncCycles);
    }
  }
  double const all = static_cast<double>(totals.cycles) * tiles;
  totals.sync = std::max(0.0, all - totals.computeIdle - totals.exchange - totals.host);
  return totals;
}

POP_INLINE Values averageValues(ExecutionTotals const &totals, double tiles) {
  Values::Map map;
  map["computeIncludingIdle"] = totals.computeIdle / tiles;
  map["computeExcludingIdle"] = totals.computeBusy / tiles;
  map["exchange"] = totals.exchange / tiles;
  map["globalExchange"] = 0.0;
  map["hostExchange"] = totals.host / tiles;
  map["sync"] = totals.sync / tiles;
  return map;
}

POP_INLINE Values vertexCycleValues(lower::ExecutableData const &executable,
                                    engine::StepRecorder const &recorder) {
  struct Sum {
    std::uint64_t instances = 0, cycles = 0;
  };
  std::map<std::string, Sum> types;
  for (lower::VertexTypeCycles const &entry : executable.bsp.byType) {
    std::uint64_t const times = recorder.executions(entry.step);
    if (times == 0)
      continue;
    Sum &sum = types[executable.codelets[entry.codelet].name];
    sum.instances += entry.instances;
    sum.cycles += entry.cycles * times;
  }
  Values::Map map;
  for (auto const &[name, sum] : types)
    map[name] = Values::Map{{"instances", sum.instances}, {"cycles", sum.cycles}};
  return map;
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE poplar::ProfileValue graphProfile(lower::ExecutableData const &executable) {
  poplar::ProfileValue::Map map;
  map["target"] = detail::targetValues(executable);
  map["graph"] = detail::graphValues(executable);
  map["vertexTypes"] = detail::vertexTypeValues(executable);
  map["memory"] = detail::memoryValues(executable.tileMemory);
  map["variables"] = detail::variableValues(executable.variables);
  return map;
}

POP_INLINE poplar::ProfileValue executionProfile(lower::ExecutableData const &executable,
                                                 engine::StepRecorder const *recorder,
                                                 std::vector<std::string> const &runNames) {
  using poplar::ProfileValue;
  ProfileValue::Vector programs;
  for (std::string const &name : runNames)
    programs.emplace_back(name);
  detail::ExecutionTotals const totals =
      recorder ? detail::addUp(executable, *recorder) : detail::ExecutionTotals();
  ProfileValue::Map map;
  map["programs"] = std::move(programs);
  map["cycles"] = totals.cycles;
  map["tileAverages"] = detail::averageValues(totals, executable.target.getNumTiles());
  map["vertexTypes"] =
      recorder ? detail::vertexCycleValues(executable, *recorder) : ProfileValue::Map();
  map["steps"] = recorder ? detail::stepValues(executable, *recorder) : ProfileValue::Vector();
  return map;
}

} // namespace cottonwood::profile
