/// \file Compile.hpp
/// Sources of codelets to a module of a .gp file, by a C++ compiler that is installed.
#pragma once

#include <codelets/popc/Toolchain.hpp>

#include <poplar/impl/popc/GpFile.hpp>
#include <poplar/impl/popc/Levels.hpp>
#include <poplar/impl/popc/Sources.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace cottonwood::popc {

struct CompileRequest {
  std::vector<SourceFile> sources; ///< C++, C, or objects (.o) to be linked in
  std::string compiler;            ///< empty: as findCompiler() finds it
  std::vector<std::string> flags;  ///< for the compiler, as the user gave them
  std::vector<Level> levels;
  bool isVerbose = false; ///< commands go to standard error
  bool isTimed = false;   ///< so does the time that each step took
};

struct CompileResult {
  GpModule module;
  std::string diagnostics;               ///< warnings of the compiler
  std::vector<std::string> dependencies; ///< every file that was read, sorted
};

/// Each C++ source is compiled twice: quickly, for its own diagnostics and for the debug
/// information that tells its vertex classes, then optimised, with what exports those classes
/// behind it. \throws CompileError  the compiler refused a source
CompileResult compileModule(CompileRequest const &request);

/// The first source to text, for the last level: `kind` is the compiler's flag (-S, and -emit-llvm
/// with it). \throws CompileError  the compiler refused the source
std::string compileToText(CompileRequest const &request, std::vector<std::string> const &kind);

/// `clang version 14.0.6`: how the compiler in use calls itself.
std::string compilerVersion();

} // namespace cottonwood::popc
