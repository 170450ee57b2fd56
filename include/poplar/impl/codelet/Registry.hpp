#pragma once
// Vertex type name -> codelet. There is one process-wide registry (vertices that a program
// registers with POPLAR_VERTEX) and one in every graph (built-in codelets, addCodelets).

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <poplar/impl/codelet/Codelet.hpp>

namespace poplar {
class Graph;
}

namespace cottonwood::codelet {

struct VertexDescription;

/// Lets look-ups by string_view find std::string keys.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const noexcept {
    return std::hash<std::string_view>{}(name);
  }
};

/// Not synchronised. Codelets stay at their address until the registry dies.
class POP_API Registry {
public:
  Registry() = default;
  Registry(Registry &&) noexcept = default;
  Registry &operator=(Registry &&) noexcept = default;

  /// Adds a codelet under its normalised name and returns the stored one. Adding it again, with the
  /// same layout and definition, is a no-op.
  /// \throws poplar_error  another layout or definition is registered under that name.
  Codelet const &add(Codelet codelet);

  /// The codelet of that name in any accepted spelling, null if there is none.
  Codelet const *find(std::string_view name) const;

  std::size_t size() const { return codelets_.size(); }
  std::vector<std::string> names() const; ///< sorted
  bool hasCompiled() const;               ///< any that came from a source or a .gp

private:
  std::vector<std::unique_ptr<Codelet>> codelets_;
  std::unordered_map<std::string, Codelet const *, NameHash, std::equal_to<>> byName_;
};

/// A vertex class as a codelet, from what its compilation says of it; members that are no fields
/// are left out.
POP_API Codelet codeletFrom(VertexDescription const &description);

/// Adds built-in codelets to the registry of a graph (what popops::addCodelets(graph) does).
POP_API void addToGraph(poplar::Graph &graph, std::span<Codelet const> codelets);

/// The process-wide codelet of that (normalised) name, null if there is none. Safe to call from any
/// thread. \throws poplar_error  the program registered two different layouts under that name.
POP_API Codelet const *findProcessWide(std::string_view name);

/// What POPLAR_VERTEX registered for a class; see VertexKey.
/// \throws unknown_vertex_type  the class is not registered.
Codelet const &registeredByKey(void const *key);

/// What unknown_vertex_type adds to the name: the call that is missing when the name belongs to one
/// of the libraries, else the nearest known names.
POP_API std::string unknownVertexHelp(std::string_view name, Registry const &graphRegistry);

} // namespace cottonwood::codelet
