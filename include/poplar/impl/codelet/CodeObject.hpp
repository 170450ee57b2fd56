// Code that came with a graph rather than with the process: a shared object of codelets.
#pragma once

#include <string>

namespace cottonwood::codelet {

struct CodeObject {
  std::string isa;    ///< tag whose instructions it has at most
  std::string bytes;  ///< the shared object, as a file holds it
  std::string digest; ///< of the bytes
};

} // namespace cottonwood::codelet
