#pragma once
#include <poplar/Graph.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/FieldAccess.hpp>
#include <poplar/impl/graph/FieldHandle.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/HostValues.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>

// What edges of vertices are connected to.

namespace cottonwood::graph::detail {

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

POP_INLINE void checkExtent(std::string_view where, FieldHandle const &field,
                            poplar::VectorLayout layout, std::uint64_t size) {
  if (size > maxSizeOf(layout))
    base::fail<poplar::graph_connection_error>(where, field.text(), " gets ", size,
                                               " elements; its layout allows ", maxSizeOf(layout));
}

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

POP_INLINE void convertForField(std::string_view where, FieldHandle const &field,
                                void const *values, poplar::TypeTraits const &traits,
                                std::size_t count, std::byte *to) {
  try {
    convertValues("", field.field().type, values, traits, count, to);
  } catch (poplar::overflow_error const &error) {
    throw poplar::overflow_error(base::textOf(where, ": ", field.text(), error.what()));
  }
}

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

} // namespace cottonwood::graph::detail

namespace poplar {

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

} // namespace poplar
