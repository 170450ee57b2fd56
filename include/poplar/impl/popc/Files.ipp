// Body of Files.hpp.
#pragma once

#include <poplar/impl/popc/Files.hpp>

#include <poplar/impl/base/Error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <unistd.h>

namespace cottonwood::popc {

POP_INLINE void writeFile(std::filesystem::path const &path, std::string_view bytes,
                          std::string_view where) {
  if (std::string const problem = replaceFile(path, bytes); !problem.empty())
    base::fail<poplar::graph_object_creation_error>(where, problem);
}

POP_INLINE TemporaryFolder::TemporaryFolder() {
  char const *const set = std::getenv("TMPDIR");
  std::string name = std::string(set && *set ? set : "/tmp") + "/popc-XXXXXX";
  if (!::mkdtemp(name.data()))
    base::fail<poplar::poplar_error>("popc", "cannot create a folder ", base::quoted(name), ": ",
                                     std::strerror(errno), "; TMPDIR names where");
  path_ = name;
}

POP_INLINE TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace cottonwood::popc
