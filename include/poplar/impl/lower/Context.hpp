// What the passes of lowering share while one graph is compiled.
#pragma once

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>
#include <poplar/impl/lower/TileDemands.hpp>
#include <poplar/impl/program/Node.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cottonwood::lower {

/// Dense numbering of variables and constants together: variables first.
class VarIndex {
public:
  explicit VarIndex(graph::GraphData const &graph)
      : numVariables_(graph.numVariables()), size_(numVariables_ + graph.numConstants()) {}
  std::size_t size() const { return size_; }
  std::size_t of(graph::VarId id) const {
    return graph::GraphData::isConstant(id) ? numVariables_ + (id & ~graph::kConstantBit) : id;
  }
  graph::VarId id(std::size_t index) const {
    return index < numVariables_
               ? static_cast<graph::VarId>(index)
               : static_cast<graph::VarId>(index - numVariables_) | graph::kConstantBit;
  }
  bool isConstant(std::size_t index) const { return index >= numVariables_; }

private:
  std::size_t numVariables_, size_;
};

/// When the contents of a variable matter, in positions of the linearised programs.
struct Lifetime {
  std::uint32_t begin = NONE, end = 0; ///< hull of all its live ranges, both ends included
  bool alwaysLive = false;
  bool used() const { return begin <= end; }
};

/// Options that lowering itself acts on.
struct LowerOptions {
  std::string dump;          ///< "stdout", "stderr", a folder, or empty
  bool shareMemory = true;   ///< let variables share memory by liveness
  bool watchOutputs = false; ///< let the engine look for NaNs; without shareMemory
  /// Take scalar code where there is some. Vectors compute more than their elements: lanes beyond
  /// the last one, and both sides of a choice.
  bool scalarVertices = false;
};

class VirtualMemory;

/// Steps of one execution of a compute set: bring in what lives on other tiles, lay together what
/// lies in pieces on a vertex's own tile, compute, put results back into their pieces, send results
/// home.
struct ComputeSetSteps {
  std::uint32_t before = NONE, gather = NONE, compute = NONE, scatter = NONE, after = NONE;
};

/// Bytes of the own tile that vertices of a compute set have laid together while it runs.
struct GatheredBytes {
  std::uint32_t tile;
  std::uint64_t bytes;
  std::uint64_t interleaved; ///< that must be so, of these and of what arrives from other tiles
};

struct Context {
  Context(graph::GraphData const &graphData, std::vector<program::NodePtr> roots)
      : graph(graphData), programs(std::move(roots)), vars(graphData) {}

  graph::GraphData const &graph;
  std::vector<program::NodePtr> programs;
  VarIndex vars;
  LowerOptions options;

  // collect
  std::vector<graph::ComputeSetId> computeSets; ///< reachable ones, in order of first use
  std::vector<std::uint32_t>
      computeSetIndex; ///< by ComputeSetId: position in computeSets, NONE if unreachable
  std::vector<graph::FunctionId> functions;     ///< reachable ones
  std::vector<program::NodePtr> functionBodies; ///< by FunctionId
  std::vector<std::uint8_t> usedVars;           ///< by VarIndex

  // BSP: all NONE on a CPU
  std::vector<ComputeSetSteps> computeSetSteps;       ///< by position in computeSets
  std::vector<std::vector<GatheredBytes>> gathered;   ///< likewise
  TileDemands demands;                                ///< of fields that use variables in place
  std::shared_ptr<VirtualMemory const> virtualMemory; ///< made with the first copy
  std::uint32_t controlStep = NONE;
  std::unordered_multimap<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>
      costLists; ///< in BspProgram::costs: first and number by hash

  std::vector<std::uint8_t> unread; ///< by VarIndex: nothing reads what vertices write to it; empty
                                    ///< if no codelet makes use of that

  // liveness and memory
  std::vector<Lifetime> lifetimes;    ///< by VarIndex
  std::vector<std::uint64_t> offsets; ///< by VarIndex: arena offset
  std::uint64_t copyStagingBytes = 0; ///< staging memory that overlapping copies need
  // For reports of tiled targets:
  std::vector<std::pair<program::Node const *, std::uint32_t>>
      leafPositions; ///< programs that use variables, each with one position where it is run
  std::vector<std::vector<std::uint32_t>>
      computeSetVars; ///< VarIndices by position in computeSets; empty: not looked at
  std::vector<program::Node const *> programNodes; ///< by place in BspProgram::programs

  ExecutableData out;
};

} // namespace cottonwood::lower
