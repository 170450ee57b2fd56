/// \file CommandLine.hpp
/// The options of the popc command.
#pragma once

#include <codelets/popc/Compile.hpp>
#include <poplar/impl/popc/Levels.hpp>

#include <string>
#include <vector>

namespace cottonwood::popc {

struct CommandLine {
  enum class Action { Compile, Help, Version, ListTargets };
  Action action = Action::Compile;
  std::vector<SourceFile> inputs;
  std::string compiler;           ///< empty: POPC_CXX, or the best that is installed
  std::string output;             ///< empty: named after the first input
  std::vector<std::string> flags; ///< for the compiler, in order
  std::vector<Level> levels{ALL_LEVELS.begin(), ALL_LEVELS.end()};
  std::string dependencies; ///< a file for the names of all files read; empty: none
  bool isVerbose = false;
  bool isTimed = false;    ///< --times
  bool isAssembly = false; ///< -S
  bool isIr = false;       ///< --emit-llvm
};

/// \throws poplar::poplar_error  an option is unknown, lacks its value or has a bad one
CommandLine parseCommandLine(std::vector<std::string> const &arguments);

char const *helpText();
std::string versionText();
char const *targetsText();

} // namespace cottonwood::popc
