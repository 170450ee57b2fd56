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

/// A module and the group that it belongs to: an index into LOG_GROUPS.
struct LogModule {
  std::string_view name;
  std::size_t group;
};
/// Prefix of the environment variables, tag of the lines, letters of the longest module.
struct LogGroup {
  std::string_view variables, tag;
  int width;
};
inline constexpr std::array<LogGroup, 2> LOG_GROUPS{{{"POPLAR", "PO", 8}, {"POPLIBS", "PL", 9}}};
inline constexpr std::array<LogModule, 15> LOG_MODULES{{{"CODELETS", 0},
                                                        {"ENGINE", 0},
                                                        {"GRAPH", 0},
                                                        {"PROFILER", 0},
                                                        {"PROGRAM", 0},
                                                        {"TARGET", 0},
                                                        {"TENSOR", 0},
                                                        {"POPFLOAT", 1},
                                                        {"POPLIN", 1},
                                                        {"POPNN", 1},
                                                        {"POPOPS", 1},
                                                        {"POPRAND", 1},
                                                        {"POPSOLVER", 1},
                                                        {"POPSPARSE", 1},
                                                        {"POPUTIL", 1}}};
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

/// The file that the value of POPLAR_LOG_DEST or POPLIBS_LOG_DEST names.
POP_INLINE std::FILE *openDestination(std::string const &variable, std::string const &destination) {
  if (destination.empty() || destination == "stderr")
    return stderr;
  if (destination == "stdout")
    return stdout;
  std::FILE *const file = std::fopen(destination.c_str(), "w");
  if (!file)
    throw poplar::runtime_error("log: cannot write to " + variable + " = '" + destination + "'");
  return file;
}

struct LogSettings {
  std::array<LogLevel, LOG_MODULES.size()> levels{};
  std::array<std::FILE *, LOG_GROUPS.size()> files{};

  LogSettings() {
    std::array<LogLevel, LOG_GROUPS.size()> general{};
    std::array<std::string, LOG_GROUPS.size()> destinations;
    for (std::size_t g = 0; g < LOG_GROUPS.size(); ++g) {
      std::string const prefix(LOG_GROUPS[g].variables);
      general[g] = levelFromEnvironment(prefix + "_LOG_LEVEL", LogLevel::Off);
      char const *const where = std::getenv((prefix + "_LOG_DEST").c_str());
      destinations[g] = where ? where : "";
      // Opened twice, a file would be emptied under the first writer.
      bool const same = g != 0 && destinations[g] == destinations[0];
      files[g] = same ? files[0] : openDestination(prefix + "_LOG_DEST", destinations[g]);
    }
    for (std::size_t i = 0; i < LOG_MODULES.size(); ++i) {
      auto const [name, group] = LOG_MODULES[i];
      levels[i] = levelFromEnvironment(std::string(LOG_GROUPS[group].variables) + "_" +
                                           std::string(name) + "_LOG_LEVEL",
                                       general[group]);
    }
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
  for (std::size_t i = 0; i < detail::LOG_MODULES.size(); ++i)
    if (detail::LOG_MODULES[i].name == module)
      return level <= detail::logSettings().levels[i];
  return false;
}

POP_INLINE void logLine(std::string_view module, LogLevel level, std::string_view text) {
  if (!logEnabled(module, level))
    return;
  std::size_t group = 0;
  for (detail::LogModule const &known : detail::LOG_MODULES)
    if (known.name == module)
      group = known.group;
  std::FILE *const file = detail::logSettings().files[group];
  std::string_view const tag = detail::LOG_GROUPS[group].tag;
  // One call a line: lines of several threads do not mix.
  std::fprintf(file, "%s %.*s:%-*.*s %ld.%ld %c: %.*s\n", detail::timeText().c_str(),
               static_cast<int>(tag.size()), tag.data(), detail::LOG_GROUPS[group].width,
               static_cast<int>(module.size()), module.data(), static_cast<long>(getpid()),
               static_cast<long>(syscall(SYS_gettid)),
               detail::LOG_LEVELS[static_cast<std::size_t>(level)][0],
               static_cast<int>(text.size()), text.data());
  std::fflush(file);
}

} // namespace cottonwood::base
