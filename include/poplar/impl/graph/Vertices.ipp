#pragma once
#include <poplar/Graph.hpp>

#include <limits>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/FieldAccess.hpp>
#include <poplar/impl/graph/FieldHandle.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

// Vertices, and what their fields allow.

namespace cottonwood::graph {

POP_INLINE std::string FieldHandle::text() const {
  std::string name = base::textOf(graph->codeletOf(vertex).name, '.', field().name);
  if (isIndexed)
    name += base::textOf('[', index, ']');
  return base::quoted(name);
}

POP_INLINE VertexId checkedVertex(std::string_view where, poplar::VertexRef const &vertex,
                                  GraphData const &graph) {
  GraphData const *const owner = HandleAccess::graph(vertex);
  if (!owner)
    base::fail<poplar::poplar_error>(where, "the vertex is a default-constructed VertexRef");
  if (owner != &graph)
    base::fail<poplar::poplar_error>(where, "the vertex belongs to another graph");
  return vertex.getId();
}

POP_INLINE FieldHandle checkedField(std::string_view where, poplar::FieldRef const &field,
                                    GraphData &graph) {
  VertexId const vertex = checkedVertex(where, HandleAccess::vertex(field), graph);
  return {&graph, vertex, HandleAccess::fieldId(field), field.isIndexed(), field.getIndex()};
}

namespace detail {

POP_INLINE ComputeSetId checkedComputeSet(std::string_view where, poplar::ComputeSet const &cs,
                                          GraphData const &graph) {
  GraphId const owner = HandleAccess::graph(cs);
  if (owner != 0 && owner != graph.id())
    base::fail<poplar::poplar_error>(where, "compute set ", cs.getId(),
                                     " belongs to another graph");
  if (cs.getId() >= graph.numComputeSets())
    base::fail<poplar::poplar_error>(where, "the compute set is not one of this graph's ",
                                     graph.numComputeSets(), "; use what addComputeSet returns");
  return cs.getId();
}

POP_INLINE codelet::Codelet const &checkedCodelet(poplar::StringRef vertexType,
                                                  GraphData const &graph) {
  std::string_view const name(vertexType.data(), vertexType.size());
  if (codelet::Codelet const *const found = graph.findCodelet(name))
    return *found;
  throw poplar::unknown_vertex_type(codelet::normaliseName(name),
                                    codelet::unknownVertexHelp(name, graph.registry()));
}

POP_INLINE codelet::Field const &checkedFieldOf(codelet::Codelet const &codelet,
                                                poplar::StringRef fieldName) {
  int const field = codelet.findField({fieldName.data(), fieldName.size()});
  if (field >= 0)
    return codelet.fields[static_cast<unsigned>(field)];
  for (std::string const &other : codelet.others)
    if (std::string_view(fieldName.data(), fieldName.size()) == other)
      throw poplar::unknown_field(base::textOf(
          "the member '", other, "' of the vertex type '", codelet.name,
          "' is no field: its type (double, a pointer, a class) is not one of elements or edges; "
          "it starts as zero"));
  std::string known;
  for (codelet::Field const &other : codelet.fields)
    known += (known.empty() ? "" : ", ") + other.name;
  throw poplar::unknown_field(base::textOf("the vertex type '", codelet.name, "' has no field '",
                                           fieldName, "'; it has ",
                                           known.empty() ? "no fields" : known));
}

/// Largest value of the elements of a state field, if that is an integer.
struct FieldLimit {
  bool isFloat;
  double asDouble;
  std::uint64_t asInteger;
};

POP_INLINE FieldLimit fieldLimit(poplar::Type const &type) {
  if (type == poplar::FLOAT)
    return {true, static_cast<double>(std::numeric_limits<float>::max()), 0};
  if (type == poplar::HALF)
    return {true, 65504.0, 0};
  if (type == poplar::BOOL)
    return {false, 1, 1};
  auto const &info = base::typeInfo(type);
  unsigned const bits = static_cast<unsigned>(info.size) * 8 - (info.isSigned ? 1 : 0);
  std::uint64_t const limit = ~std::uint64_t{0} >> (64 - bits);
  return {false, static_cast<double>(limit), limit};
}

POP_INLINE FieldLimit fieldLimit(GraphData const &graph, poplar::StringRef vertexName,
                                 poplar::StringRef fieldName) {
  return fieldLimit(checkedFieldOf(checkedCodelet(vertexName, graph), fieldName).type);
}

template <class T>
T exactLimit(char const *where, FieldLimit const &limit, poplar::StringRef fieldName) {
  if (limit.isFloat || limit.asInteger > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
    base::fail<poplar::poplar_error>(where, "the largest value of the field '", fieldName, "', ",
                                     limit.asDouble,
                                     ", cannot be held exactly by the type asked for");
  return static_cast<T>(limit.asInteger);
}

} // namespace detail

} // namespace cottonwood::graph

namespace poplar {

// ---- Handles

POP_INLINE FieldRef VertexRef::operator[](StringRef fieldName) const {
  using namespace cottonwood;
  if (!graph_)
    base::fail<poplar_error>("VertexRef::operator[]",
                             "the vertex is a default-constructed VertexRef, asked for field '",
                             fieldName, "'");
  codelet::Codelet const &codelet = graph_->codeletOf(id_);
  int const field = codelet.findField({fieldName.data(), fieldName.size()});
  if (field < 0)
    graph::detail::checkedFieldOf(codelet, fieldName); // throws, naming the known fields
  return graph::HandleAccess::field(*this, static_cast<unsigned>(field));
}

POP_INLINE FieldRef FieldRef::operator[](std::size_t index) const {
  using namespace cottonwood;
  if (!graph::HandleAccess::graph(vertex_))
    base::fail<poplar_error>("FieldRef::operator[]", "the field is a default-constructed FieldRef");
  if (indexed_)
    base::fail<index_error>("FieldRef::operator[]", "the field has index ", index_,
                            " already and cannot get index ", index);
  return FieldRef(vertex_, fieldId_, true, index);
}

// ---- Vertices

POP_INLINE ComputeSet Graph::addComputeSet(DebugContext const &debugContext) {
  cottonwood::graph::GraphData &graph = data("Graph::addComputeSet");
  return cottonwood::graph::HandleAccess::computeSet(
      graph.id(), graph.addComputeSet(cottonwood::base::DebugAccess::path(debugContext)));
}

POP_INLINE VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::addVertex";
  GraphData &graph = data(where);
  ComputeSetId const computeSet = detail::checkedComputeSet(where, cs, graph);
  cottonwood::codelet::Codelet const &codelet = detail::checkedCodelet(vertexType, graph);
  VertexId const id = graph.addVertex(computeSet, codelet);
  if (replicas_ > 1) {
    for (unsigned k = 1; k < replicas_; ++k)
      graph.addVertex(computeSet, codelet);
    graph.makeVertexGroup(id, {replicas_, replicaStride_});
  }
  return HandleAccess::vertex(&graph, id);
}

POP_INLINE VertexRef Graph::addVertex(ComputeSet cs, StringRef vertexType,
                                      ArrayRef<ConnectionDesc> connections) {
  VertexRef const vertex = addVertex(cs, vertexType);
  for (ConnectionDesc const &connection : connections) {
    FieldRef const field = vertex[connection.field_];
    switch (connection.kind_) {
    case ConnectionDesc::Kind::One:
      connect(field, connection.tensor_);
      break;
    case ConnectionDesc::Kind::Many:
      connect(field, connection.tensors_);
      break;
    case ConnectionDesc::Kind::Value:
      connectValue(field, connection.value_, connection.traits_);
      break;
    }
  }
  return vertex;
}

POP_INLINE unsigned Graph::getNumVertices() const {
  return static_cast<unsigned>(data("Graph::getNumVertices").numVertices());
}

// ---- What layouts and types allow

POP_INLINE std::size_t Graph::getMaxFieldDim(StringRef vertexName, StringRef fieldName,
                                             unsigned dimIndex) const {
  using namespace cottonwood;
  char const *const where = "Graph::getMaxFieldDim";
  codelet::Field const &field = graph::detail::checkedFieldOf(
      graph::detail::checkedCodelet(vertexName, data(where)), fieldName);
  if (dimIndex >= field.rank())
    base::fail<poplar_error>(where, "dimIndex = ", dimIndex, " is out of range for the field '",
                             fieldName, "' of rank ", field.rank());
  if (field.holdsValues())
    return field.count;
  return graph::detail::maxSizeOf(dimIndex == 0 ? field.outer : field.inner);
}

POP_INLINE double Graph::getMaxVertexFieldValue(StringRef vertexName, StringRef fieldName) const {
  char const *const where = "Graph::getMaxVertexFieldValue";
  return cottonwood::graph::detail::fieldLimit(data(where), vertexName, fieldName).asDouble;
}

template <>
POP_INLINE std::uint64_t Graph::getMaxVertexFieldValueAs<std::uint64_t>(StringRef vertexName,
                                                                        StringRef fieldName) const {
  char const *const where = "Graph::getMaxVertexFieldValueAs";
  return cottonwood::graph::detail::exactLimit<std::uint64_t>(
      where, cottonwood::graph::detail::fieldLimit(data(where), vertexName, fieldName), fieldName);
}

template <>
POP_INLINE std::int64_t Graph::getMaxVertexFieldValueAs<std::int64_t>(StringRef vertexName,
                                                                      StringRef fieldName) const {
  char const *const where = "Graph::getMaxVertexFieldValueAs";
  return cottonwood::graph::detail::exactLimit<std::int64_t>(
      where, cottonwood::graph::detail::fieldLimit(data(where), vertexName, fieldName), fieldName);
}

} // namespace poplar
