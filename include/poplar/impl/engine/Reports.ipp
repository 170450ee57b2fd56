// Body of Reports.hpp.
#pragma once

#include <poplar/impl/engine/Reports.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/engine/OptionTable.hpp>

#include <exception>

namespace cottonwood::engine {

POP_INLINE Reports::Reports(lower::ExecutableData const &executable,
                            poplar::OptionFlags const &options)
    : eachRun_(flagOption(options, "autoReport.streamAtEachRun")),
      mostRuns_(integerOption(options, "autoReport.executionProfileProgramRunCount")) {
  execution_ = flagOption(options, "autoReport.outputExecutionProfile") ||
               flagOption(options, "autoReport.outputExecutionReport");
  variables_ = flagOption(options, "autoReport.outputLoweredVars");
  if (!execution_ && !flagOption(options, "autoReport.outputGraphProfile"))
    return;
  if (executable.target.getTargetType() == poplar::TargetType::CPU) {
    base::logLine("PROFILER", base::LogLevel::Warn,
                  "autoReport: a CPU has no profile; no report is written");
    return;
  }
  std::string const folder = textOption(options, "autoReport.directory");
  path_ = base::textOf(folder.empty() ? std::string(".") : folder,
                       executable.name.empty() ? "" : "/", executable.name, "/profile.pop");
}

POP_INLINE bool Reports::isDue() {
  if (!wanted() || !execution_)
    return false;
  unwritten_ = true;
  return eachRun_ && ++runs_ <= mostRuns_;
}

POP_INLINE void Reports::ran(Session const &session) {
  if (!isDue())
    return;
  unwritten_ = false;
  writeReport(*this, session);
}

POP_INLINE void Reports::failed(Session const &session) noexcept {
  if (isDue())
    finish(session);
}

POP_INLINE void Reports::finish(Session const &session) noexcept {
  if (!unwritten_)
    return;
  unwritten_ = false;
  try {
    writeReport(*this, session);
  } catch (std::exception const &error) {
    base::logLine("PROFILER", base::LogLevel::Err, error.what());
  }
}

} // namespace cottonwood::engine
