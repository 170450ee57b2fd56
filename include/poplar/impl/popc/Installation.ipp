// Body of Installation.hpp.
#pragma once

#include <poplar/impl/popc/Installation.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/popc/Files.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cottonwood::popc::detail {

inline constexpr std::array<char const *, 6> COMPILERS{"clang++-19", "clang++-16", "clang++-15",
                                                       "clang++-14", "clang++",    "g++"};

POP_INLINE std::string environment(char const *name) {
  char const *const text = std::getenv(name);
  return text ? text : "";
}

POP_INLINE bool isProgram(std::filesystem::path const &path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

/// The program of that name as a shell would find it; empty if it is nowhere.
POP_INLINE std::filesystem::path findProgram(std::string const &name) {
  if (name.find('/') != std::string::npos)
    return isProgram(name) ? std::filesystem::absolute(name) : std::filesystem::path();
  std::string const folders = environment("PATH");
  for (std::size_t begin = 0; begin <= folders.size();) {
    std::size_t const end = std::min(folders.find(':', begin), folders.size());
    std::filesystem::path const path =
        std::filesystem::path(folders.substr(begin, end - begin)) / name;
    if (end > begin && isProgram(path))
      return path;
    begin = end + 1;
  }
  return {};
}

/// The library lies in <prefix>/lib or <prefix>/lib/<architecture>, or a link in another folder
/// leads to it there.
POP_INLINE void addPrefixesOf(std::filesystem::path const &library,
                              std::vector<std::filesystem::path> &found) {
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::absolute(library).parent_path();
  std::filesystem::path target = std::filesystem::canonical(library, ignored).parent_path();
  for (unsigned up = 0; up != 2; ++up) {
    folder = folder.parent_path();
    target = target.parent_path();
    for (std::filesystem::path const &path : {folder, target})
      if (!path.empty() && std::find(found.begin(), found.end(), path) == found.end())
        found.push_back(path);
  }
}

/// The folders that may hold `bin` and `include`: $POPLAR_HOME alone if it is set.
POP_INLINE std::vector<std::filesystem::path> prefixes() {
  if (std::string const home = environment("POPLAR_HOME"); !home.empty())
    return {home};
  std::vector<std::filesystem::path> found;
  Dl_info here{};
  if (dladdr(reinterpret_cast<void *>(&prefixes), &here) != 0 && here.dli_fname)
    addPrefixesOf(here.dli_fname, found);
  // <prefix>/include/poplar/impl/popc/Installation.ipp; a relative path means nothing here, where
  // the program may run in any folder.
  std::filesystem::path header(__FILE__);
  for (unsigned up = 0; up != 5; ++up)
    header = header.parent_path();
  if (header.is_absolute())
    found.push_back(header);
  return found;
}

POP_INLINE std::string listOf(std::vector<std::filesystem::path> const &paths) {
  std::string text;
  for (std::filesystem::path const &path : paths)
    text += (text.empty() ? "" : ", ") + path.string();
  return text;
}

} // namespace cottonwood::popc::detail

namespace cottonwood::popc {

POP_INLINE std::filesystem::path headerFolder() {
  std::vector<std::filesystem::path> tried, prefixes = detail::prefixes();
  std::error_code none; // popc's own headers, whichever library it was given
  std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe", none);
  if (!none && detail::environment("POPLAR_HOME").empty())
    prefixes.insert(prefixes.begin(), program.parent_path().parent_path());
  for (std::filesystem::path const &prefix : prefixes) {
    tried.push_back(prefix / "include");
    // A build tree says where its source tree is.
    if (std::optional<std::string> const named = readFile(prefix / "share/cottonwood/headers"))
      tried.emplace_back(named->substr(0, named->find('\n')));
    std::error_code ignored;
    if (std::filesystem::exists(tried.back() / "poplar/impl/popc/Prelude.hpp", ignored))
      return tried.back();
  }
  base::fail<poplar::no_environment>("popc", "no headers for codelets (poplar/Vertex.hpp) in ",
                                     detail::listOf(tried),
                                     "; POPLAR_HOME names the folder this was installed to");
}

POP_INLINE std::filesystem::path popcCommand() {
  std::vector<std::filesystem::path> tried;
  for (std::filesystem::path const &prefix : detail::prefixes()) {
    tried.push_back(prefix / "bin/popc");
    if (detail::isProgram(tried.back()))
      return tried.back();
  }
  if (std::filesystem::path const found = detail::findProgram("popc"); !found.empty())
    return found;
  base::fail<poplar::no_environment>(
      "Graph::addCodelets", "codelets are compiled by the popc command, which is not at ",
      detail::listOf(tried), " nor in PATH; POPLAR_HOME names the folder this was installed to");
}

POP_INLINE std::string fileIdentity(std::filesystem::path const &path) {
  struct stat facts;
  if (::stat(path.c_str(), &facts) != 0)
    return {};
  return base::textOf(path.string(), ' ', facts.st_size, ' ', facts.st_mtim.tv_sec, '.',
                      facts.st_mtim.tv_nsec);
}

POP_INLINE Compiler findCompiler() {
  if (std::string const set = detail::environment("POPC_CXX"); !set.empty()) {
    std::filesystem::path const path = detail::findProgram(set);
    if (path.empty())
      base::fail<poplar::no_environment>("popc", "POPC_CXX is ", base::quoted(set),
                                         ", which is no program; it names a C++ compiler");
    return {path, fileIdentity(path)};
  }
  std::string names;
  for (char const *const name : detail::COMPILERS) {
    if (std::filesystem::path const path = detail::findProgram(name); !path.empty())
      return {path, fileIdentity(path)};
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  base::fail<poplar::no_environment>("popc", "no C++ compiler for codelets in PATH (", names,
                                     "); install one (Debian: clang), or name one in POPC_CXX");
}

} // namespace cottonwood::popc
