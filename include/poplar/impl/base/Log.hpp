// The log of the library: POPLAR_LOG_LEVEL and POPLAR_<MODULE>_LOG_LEVEL (OFF, ERR, WARN, INFO,
// DEBUG, TRACE; default OFF) say what is written, POPLAR_LOG_DEST (stdout, stderr or a file, which
// is emptied first) where. The libraries' modules read POPLIBS_LOG_LEVEL,
// POPLIBS_<MODULE>_LOG_LEVEL and POPLIBS_LOG_DEST. Read once.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <string_view>

namespace cottonwood::base {

enum class LogLevel { Off, Err, Warn, Info, Debug, Trace };

/// The modules of libpoplar: "CODELETS", "ENGINE", "GRAPH", "PROFILER", "PROGRAM", "TARGET",
/// "TENSOR"; of the libraries: "POPFLOAT", "POPLIN", "POPNN", "POPOPS", "POPRAND", "POPSOLVER",
/// "POPSPARSE", "POPUTIL". \throws poplar::runtime_error  an environment variable holds no level.
POP_API bool logEnabled(std::string_view module, LogLevel level);

/// Writes one line if the module logs at that level:
/// `2030-01-02T03:04:05.678901Z PO:ENGINE   4321.4321 I: text`.
POP_API void logLine(std::string_view module, LogLevel level, std::string_view text);

} // namespace cottonwood::base
