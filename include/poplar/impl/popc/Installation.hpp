// Where the things are that compiling codelets takes: the popc command, our headers, a compiler.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace cottonwood::popc {

/// The folder that holds poplar/Vertex.hpp: below $POPLAR_HOME if that is set, else beside the
/// folder of the program that runs (popc) or of this library, else where this header was when it
/// was compiled.
/// \throws poplar::no_environment  in none of them, naming where it was looked for
POP_API std::filesystem::path headerFolder();

/// The popc command: below $POPLAR_HOME if that is set, else beside the folder of this library or
/// of this header, else in PATH.
/// \throws poplar::no_environment  nowhere, naming where it was looked for
POP_API std::filesystem::path popcCommand();

/// A C++ compiler that is installed.
struct Compiler {
  std::filesystem::path path;
  /// Changes when the program does: path, size and time of change of what the path leads to.
  std::string identity;
};

/// $POPC_CXX (a name or a path) if that is set, else the first of clang++-19, clang++-16,
/// clang++-15, clang++-14, clang++ and g++ that is in PATH.
/// \throws poplar::no_environment  there is none, naming what was looked for
POP_API Compiler findCompiler();

/// As Compiler::identity, of any file; empty if there is none.
POP_API std::string fileIdentity(std::filesystem::path const &path);

} // namespace cottonwood::popc
