// Files of compiled codelets (.gp).
//
//   8 bytes   magic: 91 'C' 'W' 'G' 0d 0a 1a 0a
//   4 bytes   format version
//   4 bytes   version of the boundary to codelets (OBJECT_ABI)
//   8 bytes   length of the manifest
//   32 bytes  digest of all that follows, as text
//   manifest  JSON: modules with their sources, compiler, flags, vertices and objects
//   objects   one after another, as the manifest lists them
//
// Numbers are little-endian. The digest finds damage; who loads a file runs the code in it.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::popc {

/// Code of all codelets of a module for one level of the instruction set.
struct GpObject {
  std::string level; ///< as name(Level)
  std::string bytes; ///< a shared object
};

struct GpVertex {
  std::string name;         ///< as addVertex() takes it
  std::string origin;       ///< `codelets.cpp:12`
  std::uint64_t definition; ///< see codelet::Codelet::definition
};

/// What was compiled and linked together.
struct GpModule {
  std::vector<std::string> sources;
  std::string compiler; ///< its version, one line
  std::vector<std::string> flags;
  std::vector<GpVertex> vertices;
  std::vector<GpObject> objects;
};

struct GpFile {
  std::vector<GpModule> modules;
};

POP_API std::string storedGp(GpFile const &file);

/// \param path  what an error calls it
/// \throws poplar::graph_object_load_error  it is damaged, none of ours, or of another version
POP_API GpFile parseGp(std::string_view bytes, std::string const &path);

} // namespace cottonwood::popc
