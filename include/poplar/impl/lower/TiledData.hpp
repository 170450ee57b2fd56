// What lowering fixes for tiled targets: the steps with their costs, the memory of tiles, and the
// tree of programs they belong to.
#pragma once

#include <poplar/impl/program/Node.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace poplar {
class Target;
}

namespace cottonwood::lower {

/// What a tile does in one BSP superstep.
enum class StepKind : std::uint8_t {
  Compute,
  Exchange,
  OnTileCopy,
  StreamIn,
  StreamOut,
  Sync,
  Control,
  GlobalExchange ///< between IPUs, and what is exchanged within them at the same time
};

inline constexpr std::size_t NUM_STEP_KINDS = 8;

/// Cost of one tile in a step. A tile that is not listed takes no part.
struct TileCost {
  std::uint32_t tile;
  std::uint32_t cycles;
  std::uint32_t bytesOut, bytesIn;       ///< sent to and received from other tiles or the host
  std::uint32_t runsOut = 0, runsIn = 0; ///< contiguous runs of them; 0: not known
  friend bool operator==(TileCost const &, TileCost const &) = default;
};

/// One step of the BSP program that a tiled machine would run. It stays in the program even where
/// the host has nothing to execute for it.
struct BspStep {
  StepKind kind = StepKind::Compute;
  std::string name;
  std::uint32_t computeSet = ~std::uint32_t{0}; ///< in ExecutableData::computeSets, Compute only
  std::uint64_t maxCycles = 0; ///< what the modelled clock advances by, syncs included
  std::uint64_t syncCycles = 0;
  std::uint64_t activeThreadCycles =
      0; ///< sum over all vertices: compute without idle worker contexts
  std::uint64_t firstCost = 0, numCosts = 0; ///< in BspProgram::costs; equal lists are shared
};

/// Estimated cycles of all vertices of one type in one execution of a compute set.
struct VertexTypeCycles {
  std::uint32_t step;
  std::uint32_t codelet;
  std::uint64_t instances;
  std::uint64_t cycles;
};

/// A program with the steps that it is made of itself, not counting those of its children. The body
/// of a function occurs once, whoever calls it.
struct ProgramInfo {
  program::NodeKind kind = program::NodeKind::Sequence;
  std::string name;
  std::uint32_t parent = ~std::uint32_t{0};  ///< in BspProgram::programs, before this one; or none
  std::uint32_t callee = ~std::uint32_t{0};  ///< of a Call: the body in BspProgram::programs
  std::uint64_t count = 0;                   ///< turns of a Repeat
  std::uint64_t firstStep = 0, numSteps = 0; ///< in BspProgram::programSteps
  std::uint64_t firstVar = 0, numVars = 0;   ///< in BspProgram::programVars
};

/// Not-always-live bytes of variables on all tiles while a step is executed, where they are the
/// most if it occurs several times.
struct StepLiveness {
  std::uint32_t position = ~std::uint32_t{0}; ///< compares with VariableInfo::lifeBegin and lifeEnd
  std::uint64_t bytes = 0;
};

struct BspProgram {
  std::vector<BspStep> steps;
  std::vector<TileCost> costs;
  std::vector<VertexTypeCycles> byType;
  std::vector<StepLiveness> liveness; ///< by step
  std::vector<ProgramInfo> programs; ///< depth first; those without a parent are what an engine can
                                     ///< run, in its order, and then functions
  std::vector<std::uint32_t> programSteps;
  std::vector<std::uint32_t> programVars; ///< in ExecutableData::variables
  std::uint64_t verticesByDefaultRule = 0;
};

/// Equal numbers of bytes on neighbouring tiles: [tile, tile + count).
struct TileRun {
  std::uint32_t tile, count;
  std::uint64_t bytes;
};

/// What the bytes of a tile are for, with the names of the SDK's reports. Compiler-made constants
/// are variables; shared storage is not modelled.
enum class MemoryKind : std::uint8_t {
  Variable,
  Constant,
  HostExchangePacketHeader,
  GlobalExchangePacketHeader,
  Stack,
  VertexInstanceState,
  CopyDescriptor,
  VectorListDescriptor,
  VertexFieldData,
  ControlTable,
  ControlCode,
  VertexCode,
  InternalExchangeCode,
  HostExchangeCode,
  GlobalExchangeCode,
  InstrumentationResults,
  SharedCodeStorage,
  SharedDataStorage,
};
inline constexpr std::size_t NUM_MEMORY_KINDS = 18;

/// Where bytes lie: in elements whose words follow one another (code must be there), in pairs of
/// elements that take turns, or beyond the end of the tile's memory.
enum class MemoryRegion : std::uint8_t { NonInterleaved, Interleaved, Overflowed };
inline constexpr std::size_t NUM_MEMORY_REGIONS = 3;

/// Bytes on one tile, as a tiled machine would allocate them.
struct POP_API TileMemory {
  std::uint64_t alwaysLive = 0; ///< variables that keep their contents between programs
  /// The most that other variables occupy at one time, with what arrives for a compute set.
  std::uint64_t notAlwaysLive = 0;
  std::uint64_t passing = 0; ///< all other variables together; more than the above if they share
  std::uint64_t gaps = 0;    ///< unused, up to the highest place ever taken
  std::uint64_t constants = 0;
  // Of these: what lies in interleaved memory, and what has no room. The others lie below.
  std::uint64_t alwaysLiveInterleaved = 0, alwaysLiveOverflowed = 0;
  std::uint64_t notAlwaysLiveInterleaved = 0, notAlwaysLiveOverflowed = 0;
  std::uint64_t constantsInterleaved = 0, constantsOverflowed = 0;
  std::uint64_t gapsInterleaved = 0, gapsOverflowed = 0;
  /// The most that fields want in interleaved memory at one time.
  std::uint64_t interleavedDemand = 0;
  std::uint64_t vertexState = 0;     ///< images of vertices with their padding
  std::uint64_t edgePointers = 0;    ///< of vertexState: addresses and sizes
  std::uint64_t padding = 0;         ///< of vertexState
  std::uint64_t fieldData = 0;       ///< lists of addresses and vectors that belong to vertices
  std::uint64_t listDescriptors = 0; ///< tables of VectorList fields
  std::uint64_t copyDescriptors = 0;
  std::uint64_t stack = 0;
  std::uint64_t hostHeaders = 0, globalHeaders = 0;
  std::uint64_t controlCode = 0, vertexCode = 0;
  std::uint64_t exchangeCode = 0, hostExchangeCode = 0, globalExchangeCode = 0;

  /// Without gaps.
  std::uint64_t of(MemoryKind kind) const;
  std::uint64_t total() const;
  std::uint64_t alwaysLiveTotal() const { return total() - notAlwaysLive; }
  std::uint64_t codeBytes() const {
    return controlCode + vertexCode + exchangeCode + hostExchangeCode + globalExchangeCode;
  }
  /// All that is neither code nor a variable nor a constant.
  std::uint64_t fixedDataBytes() const {
    return total() - codeBytes() - alwaysLive - notAlwaysLive - constants;
  }
  /// Whether no part is more than its whole.
  bool isConsistent() const;
  /// Variables and constants by MemoryRegion.
  std::array<std::uint64_t, 3> variablesByRegion() const;
  /// Of the variables that share memory: bytes that more than one of them uses, at least.
  std::uint64_t overlapped() const {
    return passing - notAlwaysLive < notAlwaysLive ? passing - notAlwaysLive : notAlwaysLive;
  }
};

/// The parts of a tile's memory, in bytes.
struct MemoryLimits {
  std::uint64_t nonInterleaved = 0, total = 0;
  std::uint64_t interleaved() const { return total < nonInterleaved ? 0 : total - nonInterleaved; }
};

/// Bytes of a tile by kind and region; gaps are in `gaps` alone.
struct POP_API TileRegions {
  std::array<std::array<std::uint64_t, NUM_MEMORY_REGIONS>, NUM_MEMORY_KINDS> bytes{};
  std::array<std::uint64_t, NUM_MEMORY_REGIONS> gaps{};
  std::uint64_t of(MemoryRegion region) const;
  std::uint64_t overflowed() const {
    return of(MemoryRegion::Overflowed) + gaps[static_cast<std::size_t>(MemoryRegion::Overflowed)];
  }
};

/// Of one tile.
POP_API MemoryLimits memoryLimits(poplar::Target const &target);

/// What a tile holds by region: code comes first and must be non-interleaved, then stack and
/// vertices, from the low end up; variables and constants lie where they were placed.
POP_API TileRegions regionsOf(TileMemory const &tile, MemoryLimits const &limits);

/// All vertices of a type.
struct VertexTypeMemory {
  std::uint32_t codelet = 0; ///< in ExecutableData::codelets
  std::uint64_t instances = 0;
  std::uint64_t stateBytes = 0; ///< of all of them, with what their fields point to but variables
  std::uint64_t codeBytes = 0;  ///< on each tile that has such a vertex
};

} // namespace cottonwood::lower
