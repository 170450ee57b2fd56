// The command line of poplar-bench.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cottonwood::bench {

/// Which cases of a family run: a larger set includes the smaller ones.
enum class Set { Smoke, Ci, All };

struct Arguments {
  std::string family{};
  Set set = Set::Ci;
  std::string group{};   ///< of --set GROUP: its cases in all sets; empty: the cases of `set`
  std::string only{};    ///< part of the names of cases that run; empty: all
  unsigned workers = 0;  ///< threads of every contender; 0: one a core
  std::string isa{};     ///< tag to force, as POPLAR_ISA; empty: the machine's best
  std::string against{}; ///< instead of all peers: a tag, float, limit, a library
  bool tags = false;     ///< a table of tags instead of a race
  bool busyCore = false; ///< of engine: beside a process that spins on a core
  std::string report{};  ///< Markdown file to write; empty: none
};

/// What is wrong with a command line, and what would be right.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads `FAMILY [--set smoke|ci|all|GROUP] [--only TEXT] [--workers N] [--isa TAG]
/// [--against TAG|float|limit|LIBRARY] [--tags] [--busy-core] [--report FILE.md]`; `--option=value`
/// works too. Whether a group or a tag exists is not known here. \throws UsageError  no or unknown
/// family, unknown option, missing or bad value, options that exclude each other.
Arguments parseArguments(std::span<char const *const> words,
                         std::span<std::string_view const> families);

/// "a, b, c"
std::string listed(std::span<std::string_view const> names);

} // namespace cottonwood::bench
