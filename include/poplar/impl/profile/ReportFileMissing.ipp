// The functions of ReportFile.hpp where there is no SQLite.
#pragma once

#include <poplar/impl/profile/ReportFile.hpp>

#if !defined(POPLAR_WITH_SQLITE)

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>

#include <atomic>

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
