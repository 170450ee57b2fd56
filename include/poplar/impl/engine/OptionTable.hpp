// All engine and runtime options, as data.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/impl/base/Config.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cottonwood::engine {

enum class OptionKind : unsigned char { Flag, Integer, Number, Text, Choice };

/// Compile options are fixed in the executable; the others may be given again when an engine is
/// made from it. Runtime ones may change from run to run.
enum class OptionTime : unsigned char { Compile, Engine, Runtime };

struct OptionEntry {
  std::string_view name;
  OptionKind kind;
  OptionTime time;
  std::string_view initial; ///< effective value when not set; may be empty
  std::string_view choices; ///< Choice: allowed words, others: words allowed beside what the kind
                            ///< allows; with '|' between
  bool deprecated = false;
};

/// Sorted by name. docs/options.md has a row for each, and a test that it is the same.
POP_API std::span<OptionEntry const> optionTable();

/// Defaults, overridden by `given`, overridden by the environment variables POPLAR_ENGINE_OPTIONS
/// and POPLAR_RUNTIME_OPTIONS. \throws invalid_option  an unknown name (with the nearest known one)
/// or a value that does not parse.
poplar::OptionFlags effectiveOptions(poplar::OptionFlags const &given);

/// `given`, overridden by POPLAR_RUNTIME_OPTIONS; runtime options only.
/// \throws invalid_option  as above.
poplar::OptionFlags runtimeOptions(poplar::OptionFlags const &given);

/// Options for an engine made from an executable: those of the executable, where `given` (and the
/// environment) may change what is not fixed. A compile-time option that differs is logged as a
/// warning.
poplar::OptionFlags engineOptions(poplar::OptionFlags const &compiled,
                                  poplar::OptionFlags const &given);

/// Value of a flag or number in effective options.
bool flagOption(poplar::OptionFlags const &options, std::string_view name);
std::uint64_t integerOption(poplar::OptionFlags const &options, std::string_view name);
std::string textOption(poplar::OptionFlags const &options, std::string_view name);

} // namespace cottonwood::engine
