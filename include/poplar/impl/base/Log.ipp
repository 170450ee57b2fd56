// Body of Log.hpp.
#pragma once

#include <poplar/impl/base/Log.hpp>

#include <poplar/exceptions.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

namespace cottonwood::base::detail {

inline constexpr std::array<std::string_view, 7> LOG_MODULES{
    "CODELETS", "ENGINE", "GRAPH", "PROFILER", "PROGRAM", "TARGET", "TENSOR"};
inline constexpr std::array<std::string_view, 6> LOG_LEVELS{"OFF",  "ERR",   "WARN",
                                                            "INFO", "DEBUG", "TRACE"};

POP_INLINE LogLevel levelFromEnvironment(std::string const &variable, LogLevel otherwise) {
  char const *const text = std::getenv(variable.c_str());
  if (!text || *text == '\0')
    return otherwise;
  for (std::size_t i = 0; i < LOG_LEVELS.size(); ++i)
    if (LOG_LEVELS[i] == text)
      return static_cast<LogLevel>(i);
  throw poplar::runtime_error("log: " + variable + " = '" + text +
                              "' is no level; allowed are OFF, ERR, WARN, INFO, DEBUG and TRACE");
}

struct LogSettings {
  std::array<LogLevel, LOG_MODULES.size()> levels{};
  std::FILE *file = stderr;

  LogSettings() {
    LogLevel const general = levelFromEnvironment("POPLAR_LOG_LEVEL", LogLevel::Off);
    for (std::size_t i = 0; i < LOG_MODULES.size(); ++i)
      levels[i] =
          levelFromEnvironment("POPLAR_" + std::string(LOG_MODULES[i]) + "_LOG_LEVEL", general);
    char const *const where = std::getenv("POPLAR_LOG_DEST");
    std::string const destination = where ? where : "";
    if (destination == "stdout")
      file = stdout;
    else if (!destination.empty() && destination != "stderr")
      file = std::fopen(destination.c_str(), "w");
    if (!file)
      throw poplar::runtime_error("log: cannot write to POPLAR_LOG_DEST = '" + destination + "'");
  }
};

POP_INLINE LogSettings const &logSettings() {
  static LogSettings const settings;
  return settings;
}

/// 2030-01-02T03:04:05.678901Z
POP_INLINE std::string timeText() {
  auto const now = std::chrono::system_clock::now();
  std::time_t const seconds = std::chrono::system_clock::to_time_t(now);
  auto const micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
      1000000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char date[32], text[64];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text, sizeof text, "%s.%06ldZ", date, static_cast<long>(micros));
  return text;
}

} // namespace cottonwood::base::detail

namespace cottonwood::base {

POP_INLINE bool logEnabled(std::string_view module, LogLevel level) {
  detail::LogSettings const &settings = detail::logSettings();
  for (std::size_t i = 0; i < detail::LOG_MODULES.size(); ++i)
    if (detail::LOG_MODULES[i] == module)
      return level <= settings.levels[i];
  return false;
}

POP_INLINE void logLine(std::string_view module, LogLevel level, std::string_view text) {
  if (!logEnabled(module, level))
    return;
  // One call a line: lines of several threads do not mix.
  std::fprintf(detail::logSettings().file, "%s PO:%-8.*s %ld.%ld %c: %.*s\n",
               detail::timeText().c_str(), static_cast<int>(module.size()), module.data(),
               static_cast<long>(getpid()), static_cast<long>(syscall(SYS_gettid)),
               detail::LOG_LEVELS[static_cast<std::size_t>(level)][0],
               static_cast<int>(text.size()), text.data());
  std::fflush(detail::logSettings().file);
}

} // namespace cottonwood::base
