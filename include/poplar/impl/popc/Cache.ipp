// Body of Cache.hpp.
#pragma once

#include <poplar/impl/popc/Cache.hpp>

#include <poplar/impl/base/Digest.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/Installation.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace cottonwood::popc::detail {

inline constexpr std::uint64_t CACHE_MAX_BYTES = std::uint64_t{256} << 20;
inline constexpr std::string_view ENTRY_ENDING = ".entry", OBJECT_ENDING = ".so";
inline constexpr std::size_t DIGEST_BYTES = 32;

POP_INLINE void logCache(std::string const &text) {
  base::logLine("CODELETS", base::LogLevel::Info, "cache: " + text);
}

/// Creates the folder, its parents too; those that did not exist are the user's alone.
POP_INLINE void makePrivateFolders(std::filesystem::path const &folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) || folder == folder.parent_path())
    return;
  makePrivateFolders(folder.parent_path());
  ::mkdir(folder.c_str(), 0700);
}

/// Empty: use no cache.
POP_INLINE std::filesystem::path configuredFolder() {
  auto const setting = [](char const *name) {
    char const *const text = std::getenv(name);
    return std::string(text ? text : "");
  };
  if (std::string const set = setting("POPLAR_CODELET_CACHE"); !set.empty())
    return set == "off" ? std::filesystem::path() : std::filesystem::path(set);
  std::filesystem::path base = setting("XDG_CACHE_HOME");
  if (!base.is_absolute()) { // the XDG specification: relative ones are to be ignored
    std::filesystem::path const home = setting("HOME");
    if (!home.is_absolute())
      return {};
    base = home / ".cache";
  }
  return base / "cottonwood/codelets";
}

/// The folder if it may be used; else empty, and the log says why.
POP_INLINE std::filesystem::path cacheFolder() {
  std::filesystem::path const folder = configuredFolder();
  if (folder.empty())
    return {};
  makePrivateFolders(folder);
  struct stat facts;
  std::string why;
  if (::lstat(folder.c_str(), &facts) != 0)
    why = std::strerror(errno);
  else if (!S_ISDIR(facts.st_mode))
    why = "it is no folder";
  else if (facts.st_uid != ::geteuid())
    why = "it belongs to another user";
  else if ((facts.st_mode & 077) != 0)
    why = "others may enter it (chmod 700 makes it usable)";
  else if (::access(folder.c_str(), W_OK) != 0)
    why = "it cannot be written to";
  if (why.empty())
    return folder;
  logCache(base::textOf(folder.string(), " is not used: ", why));
  return {};
}

/// What tells whether a file is as it was: of those of the system their size and time, which change
/// with the package; of others the contents.
POP_INLINE std::string stampOf(std::string const &path) {
  if (path.starts_with("/usr/"))
    return fileIdentity(path);
  std::optional<std::string> const bytes = readFile(path);
  return bytes ? base::digestOf(*bytes) : std::string();
}

/// So that it counts as used.
POP_INLINE void touch(std::filesystem::path const &path) {
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

POP_INLINE std::uint64_t cacheLimit() {
  char const *const text = std::getenv("POPLAR_CODELET_CACHE_MAX_BYTES");
  std::uint64_t limit = CACHE_MAX_BYTES;
  if (text && *text) {
    auto const [end, error] = std::from_chars(text, text + std::strlen(text), limit);
    if (error != std::errc() || *end != '\0')
      base::fail<poplar::poplar_error>("POPLAR_CODELET_CACHE_MAX_BYTES", base::quoted(text),
                                       " is no number of bytes");
  }
  return limit;
}

/// Removes the files that were not used for longest until the rest has three quarters of the limit.
POP_INLINE void trimCache(std::filesystem::path const &folder) {
  namespace fs = std::filesystem;
  struct Entry {
    fs::file_time_type time;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error; // others may remove files at the same time
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    Entry entry{at->last_write_time(ignored), at->file_size(ignored), at->path()};
    if (ignored)
      continue;
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  std::uint64_t const limit = cacheLimit();
  if (total <= limit)
    return;
  std::sort(entries.begin(), entries.end(),
            [](Entry const &a, Entry const &b) { return a.time < b.time; });
  for (Entry const &entry : entries) {
    if (total <= limit / 4 * 3)
      break;
    std::error_code ignored;
    fs::remove(entry.path, ignored);
    total -= entry.bytes;
  }
}

} // namespace cottonwood::popc::detail

namespace cottonwood::popc {

POP_INLINE std::optional<CacheEntry> lookUpCodelets(std::string const &key) try {
  std::filesystem::path const folder = detail::cacheFolder();
  if (folder.empty())
    return std::nullopt;
  std::filesystem::path const path = folder / (key + std::string(detail::ENTRY_ENDING));
  std::optional<std::string> const file = readFile(path);
  if (!file)
    return std::nullopt;
  std::string_view const rest =
      std::string_view(*file).substr(std::min(detail::DIGEST_BYTES, file->size()));
  if (base::digestOf(rest) != file->substr(0, detail::DIGEST_BYTES)) {
    detail::logCache(path.string() + " is damaged");
    return std::nullopt;
  }
  std::size_t const end = rest.find('\n');
  auto const header = nlohmann::json::parse(rest.substr(0, end));
  for (auto const &[name, stamp] : header.at("files").items())
    if (detail::stampOf(name) != stamp.get<std::string>()) {
      detail::logCache(name + " has changed");
      return std::nullopt;
    }
  detail::touch(path);
  return CacheEntry{std::string(rest.substr(end + 1)), header.at("diagnostics").get<std::string>()};
} catch (nlohmann::json::exception const &) {
  return std::nullopt;
}

POP_INLINE void storeCodelets(std::string const &key, std::vector<std::string> const &files,
                              CacheEntry const &entry) try {
  std::filesystem::path const folder = detail::cacheFolder();
  if (folder.empty())
    return;
  auto stamps = nlohmann::json::object();
  for (std::string const &file : files)
    stamps[file] = detail::stampOf(file);
  std::string const rest =
      nlohmann::json{{"files", std::move(stamps)}, {"diagnostics", entry.diagnostics}}.dump() +
      "\n" + entry.gp;
  std::string const problem =
      replaceFile(folder / (key + std::string(detail::ENTRY_ENDING)), base::digestOf(rest) + rest);
  if (!problem.empty())
    detail::logCache(problem);
  detail::trimCache(folder);
} catch (nlohmann::json::exception const &) { // a name that is no UTF-8: not cached
}

POP_INLINE ObjectFile::ObjectFile(std::filesystem::path path,
                                  std::unique_ptr<TemporaryFolder> folder)
    : path_(std::move(path)), folder_(std::move(folder)) {}
POP_INLINE ObjectFile::~ObjectFile() = default;
POP_INLINE ObjectFile::ObjectFile(ObjectFile &&) noexcept = default;
POP_INLINE ObjectFile &ObjectFile::operator=(ObjectFile &&) noexcept = default;

POP_INLINE ObjectFile objectFile(std::string const &digest, std::string_view bytes) {
  std::string const name = digest + std::string(detail::OBJECT_ENDING);
  if (std::filesystem::path const folder = detail::cacheFolder(); !folder.empty()) {
    std::filesystem::path const path = folder / name;
    if (readFile(path) == bytes) {
      detail::touch(path);
      return {path, nullptr};
    }
    if (std::string const problem = replaceFile(path, bytes); problem.empty())
      return {path, nullptr};
    else
      detail::logCache(problem);
  }
  auto folder = std::make_unique<TemporaryFolder>();
  std::filesystem::path const path = folder->path() / name;
  writeFile(path, bytes, "Graph::addCodelets");
  return {path, std::move(folder)};
}

} // namespace cottonwood::popc
