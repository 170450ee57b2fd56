// A profile as data: what the summaries, the trees of values, profile files and the classes of pva
// all show. Of one replica, which stands for all.
#pragma once

#include <poplar/impl/engine/StepRecorder.hpp>
#include <poplar/impl/lower/TiledData.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::engine {
class Session;
}
namespace cottonwood::lower {
struct ExecutableData;
}

namespace cottonwood::profile {

inline constexpr std::uint32_t NONE = ~std::uint32_t{0};

struct TargetFacts {
  std::string type, architecture;                              ///< "IPU_MODEL" or "IPU"; "ipu2"
  std::uint64_t numReplicas = 1, numIPUs = 1, tilesPerIPU = 1; ///< IPUs of one replica
  std::uint64_t bytesPerTile = 0, nonInterleavedBytes = 0;
  std::uint64_t numWorkerContexts = 0, exchangeBytesPerCycle = 0, minSyncDelay = 0;
  double clockFrequency = 0; ///< Hz
  std::uint64_t numTiles() const { return numIPUs * tilesPerIPU; }
  lower::MemoryLimits limits() const { return {nonInterleavedBytes, bytesPerTile}; }
};

struct GraphFacts {
  std::uint64_t numVertices = 0, numVerticesByDefaultRule = 0;
  std::uint64_t numEdges = 0, numVars = 0, numComputeSets = 0;
};

/// All vertices of one type.
struct VertexTypeFacts {
  std::string name;
  std::uint64_t instances = 0, stateBytes = 0, codeBytes = 0;
  std::vector<lower::TileRun> instancesByTile; ///< `bytes` are instances here
};

/// The vertices of one type in a compute set.
struct TypeCount {
  std::uint32_t type;              ///< in ReportData::vertexTypes
  std::uint64_t instances, cycles; ///< of all of them in one execution
};

struct ComputeSetFacts {
  std::string name;
  std::vector<TypeCount> types;
};

struct VariableFacts {
  std::string name, type;
  std::uint64_t bytes = 0;
  bool alwaysLive = true, constant = false;
  std::uint32_t lifeBegin = 0, lifeEnd = 0;
  std::vector<lower::TileRun> runs; ///< bytes by tile
  bool livesAt(std::uint32_t position) const {
    return !alwaysLive && lifeBegin <= position && position <= lifeEnd;
  }
};

/// One step of the programs. Bytes are sums, cycles of tiles without syncs.
struct StepFacts {
  lower::StepKind kind = lower::StepKind::Compute;
  std::string name;
  std::uint32_t computeSet = NONE, program = NONE; ///< NONE: none, or several
  std::uint64_t cycles = 0, syncCycles = 0;        ///< of all of the step; of the former, its sync
  std::uint64_t threadCycles = 0;
  std::uint64_t activeTiles = 0, minCycles = 0, maxCycles = 0, sumCycles = 0; ///< of active tiles
  std::uint64_t bytesOut = 0, bytesIn = 0;
  lower::StepLiveness liveness;
  double meanCycles() const {
    return activeTiles == 0 ? 0 : static_cast<double>(sumCycles) / static_cast<double>(activeTiles);
  }
  /// How well the work is spread over the active tiles, in percent.
  double balance() const {
    return maxCycles == 0 ? 100 : 100 * meanCycles() / static_cast<double>(maxCycles);
  }
};

struct ProgramFacts {
  program::NodeKind kind = program::NodeKind::Sequence;
  std::string name;
  std::uint32_t parent = NONE, callee = NONE; ///< in ReportData::programs
  std::uint64_t count = 0;
  std::vector<std::uint32_t> steps;     ///< in ReportData::steps
  std::vector<std::uint32_t> children;  ///< in ReportData::programs
  std::vector<std::uint32_t> variables; ///< in ReportData::variables
};

/// Costs of steps by tile, on demand.
class StepCosts {
public:
  virtual ~StepCosts() = default;
  /// Sorted by tile. \throws poplar::parse_error  the file is damaged.
  virtual std::vector<lower::TileCost> of(std::uint32_t step) const = 0;
};

/// One call of Engine::run.
struct RunFacts {
  std::string name;
  std::uint64_t beginCycle = 0, endCycle = 0;  ///< of the modelled clock since load
  std::uint64_t firstGroup = 0, numGroups = 0; ///< in ExecutionFacts::trace
};

struct ExecutionFacts {
  std::vector<RunFacts> runs;            ///< the first ones
  std::vector<std::uint64_t> executions; ///< by step, of all runs
  engine::StepTrace trace;               ///< what was executed in order
  bool traced = false;                   ///< whether the order was recorded
  bool cut = false; ///< whether later steps than those of the trace were executed
};

struct ReportData {
  std::string poplarVersion, packageHash, engineName;
  std::vector<std::pair<std::string, std::string>> options; ///< sorted by name
  std::vector<std::pair<std::string, std::string>> plans;   ///< name of an operation, and its plan
  TargetFacts target;
  GraphFacts graph;
  std::vector<lower::TileMemory> tiles;
  std::vector<VertexTypeFacts> vertexTypes; ///< sorted by name
  std::vector<ComputeSetFacts> computeSets;
  std::vector<VariableFacts> variables;
  bool hasLoweredVariables = true; ///< whether `variables` were stored
  std::vector<StepFacts> steps;
  std::vector<ProgramFacts> programs;
  std::vector<std::uint32_t> entryPoints, functions; ///< in `programs`
  std::shared_ptr<StepCosts const> costs;
  bool hasExecution = false;
  ExecutionFacts execution;
};

using ReportPointer = std::shared_ptr<ReportData const>;

/// \param recorder  null: nothing was executed, or nobody asks for it.
std::shared_ptr<ReportData> makeReport(std::shared_ptr<lower::ExecutableData const> executable,
                                       engine::StepRecorder const *recorder,
                                       std::vector<engine::RunMark> const &runs);
/// The same for a graph that did not fit, whose executable nobody keeps.
std::shared_ptr<ReportData> makeReport(lower::ExecutableData const &executable);

/// What a report says of an engine. \throws poplar::profiling_disabled  it is one of a CPU.
POP_API std::shared_ptr<ReportData> reportOf(engine::Session const &session, bool withExecution);

/// "OnTileExecute", "DoExchange", "OnTileCopy", "StreamCopyMid", "Sync", "Control",
/// "GlobalExchange"
POP_API char const *nameOf(lower::StepKind kind);
POP_API char const *nameOf(program::NodeKind kind); ///< "Repeat"
POP_API char const *nameOf(lower::MemoryKind kind); ///< as pva spells it: "internalExchangeCode"

/// Adds what each tile holds of a list of runs to `bytes`, one entry a tile.
POP_API void addRuns(std::vector<lower::TileRun> const &runs, std::vector<std::uint64_t> &bytes);

} // namespace cottonwood::profile
