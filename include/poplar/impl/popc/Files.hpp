// Whole files, and folders for a while.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cottonwood::popc {

/// What the file holds; nothing if it cannot be read (a folder cannot).
POP_API std::optional<std::string> readFile(std::filesystem::path const &path);

/// Puts a file of these bytes there at once: other processes see the file of before or the new one.
/// \returns an empty text, or what went wrong
POP_API std::string replaceFile(std::filesystem::path const &path, std::string_view bytes);

/// The same. \throws poplar::graph_object_creation_error  with `where` and what went wrong
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
