// Body of OptionTable.hpp.
#pragma once

#include <poplar/impl/engine/OptionTable.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/base/OptionReader.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

namespace cottonwood::engine::detail {

// clang-format off
inline constexpr OptionEntry OPTIONS[] = {
    {"autoReport.all", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"autoReport.directory", OptionKind::Text, OptionTime::Engine, ".", ""},
    {"autoReport.executionProfileProgramRunCount", OptionKind::Integer, OptionTime::Engine, "2", ""},
    {"autoReport.outputArchive", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"autoReport.outputDebugInfo", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"autoReport.outputExecutionProfile", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"autoReport.outputExecutionReport", OptionKind::Flag, OptionTime::Engine, "false", "", true},
    {"autoReport.outputGraphProfile", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"autoReport.outputLoweredVars", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"autoReport.outputSerializedGraph", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"autoReport.streamAtEachRun", OptionKind::Flag, OptionTime::Engine, "true", ""},
    {"debug.allowOutOfMemory", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.branchRecordFlush", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"debug.branchRecordTile", OptionKind::Integer, OptionTime::Compile, "", ""},
    {"debug.computeInstrumentationLevel", OptionKind::Choice, OptionTime::Compile, "tile", "vertex|tile|ipu|device"},
    {"debug.cpuMultiThreadExecution", OptionKind::Flag, OptionTime::Engine, "true", ""},
    {"debug.dumpLowering", OptionKind::Text, OptionTime::Compile, "", ""},
    {"debug.executionProfile", OptionKind::Text, OptionTime::Compile, "", "", true},
    {"debug.floatPointOpException", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.graphReportDestination", OptionKind::Text, OptionTime::Engine, "", "", true},
    {"debug.instrument", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.instrumentCompute", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.instrumentControlFlow", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.instrumentExternalExchange", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.logStackSizeAnalysis", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.loweredProgsFile", OptionKind::Text, OptionTime::Compile, "", "", true},
    {"debug.loweredVarDumpFile", OptionKind::Text, OptionTime::Compile, "", ""},
    {"debug.nanOverflowException", OptionKind::Flag, OptionTime::Compile, "false", "", true},
    {"debug.nanOverflowMode", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.outputAllSymbols", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.profilingTile", OptionKind::Integer, OptionTime::Compile, "", ""},
    {"debug.retainDebugInformation", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"debug.runtimeVerify", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"debug.stopAtNan", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"debug.trace", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"debug.traceFile", OptionKind::Text, OptionTime::Engine, "", ""},
    {"debug.verify", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"engine.numThreads", OptionKind::Integer, OptionTime::Engine, "0", ""},
    {"exchange.enablePrefetch", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"exchange.multicastPolicy", OptionKind::Text, OptionTime::Compile, "balanced", ""},
    {"exchange.streamBufferOverlap", OptionKind::Choice, OptionTime::Compile, "any", "any|hostRearrangeOnly|none"},
    {"opt.enableInlining", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"opt.enableMultiAccessCopies", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"opt.internalExchangeOptimisationTarget", OptionKind::Choice, OptionTime::Compile, "cycles", "cycles|memory|balanced"},
    {"opt.maxCompilationThreads", OptionKind::Integer, OptionTime::Compile, "0", ""},
    {"opt.maxComputeSetsPerLoweredCopy", OptionKind::Integer, OptionTime::Compile, "", ""},
    {"opt.maxCopyMergeSize", OptionKind::Integer, OptionTime::Compile, "", "-1"},
    {"opt.useAutoloader", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"prng.enableStochasticRounding", OptionKind::Flag, OptionTime::Engine, "false", ""},
    {"prng.seed", OptionKind::Integer, OptionTime::Engine, "0", ""},
    {"profiler.blocks.bufferSize", OptionKind::Integer, OptionTime::Compile, "1000", ""},
    {"profiler.blocks.filter", OptionKind::Text, OptionTime::Compile, "", ""},
    {"profiler.blocks.implicitFlush", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"profiler.blocks.tile", OptionKind::Integer, OptionTime::Compile, "0", ""},
    {"profiler.format", OptionKind::Text, OptionTime::Engine, "v3", ""},
    {"profiler.includeCycleEstimates", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"profiler.includeFlopEstimates", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"profiler.maxExecutedSteps", OptionKind::Integer, OptionTime::Engine, "1000000", ""},
    {"profiler.perExecutionStreamCopyCycles", OptionKind::Flag, OptionTime::Compile, "true", ""},
    {"profiler.programs.filter", OptionKind::Text, OptionTime::Compile, "", ""},
    {"streamCallbacks.maxLookahead", OptionKind::Integer, OptionTime::Runtime, "unlimited", "unlimited"},
    {"streamCallbacks.multiThreadMode", OptionKind::Choice, OptionTime::Runtime, "singleThread", "singleThread|collaborative|dedicated"},
    {"streamCallbacks.numWorkerThreads", OptionKind::Integer, OptionTime::Runtime, "0", "auto"},
    {"streamCallbacks.numaAware", OptionKind::Flag, OptionTime::Runtime, "false", ""},
    {"target.deterministicWorkers", OptionKind::Flag, OptionTime::Compile, "true", "portable"},
    {"target.exceptionPollPeriodUs", OptionKind::Integer, OptionTime::Runtime, "250000", ""},
    {"target.extendedMemory", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"target.firstRuntimeReplica", OptionKind::Integer, OptionTime::Engine, "0", ""},
    {"target.gatewayMode", OptionKind::Flag, OptionTime::Engine, "", "", true},
    {"target.hostSyncTimeout", OptionKind::Number, OptionTime::Runtime, "300", ""},
    {"target.maxStreamCallbackThreadsPerNumaNode", OptionKind::Integer, OptionTime::Engine, "", "auto", true},
    {"target.numberRuntimeReplica", OptionKind::Integer, OptionTime::Engine, "", ""},
    {"target.saveArchive", OptionKind::Text, OptionTime::Compile, "", ""},
    {"target.syncMethod", OptionKind::Choice, OptionTime::Runtime, "default", "polling|hybrid|default"},
    {"target.syncPollPeriodUs", OptionKind::Integer, OptionTime::Runtime, "0", ""},
    {"target.syncReplicasIndependently", OptionKind::Flag, OptionTime::Compile, "false", ""},
    {"target.workerStackSizeInBytes", OptionKind::Integer, OptionTime::Compile, "", ""},
};
// clang-format on

POP_INLINE OptionEntry const *findOption(std::string_view name) {
  auto const found = std::lower_bound(
      std::begin(OPTIONS), std::end(OPTIONS), name,
      [](OptionEntry const &entry, std::string_view key) { return entry.name < key; });
  return found != std::end(OPTIONS) && found->name == name ? found : nullptr;
}

POP_INLINE bool isOneOf(std::string_view value, std::string_view words) {
  while (!words.empty()) {
    std::size_t const end = std::min(words.find('|'), words.size());
    if (words.substr(0, end) == value)
      return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

/// Decimal or 0x...; false if it is neither, or 2^64 or more.
POP_INLINE bool parseInteger(std::string const &text, std::uint64_t &value) {
  bool const hex = text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'x';
  char const *const end = text.data() + text.size();
  auto const [stop, error] =
      std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  return error == std::errc() && stop == end;
}

/// Finite and not negative.
POP_INLINE bool parseNumber(std::string const &text) {
  double value = -1;
  char const *const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && value >= 0 && std::isfinite(value);
}

POP_INLINE bool parses(OptionEntry const &entry, std::string const &value) {
  std::uint64_t integer = 0;
  if (isOneOf(value, entry.choices))
    return true;
  switch (entry.kind) {
  case OptionKind::Flag:
    return value == "true" || value == "false";
  case OptionKind::Integer:
    return parseInteger(value, integer);
  case OptionKind::Number:
    return parseNumber(value);
  case OptionKind::Text:
    return true;
  case OptionKind::Choice:
    return false;
  }
  return false;
}

POP_INLINE std::string allowedText(OptionEntry const &entry) {
  static constexpr char const *KINDS[] = {"true or false", "a whole number",
                                          "a number that is not negative", "any text", ""};
  std::string text = KINDS[static_cast<std::size_t>(entry.kind)];
  std::string words(entry.choices);
  for (std::size_t at = words.find('|'); at != std::string::npos; at = words.find('|', at))
    words.replace(at, 1, ", ");
  if (!words.empty())
    text += (text.empty() ? "one of " : " or ") + words;
  return text;
}

POP_INLINE void checkOptions(poplar::OptionFlags const &flags, bool runtimeOnly) {
  char const *const where = runtimeOnly ? "RuntimeOptions" : "Engine";
  for (auto const &flag : flags) {
    OptionEntry const *const entry = findOption(flag.first);
    if (!entry) {
      std::vector<std::string_view> names;
      for (OptionEntry const &known : OPTIONS)
        names.push_back(known.name);
      std::string_view const near = base::nearestName(flag.first, names);
      base::fail<poplar::invalid_option>(
          where, "Unrecognised option '", flag.first, "'",
          near.empty() ? std::string() : base::textOf("; did you mean '", near, "'?"));
    }
    if (runtimeOnly && entry->time != OptionTime::Runtime)
      base::fail<poplar::invalid_option>(where, "option '", flag.first,
                                         "' cannot change from run to run; give it to the Engine");
    if (!parses(*entry, flag.second))
      base::fail<poplar::invalid_option>(where, "option '", flag.first, "' has value '",
                                         flag.second, "'; allowed is ", allowedText(*entry));
    if (entry->deprecated)
      base::logLine("ENGINE", base::LogLevel::Warn,
                    base::textOf("option '", flag.first, "' is deprecated"));
  }
}

POP_INLINE void setAll(poplar::OptionFlags &to, poplar::OptionFlags const &from) {
  for (auto const &flag : from)
    to.set(flag.first, flag.second);
}

/// autoReport.all turns on the reports about which nothing is said.
POP_INLINE void turnOnReports(poplar::OptionFlags &flags) {
  auto const all = flags.find("autoReport.all");
  if (all == flags.end() || all->second != "true")
    return;
  for (char const *const name : {"autoReport.outputArchive", "autoReport.outputDebugInfo",
                                 "autoReport.outputExecutionProfile",
                                 "autoReport.outputGraphProfile", "autoReport.outputLoweredVars"})
    if (flags.find(name) == flags.end())
      flags.set(name, "true");
}

/// `given` with the environment applied, checked.
POP_INLINE poplar::OptionFlags withEnvironment(poplar::OptionFlags const &given) {
  poplar::OptionFlags flags = given;
  poplar::readJSONFromEnv("POPLAR_ENGINE_OPTIONS", flags);
  checkOptions(flags, false);
  turnOnReports(flags);
  poplar::OptionFlags const runtime = runtimeOptions({});
  setAll(flags, runtime);
  return flags;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE std::span<OptionEntry const> optionTable() { return detail::OPTIONS; }

POP_INLINE poplar::OptionFlags effectiveOptions(poplar::OptionFlags const &given) {
  poplar::OptionFlags flags;
  for (OptionEntry const &entry : detail::OPTIONS)
    flags.set(poplar::StringRef(entry.name.data(), entry.name.size()),
              poplar::StringRef(entry.initial.data(), entry.initial.size()));
  detail::setAll(flags, detail::withEnvironment(given));
  return flags;
}

POP_INLINE poplar::OptionFlags runtimeOptions(poplar::OptionFlags const &given) {
  poplar::OptionFlags flags = given;
  poplar::readJSONFromEnv("POPLAR_RUNTIME_OPTIONS", flags);
  detail::checkOptions(flags, true);
  return flags;
}

POP_INLINE poplar::OptionFlags engineOptions(poplar::OptionFlags const &compiled,
                                             poplar::OptionFlags const &given) {
  poplar::OptionFlags flags = compiled;
  for (auto const &flag : detail::withEnvironment(given)) {
    OptionEntry const &entry = *detail::findOption(flag.first);
    if (entry.time != OptionTime::Compile) {
      flags.set(flag.first, flag.second);
      continue;
    }
    std::string const before = textOption(compiled, flag.first);
    if (before != flag.second)
      base::logLine("ENGINE", base::LogLevel::Warn,
                    base::textOf("WARNING: The compile time engine option ", flag.first,
                                 " is set to \"", flag.second,
                                 "\" when creating the Engine. (At compile time it was set to ",
                                 before, ")"));
  }
  return flags;
}

POP_INLINE std::string textOption(poplar::OptionFlags const &options, std::string_view name) {
  auto const found = options.find(poplar::StringRef(name.data(), name.size()));
  return found == options.end() ? std::string() : found->second;
}

POP_INLINE bool flagOption(poplar::OptionFlags const &options, std::string_view name) {
  return textOption(options, name) == "true";
}

POP_INLINE std::uint64_t integerOption(poplar::OptionFlags const &options, std::string_view name) {
  std::uint64_t value = 0;
  detail::parseInteger(textOption(options, name), value);
  return value;
}

} // namespace cottonwood::engine
