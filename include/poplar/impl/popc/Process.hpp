// Running another program: arguments as they are, never through a shell.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <string>
#include <vector>

namespace cottonwood::popc {

struct ProcessResult {
  int status = 0;     ///< exit code; 128 + the signal that ended it
  std::string output; ///< what it wrote to its standard output
  std::string errors; ///< and to its standard error
};

/// Runs the program at the path `arguments[0]` (names without a slash: in PATH) with nothing to
/// read, and waits for it. Safe with other threads.
/// \throws poplar::poplar_error  it cannot be started; `where` begins the text
POP_API ProcessResult runProcess(std::vector<std::string> const &arguments, char const *where);

} // namespace cottonwood::popc
