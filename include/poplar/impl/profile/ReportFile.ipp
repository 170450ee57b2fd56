// What of ReportFile.hpp does not depend on SQLite, and what poplar/Engine.hpp prints from files.
#pragma once

#include <poplar/impl/profile/ReportFile.hpp>

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/profile/Values.hpp>

#include <atomic>

#if !defined(POPLAR_WITH_SQLITE)
namespace cottonwood::profile {

POP_INLINE bool writeReport(std::string const &path, ReportData const &) {
  static std::atomic<bool> told{false};
  if (!told.exchange(true))
    base::logLine("PROFILER", base::LogLevel::Warn,
                  base::textOf("autoReport: the report ", base::quoted(path),
                               " is not written: this library was built without SQLite (Debian "
                               "package libsqlite3-dev; header-only: define POPLAR_WITH_SQLITE "
                               "and link sqlite3)"));
  return false;
}

POP_INLINE std::shared_ptr<ReportData> readReport(char const *where, std::string const &path) {
  base::fail<poplar::poplar_error>(
      where, "the file ", base::quoted(path),
      " cannot be read: this library was built without SQLite (Debian package libsqlite3-dev; "
      "header-only: define POPLAR_WITH_SQLITE and link sqlite3)");
}

} // namespace cottonwood::profile
#endif

namespace poplar {

POP_INLINE void printGraphSummary(std::ostream &out, std::string const &profilePath,
                                  OptionFlags const &opt) {
  namespace profile = cottonwood::profile;
  auto const report = profile::readReport("printGraphSummary", profilePath);
  printGraphSummary(out, profile::graphProfile(*report), opt);
}

POP_INLINE void printProfileSummary(std::ostream &out, std::string const &profilePath,
                                    OptionFlags const &opt) {
  namespace profile = cottonwood::profile;
  auto const report = profile::readReport("printProfileSummary", profilePath);
  printProfileSummary(out, profile::graphProfile(*report),
                      report->hasExecution ? profile::executionProfile(*report) : ProfileValue(),
                      opt);
}

} // namespace poplar
