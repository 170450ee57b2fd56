// The report files that the options autoReport.* ask for.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstdint>
#include <string>

namespace cottonwood::engine {

class Session;

/// What a session writes, and when.
class Reports {
public:
  Reports(lower::ExecutableData const &executable, poplar::OptionFlags const &options);

  bool wanted() const { return !path_.empty(); }
  bool withExecution() const { return execution_; }
  bool withVariables() const { return variables_; }
  std::string const &path() const { return path_; }

  /// After a load or a reset of the profile.
  void restart() { runs_ = 0; }
  /// After a run: writes the file if it is one of the first, or else later.
  void ran(Session const &session);
  /// The same after a run that threw. What fails is logged.
  void failed(Session const &session) noexcept;
  /// Writes what is not yet in the file. What fails is logged.
  void finish(Session const &session) noexcept;

private:
  /// Whether a run that has ended is to be written at once.
  bool isDue();

  std::string path_; ///< of the file; empty: none
  bool execution_ = false, variables_ = false, eachRun_ = true, unwritten_ = false;
  std::uint64_t runs_ = 0, mostRuns_ = 0;
};

// The bodies of these are among the profiles (impl/profile/Reports.ipp), which know what to write.
/// Writes the file. \throws poplar::poplar_error  it cannot be written.
void writeReport(Reports const &reports, Session const &session);
/// Gives the error the profile of the graph that does not fit, and writes the file if it is wanted.
void reportShortage(poplar::graph_memory_allocation_error &error,
                    lower::ExecutableData const &executable);

} // namespace cottonwood::engine
