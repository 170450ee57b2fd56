// What a report tells of the graph as it was compiled.
#include <pva/impl/Config.hpp>

#ifndef PVA_COMPILATION_HPP
#define PVA_COMPILATION_HPP

#include <cstddef>
#include <cstdint>
#include <pva/Memory.hpp>
#include <pva/Program.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pva {

/// What the graph was compiled for. Figures are of all replicas together, but for bytesPerTile,
/// bytesPerIPU and tilesPerIpu.
class POP_API Target {
public:
  explicit Target(ReportHandle report) : report_(std::move(report)) {}

  /// "IPU_MODEL", or "IPU" if the IPU was emulated: no report is of hardware.
  std::string type() const;
  /// "ipu1", "ipu2", "ipu21"
  std::string architecture() const;
  std::uint64_t numReplicas() const;
  std::uint64_t numIPUs() const;
  std::uint64_t numTiles() const;
  std::uint64_t tilesPerIpu() const;
  std::uint64_t numTilesPerReplica() const;
  std::uint64_t bytesPerTile() const;
  /// Of bytesPerTile: the region where code must be.
  std::uint64_t nonInterleavedBytesPerTile() const;
  std::uint64_t bytesPerIPU() const;
  std::uint64_t totalMemory() const;
  /// In Hz.
  double clockFrequency() const;
  std::uint64_t numWorkerContexts() const;
  std::uint64_t exchangeBytesPerCycle() const;

private:
  ReportHandle report_;
};

class POP_API Graph {
public:
  explicit Graph(ReportHandle report) : report_(std::move(report)) {}

  std::uint64_t numVertices() const;
  std::uint64_t numEdges() const;
  std::uint64_t numVars() const;
  std::uint64_t numComputeSets() const;
  /// Vertices without an estimate of their own, whose cycles a rule of thumb gives.
  std::uint64_t numVerticesByDefaultRule() const;

private:
  ReportHandle report_;
};

/// A type of vertices, with figures of the whole graph.
class POP_API VertexType {
public:
  VertexType(ReportHandle report, std::uint32_t index)
      : report_(std::move(report)), index_(index) {}

  std::string name() const;
  std::uint64_t instances() const;
  /// Of all of them: fields, and what these point to but variables.
  std::uint64_t stateBytes() const;
  /// Of the codelet, on each tile that has such a vertex.
  std::uint64_t codeBytes() const;
  /// codeBytes(), as published.
  std::uint64_t size() const { return codeBytes(); }
  /// One entry a tile.
  std::vector<std::uint64_t> instancesByTile() const;

private:
  ReportHandle report_;
  std::uint32_t index_;
};

/// The vertices of one type in a compute set.
class POP_API ComputeSetVertices {
public:
  ComputeSetVertices(VertexType type, std::uint64_t count, std::uint64_t cycles)
      : type_(std::move(type)), count_(count), cycles_(cycles) {}
  VertexType type() const { return type_; }
  std::uint64_t count() const { return count_; }
  /// Estimated for all of them in one execution: cycles of worker contexts, or of the tile for
  /// vertices that use all contexts.
  std::uint64_t estimatedCycles() const { return cycles_; }

private:
  VertexType type_;
  std::uint64_t count_, cycles_;
};

/// A compute set that some program executes.
class POP_API ComputeSet {
public:
  ComputeSet(ReportHandle report, std::uint32_t index)
      : report_(std::move(report)), index_(index) {}

  std::string name() const;
  /// By type, sorted by name.
  std::vector<ComputeSetVertices> vertices() const;

private:
  ReportHandle report_;
  std::uint32_t index_;
};

class POP_API VariableSize {
public:
  VariableSize(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  std::string name() const { return name_; }
  std::uint64_t size() const { return size_; } ///< bytes

private:
  std::string name_;
  std::uint64_t size_;
};

/// Variables and their bytes together.
class POP_API LiveMemory {
public:
  LiveMemory(std::uint64_t bytes, std::vector<VariableSize> variables)
      : bytes_(bytes), variables_(std::move(variables)) {}
  std::uint64_t bytes() const { return bytes_; }
  /// Largest first.
  std::vector<VariableSize> variables() const { return variables_; }

private:
  std::uint64_t bytes_;
  std::vector<VariableSize> variables_;
};

/// A step in the order of the programs, with what lives while it is executed: where that is the
/// most, if the step occurs several times.
class POP_API LivenessProgramStep {
public:
  LivenessProgramStep(ReportHandle report, std::uint32_t step)
      : report_(std::move(report)), step_(step) {}

  Program program() const { return Program(report_, step_, true); }
  /// Variables that do not keep their contents between programs, of all tiles.
  LiveMemory notAlwaysLiveMemory() const;
  /// Bytes alone, without a look at the variables.
  std::uint64_t notAlwaysLiveBytes() const;
  /// The parts of them on a tile. \throws poplar::poplar_error  there is no such tile.
  LiveMemory notAlwaysLiveMemoryForTile(std::size_t tile) const;
  /// One entry a tile.
  std::vector<std::uint64_t> notAlwaysLiveBytesByTile() const;

private:
  ReportHandle report_;
  std::uint32_t step_;
};

/// Where a variable lies.
class POP_API LoweredVariable {
public:
  LoweredVariable(ReportHandle report, std::uint32_t index)
      : report_(std::move(report)), index_(index) {}

  std::string name() const;
  std::string type() const; ///< of its elements: "float"
  std::uint64_t bytes() const;
  bool alwaysLive() const;
  bool constant() const;
  /// One entry a tile.
  std::vector<std::uint64_t> bytesByTile() const;

private:
  ReportHandle report_;
  std::uint32_t index_;
};

class POP_API LoweredVariables {
public:
  explicit LoweredVariables(ReportHandle report) : report_(std::move(report)) {}
  /// With their bytes on that tile. \throws poplar::poplar_error  there is no such tile.
  std::vector<VariableSize> forTile(std::size_t tile) const;
  std::vector<LoweredVariable> allBriefVars() const;

private:
  ReportHandle report_;
};

class POP_API IPU {
public:
  IPU(ReportHandle report, std::uint64_t number) : report_(std::move(report)), number_(number) {}
  std::vector<Tile> tiles() const;

private:
  ReportHandle report_;
  std::uint64_t number_;
};

/// Tiles, IPUs, variables and programs are those of one replica.
class POP_API CompilationReport {
public:
  explicit CompilationReport(ReportHandle report) : report_(std::move(report)) {}

  Target target() const { return Target(report_); }
  Graph graph() const { return Graph(report_); }
  /// By number.
  std::vector<Tile> tiles() const;
  std::vector<IPU> ipus() const;
  /// What an engine can run, in its order; Program::children has the rest.
  std::vector<Program> programs() const;
  /// Bodies of the functions that programs call.
  std::vector<Program> functions() const;
  /// Distinct steps: Program::stepIndex, ExecutionStep::index and TraceEntry::step count them.
  std::vector<Step> steps() const;
  std::vector<VertexType> vertexTypes() const;
  /// Those that some program executes, in the order of first use.
  std::vector<ComputeSet> computeSets() const;
  /// Largest first; none unless variables are in the report.
  std::vector<VariableSize> alwaysLiveVariables() const;
  /// The parts of them on a tile. \throws poplar::poplar_error  there is no such tile.
  std::vector<VariableSize> alwaysLiveVariablesForTile(std::size_t tile) const;
  std::vector<LivenessProgramStep> livenessProgramSteps() const;
  /// All tiles, if variables are in the report.
  std::vector<std::size_t> tilesWithLivenessInfo() const;
  /// \throws poplar::missing_profile_data  the engine option autoReport.outputLoweredVars was off.
  LoweredVariables loweredVariables() const;

private:
  ReportHandle report_;
};

} // namespace pva

#endif
