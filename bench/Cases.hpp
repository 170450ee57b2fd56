// The cases of a family, and which of them a command line asks for.
#pragma once

#include <bench/Arguments.hpp>
#include <bench/race/Problem.hpp>

#include <string>
#include <vector>

namespace cottonwood::bench {

struct Case {
  Set set = Set::All;
  std::vector<std::string> groups{}; ///< "squares", "depthwise/own"
  Problem problem{};
  unsigned count = 1; ///< how often the network that it is from computes it
};

/// The groups of the cases, in the order in which they come.
std::vector<std::string> groupsOf(std::vector<Case> const &cases);

/// Cases of --set and --only. A group also stands for those that follow it behind a '/':
/// "depthwise" for "depthwise/own" and "depthwise/plain".
/// \throws UsageError  there is no such group, or no case has such a name.
std::vector<Case> selected(std::vector<Case> const &cases, Arguments const &arguments);

} // namespace cottonwood::bench
