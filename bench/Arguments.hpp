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
  std::string family;
  Set set = Set::Ci;
  unsigned workers = 0; ///< threads of every contender; 0: one a core
  std::string isa;      ///< tag to force, as POPLAR_ISA; empty: the machine's best
};

/// What is wrong with a command line, and what would be right.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads `FAMILY [--set smoke|ci|all] [--workers N] [--isa TAG]`; `--option=value` works too.
/// \throws UsageError  no or unknown family, unknown option, missing or bad value.
Arguments parseArguments(std::span<char const *const> words,
                         std::span<std::string_view const> families);

/// "a, b, c"
std::string listed(std::span<std::string_view const> names);

} // namespace cottonwood::bench
