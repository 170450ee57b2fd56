// Handles of things that a Graph owns: vertices, their fields, compute sets, functions.
//
// All are small values. A handle means something only to the Graph that made it (with its virtual
// graphs), and only while that Graph lives. A default-constructed handle names nothing: using it
// throws poplar_error.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_GRAPHELEMENTS_HPP
#define POPLAR_GRAPHELEMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <poplar/StringRef.hpp>

namespace cottonwood {
namespace graph {
class GraphData;
struct HandleAccess;
} // namespace graph
} // namespace cottonwood

namespace poplar {

class FieldRef;

typedef unsigned vertex_id;

/// A vertex.
class POP_API VertexRef {
public:
  VertexRef() : graph_(nullptr), id_(0) {}

  /// The field of that name. \throws unknown_field  the vertex type has no such field.
  FieldRef operator[](StringRef fieldName) const;
  vertex_id getId() const { return id_; }

private:
  friend struct cottonwood::graph::HandleAccess;
  VertexRef(cottonwood::graph::GraphData *graph, unsigned id) : graph_(graph), id_(id) {}
  cottonwood::graph::GraphData *graph_;
  unsigned id_;
};

/// A field of a vertex, or one region of a field that is a list of regions.
class POP_API FieldRef {
public:
  FieldRef() : vertex_(), fieldId_(0), indexed_(false), index_(0) {}

  /// Region `index` of a field with several regions. The field's size need not be known yet.
  /// \throws index_error  this reference has an index already.
  FieldRef operator[](std::size_t index) const;
  bool isIndexed() const { return indexed_; }
  /// 0 if there is no index.
  std::size_t getIndex() const { return index_; }

private:
  friend struct cottonwood::graph::HandleAccess;
  FieldRef(VertexRef const &vertex, unsigned fieldId, bool indexed, std::size_t index)
      : vertex_(vertex), fieldId_(fieldId), indexed_(indexed), index_(index) {}
  VertexRef vertex_;
  unsigned fieldId_;
  bool indexed_;
  std::size_t index_;
};

/// A set of vertices that run with no order among them.
class ComputeSet {
public:
  ComputeSet() : id_(invalid()), graph_(0) {}
  ComputeSet(unsigned id) : id_(id), graph_(0) {}
  unsigned getId() const { return id_; }

private:
  friend struct cottonwood::graph::HandleAccess;
  static unsigned invalid() { return ~0u; }
  unsigned id_;
  std::uint32_t graph_; ///< 0: not known
};

/// A program that can be called from several places.
class Function {
public:
  Function() : id_(invalid()), graph_(0) {}
  Function(unsigned id) : id_(id), graph_(0) {}
  unsigned getId() const { return id_; }

private:
  friend struct cottonwood::graph::HandleAccess;
  static unsigned invalid() { return ~0u; }
  unsigned id_;
  std::uint32_t graph_; ///< 0: not known
};

/// A function that the host runs when a program calls it.
class HostFunction {
public:
  HostFunction() : id_(invalid()), graph_(0) {}
  HostFunction(unsigned id) : id_(id), graph_(0) {}
  unsigned getId() const { return id_; }

private:
  friend struct cottonwood::graph::HandleAccess;
  static unsigned invalid() { return ~0u; }
  unsigned id_;
  std::uint32_t graph_; ///< 0: not known
};

/// A place outside the tiles for the code of a function.
class FunctionBuffer {
public:
  FunctionBuffer() : id_(invalid()), graph_(0) {}
  FunctionBuffer(unsigned id) : id_(id), graph_(0) {}
  unsigned getId() const { return id_; }

private:
  friend struct cottonwood::graph::HandleAccess;
  static unsigned invalid() { return ~0u; }
  unsigned id_;
  std::uint32_t graph_; ///< 0: not known
};

inline bool operator==(ComputeSet const &lhs, ComputeSet const &rhs) {
  return lhs.getId() == rhs.getId();
}
inline bool operator!=(ComputeSet const &lhs, ComputeSet const &rhs) { return !(lhs == rhs); }
inline bool operator==(Function const &lhs, Function const &rhs) {
  return lhs.getId() == rhs.getId();
}
inline bool operator!=(Function const &lhs, Function const &rhs) { return !(lhs == rhs); }
inline bool operator==(HostFunction const &lhs, HostFunction const &rhs) {
  return lhs.getId() == rhs.getId();
}
inline bool operator!=(HostFunction const &lhs, HostFunction const &rhs) { return !(lhs == rhs); }
inline bool operator==(FunctionBuffer const &lhs, FunctionBuffer const &rhs) {
  return lhs.getId() == rhs.getId();
}
inline bool operator!=(FunctionBuffer const &lhs, FunctionBuffer const &rhs) {
  return !(lhs == rhs);
}

} // namespace poplar

#endif
