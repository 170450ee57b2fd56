#pragma once
#include <poplar/Graph.hpp>

#include <limits>
#include <poplar/IeeeHalf.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/FieldHandle.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/HostValues.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>

// Vertices, their fields and connections.

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

/// What may be written must not be constant or aliased.
POP_INLINE void checkEdgeWriteable(std::string_view where, FieldHandle const &field,
                                   View const &view) {
  if (!field.field().isWritten())
    return;
  char const *problem = nullptr;
  if (auto const run = view.asRun())
    problem = GraphData::isConstant(run->var) ? "constant elements" : nullptr;
  else if (view.containsConstant())
    problem = "constant elements";
  else if (view.containsAliases())
    problem = "the same element more than once";
  if (problem)
    base::fail<poplar::graph_connection_error>(where, field.text(),
                                               " is written, but the tensor of shape ",
                                               base::shapeText(view.shape()), " has ", problem);
}

POP_INLINE void checkEdge(std::string_view where, FieldHandle const &field, View const &view) {
  if (!field.field().isEdge())
    base::fail<poplar::graph_connection_error>(
        where, field.text(), " is state, not an edge; give it a value with setInitialValue");
  if (view.type() != field.field().type)
    base::fail<poplar::type_error>(where, field.text(), " has elements of type ",
                                   field.field().type, ", the tensor of type ", view.type());
  checkEdgeWriteable(where, field, view);
}

POP_INLINE void checkFree(std::string_view where, FieldHandle const &field, EdgeSlot const &slot) {
  if (slot.kind != EdgeSlot::Kind::Unconnected)
    base::fail<poplar::graph_connection_error>(where, field.text(), " of vertex ", field.vertex,
                                               " is connected already");
}

/// SHORT_SPAN counts with 11 bits.
inline constexpr std::uint64_t kMaxShortSpan = 2047;

POP_INLINE std::uint64_t maxSizeOf(poplar::VectorLayout layout) {
  // Not more than 32 bits: callers narrow to unsigned.
  return layout == poplar::VectorLayout::SHORT_SPAN ? kMaxShortSpan
                                                    : std::numeric_limits<std::uint32_t>::max();
}

POP_INLINE void checkExtent(std::string_view where, FieldHandle const &field,
                            poplar::VectorLayout layout, std::uint64_t size) {
  if (size > maxSizeOf(layout))
    base::fail<poplar::graph_connection_error>(where, field.text(), " gets ", size,
                                               " elements; its layout allows ", maxSizeOf(layout));
}

/// Elements must fill the short vectors of the field.
POP_INLINE void checkLanes(std::string_view where, FieldHandle const &field, char const *given,
                           std::uint64_t elements) {
  if (unsigned const lanes = field.field().lanes; elements % lanes != 0)
    base::fail<poplar::graph_connection_error>(where, field.text(), " holds vectors of ", lanes,
                                               " elements; ", given, " has ", elements);
}

/// What a scalar edge takes.
POP_INLINE void checkOneValue(std::string_view where, FieldHandle const &field, View const &view) {
  unsigned const lanes = field.field().lanes;
  if (view.numElements() == lanes)
    return;
  if (lanes > 1)
    base::fail<poplar::graph_connection_error>(where, field.text(), " holds one vector of ", lanes,
                                               " elements; the tensor has ", view.numElements());
  base::fail<poplar::graph_connection_error>(where, field.text(),
                                             " takes one element, the tensor has shape ",
                                             base::shapeText(view.shape()));
}

/// One region of a field with several, or a scalar or vector edge.
POP_INLINE void connectRegion(std::string_view where, FieldHandle const &field, EdgeSlot &slot,
                              View const &view, codelet::FieldShape shape) {
  checkFree(where, field, slot);
  bool const isScalar =
      shape == codelet::FieldShape::Scalar || shape == codelet::FieldShape::VectorOfScalars;
  if (isScalar)
    checkOneValue(where, field, view);
  if (!isScalar && view.rank() > 1)
    base::fail<poplar::graph_connection_error>(where, field.text(),
                                               " takes a tensor of rank 1, this one has shape ",
                                               base::shapeText(view.shape()), "; flatten it");
  if (!isScalar) {
    checkLanes(where, field, "the tensor", view.numElements());
    checkExtent(where, field,
                shape == codelet::FieldShape::Vector ? field.field().outer : field.field().inner,
                view.numElements() / field.field().lanes);
  }
  field.graph->connectSlot(slot, view);
}

POP_INLINE void checkListSize(std::string_view where, FieldHandle const &field, std::size_t size) {
  EdgeSlot &slot = field.slot();
  if (slot.kind != EdgeSlot::Kind::List) {
    checkFree(where, field, slot);
    checkExtent(where, field, field.field().outer, size);
    field.graph->makeList(slot, size);
  } else if (slot.size != size) {
    base::fail<poplar::graph_connection_error>(where, field.text(), " has size ", slot.size,
                                               ", but is given ", size, " regions");
  }
}

/// The rows of a rank-2 tensor, or the elements (short vectors: groups of them) of a rank-1 tensor,
/// become the regions of a field.
POP_INLINE void connectRows(std::string_view where, FieldHandle const &field, View const &view) {
  bool const isScalars = field.field().shape == codelet::FieldShape::VectorOfScalars;
  if (std::size_t const lanes = field.field().lanes; isScalars && lanes > 1 && view.rank() == 1) {
    checkLanes(where, field, "the tensor", view.numElements());
    std::size_t const rows = static_cast<std::size_t>(view.numElements()) / lanes;
    return connectRows(where, field, view.reshape(std::vector<std::size_t>{rows, lanes}));
  }
  unsigned const rank = isScalars && field.field().lanes == 1 ? 1 : 2;
  if (view.rank() != rank)
    base::fail<poplar::graph_connection_error>(where, field.text(), " takes a tensor of rank ",
                                               rank, " or a list of tensors, not one of shape ",
                                               base::shapeText(view.shape()));
  std::size_t const size = view.shape()[0];
  checkListSize(where, field, size);
  for (std::size_t i = 0; i < size; ++i)
    connectRegion(where, field.at(i), field.graph->listSlot(field.slot(), i), view.index(i),
                  field.field().shape);
}

/// The slot of region field[index].
POP_INLINE EdgeSlot &checkedListSlot(std::string_view where, FieldHandle const &field) {
  if (field.field().shape == codelet::FieldShape::Scalar)
    base::fail<poplar::index_error>(where, field.text(), " is a scalar field and takes no index");
  if (field.field().holdsValues())
    base::fail<poplar::index_error>(where, field.text(), " is a value of an array, without a size");
  EdgeSlot &list = field.slot();
  if (list.kind == EdgeSlot::Kind::Unconnected)
    throw poplar::no_size_specified(
        base::textOf(where, ": ", field.text(),
                     " is indexed before its size is known; call Graph::setFieldSize first"));
  if (field.index >= list.size)
    base::fail<poplar::index_error>(where, field.text(), ": index ", field.index,
                                    " is out of range; the field has size ", list.size);
  if (list.kind != EdgeSlot::Kind::List)
    base::fail<poplar::graph_connection_error>(where, field.text(), " of vertex ", field.vertex,
                                               " is connected as a whole already");
  return field.graph->listSlot(list, field.index);
}

/// The elements of a region as a view of rank 1.
POP_INLINE View flatView(GraphData const &graph, Region const &region) {
  View const whole = region.view ? *region.view : graph.wholeView(region.run.var);
  View const flat =
      whole.reshape(std::vector<std::size_t>{static_cast<std::size_t>(whole.numElements())});
  return region.view ? flat : flat.slice(region.run.begin, region.run.begin + region.run.size, 0);
}

/// A vector edge that was connected element by element becomes one region once it is complete.
POP_INLINE void joinElements(FieldHandle const &field) {
  GraphData &graph = *field.graph;
  EdgeSlot &list = field.slot();
  if (++list.var != list.size) // counts the elements that are connected
    return;
  std::vector<View> elements;
  elements.reserve(list.size);
  for (std::size_t i = 0; i < list.size; ++i)
    elements.push_back(flatView(graph, graph.region(field.vertex, field.fieldId, i)));
  View const joined = View::concat(elements, 0);
  checkEdgeWriteable("Graph::connect", field, joined);
  graph.connectSlot(list, joined);
}

POP_INLINE void connectView(std::string_view where, FieldHandle const &field, View const &view) {
  checkEdge(where, field, view);
  codelet::FieldShape const shape = field.field().shape;
  if (field.isIndexed) {
    EdgeSlot &slot = checkedListSlot(where, field);
    bool const isElement = shape == codelet::FieldShape::Vector;
    connectRegion(where, field, slot, view,
                  isElement ? codelet::FieldShape::VectorOfScalars : shape);
    if (isElement)
      joinElements(field);
  } else if (field.field().hasManyRegions()) {
    connectRows(where, field, view);
  } else {
    connectRegion(where, field, field.slot(), view, shape);
  }
}

/// Calls f(handle, k, count) for the field of every instance of a vertex.
template <class F> void forEachInstance(FieldHandle const &field, F &&f) {
  std::uint32_t const count = field.graph->vertexGroup(field.vertex).count;
  for (std::uint32_t k = 0; k < count; ++k) {
    FieldHandle instance = field;
    instance.vertex += k;
    f(instance, k, count);
  }
}

/// What instance k of `count` of a vertex is connected to.
POP_INLINE View viewOfInstance(std::string_view where, FieldHandle const &field, View const &view,
                               unsigned k, unsigned count) {
  View instance = instanceOf(*field.graph, view, k, count);
  if (count > 1 && field.field().isWritten() && view.numElements() != 0 &&
      replicasOf(*field.graph, view) != count)
    base::fail<poplar::graph_replication_error>(
        where, field.text(), " is written by ", count, " replicas, but the tensor of shape ",
        base::shapeText(view.shape()),
        " exists fewer times; make it through the replicated graph, too");
  return instance;
}

/// convertValues() for a field, which errors name.
POP_INLINE void convertForField(std::string_view where, FieldHandle const &field,
                                void const *values, poplar::TypeTraits const &traits,
                                std::size_t count, std::byte *to) {
  try {
    convertValues("", field.field().type, values, traits, count, to);
  } catch (poplar::overflow_error const &error) {
    throw poplar::overflow_error(base::textOf(where, ": ", field.text(), error.what()));
  }
}

/// A constant of the field's type with `count` values, placed wherever the vertex is.
POP_INLINE void connectConstant(std::string_view where, FieldHandle const &field,
                                void const *values, std::size_t count,
                                poplar::TypeTraits const &traits, bool isArray) {
  poplar::Type const type = field.field().type;
  if (type.requiresMetadata())
    base::fail<poplar::tensor_metadata_error>(
        where, field.text(), " has elements of type ", type,
        ", which need metadata; connect a tensor made by Graph::addConstant with metadata");
  std::vector<std::byte> bytes(count * base::sizeOf(type));
  convertForField(where, field, values, traits, count, bytes.data());
  std::size_t const shape[1] = {count};
  GraphData &graph = *field.graph;
  VarId const constant = graph.addConstant(type, std::span(shape, isArray ? 1 : 0),
                                           std::move(bytes), false, "<const>");
  connectView(where, field, graph.wholeView(constant));
  graph.followVertex(field.vertex, constant);
}

/// Elements of the field's type, on the stack if they are few.
class ConvertedValues {
public:
  ConvertedValues(std::string_view where, FieldHandle const &field, void const *values,
                  std::size_t count, poplar::TypeTraits const &traits)
      : size_(count * base::sizeOf(field.field().type)) {
    if (size_ > sizeof few_)
      many_.resize(size_);
    convertForField(where, field, values, traits, count, data());
  }
  std::byte *data() { return size_ > sizeof few_ ? many_.data() : few_; }
  std::span<std::byte const> bytes() { return {data(), size_}; }

private:
  std::size_t size_;
  std::byte few_[64];
  std::vector<std::byte> many_;
};

/// Replaces one value among the bytes of several.
POP_INLINE std::vector<std::byte> replaced(std::span<std::byte const> all, std::size_t index,
                                           std::span<std::byte const> value) {
  std::vector<std::byte> bytes(all.begin(), all.end());
  std::copy(value.begin(), value.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(index * value.size()));
  return bytes;
}

POP_INLINE void checkIndex(std::string_view where, FieldHandle const &field, std::size_t size) {
  if (field.index >= size)
    base::fail<poplar::index_error>(where, field.text(), ": index ", field.index,
                                    " is out of range; the field has size ", size);
}

/// Whether a state field, or the value of it that has an index, takes an array of values.
POP_INLINE bool takesArray(FieldHandle const &field) {
  codelet::Field const &declared = field.field();
  bool const isOneValue = declared.shape == codelet::FieldShape::Scalar || field.isIndexed;
  return !isOneValue || declared.lanes > 1;
}

/// What a state field takes must be what it is given.
POP_INLINE void checkState(std::string_view where, FieldHandle const &field, std::size_t count,
                           bool isArray) {
  codelet::Field const &declared = field.field();
  if (declared.shape == codelet::FieldShape::Scalar && field.isIndexed)
    base::fail<poplar::index_error>(where, field.text(), " is a scalar field and takes no index");
  if (isArray != takesArray(field))
    base::fail<poplar::poplar_error>(where, field.text(),
                                     isArray ? " takes one value, not an array of "
                                             : " is a vector: give it an array, not ",
                                     count, isArray ? "" : " value");
  if (!isArray)
    return;
  std::size_t const elements = std::size_t{declared.lanes} * (field.isIndexed ? 1 : declared.count);
  if ((declared.holdsValues() || field.isIndexed) && count != elements)
    base::fail<poplar::poplar_error>(where, field.text(), " has ", elements,
                                     " elements; the array has ", count);
}

/// State that lies in the vertex itself.
POP_INLINE void setHeldState(std::string_view where, FieldHandle const &field,
                             std::span<std::byte const> bytes) {
  GraphData &graph = *field.graph;
  if (!field.isIndexed)
    return graph.setHeldValues(field.vertex, field.fieldId, bytes);
  checkIndex(where, field, field.field().count);
  graph.setHeldValues(field.vertex, field.fieldId,
                      replaced(graph.stateBytes(field.vertex, field.fieldId), field.index, bytes));
}

POP_INLINE void setStateVector(std::string_view where, FieldHandle const &field,
                               std::span<std::byte const> bytes) {
  GraphData &graph = *field.graph;
  std::size_t const size = base::sizeOf(field.field().type);
  if (!field.isIndexed) {
    checkLanes(where, field, "the array", bytes.size() / size);
    checkExtent(where, field, field.field().outer, bytes.size() / size / field.field().lanes);
    return graph.setVectorValue(field.vertex, field.fieldId, {bytes.begin(), bytes.end()},
                                bytes.size() / size);
  }
  // One value of a vector whose size is known.
  if (field.slot().kind != EdgeSlot::Kind::Values)
    throw poplar::no_size_specified(
        base::textOf(where, ": ", field.text(),
                     " is indexed before its size is known; call setFieldSize first"));
  checkIndex(where, field, graph.fieldSize(field.vertex, field.fieldId));
  std::size_t const elements = field.slot().size;
  graph.setVectorValue(field.vertex, field.fieldId,
                       replaced(graph.stateBytes(field.vertex, field.fieldId), field.index, bytes),
                       elements);
}

POP_INLINE void setState(std::string_view where, FieldHandle const &field, void const *values,
                         std::size_t count, poplar::TypeTraits const &traits, bool isArray) {
  checkState(where, field, count, isArray);
  ConvertedValues converted(where, field, values, count, traits);
  if (field.field().holdsValues())
    setHeldState(where, field, converted.bytes());
  else
    setStateVector(where, field, converted.bytes());
}

POP_INLINE poplar::TypeTraits halfTraits() { return poplar::TypeTraits::make<poplar::IeeeHalf>(); }

POP_INLINE void checkHalfField(FieldHandle const &handle) {
  if (handle.field().type != poplar::HALF)
    base::fail<poplar::type_error>("Graph::setInitialValueHalf", handle.text(),
                                   " has elements of type ", handle.field().type, ", not half");
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

// ---- Connections

POP_INLINE void Graph::connect(FieldRef field, Tensor const &tensor) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::connect";
  GraphData &graph = data(where);
  FieldHandle const handle = checkedField(where, field, graph);
  View const &view = checkedView(where, handle.field().name, tensor, graph);
  if (!graph.hasGroups())
    return detail::connectView(where, handle, view);
  detail::forEachInstance(handle, [&](FieldHandle const &one, unsigned k, unsigned count) {
    detail::connectView(where, one, detail::viewOfInstance(where, one, view, k, count));
  });
}

POP_INLINE void Graph::connect(FieldRef field, ArrayRef<Tensor> tensors) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::connect";
  GraphData &graph = data(where);
  FieldHandle const handle = checkedField(where, field, graph);
  if (handle.isIndexed || !handle.field().hasManyRegions()) {
    if (tensors.size() == 1)
      return connect(field, tensors[0]);
    std::vector<View> views;
    for (Tensor const &tensor : tensors) {
      View const &view = checkedView(where, handle.field().name, tensor, graph);
      views.push_back(
          view.reshape(std::vector<std::size_t>{static_cast<std::size_t>(view.numElements())}));
    }
    if (views.empty())
      cottonwood::base::fail<graph_connection_error>(where, handle.text(),
                                                     " is given an empty list of tensors");
    return connect(field, makeTensor(View::concat(views, 0)));
  }
  for (Tensor const &tensor : tensors)
    detail::checkEdge(where, handle, checkedView(where, handle.field().name, tensor, graph));
  detail::forEachInstance(handle, [&](FieldHandle const &one, unsigned k, unsigned count) {
    detail::checkListSize(where, one, tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      EdgeSlot &slot = graph.listSlot(one.slot(), i);
      View const &view = viewOf(tensors[i]);
      if (!graph.hasGroups())
        detail::connectRegion(where, one.at(i), slot, view, one.field().shape);
      else
        detail::connectRegion(where, one.at(i), slot,
                              detail::viewOfInstance(where, one, view, k, count),
                              one.field().shape);
    }
  });
}

POP_INLINE void Graph::connectValue(FieldRef field, void const *value, TypeTraits const &traits) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::connect";
  FieldHandle const handle = checkedField(where, field, data(where));
  if (!handle.field().isEdge())
    return setFieldValue(field, value, 1, traits, false);
  if (handle.field().isWritten())
    cottonwood::base::fail<graph_connection_error>(
        where, handle.text(), " is written, so it cannot be connected to a value");
  detail::forEachInstance(handle, [&](FieldHandle const &one, unsigned, unsigned) {
    detail::connectConstant(where, one, value, 1, traits, false);
  });
}

POP_INLINE void Graph::setFieldSize(FieldRef field, std::size_t size) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::setFieldSize";
  GraphData &graph = data(where);
  FieldHandle const handle = checkedField(where, field, graph);
  if (handle.field().shape == cottonwood::codelet::FieldShape::Scalar || handle.isIndexed)
    cottonwood::base::fail<poplar_error>(
        where, handle.text(), " has no size to set: it is not a vector of regions or values");
  if (handle.field().holdsValues())
    cottonwood::base::fail<poplar_error>(where, handle.text(), " is an array of ",
                                         handle.field().count,
                                         " by its type; it has no size to set");
  detail::forEachInstance(handle, [&](FieldHandle const &one, unsigned, unsigned) {
    EdgeSlot &slot = one.slot();
    if (slot.kind != EdgeSlot::Kind::Unconnected) {
      if (std::size_t const old = graph.fieldSize(one.vertex, one.fieldId); old != size)
        cottonwood::base::fail<poplar_error>(where, one.text(), " has size ", old,
                                             " already; it cannot become ", size);
      return;
    }
    detail::checkExtent(where, one, one.field().outer, size);
    if (std::size_t const elements = size * one.field().lanes; !one.field().isEdge())
      graph.setVectorValue(
          one.vertex, one.fieldId,
          std::vector<std::byte>(elements * cottonwood::base::sizeOf(one.field().type)), elements);
    else
      graph.makeList(slot, size);
    if (one.field().shape == cottonwood::codelet::FieldShape::Vector && one.field().isEdge() &&
        size == 0)
      slot = {0, EdgeSlot::Kind::Run, 0, 0}; // nothing to wait for
  });
}

POP_INLINE std::size_t Graph::getFieldSize(FieldRef field) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::getFieldSize";
  FieldHandle const handle = checkedField(where, field, data(where));
  if (handle.isIndexed)
    return detail::checkedListSlot(where, handle).size / handle.field().lanes;
  if (!handle.field().holdsValues() &&
      handle.field().shape != cottonwood::codelet::FieldShape::Scalar &&
      handle.slot().kind == EdgeSlot::Kind::Unconnected)
    throw no_size_specified(handle.field().name, handle.graph->codeletOf(handle.vertex).name);
  return handle.graph->fieldSize(handle.vertex, handle.fieldId);
}

// ---- State

POP_INLINE void Graph::setFieldValue(FieldRef field, void const *values, std::size_t count,
                                     TypeTraits const &traits, bool isArray) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::setInitialValue";
  FieldHandle const handle = checkedField(where, field, data(where));
  bool const isEdge = handle.field().isEdge();
  if (isEdge && handle.field().isWritten())
    cottonwood::base::fail<graph_connection_error>(
        where, handle.text(), " is written by the vertex: connect it to a variable");
  detail::forEachInstance(handle, [&](FieldHandle const &one, unsigned, unsigned) {
    if (isEdge)
      detail::connectConstant(where, one, values, count, traits, isArray);
    else
      detail::setState(where, one, values, count, traits, isArray);
  });
}

POP_INLINE void Graph::setInitialValueHalf(FieldRef field, std::uint16_t val) {
  cottonwood::graph::detail::checkHalfField(cottonwood::graph::checkedField(
      "Graph::setInitialValueHalf", field, data("Graph::setInitialValueHalf")));
  setFieldValue(field, &val, 1, cottonwood::graph::detail::halfTraits(), false);
}

POP_INLINE void Graph::setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> val) {
  cottonwood::graph::detail::checkHalfField(cottonwood::graph::checkedField(
      "Graph::setInitialValueHalf", field, data("Graph::setInitialValueHalf")));
  setFieldValue(field, val.data(), val.size(), cottonwood::graph::detail::halfTraits(), true);
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
