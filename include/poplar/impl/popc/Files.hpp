// Whole files, and folders for a while.
#pragma once

#include <poplar/impl/base/Files.hpp>

#include <filesystem>
#include <string_view>

namespace cottonwood::popc {

using base::readFile;
using base::replaceFile;

/// replaceFile().
/// \throws poplar::graph_object_creation_error  with `where` and what went wrong
POP_API void writeFile(std::filesystem::path const &path, std::string_view bytes,
                       std::string_view where);

/// A folder of the user's own (mode 0700) for temporary files; goes with the object.
class POP_API TemporaryFolder {
public:
  /// \throws poplar::poplar_error  the folder for temporary files cannot be written to
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder const &) = delete;
  TemporaryFolder &operator=(TemporaryFolder const &) = delete;

  std::filesystem::path const &path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace cottonwood::popc
