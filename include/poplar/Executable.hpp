// A compiled graph, in memory and as a file.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_EXECUTABLE_HPP
#define POPLAR_EXECUTABLE_HPP

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <vector>

namespace cottonwood {
namespace lower {
struct ExecutableData; // impl/lower/ExecutableData.hpp
} // namespace lower
} // namespace cottonwood

namespace poplar {

/// Graph and programs compiled for one target (compileGraph). Immutable: a cheap handle that may be
/// copied and used for any number of engines. A default-constructed one is empty and can only be
/// assigned to.
///
/// A stored executable holds everything but the code of its vertices, which it names: those of the
/// libraries are found in the libraries, for the instruction set that it was compiled for; those
/// that a program registers itself (POPLAR_VERTEX) must be registered in the program that loads it.
/// So must those that are made from its functors (popops::map, epilogues), by compiling a graph
/// with them first: classes outside functions and unnamed namespaces are found by name and size;
/// lambdas and all other classes by the very build of the program that stored them, and by no
/// other. Loading and running one runs code with the data in the file: read files that you trust
/// only. The checks of deserialize() find damage, not intent.
class POP_API Executable {
public:
  Executable();
  explicit Executable(std::shared_ptr<cottonwood::lower::ExecutableData const> data);
  Executable(Executable const &other);
  Executable(Executable &&other) noexcept;
  Executable &operator=(Executable const &other);
  Executable &operator=(Executable &&other) noexcept;
  ~Executable();

  /// Writes a versioned and checksummed file; the stream wants std::ios::binary.
  /// \throws poplar_error  the executable is empty, or the stream fails.
  void serialize(std::ostream &out) const;
  /// Reads what serialize() wrote, beginning where the stream stands, and leaves the stream behind
  /// it. Engine::load then wants the vertices, the instruction set and the target that it was
  /// compiled for.
  /// \param checkPackageHash  true: the same release of the library must have written the file;
  ///     false: any release with the same format version. The format version always counts.
  /// \throws poplar_error  the stream has failed before, ends early, or holds something else or
  ///     something damaged; the text says which field, what was found and what is wanted.
  static Executable deserialize(std::istream &in, bool checkPackageHash = true);
  static Executable deserialize(std::unique_ptr<std::istream> in, bool checkPackageHash = true);

  /// For the library.
  std::shared_ptr<cottonwood::lower::ExecutableData const> const &data() const noexcept {
    return data_;
  }

private:
  std::shared_ptr<cottonwood::lower::ExecutableData const> data_;
};

/// One program compiled by itself (compileModule). Opaque; a handle as Executable is.
class POP_API Module {
public:
  Module();
  explicit Module(Executable executable);

  /// As Executable::serialize. \throws poplar_error  the module is empty, or the stream fails.
  void serialize(std::ostream &out) const;
  /// As Executable::deserialize.
  static Module deserialize(std::istream &in, bool checkPackageHash = true);

  /// For the library.
  Executable const &executable() const noexcept { return executable_; }

private:
  Executable executable_;
};

/// Tile memory that modules keep for themselves while another one is on the device too: their
/// always-live variables, constants and vertices. What they hold only while they run is not part of
/// it.
class POP_API Preallocations {
public:
  // No constructor from lists: braces among the arguments of compileGraph() mean options.
  /// Of these modules together.
  /// \throws poplar_error  a module is empty, or they are of targets with different tiles.
  static Preallocations of(std::vector<Module> const &modules);

  /// Bytes by tile; empty for no modules, and on a CPU.
  std::vector<std::uint64_t> const &bytesByTile() const noexcept { return bytesByTile_; }

private:
  struct Tag {};
  Preallocations(Tag, std::vector<std::uint64_t> bytesByTile);

  std::vector<std::uint64_t> bytesByTile_;
};

} // namespace poplar

#endif
