// Executables as files, for tests of what comes back and what is refused.
#pragma once

#include <poplar/Executable.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/engine/ExecutableFile.hpp>

#include <random>
#include <span>
#include <sstream>
#include <string>

namespace engineTest {

inline std::string stored(poplar::Executable const &executable) {
  std::ostringstream out;
  executable.serialize(out);
  return out.str();
}

inline poplar::Executable loaded(std::string const &file, bool checkPackageHash = true) {
  std::istringstream in(file);
  return poplar::Executable::deserialize(in, checkPackageHash);
}

/// Loads the file so many times, each with a wrong byte under right checksums.
/// \returns  how often it was refused
inline unsigned refusedWithWrongByte(std::string const &file, unsigned times, unsigned seed) {
  std::mt19937 random(seed);
  unsigned refused = 0;
  for (unsigned i = 0; i < times; ++i) {
    std::string changed = file;
    changed[random() % file.size()] = static_cast<char>(random());
    cottonwood::engine::repairChecksums(std::as_writable_bytes(std::span(changed)));
    try {
      loaded(changed);
    } catch (poplar::poplar_error const &) {
      ++refused;
    }
  }
  return refused;
}

} // namespace engineTest
