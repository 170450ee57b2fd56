// Compiled codelets on disk, so that the next process need not compile them: one file an entry,
// named by a digest of the request, holding also what the compiler read, so that a changed header
// is noticed. The folder is $POPLAR_CODELET_CACHE if that is set ("off": none), else
// cottonwood/codelets below $XDG_CACHE_HOME or ~/.cache. It is used only if it belongs to the user
// and nobody else may enter it (mode 0700). Entries are replaced as a whole, damaged ones are as if
// they were not there, and the oldest go when all exceed 256 MB
// ($POPLAR_CODELET_CACHE_MAX_BYTES).
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::popc {

class TemporaryFolder;

struct CacheEntry {
  std::string gp;          ///< the file of codelets
  std::string diagnostics; ///< what the compiler said when it was made
};

/// The entry of that key if there is one and every file that was read for it is as it was.
POP_API std::optional<CacheEntry> lookUpCodelets(std::string const &key);

/// \param files  every file that was read
POP_API void storeCodelets(std::string const &key, std::vector<std::string> const &files,
                           CacheEntry const &entry);

/// A file of an object's bytes for the dynamic linker: in the cache, where debuggers will find it
/// later, or else in a temporary folder that goes with this value.
class POP_API ObjectFile {
public:
  ObjectFile(std::filesystem::path path, std::unique_ptr<TemporaryFolder> folder);
  ~ObjectFile();
  ObjectFile(ObjectFile &&) noexcept;
  ObjectFile &operator=(ObjectFile &&) noexcept;

  std::filesystem::path const &path() const { return path_; }

private:
  std::filesystem::path path_;
  std::unique_ptr<TemporaryFolder> folder_;
};
POP_API ObjectFile objectFile(std::string const &digest, std::string_view bytes);

} // namespace cottonwood::popc
