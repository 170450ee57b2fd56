// Tables of profile files; docs/profiles.md says what is in them.
#pragma once

#include <poplar/impl/lower/TiledData.hpp>

#include <cstdint>
#include <utility>

namespace cottonwood::profile {

inline constexpr char REPORT_FORMAT[] = "cottonwood profile";

inline constexpr char REPORT_TABLES[] =
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE option(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE plan(id INTEGER PRIMARY KEY, name TEXT, text TEXT);"
    "CREATE TABLE tile_memory(figure TEXT PRIMARY KEY, by_tile BLOB) WITHOUT ROWID;"
    "CREATE TABLE vertex_type(id INTEGER PRIMARY KEY, name TEXT, instances INT, state_bytes INT,"
    " code_bytes INT, by_tile BLOB);"
    "CREATE TABLE compute_set(id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE compute_set_vertices(compute_set INT, vertex_type INT, instances INT,"
    " cycles INT);"
    "CREATE TABLE variable(id INTEGER PRIMARY KEY, name TEXT, type TEXT, bytes INT,"
    " always_live INT, constant INT, life_begin INT, life_end INT, by_tile BLOB);"
    "CREATE TABLE cost(id INTEGER PRIMARY KEY, by_tile BLOB);"
    "CREATE TABLE step(id INTEGER PRIMARY KEY, kind INT, type TEXT, name TEXT, compute_set INT,"
    " program INT, cycles INT, sync_cycles INT, thread_cycles INT, active_tiles INT,"
    " min_cycles INT, max_cycles INT, sum_cycles INT, bytes_out INT, bytes_in INT,"
    " live_position INT, live_bytes INT, cost INT, executions INT);"
    "CREATE TABLE program(id INTEGER PRIMARY KEY, kind INT, type TEXT, name TEXT, parent INT,"
    " callee INT, count INT, is_function INT, steps BLOB, variables BLOB);"
    "CREATE TABLE run(id INTEGER PRIMARY KEY, name TEXT, begin_cycle INT, end_cycle INT,"
    " first_group INT, num_groups INT);"
    "CREATE TABLE trace(figure TEXT PRIMARY KEY, list BLOB) WITHOUT ROWID;";

/// f(name, number of the report) for all numbers of the table `meta` but one.
template <class Report, class F> void forEachNumber(Report &report, F &&f) {
  f("numReplicas", report.target.numReplicas);
  f("numIPUs", report.target.numIPUs);
  f("tilesPerIPU", report.target.tilesPerIPU);
  f("bytesPerTile", report.target.bytesPerTile);
  f("nonInterleavedBytes", report.target.nonInterleavedBytes);
  f("numWorkerContexts", report.target.numWorkerContexts);
  f("exchangeBytesPerCycle", report.target.exchangeBytesPerCycle);
  f("minSyncDelay", report.target.minSyncDelay);
  f("numVertices", report.graph.numVertices);
  f("numVerticesByDefaultRule", report.graph.numVerticesByDefaultRule);
  f("numEdges", report.graph.numEdges);
  f("numVars", report.graph.numVars);
  f("numComputeSets", report.graph.numComputeSets);
  f("hasLoweredVariables", report.hasLoweredVariables);
  f("hasExecution", report.hasExecution);
  f("traced", report.execution.traced);
  f("traceIsCut", report.execution.cut);
}

/// f(name, text of the report)
template <class Report, class F> void forEachText(Report &report, F &&f) {
  f("poplarVersion", report.poplarVersion);
  f("packageHash", report.packageHash);
  f("engineName", report.engineName);
  f("targetType", report.target.type);
  f("architecture", report.target.architecture);
}

/// The figures of lower::TileMemory by name.
inline constexpr std::pair<char const *, std::uint64_t lower::TileMemory::*> TILE_FIGURES[] = {
    {"alwaysLive", &lower::TileMemory::alwaysLive},
    {"notAlwaysLive", &lower::TileMemory::notAlwaysLive},
    {"passing", &lower::TileMemory::passing},
    {"gaps", &lower::TileMemory::gaps},
    {"constants", &lower::TileMemory::constants},
    {"alwaysLiveInterleaved", &lower::TileMemory::alwaysLiveInterleaved},
    {"alwaysLiveOverflowed", &lower::TileMemory::alwaysLiveOverflowed},
    {"notAlwaysLiveInterleaved", &lower::TileMemory::notAlwaysLiveInterleaved},
    {"notAlwaysLiveOverflowed", &lower::TileMemory::notAlwaysLiveOverflowed},
    {"constantsInterleaved", &lower::TileMemory::constantsInterleaved},
    {"constantsOverflowed", &lower::TileMemory::constantsOverflowed},
    {"gapsInterleaved", &lower::TileMemory::gapsInterleaved},
    {"gapsOverflowed", &lower::TileMemory::gapsOverflowed},
    {"interleavedDemand", &lower::TileMemory::interleavedDemand},
    {"vertexState", &lower::TileMemory::vertexState},
    {"edgePointers", &lower::TileMemory::edgePointers},
    {"padding", &lower::TileMemory::padding},
    {"fieldData", &lower::TileMemory::fieldData},
    {"listDescriptors", &lower::TileMemory::listDescriptors},
    {"copyDescriptors", &lower::TileMemory::copyDescriptors},
    {"stack", &lower::TileMemory::stack},
    {"hostHeaders", &lower::TileMemory::hostHeaders},
    {"globalHeaders", &lower::TileMemory::globalHeaders},
    {"controlCode", &lower::TileMemory::controlCode},
    {"vertexCode", &lower::TileMemory::vertexCode},
    {"exchangeCode", &lower::TileMemory::exchangeCode},
    {"hostExchangeCode", &lower::TileMemory::hostExchangeCode},
    {"globalExchangeCode", &lower::TileMemory::globalExchangeCode}};

} // namespace cottonwood::profile
