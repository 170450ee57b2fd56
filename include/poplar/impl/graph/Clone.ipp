#pragma once
#include <poplar/Graph.hpp>

#include <algorithm>
#include <numeric>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/Blocks.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/Relocation.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>
#include <poplar/impl/graph/TileTable.hpp>

// Graph::clone and cloneN.

namespace cottonwood::graph::detail {

/// Copies the mapping of the storage at `place` to its new place.
POP_INLINE void copyTiles(GraphData &graph, Relocated const &place) {
  TileMap const &from = graph.variable(place.var).tiles;
  TileMap &to = graph.variable(place.newVar).tiles;
  from.forEach(place.begin, place.begin + place.size,
               [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                 to.set(begin - place.begin + place.newBegin, end - place.begin + place.newBegin,
                        tile);
               });
}

/// What the new elements are.
struct CloneType {
  poplar::Type type;
  MetadataId metadata;
};

/// Fresh row-major storage with the mapping of the view's elements.
POP_INLINE View cloneInNewOrder(GraphData &graph, View const &view, CloneType type,
                                std::string name) {
  VarId const id = graph.addVariable(type.type, view.shape(), std::move(name), type.metadata);
  TileMap &tiles = graph.variable(id).tiles;
  forEachTile(
      view, [&](VarId var) -> TileMap const & { return graph.variable(var).tiles; },
      [&](std::uint64_t begin, std::uint64_t size, std::uint32_t tile) {
        tiles.set(begin, begin + size, tile);
      });
  return graph.wholeView(id);
}

/// One new variable for each old one, which holds the storage in use in the old order.
POP_INLINE View cloneInOldOrder(GraphData &graph, View const &view, CloneType type,
                                std::string const &name) {
  std::vector<Relocated> places = usedStorage(view);
  for (std::size_t first = 0; first < places.size();) {
    std::size_t size = 0, last = first;
    for (; last < places.size() && places[last].var == places[first].var; ++last) {
      places[last].newBegin = size;
      size += places[last].size;
    }
    std::size_t const shape[1] = {size};
    VarId const id = graph.addVariable(type.type, shape, name, type.metadata);
    for (; first < last; ++first) {
      places[first].newVar = id;
      copyTiles(graph, places[first]);
    }
  }
  return relocate(view, type.type, places, type.metadata);
}

/// The storage in use, cut where the tile changes.
POP_INLINE std::vector<Relocated> usedStorageByTile(GraphData const &graph, View const &view,
                                                    std::vector<std::uint32_t> &tiles) {
  std::vector<Relocated> places;
  for (Relocated const &used : usedStorage(view))
    graph.variable(used.var).tiles.forEach(
        used.begin, used.begin + used.size,
        [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
          places.push_back({used.var, begin, end - begin, 0, 0});
          tiles.push_back(tile);
        });
  return places;
}

/// N clones in one new variable: the N copies of each stretch of storage on one tile lie next to
/// each other. \param gather  all stretches of one tile follow one another; else they keep their
/// order
POP_INLINE std::vector<View> cloneStretches(GraphData &graph, View const &view, CloneType type,
                                            std::size_t N, bool gather, std::string name) {
  std::vector<std::uint32_t> tiles;
  std::vector<Relocated> places = usedStorageByTile(graph, view, tiles);
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (gather)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return tiles[a] < tiles[b]; });
  std::size_t size = 0;
  for (std::size_t const i : order) {
    places[i].newBegin = size;
    size += places[i].size * N;
  }
  std::size_t const shape[1] = {size};
  VarId const id = graph.addVariable(type.type, shape, std::move(name), type.metadata);
  std::vector<View> clones;
  for (std::size_t copy = 0; copy < N; ++copy) {
    for (Relocated &place : places) {
      place.newVar = id;
      place.newBegin += copy == 0 ? 0 : place.size;
    }
    for (std::size_t const i : order)
      copyTiles(graph, places[i]);
    clones.push_back(relocate(view, type.type, places, type.metadata));
  }
  return clones;
}

POP_INLINE View cloneView(GraphData &graph, View const &view, CloneType type,
                          poplar::TensorCloneMethod method, std::string const &name) {
  if (view.numElements() == 0)
    return cloneInNewOrder(graph, view, type, name);
  switch (method) {
  case poplar::TensorCloneMethod::CREATE_NEW_ORDER:
    return cloneInNewOrder(graph, view, type, name);
  case poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES:
    if (view.containsAliases())
      return cloneInNewOrder(graph, view, type, name);
    break;
  case poplar::TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES:
    return cloneStretches(graph, view, type, 1, true, name)[0];
  case poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES:
    break;
  }
  return cloneInOldOrder(graph, view, type, name);
}

POP_INLINE View withLeadingDim(View const &view) {
  std::vector<std::size_t> shape(view.shape().begin(), view.shape().end());
  shape.insert(shape.begin(), 1);
  return view.reshape(shape);
}

} // namespace cottonwood::graph::detail

namespace poplar {

POP_INLINE Tensor Graph::makeClone(char const *where, Type const &type, MetadataOf metadata,
                                   Tensor const &t, DebugContext const &debugContext,
                                   TensorCloneMethod method) {
  using namespace cottonwood;
  graph::GraphData &graph = data(where);
  graph::requireMethod(where, method);
  graph::checkVariableType(where, type);
  graph::View const &view = graph::checkedView(where, "t", t, graph);
  std::string const name = base::DebugAccess::path(debugContext);
  graph::NewVariables const made(graph);
  graph::detail::CloneType const cloneType{
      type, metadataFor(where, type, metadata, view.metadata(), name)};
  Tensor const clone =
      graph::makeTensor(graph::detail::cloneView(graph, view, cloneType, method, name));
  made.replicate({replicas_, replicaStride_});
  return clone;
}

POP_INLINE Tensor Graph::clone(Type const &type, Tensor const &t, DebugContext const &debugContext,
                               TensorCloneMethod method) {
  return makeClone("Graph::clone", type, nullptr, t, debugContext, method);
}

POP_INLINE Tensor Graph::clone(Type const &type, Tensor const &metadata, Tensor const &t,
                               DebugContext const &debugContext, TensorCloneMethod method) {
  return makeClone("Graph::clone", type, &metadata, t, debugContext, method);
}

POP_INLINE Tensor Graph::clone(Tensor const &t, DebugContext const &debugContext,
                               TensorCloneMethod method) {
  return clone(cottonwood::graph::checkedView("Graph::clone", "t", t).type(), t, debugContext,
               method);
}

POP_INLINE Tensor Graph::clone(Tensor const &metadata, Tensor const &t,
                               DebugContext const &debugContext, TensorCloneMethod method) {
  return clone(cottonwood::graph::checkedView("Graph::clone", "t", t).type(), metadata, t,
               debugContext, method);
}

POP_INLINE Tensor Graph::makeClones(Type const &type, MetadataOf metadata, Tensor const &t,
                                    std::size_t N, DebugContext const &debugContext,
                                    TensorCloneMethod method,
                                    TensorCloneDuplicationMethod duplicationMethod) {
  using namespace cottonwood;
  char const *const where = "Graph::cloneN";
  graph::GraphData &graph = data(where);
  graph::requireMethod(where, method);
  graph::requireMethod(where, duplicationMethod);
  graph::checkVariableType(where, type);
  graph::View const &view = graph::checkedView(where, "t", t, graph);
  std::string const &name = base::DebugAccess::path(debugContext);

  bool const makesNewOrder =
      method == TensorCloneMethod::CREATE_NEW_ORDER ||
      (method == TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES && view.containsAliases());
  bool const byStretch =
      duplicationMethod == TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION;
  if (byStretch && makesNewOrder)
    base::fail<poplar_error>(
        where, "DUPLICATE_BY_TILE_CONTIGUOUS_REGION needs the order of 't' of shape ",
        base::shapeText(view.shape()), ", but ", toString(method), " makes a new one for it");

  graph::NewVariables const made(graph);
  graph::detail::CloneType const cloneType{
      type, metadataFor(where, type, metadata, view.metadata(), name)};
  std::vector<graph::View> clones;
  if (byStretch && N != 0 && view.numElements() != 0)
    clones = graph::detail::cloneStretches(
        graph, view, cloneType, N,
        method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES, name);
  else
    for (std::size_t i = 0; i < N; ++i)
      clones.push_back(graph::detail::cloneView(graph, view, cloneType, method, name));
  if (clones.empty()) {
    std::vector<std::size_t> shape(view.shape().begin(), view.shape().end());
    shape.insert(shape.begin(), 0);
    graph::VarId const id = graph.addVariable(type, shape, name, cloneType.metadata);
    made.replicate({replicas_, replicaStride_});
    return graph::makeTensor(graph.wholeView(id));
  }
  made.replicate({replicas_, replicaStride_});
  for (graph::View &clone : clones)
    clone = graph::detail::withLeadingDim(clone);
  return graph::makeTensor(graph::View::concat(clones, 0));
}

POP_INLINE Tensor Graph::cloneN(Type const &type, Tensor const &t, std::size_t N,
                                DebugContext const &debugContext, TensorCloneMethod method,
                                TensorCloneDuplicationMethod duplicationMethod) {
  return makeClones(type, nullptr, t, N, debugContext, method, duplicationMethod);
}

POP_INLINE Tensor Graph::cloneN(Type const &type, Tensor const &metadata, Tensor const &t,
                                std::size_t N, DebugContext const &debugContext,
                                TensorCloneMethod method,
                                TensorCloneDuplicationMethod duplicationMethod) {
  return makeClones(type, &metadata, t, N, debugContext, method, duplicationMethod);
}

POP_INLINE Tensor Graph::cloneN(Tensor const &t, std::size_t N, DebugContext const &debugContext,
                                TensorCloneMethod method,
                                TensorCloneDuplicationMethod duplicationMethod) {
  return cloneN(cottonwood::graph::checkedView("Graph::cloneN", "t", t).type(), t, N, debugContext,
                method, duplicationMethod);
}

POP_INLINE Tensor Graph::cloneN(Tensor const &metadata, Tensor const &t, std::size_t N,
                                DebugContext const &debugContext, TensorCloneMethod method,
                                TensorCloneDuplicationMethod duplicationMethod) {
  return cloneN(cottonwood::graph::checkedView("Graph::cloneN", "t", t).type(), metadata, t, N,
                debugContext, method, duplicationMethod);
}

} // namespace poplar
