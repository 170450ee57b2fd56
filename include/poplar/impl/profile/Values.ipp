// Body of Values.hpp.
#pragma once

#include <poplar/impl/profile/Values.hpp>

#include <poplar/impl/profile/Totals.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace cottonwood::profile::detail {

POP_INLINE Values targetValues(TargetFacts const &target) {
  Values::Map map;
  map["type"] = target.type;
  map["architecture"] = target.architecture;
  // Of one replica, but for the number of these.
  map["numReplicas"] = target.numReplicas;
  map["numIPUs"] = target.numIPUs;
  map["tilesPerIPU"] = target.tilesPerIPU;
  map["numTiles"] = target.numTiles();
  map["bytesPerTile"] = target.bytesPerTile;
  map["nonInterleavedBytesPerTile"] = target.nonInterleavedBytes;
  map["bytesPerIPU"] = target.bytesPerTile * target.tilesPerIPU;
  map["totalMemory"] = target.bytesPerTile * target.numTiles();
  map["clockFrequency"] = target.clockFrequency;
  map["minSyncDelay"] = target.minSyncDelay;
  // Nothing pretends to be hardware: all figures are a model's.
  map["isEstimate"] = Values(true);
  return map;
}

POP_INLINE Values graphValues(GraphFacts const &graph) {
  Values::Map map;
  map["numVertices"] = graph.numVertices;
  map["numVerticesByDefaultRule"] = graph.numVerticesByDefaultRule;
  map["numEdges"] = graph.numEdges;
  map["numVars"] = graph.numVars;
  map["numComputeSets"] = graph.numComputeSets;
  return map;
}

/// Instances by name.
POP_INLINE Values vertexTypeValues(ReportData const &report) {
  Values::Map map;
  for (VertexTypeFacts const &type : report.vertexTypes)
    map[type.name] = type.instances;
  return map;
}

/// One list with an entry a tile for each figure.
class TileLists {
public:
  void add(char const *name, std::uint64_t bytes) { lists_[name].emplace_back(bytes); }
  Values values() {
    Values::Map map;
    for (auto &[name, list] : lists_)
      map[name] = std::move(list);
    return map;
  }

private:
  std::map<std::string, Values::Vector> lists_;
};

POP_INLINE Values byTileValues(ReportData const &report) {
  TileLists lists;
  for (lower::TileMemory const &tile : report.tiles) {
    lists.add("total", tile.total());
    lists.add("totalIncludingGaps", tile.total() + tile.gaps);
    lists.add("alwaysLive", tile.alwaysLive);
    lists.add("notAlwaysLive", tile.notAlwaysLive);
    lists.add("constants", tile.constants);
    lists.add("vertexState", tile.vertexState);
    lists.add("interleavedDemand", tile.interleavedDemand);
    lists.add("overflowed", lower::regionsOf(tile, report.target.limits()).overflowed());
  }
  return lists.values();
}

/// byCategory.<name>.<region>.{nonOverlapped, overlapped}: lists by tile.
POP_INLINE Values byCategoryValues(ReportData const &report) {
  using namespace lower;
  static constexpr char const *REGIONS[] = {"nonInterleaved", "interleaved", "overflowed"};
  struct Pair {
    Values::Vector nonOverlapped, overlapped;
  };
  std::vector<std::array<Pair, NUM_MEMORY_REGIONS>> lists(NUM_MEMORY_KINDS);
  for (TileMemory const &tile : report.tiles) {
    TileRegions const regions = regionsOf(tile, report.target.limits());
    for (std::size_t k = 0; k < NUM_MEMORY_KINDS; ++k) {
      std::uint64_t shared =
          k == static_cast<std::size_t>(MemoryKind::Variable) ? tile.overlapped() : 0;
      for (std::size_t r = NUM_MEMORY_REGIONS; r-- > 0;) { // what is shared was placed last
        std::uint64_t const here = std::min(shared, regions.bytes[k][r]);
        shared -= here;
        lists[k][r].nonOverlapped.emplace_back(regions.bytes[k][r] - here);
        lists[k][r].overlapped.emplace_back(here);
      }
    }
  }
  Values::Map categories;
  for (std::size_t k = 0; k < NUM_MEMORY_KINDS; ++k) {
    Values::Map category;
    for (std::size_t r = 0; r < NUM_MEMORY_REGIONS; ++r)
      category[REGIONS[r]] = Values::Map{{"nonOverlapped", std::move(lists[k][r].nonOverlapped)},
                                         {"overlapped", std::move(lists[k][r].overlapped)}};
    categories[nameOf(static_cast<MemoryKind>(k))] = std::move(category);
  }
  return categories;
}

/// Bytes of all tiles.
POP_INLINE Values vertexDataValues(ReportData const &report) {
  std::uint64_t state = 0, pointers = 0, padding = 0, copies = 0, descriptors = 0;
  for (lower::TileMemory const &tile : report.tiles) {
    state += tile.vertexState;
    pointers += tile.edgePointers;
    padding += tile.padding;
    copies += tile.copyDescriptors;
    descriptors += tile.fieldData + tile.listDescriptors;
  }
  Values::Map byType;
  for (VertexTypeFacts const &type : report.vertexTypes)
    byType[type.name] = type.stateBytes;
  return Values::Map{{"internalState", state - pointers - padding},
                     {"edgePointers", pointers},
                     {"copyPointers", copies},
                     {"padding", padding},
                     {"descriptors", descriptors},
                     {"byType", std::move(byType)}};
}

POP_INLINE Values variableValues(std::vector<VariableFacts> const &variables) {
  Values::Vector all;
  all.reserve(variables.size());
  for (VariableFacts const &variable : variables) {
    Values::Map map;
    map["name"] = variable.name;
    map["bytes"] = variable.bytes;
    map["alwaysLive"] = Values(variable.alwaysLive);
    all.emplace_back(std::move(map));
  }
  return all;
}

/// Names and bytes of the variables that `wanted` takes, largest first, at most `most` of them.
template <class Wanted>
Values largestVariables(ReportData const &report, std::size_t most, Wanted &&wanted) {
  std::vector<VariableFacts const *> found;
  for (VariableFacts const &variable : report.variables)
    if (wanted(variable))
      found.push_back(&variable);
  std::size_t const shown = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shown), found.end(),
                    [](VariableFacts const *a, VariableFacts const *b) {
                      return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
                    });
  Values::Vector all;
  for (std::size_t i = 0; i < shown; ++i)
    all.emplace_back(Values::Map{{"name", found[i]->name}, {"bytes", found[i]->bytes}});
  return all;
}

/// How many variables the trees and the text show for all that is always live and for each step.
inline constexpr std::size_t SHOWN_ALWAYS_LIVE = 10, SHOWN_IN_STEP = 3;
/// Steps for which variables are looked through.
inline constexpr std::size_t SHOWN_STEPS = 1000;

POP_INLINE Values livenessValues(ReportData const &report) {
  std::uint64_t alwaysLive = 0;
  for (VariableFacts const &variable : report.variables)
    alwaysLive += variable.alwaysLive ? variable.bytes : 0;
  Values::Vector steps;
  for (std::uint32_t const index : stepsInOrder(report)) {
    StepFacts const &step = report.steps[index];
    Values::Map map;
    map["type"] = nameOf(step.kind);
    map["name"] = step.name;
    map["notAlwaysLiveBytes"] = step.liveness.bytes;
    map["variables"] = steps.size() < SHOWN_STEPS
                           ? largestVariables(report, SHOWN_IN_STEP,
                                              [&](VariableFacts const &variable) {
                                                return variable.livesAt(step.liveness.position);
                                              })
                           : Values(Values::Vector());
    steps.emplace_back(std::move(map));
  }
  return Values::Map{{"alwaysLiveBytes", alwaysLive},
                     {"alwaysLiveVariables", largestVariables(report, SHOWN_ALWAYS_LIVE,
                                                              [](VariableFacts const &variable) {
                                                                return variable.alwaysLive;
                                                              })},
                     {"steps", std::move(steps)}};
}

POP_INLINE Values computeSetValues(ReportData const &report) {
  Values::Vector all;
  for (ComputeSetFacts const &set : report.computeSets) {
    Values::Map types;
    for (TypeCount const &type : set.types)
      types[report.vertexTypes[type.type].name] =
          Values::Map{{"instances", type.instances}, {"cycles", type.cycles}};
    all.emplace_back(Values::Map{{"name", set.name}, {"vertexTypes", std::move(types)}});
  }
  return all;
}

POP_INLINE Values programValues(ReportData const &report) {
  Values::Vector all;
  for (ProgramFacts const &program : report.programs) {
    Values::Map map;
    map["type"] = program::kindName(program.kind);
    map["name"] = program.name;
    map["children"] = Values::Vector(program.children.begin(), program.children.end());
    map["steps"] = Values::Vector(program.steps.begin(), program.steps.end());
    if (program.callee != NONE)
      map["callee"] = program.callee;
    if (program.kind == program::NodeKind::Repeat)
      map["count"] = program.count;
    all.emplace_back(std::move(map));
  }
  return all;
}

/// All steps, or, with executions, those that were executed; `index` counts all.
POP_INLINE Values stepValues(ReportData const &report,
                             std::vector<std::uint64_t> const *executions) {
  Values::Vector steps;
  std::vector<std::uint32_t> order;
  if (executions)
    order = stepsInOrder(report);
  else
    for (std::uint32_t i = 0; i < report.steps.size(); ++i)
      order.push_back(i);
  for (std::uint32_t const index : order) {
    StepFacts const &step = report.steps[index];
    if (executions && (*executions)[index] == 0)
      continue;
    Values::Map map;
    map["index"] = index;
    map["type"] = nameOf(step.kind);
    map["name"] = step.name;
    if (executions)
      map["executions"] = (*executions)[index];
    map["cycles"] = step.cycles;
    map["syncCycles"] = step.syncCycles;
    map["activeTiles"] = step.activeTiles;
    map["activeTileBalance"] = step.balance() / 100;
    map["minCycles"] = step.minCycles;
    map["meanCycles"] = step.meanCycles();
    map["maxCycles"] = step.maxCycles;
    map["bytesSent"] = step.bytesOut;
    map["bytesReceived"] = step.bytesIn;
    steps.emplace_back(std::move(map));
  }
  return steps;
}

POP_INLINE Values averageValues(Totals const &totals, double tiles) {
  Values::Map map;
  map["computeIncludingIdle"] = totals.computeIdle / tiles;
  map["computeExcludingIdle"] = totals.computeBusy / tiles;
  map["exchange"] = totals.exchange / tiles;
  map["globalExchange"] = totals.globalExchange / tiles;
  map["hostExchange"] = totals.host / tiles;
  map["sync"] = totals.sync / tiles;
  return map;
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE poplar::ProfileValue graphProfile(ReportData const &report) {
  poplar::ProfileValue::Map memory;
  memory["byTile"] = detail::byTileValues(report);
  memory["byCategory"] = detail::byCategoryValues(report);
  memory["vertexData"] = detail::vertexDataValues(report);
  memory["liveness"] = detail::livenessValues(report);
  poplar::ProfileValue::Map map;
  map["target"] = detail::targetValues(report.target);
  map["graph"] = detail::graphValues(report.graph);
  map["vertexTypes"] = detail::vertexTypeValues(report);
  map["computeSets"] = detail::computeSetValues(report);
  map["steps"] = detail::stepValues(report, nullptr);
  map["programs"] = detail::programValues(report);
  map["memory"] = std::move(memory);
  map["variables"] = detail::variableValues(report.variables);
  return map;
}

POP_INLINE poplar::ProfileValue executionProfile(ReportData const &report) {
  using poplar::ProfileValue;
  ProfileValue::Vector programs;
  for (RunFacts const &run : report.execution.runs)
    programs.emplace_back(run.name);
  ProfileValue::Map types;
  for (TypeCount const &type : typeTotals(report))
    types[report.vertexTypes[type.type].name] =
        ProfileValue::Map{{"instances", type.instances}, {"cycles", type.cycles}};
  Totals const totals = totalsOf(report);
  ProfileValue::Map map;
  map["profilerMode"] = "IPU_MODEL";
  map["programs"] = std::move(programs);
  map["cycles"] = totals.cycles;
  map["tileAverages"] =
      detail::averageValues(totals, static_cast<double>(report.target.numTiles()));
  map["vertexTypes"] = std::move(types);
  map["steps"] = report.execution.executions.empty()
                     ? ProfileValue(ProfileValue::Vector())
                     : detail::stepValues(report, &report.execution.executions);
  map["traceIsCut"] = ProfileValue(report.execution.cut);
  return map;
}

} // namespace cottonwood::profile
