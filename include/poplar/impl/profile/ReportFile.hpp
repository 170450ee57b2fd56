// Profile files: the reports that the options autoReport.* ask for, and reading them back. The
// format, a database of SQLite, is that of docs/profiles.md.
//
// Without SQLite (the macro POPLAR_WITH_SQLITE, which the build sets where it finds the library and
// header-only programs set themselves) no file is written, and reading one is an error.
#pragma once

#include <poplar/impl/profile/ReportData.hpp>

#include <string>

namespace cottonwood::profile {

/// Goes up with every change that older readers do not understand.
inline constexpr std::uint32_t FILE_VERSION = 2;

/// False, after a warning the first time, if there is no SQLite.
/// \throws poplar::poplar_error  the file cannot be written.
bool writeReport(std::string const &path, ReportData const &report);

/// \param where  what asks, for messages.
/// \throws poplar::file_load_error  there is no such file.
/// \throws poplar::parse_error      it is no profile of this version, or a damaged one.
/// \throws poplar::poplar_error     there is no SQLite.
POP_API std::shared_ptr<ReportData> readReport(char const *where, std::string const &path);

} // namespace cottonwood::profile
