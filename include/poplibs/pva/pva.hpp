// Reads profiles back: those of an engine (Engine::getReport), and the files `profile.pop` that the
// engine options autoReport.* make.
#include <pva/impl/Config.hpp>

#ifndef PVA_PVA_HPP
#define PVA_PVA_HPP

#include <cstdint>
#include <memory>
#include <poplar/ProfileValue.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pva {

/// The library that made the report.
class POP_API PoplarVersion {
public:
  explicit PoplarVersion(poplar::ProfileValue const &report);

  std::string string() const { return text_; }
  std::string packageHash() const { return packageHash_; }
  std::uint32_t majorVer() const { return numbers_[0]; }
  std::uint32_t minorVer() const { return numbers_[1]; }
  std::uint32_t pointVer() const { return numbers_[2]; }

private:
  std::string text_, packageHash_;
  std::uint32_t numbers_[3];
};

// The classes below are handles to parts of a report, which they keep alive.

/// What the graph was compiled for. Figures are of all replicas together, but for bytesPerTile,
/// bytesPerIPU and tilesPerIpu.
class POP_API Target {
public:
  explicit Target(std::shared_ptr<poplar::ProfileValue const> target);

  /// "ipu1", "ipu2", "ipu21"
  std::string architecture() const;
  std::uint64_t numReplicas() const;
  std::uint64_t numIPUs() const;
  std::uint64_t numTiles() const;
  std::uint64_t tilesPerIpu() const;
  std::uint64_t bytesPerTile() const;
  std::uint64_t bytesPerIPU() const;
  std::uint64_t totalMemory() const;
  /// In Hz.
  double clockFrequency() const;

private:
  std::shared_ptr<poplar::ProfileValue const> target_;
};

class POP_API Graph {
public:
  explicit Graph(std::shared_ptr<poplar::ProfileValue const> graph);

  std::uint64_t numVertices() const;
  std::uint64_t numEdges() const;
  std::uint64_t numVars() const;
  std::uint64_t numComputeSets() const;

private:
  std::shared_ptr<poplar::ProfileValue const> graph_;
};

/// Bytes; the model leaves no gaps.
class POP_API TileMemoryTotal {
public:
  explicit TileMemoryTotal(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t includingGaps() const { return bytes_; }
  std::uint64_t excludingGaps() const { return bytes_; }

private:
  std::uint64_t bytes_;
};

/// Of one tile, in bytes. Constants and vertices are part of what is always live.
class POP_API TileMemory {
public:
  TileMemory(std::uint64_t total, std::uint64_t notAlwaysLive)
      : total_(total), notAlwaysLive_(notAlwaysLive) {}
  TileMemoryTotal total() const { return TileMemoryTotal(total_); }
  std::uint64_t alwaysLiveBytes() const { return total_ - notAlwaysLive_; }
  std::uint64_t notAlwaysLiveBytes() const { return notAlwaysLive_; }

private:
  std::uint64_t total_, notAlwaysLive_;
};

class POP_API Tile {
public:
  explicit Tile(TileMemory memory) : memory_(memory) {}
  TileMemory memory() const { return memory_; }

private:
  TileMemory memory_;
};

class POP_API CompilationReport {
public:
  explicit CompilationReport(std::shared_ptr<poplar::ProfileValue const> profile);

  Target target() const;
  Graph graph() const;
  /// Of one replica, by number.
  std::vector<Tile> tiles() const;

private:
  std::shared_ptr<poplar::ProfileValue const> profile_;
};

/// One call of Engine::run.
class POP_API Run {
public:
  explicit Run(std::string name) : name_(std::move(name)) {}
  std::string name() const { return name_; }

private:
  std::string name_;
};

/// A step of the programs.
class POP_API Program {
public:
  explicit Program(std::shared_ptr<poplar::ProfileValue const> step);

  /// "OnTileExecute", "DoExchange", "OnTileCopy", "StreamCopy", "Sync"
  std::string type() const;
  std::string name() const;

private:
  std::shared_ptr<poplar::ProfileValue const> step_;
};

/// A step that was executed: here all its executions are one entry.
class POP_API ExecutionStep {
public:
  explicit ExecutionStep(std::shared_ptr<poplar::ProfileValue const> step);

  Program program() const;
  /// Of one execution, as the model estimates it.
  std::uint64_t cycles() const;
  std::uint64_t executions() const;

private:
  std::shared_ptr<poplar::ProfileValue const> step_;
};

class POP_API ExecutionReport {
public:
  explicit ExecutionReport(std::shared_ptr<poplar::ProfileValue const> profile);

  /// The first ones since load, as many as the engine option
  /// autoReport.executionProfileProgramRunCount says.
  std::vector<Run> runs() const;
  /// In the order of the programs.
  std::vector<ExecutionStep> steps() const;
  /// Of all runs.
  std::uint64_t totalCycles() const;

private:
  std::shared_ptr<poplar::ProfileValue const> profile_;
};

class POP_API Report {
public:
  /// What openReport() and Engine::getReport() make.
  explicit Report(std::shared_ptr<poplar::ProfileValue const> report);

  PoplarVersion poplarVersion() const;
  CompilationReport compilation() const;
  /// \throws poplar::missing_profile_data  the report tells of the graph alone.
  ExecutionReport execution() const;

private:
  std::shared_ptr<poplar::ProfileValue const> report_;
};

/// \param filename  of a file `profile.pop`.
/// \throws poplar::file_load_error  there is no such file.
/// \throws poplar::parse_error      it is no profile.
POP_API Report openReport(std::string const &filename);

} // namespace pva

#endif
