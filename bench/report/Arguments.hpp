// The command line of poplar-report.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace cottonwood::report {

struct Arguments {
  std::vector<std::string> profiles{}; ///< one, or two to be compared
  std::string output{};
  bool help = false;
};

/// What is wrong with a command line, and what would be right.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads `PROFILE [PROFILE] -o PAGE`; `--output PAGE`, `--output=PAGE` and `-h`, `--help` work too,
/// and behind `--` nothing is an option. \throws UsageError  no profile or more than two, no
/// output, an unknown option, a missing value.
Arguments parseArguments(std::span<char const *const> words);

extern char const *const USAGE;

} // namespace cottonwood::report
