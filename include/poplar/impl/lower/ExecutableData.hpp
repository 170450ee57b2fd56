// A compiled graph as data: what lowering makes and the engine runs.
//
// Immutable once made. It holds neither pointers nor closures: memory is named by byte offsets into
// one arena, codelets by name and field-layout hash (resolved when an engine loads), so that it can
// be stored, checked and loaded in another process.
//
// Arena of one replica:  | variables and constants | staging | vertex state images |
#pragma once

#include <poplar/DataStreamType.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/impl/codelet/CodeObject.hpp>
#include <poplar/impl/lower/TiledData.hpp>
#include <poplar/impl/program/Node.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cottonwood::lower {

inline constexpr std::uint32_t NONE = ~std::uint32_t{0};
/// Every variable and every staging area starts at a multiple of this: a cache line, and the widest
/// vector.
inline constexpr std::uint64_t VARIABLE_ALIGN = 64;

/// One nesting level of a strided move; strides in bytes, of any sign.
struct MoveDim {
  std::uint64_t count;
  std::int64_t srcStride, dstStride;
};

/// Copies `bytes` contiguous bytes for every index tuple of its dims (outermost first):
/// dst + sum(i * dstStride) = src + sum(i * srcStride).
struct Move {
  std::uint64_t src, dst; ///< byte offsets from the two bases that the user of the plan gives
  std::uint64_t bytes;
  std::uint32_t firstDim, numDims; ///< in ExecutableData::moveDims
};

/// Moves [first, first + count) of ExecutableData::moves: no two write the same byte, none reads
/// what another writes.
struct MovePlan {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t totalBytes = 0;
  bool empty() const { return count == 0; }
};

/// Bytes the arena holds after load; all others are zero.
struct InitialData {
  std::uint64_t offset;     ///< in the arena
  std::uint64_t blobOffset; ///< in ExecutableData::blob
  std::uint64_t blobBytes;  ///< length of the pattern
  std::uint64_t repeats;    ///< the pattern is written this many times in a row
};

/// An UNSIGNED_INT in the arena of each replica that grows by scale * index of the replica at load.
struct ReplicaIndex {
  std::uint64_t offset;
  std::uint32_t scale;
};

/// Data that every replica sends to another one and gets from another one.
struct CrossReplicaPlan {
  std::string name;
  MovePlan plan;                      ///< arena of the source to arena of the destination
  std::vector<std::uint32_t> sources; ///< by destination; a permutation of all replicas
};

/// A codelet by name; two codelets are interchangeable when their layout hashes are equal.
struct CodeletRef {
  std::string name;
  std::string isa;
  std::uint64_t layoutHash;
  bool multi;
  std::uint32_t object; ///< in ExecutableData::objects; NONE: the process has its code
};

/// Data of one vertex that its fields cannot point to directly: copied to staging before its first
/// worker context and back after its last.
struct Staging {
  MovePlan gather, scatter;
};

/// One vertex of a compute set.
struct VertexCall {
  std::uint64_t state;   ///< arena offset of its state image
  std::uint32_t codelet; ///< in ExecutableData::codelets
  std::uint32_t tile;
  std::uint32_t
      staging; ///< in ExecutableData::stagings, NONE if all fields point straight into variables
};

struct ComputeSetPlan {
  std::string name;
  std::uint64_t firstCall = 0, numCalls = 0;
  std::uint64_t edgeBytes = 0; ///< connected to its vertices: the first guess at how long it takes
  bool hasStaging = false;
  std::uint64_t firstWatched = 0, numWatched = 0; ///< in ExecutableData::watched
};

/// Compute sets that run one after another, cut into strands: ranges of calls of each set that
/// depend on no other strand's, so that strands may run at once and in any order.
struct StrandPlan {
  std::vector<std::uint32_t> sets; ///< in ExecutableData::computeSets, in the program's order
  /// [strand][set]: behind the strand's last call of the set; 0 for a set that runs before.
  std::vector<std::uint32_t> ends;
  /// Positions in `sets` of those that run before all strands, ascending: small ones that need
  /// nothing of the sets in front of them.
  std::vector<std::uint32_t> before;
  std::size_t numStrands() const { return ends.size() / sets.size(); }
};

enum class Op : std::uint8_t {
  End,             ///< the program is over
  Step,            ///< accounted on tiled targets, nothing to execute
  Execute,         ///< a: compute set; b: 0, or 1 + the strand plan of it and of those that the
                   ///< next instructions execute
  ExecuteWithExit, ///< a: compute set, b: arena offset of the BOOL that gets the AND of what
                   ///< compute() returned
  Copy,            ///< a: plan, arena to arena
  StreamIn,        ///< a: stream, b: plan, transfer block to arena
  StreamOut,       ///< a: stream, b: plan, arena to transfer block
  LoopBegin,       ///< b: turns, at least 1
  LoopEnd,         ///< a: first instruction of the body
  Jump,            ///< a: instruction
  JumpIfTrue,      ///< a: instruction, b: arena offset of the predicate, type
  JumpIfFalse,     ///< the same
  Switch,          ///< a: switch table, b: arena offset of the control, type
  Call,            ///< a: first instruction of a function
  Return,
  Print,       ///< a: print
  ClockBegin,  ///< remembers the clock
  ClockEnd,    ///< a: plan, 8 bytes to arena: the clock's advance since the matching ClockBegin
  ClockStamp,  ///< a: plan, 8 bytes to arena: the clock
  BoundsError, ///< a: switch table; a Switch with bounds checking found no case
  CheckEqual,  ///< a: plan of several values to a packed buffer, width: bytes of one; they
               ///< are the predicate of the replicas of one graph, and must be equal
  CrossReplicaCopy, ///< a: cross-replica plan; a rendezvous of all replicas
  GlobalSync,       ///< a rendezvous of all replicas
  RemoteIn,         ///< a: remote copy, buffer to arena
  RemoteOut,        ///< a: remote copy, arena to buffer
  HostCall,         ///< a: host call
  Abort,            ///< a: abort
};

struct Instruction {
  Op op = Op::End;
  std::uint8_t width = 0; ///< predicates and controls: bytes of the element
  std::uint32_t a = 0;
  std::uint64_t b = 0;
  std::uint32_t step = NONE; ///< step of the BSP program, NONE: not accounted
  std::uint32_t channel = 0; ///< streams: which of StreamPlan::channels
};

struct SwitchTable {
  std::string name;
  std::vector<std::pair<std::int32_t, std::uint32_t>> cases; ///< sorted by value -> instruction
  std::uint32_t otherwise = 0;
};

struct StreamPlan {
  std::string handle;
  poplar::Type type;
  std::uint64_t numElements = 0;
  std::uint64_t blockBytes = 0; ///< of one transfer of one replica
  bool toDevice = true;
  poplar::ReplicatedStreamMode mode = poplar::ReplicatedStreamMode::REPLICATE;
  unsigned bufferingDepth = 1;
  std::uint32_t channels = 1; ///< streams of one replica behind this handle
};

/// A tensor that the host reaches by handle; the plan moves between the arena and a packed buffer.
struct HostTensor {
  std::string handle;
  std::uint64_t bytes = 0; ///< of one replica
  MovePlan plan;
  MovePlan metadata; ///< of QUARTER elements that are written: one byte, if it is a variable
};

struct PrintPlan {
  program::PrintSpec spec;
  poplar::Type type;
  std::vector<std::size_t> shape;
  std::uint64_t bytes = 0;
  MovePlan plan; ///< arena to packed buffer
};

/// Rows outside the arena, one such block for each replica.
struct RemoteBufferPlan {
  std::string handle;
  poplar::Type type;
  std::uint64_t numElements = 0; ///< of one row
  std::uint64_t rowBytes = 0;
  std::uint64_t repeats = 1; ///< rows
};

/// Rows of a remote buffer, packed one after another, and elements of the arena.
struct RemoteCopy {
  std::uint32_t buffer = 0;
  std::uint32_t numRows = 1;
  bool isSigned = false; ///< the offsets are INT
  MovePlan data;         ///< between the packed rows and the arena
  MovePlan offsets;      ///< arena to numRows packed words of 4 bytes; empty: row 0
};

/// A function of the host; sizes in bytes, packed.
struct HostFunctionPlan {
  std::string handle;
  std::vector<std::uint64_t> inputBytes, outputBytes;
};

struct HostCall {
  std::uint32_t function = 0;
  std::vector<MovePlan> inputs;  ///< arena to packed buffers
  std::vector<MovePlan> outputs; ///< packed buffers to arena
};

/// How a run ends when it comes to an Abort or ErrorProgram.
struct AbortPlan {
  std::string kind, name, message;
  std::uint32_t print = NONE; ///< in ExecutableData::prints: the tensor to show
};

/// Elements that a vertex writes; looked through for NaNs if the option debug.stopAtNan is set.
struct WatchedOutput {
  std::uint32_t call = 0; ///< in ExecutableData::calls
  std::string field;
  poplar::Type type;
  MovePlan plan; ///< its sources are the elements
};

/// Where a variable lives, for dumps and reports.
struct VariableInfo {
  std::string name;
  poplar::Type type;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool alwaysLive = true;
  bool constant = false;
  // On tiled targets:
  std::uint32_t lifeBegin = 0, lifeEnd = 0; ///< positions of the programs, both included
  std::uint64_t firstRun = 0, numRuns = 0;  ///< in ExecutableData::tileRuns
};

struct ExecutableData {
  poplar::Target target;
  poplar::OptionFlags options;   ///< effective compile-time options
  std::string name;              ///< engine name
  std::string isa;               ///< tag whose layouts and plans were used
  std::uint32_t numReplicas = 1; ///< everything here is of one replica, and the same for all

  // Memory
  std::uint64_t arenaBytes = 0;
  std::uint64_t sharedBegin =
      0; ///< [sharedBegin, variableBytes): variables that share memory by liveness
  std::uint64_t variableBytes = 0; ///< [0, variableBytes): variables and constants
  std::uint64_t stagingBegin = 0;
  std::uint64_t statesBegin = 0;
  std::vector<std::byte> states; ///< the state images; pointers are arena offsets
  std::vector<std::uint64_t>
      relocations; ///< bit i: the 8-byte word i of `states` is an arena offset
  std::vector<InitialData> initial;
  std::vector<std::byte> blob;
  std::vector<ReplicaIndex> replicaIndices;
  std::vector<VariableInfo> variables;

  // Program
  std::vector<CodeletRef> codelets;
  std::vector<codelet::CodeObject> objects; ///< code of codelets that were compiled for the graph
  std::vector<ComputeSetPlan> computeSets;
  std::vector<VertexCall> calls;
  std::vector<StrandPlan> strands;
  std::vector<Staging> stagings;
  std::vector<MovePlan> plans;
  std::vector<Move> moves;
  std::vector<MoveDim> moveDims;
  std::vector<SwitchTable> switches;
  std::vector<PrintPlan> prints;
  std::vector<CrossReplicaPlan> crossReplicaPlans;
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> entryPoints; ///< first instruction of each program

  // Host
  std::vector<StreamPlan> streams;
  std::vector<HostTensor> hostReads, hostWrites;
  std::vector<RemoteBufferPlan> remoteBuffers;
  std::vector<RemoteCopy> remoteCopies;
  std::vector<HostFunctionPlan> hostFunctions;
  std::vector<HostCall> hostCalls;
  std::vector<AbortPlan> aborts;
  std::vector<WatchedOutput> watched; ///< empty unless debug.stopAtNan

  // Tiled targets
  BspProgram bsp;
  std::vector<TileMemory> tileMemory;
  std::vector<TileRun> tileRuns; ///< of variables
  std::vector<VertexTypeMemory> vertexTypes;
  /// What libraries say of their operations, for reports: name and text.
  std::vector<std::pair<std::string, std::string>> notes;
  std::uint64_t numVertices = 0, numEdges = 0, numVariables = 0, numComputeSets = 0;
};

} // namespace cottonwood::lower
