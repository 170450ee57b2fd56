// Reads profiles back: those of an engine (Engine::getReport), and the files `profile.pop` that the
// engine options autoReport.* make.
#include <pva/impl/Config.hpp>

#ifndef PVA_PVA_HPP
#define PVA_PVA_HPP

#include <cstdint>
#include <memory>
#include <pva/Compilation.hpp>
#include <pva/Execution.hpp>
#include <pva/Memory.hpp>
#include <pva/Program.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pva {

/// The library that made the report.
class POP_API PoplarVersion {
public:
  PoplarVersion(std::string text, std::string packageHash);

  std::string string() const { return text_; }
  std::string packageHash() const { return packageHash_; }
  std::uint32_t majorVer() const { return numbers_[0]; }
  std::uint32_t minorVer() const { return numbers_[1]; }
  std::uint32_t pointVer() const { return numbers_[2]; }

private:
  std::string text_, packageHash_;
  std::uint32_t numbers_[3];
};

/// Of the format of profiles.
class POP_API ProfileReportVersion {
public:
  ProfileReportVersion(std::uint32_t major, std::uint32_t minor, std::uint32_t point)
      : major_(major), minor_(minor), point_(point) {}
  std::uint32_t majorVer() const { return major_; }
  std::uint32_t minorVer() const { return minor_; }
  std::uint32_t pointVer() const { return point_; }
  /// Whether the next release may write files that this one cannot read.
  bool isUnstableFormat() const { return major_ == 0; }

private:
  std::uint32_t major_, minor_, point_;
};

/// What the engine options debug.instrument* asked for. Nothing is measured: cycles are the model's
/// whatever they say.
class POP_API InstrumentationSettings {
public:
  enum class Compute { Off, Vertex, Tile, Ipu, Device, Unknown };
  enum class ExternalExchange { Off, Tile, Unknown };

  InstrumentationSettings(Compute compute, ExternalExchange externalExchange)
      : compute_(compute), externalExchange_(externalExchange) {}
  Compute compute() const { return compute_; }
  ExternalExchange externalExchange() const { return externalExchange_; }

private:
  Compute compute_;
  ExternalExchange externalExchange_;
};

class POP_API Report {
public:
  /// What openReport() and Engine::getReport() make.
  explicit Report(ReportHandle report) : report_(std::move(report)) {}

  PoplarVersion poplarVersion() const;
  ProfileReportVersion version() const;
  InstrumentationSettings instrumentationSettings() const;
  /// Of the engine, which may be empty.
  std::string name() const;
  /// Options of the engine that were in effect: name and value, sorted by name.
  std::vector<std::pair<std::string, std::string>> options() const;
  /// What planners chose: the name of an operation, and lines of text. Not in the published
  /// interface.
  std::vector<std::pair<std::string, std::string>> plans() const;
  CompilationReport compilation() const { return CompilationReport(report_); }
  bool hasExecution() const;
  /// \throws poplar::missing_profile_data  the report tells of the graph alone.
  ExecutionReport execution() const;

private:
  friend class OperationAnalysis;
  ReportHandle report_;
};

/// Programs with equal debug paths up to the last '/'.
class POP_API Operation {
public:
  Operation(std::string name, std::vector<Step> steps)
      : name_(std::move(name)), steps_(std::move(steps)) {}
  std::string name() const { return name_; }
  std::vector<Step> steps() const { return steps_; }

private:
  std::string name_;
  std::vector<Step> steps_;
};

/// Groups steps by the operation that made them, as far as debug paths tell.
class POP_API OperationAnalysis {
public:
  explicit OperationAnalysis(Report const &report);
  /// Sorted by name.
  std::vector<Operation> operations() const { return operations_; }

private:
  std::vector<Operation> operations_;
};

/// \param filename  of a file `profile.pop`.
/// \throws poplar::file_load_error  there is no such file.
/// \throws poplar::parse_error      it is no profile, or a damaged one.
/// \throws poplar::poplar_error     the library was built without SQLite.
POP_API Report openReport(std::string const &filename);
/// The same: a profile has all names itself.
/// \param debugInfoFilename  not looked at; of a file `debug.cbor`.
POP_API Report openReport(std::string const &filename, std::string const &debugInfoFilename);

} // namespace pva

#endif
