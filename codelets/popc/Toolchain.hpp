/// \file Toolchain.hpp
/// The C++ compiler in use and the flags that it is given.
#pragma once

#include <poplar/impl/popc/Levels.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace cottonwood::popc {

using Words = std::vector<std::string>;

inline Words operator+(Words words, Words const &more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A path that is no option.
inline std::string asInput(std::string const &path) {
  return path.starts_with('-') ? "./" + path : path;
}

/// The compiler's diagnostics: the whole text is theirs.
struct CompileError {
  std::string diagnostics;
};

/// The compiler and where its headers are.
struct Toolchain {
  std::filesystem::path compiler;
  std::filesystem::path headers; ///< the folder that holds poplar/Vertex.hpp
  std::string version;           ///< what --version says
  bool isClang;

  /// \param path  of the compiler; empty: as findCompiler() finds it
  explicit Toolchain(std::filesystem::path const &path);

  std::string versionLine() const { return version.substr(0, version.find('\n')); }
  static Words include(std::filesystem::path const &file) { return {"-include", file.string()}; }
  /// A header of what popc adds to every source.
  std::filesystem::path own(char const *header) const {
    return headers / "poplar/impl/popc" / header;
  }
};

/// The user's flags. Macros that they define are defined behind our headers, where they mean
/// something to the source only: -DT=float or -DN=4 are names that headers use, too. Names that
/// begin with an underscore belong to the compiler and its libraries, which read them at once.
class UserFlags {
public:
  /// \param folder  for a header of those macros
  UserFlags(Toolchain const &tools, Words const &flags, std::filesystem::path const &folder);

  Words forCpp() const { return cpp_ + others_; }
  Words forC() const { return c_ + others_; }

private:
  Words cpp_, c_, others_;
};

/// What every compilation of a source begins with: for the level, the language, what popc puts
/// before the source, and the user's flags.
/// \param before  flags that stand in front of the user's macros, for C++
Words sourceFlags(Toolchain const &tools, UserFlags const &user, Level level, bool isC,
                  Words const &before = {});

/// Runs the compiler; its command line goes to the standard error if `isVerbose`.
/// \returns what it said \throws CompileError  it refused
std::string runCompiler(Toolchain const &tools, Words const &arguments, bool isVerbose);

} // namespace cottonwood::popc
