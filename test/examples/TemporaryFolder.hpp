// A folder that is gone after the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

class TemporaryFolder {
public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "fashion-XXXXXX").string()) {
    if (!mkdtemp(path_.data()))
      throw std::runtime_error("no temporary folder: " + path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(TemporaryFolder const &) = delete;
  TemporaryFolder &operator=(TemporaryFolder const &) = delete;

  std::string path(std::string const &name) const { return path_ + "/" + name; }
  std::string const &path() const { return path_; }
  std::string write(std::string const &name, std::string const &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

private:
  std::string path_;
};

/// What a call throws, as text; empty if it does not throw.
template <class F> std::string errorOf(F const &f) {
  try {
    f();
  } catch (std::exception const &e) {
    return e.what();
  }
  return "";
}
