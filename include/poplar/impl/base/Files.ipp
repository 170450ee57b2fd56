// Body of Files.hpp.
#pragma once

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Files.hpp>

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cottonwood::base::detail {

/// An open file that closes itself.
struct OpenFile {
  int const number;
  explicit OpenFile(int file) : number(file) {}
  OpenFile(OpenFile const &) = delete;
  OpenFile &operator=(OpenFile const &) = delete;
  ~OpenFile() {
    if (number >= 0)
      ::close(number);
  }
};

/// False with errno set if not all could be written.
POP_INLINE bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

} // namespace cottonwood::base::detail

namespace cottonwood::base {

POP_INLINE std::optional<std::string> readFile(std::filesystem::path const &path) {
  detail::OpenFile const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0)
    return std::nullopt;
  struct stat facts;
  if (::fstat(file.number, &facts) != 0 || S_ISDIR(facts.st_mode))
    return std::nullopt;
  std::string bytes;
  bytes.resize(static_cast<std::size_t>(facts.st_size));
  std::size_t size = 0;
  for (;;) { // to the end: pipes have no size, and files may grow
    if (size == bytes.size())
      bytes.resize(size + 4096);
    ssize_t const got = ::read(file.number, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return std::nullopt;
    if (got == 0)
      break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

POP_INLINE std::string unfinishedName(std::filesystem::path const &path) {
  static std::atomic<unsigned> count{0};
  return textOf(path.string(), '.', ::getpid(), '.', ++count, ".new");
}

POP_INLINE std::string replaceFile(std::filesystem::path const &path, std::string_view bytes) {
  std::string const name = unfinishedName(path);
  detail::OpenFile const file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  auto const problem = [&](char const *what) {
    std::string const text = textOf("cannot ", what, " ", quoted(name), ": ", std::strerror(errno));
    if (file.number >= 0)
      ::unlink(name.c_str());
    return text;
  };
  if (file.number < 0)
    return problem("create");
  if (!detail::writeAll(file.number, bytes))
    return problem("write");
  if (::rename(name.c_str(), path.c_str()) != 0)
    return problem("rename");
  return {};
}

} // namespace cottonwood::base
