#pragma once
#include <poplar/Graph.hpp>

#include <poplar/IeeeHalf.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/Blocks.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/HostValues.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>
#include <poplar/impl/graph/TileTable.hpp>

// Variables, constants and initial values.

namespace cottonwood::graph::detail {

/// Number of elements, which fits in memory by far.
POP_INLINE std::uint64_t checkedCount(char const *where, std::span<std::size_t const> shape,
                                      std::size_t elementBytes) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
  std::uint64_t count = 1;
  bool isEmpty = false, isTooLarge = false;
  for (std::size_t const size : shape) {
    isEmpty = isEmpty || size == 0;
    isTooLarge = isTooLarge || __builtin_mul_overflow(count, size, &count) ||
                 count > kMaxBytes / elementBytes;
  }
  if (isEmpty)
    return 0;
  if (isTooLarge)
    base::fail<poplar::tensor_creation_error>(where, "the shape ", base::shapeText(shape),
                                              " has too many elements");
  return count;
}

POP_INLINE std::span<std::size_t const> spanOf(poplar::ArrayRef<std::size_t> shape) {
  return {shape.data(), shape.size()};
}

POP_INLINE void requireMapping(poplar::VariableMappingMethod method) {
  base::requireEnumerator<poplar::poplar_error>("Graph::addVariable", "VariableMappingMethod",
                                                method, {"NONE", "LINEAR"});
}

} // namespace cottonwood::graph::detail

namespace poplar {

/// The metadata of new elements: those given, else those of the tensor they are like, else a new
/// variable.
POP_INLINE std::uint32_t Graph::metadataFor(char const *where, Type const &type,
                                            MetadataOf metadata, std::uint32_t inherited,
                                            std::string const &name) {
  using namespace cottonwood;
  if (!type.requiresMetadata())
    return graph::kNoMetadata;
  graph::GraphData &graph = data(where);
  if (metadata) {
    if (!metadata->valid())
      base::fail<tensor_metadata_error>(where, "elements of type ", type,
                                        " without metadata: the tensor given is invalid");
    graph::View const &view = graph::checkedView(where, "metadata", *metadata, graph);
    if (view.type() != QUARTER_METADATA || view.numElements() != 1)
      base::fail<tensor_metadata_error>(where, "'metadata' has shape ",
                                        base::shapeText(view.shape()), " of type ", view.type(),
                                        "; it must be one element of type ", QUARTER_METADATA);
    return graph.addMetadata(view);
  }
  if (inherited != graph::kNoMetadata)
    return inherited;
  graph::VarId const id =
      graph.addVariable(QUARTER_METADATA, {}, name.empty() ? "metadata" : name + "/metadata");
  graph.variable(id).tiles.set(0, 1, tiles_ ? tiles_->toTop(0) : 0);
  return graph.addMetadata(graph.wholeView(id));
}

POP_INLINE void Graph::checkValueCount(char const *where, ArrayRef<std::size_t> shape,
                                       std::size_t numValues) {
  using namespace cottonwood;
  std::string const place = std::string("Graph::") + where;
  std::uint64_t const count =
      graph::detail::checkedCount(place.c_str(), graph::detail::spanOf(shape), 1);
  if (numValues != count)
    base::fail<tensor_creation_error>(place, numValues, " values are given for shape ",
                                      base::shapeText(graph::detail::spanOf(shape)), ", which has ",
                                      count, " elements");
}

// ---- Variables

POP_INLINE Tensor Graph::makeVariable(Type const &type, MetadataOf metadata,
                                      ArrayRef<std::size_t> shape,
                                      DebugContext const &debugContext) {
  using namespace cottonwood;
  char const *const where = "Graph::addVariable";
  graph::GraphData &graph = data(where);
  graph::checkVariableType(where, type);
  graph::detail::checkedCount(where, graph::detail::spanOf(shape), base::sizeOf(type));
  std::string const name = base::DebugAccess::path(debugContext);
  graph::NewVariables const made(graph);
  graph::MetadataId const own = metadataFor(where, type, metadata, graph::kNoMetadata, name);
  graph::VarId const id = graph.addVariable(type, graph::detail::spanOf(shape), name, own);
  made.replicate({replicas_, replicaStride_});
  return graph::makeTensor(graph.wholeView(id));
}

POP_INLINE Tensor Graph::spreadLinearly(Tensor const &tensor, VariableMappingMethod method) {
  using namespace cottonwood::graph;
  if (method != VariableMappingMethod::LINEAR || tensor.numElements() == 0)
    return tensor;
  VarId const id = viewOf(tensor).locate(0).var;
  Variable const &variable = data_->variable(id);
  std::uint64_t const numTiles = target_.getNumTiles();
  std::uint64_t const perTile = (variable.numElements + numTiles - 1) / numTiles;
  std::uint32_t tile = 0;
  for (std::uint64_t begin = 0; begin < variable.numElements; begin += perTile, ++tile)
    data_->mapElements(id, begin, std::min(begin + perTile, variable.numElements),
                       tiles_ ? tiles_->toTop(tile) : tile);
  return tensor;
}

POP_INLINE Tensor Graph::addVariable(Type const &type, ArrayRef<std::size_t> shape,
                                     DebugContext const &debugContext) {
  return makeVariable(type, nullptr, shape, debugContext);
}

POP_INLINE Tensor Graph::addVariable(Type const &type, ArrayRef<std::size_t> shape,
                                     VariableMappingMethod mappingMethod,
                                     DebugContext const &debugContext) {
  cottonwood::graph::detail::requireMapping(mappingMethod);
  return spreadLinearly(makeVariable(type, nullptr, shape, debugContext), mappingMethod);
}

POP_INLINE Tensor Graph::addVariable(Type const &type, Tensor const &metadata,
                                     ArrayRef<std::size_t> shape,
                                     DebugContext const &debugContext) {
  return makeVariable(type, &metadata, shape, debugContext);
}

POP_INLINE Tensor Graph::addVariable(Type const &type, Tensor const &metadata,
                                     ArrayRef<std::size_t> shape,
                                     VariableMappingMethod mappingMethod,
                                     DebugContext const &debugContext) {
  cottonwood::graph::detail::requireMapping(mappingMethod);
  return spreadLinearly(makeVariable(type, &metadata, shape, debugContext), mappingMethod);
}

// ---- Constants

POP_INLINE Tensor Graph::makeConstant(Type const &type, MetadataOf metadata,
                                      ArrayRef<std::size_t> shape, void const *val,
                                      TypeTraits const &traits, bool broadcast,
                                      DebugContext const &debugContext) {
  using namespace cottonwood;
  char const *const where = "Graph::addConstant";
  graph::GraphData &graph = data(where);
  graph::checkVariableType(where, type);
  if (type.requiresMetadata() && !metadata)
    base::fail<tensor_metadata_error>(
        where, "a constant of type ", type,
        " without metadata; use the form that takes a metadata tensor");
  std::size_t const size = base::sizeOf(type);
  std::uint64_t const count =
      graph::detail::checkedCount(where, graph::detail::spanOf(shape), size);
  std::size_t const numValues = broadcast ? 1 : count;
  if (!val && numValues != 0)
    base::fail<tensor_creation_error>(where, "the values for shape ",
                                      base::shapeText(graph::detail::spanOf(shape)),
                                      " are a null pointer");
  std::string const name = base::DebugAccess::path(debugContext);
  graph::MetadataId const own = metadataFor(where, type, metadata, graph::kNoMetadata, name);
  std::vector<std::byte> bytes(numValues * size);
  graph::convertValues(where, type, val, traits, numValues, bytes.data(),
                       graph.constantMetadata(own));
  graph::NewVariables const made(graph);
  graph::VarId const id =
      graph.addConstant(type, graph::detail::spanOf(shape), std::move(bytes), broadcast, name, own);
  made.replicate({replicas_, replicaStride_});
  return graph::makeTensor(graph.wholeView(id));
}

POP_INLINE Tensor Graph::addConstant(Type const &type, ArrayRef<std::size_t> shape, void const *val,
                                     TypeTraits const &traits, bool broadcast,
                                     DebugContext const &debugContext) {
  return makeConstant(type, nullptr, shape, val, traits, broadcast, debugContext);
}

POP_INLINE Tensor Graph::addConstant(Type const &type, Tensor const &metadata,
                                     ArrayRef<std::size_t> shape, void const *val,
                                     TypeTraits const &traits, bool broadcast,
                                     DebugContext const &debugContext) {
  return makeConstant(type, &metadata, shape, val, traits, broadcast, debugContext);
}

POP_INLINE Tensor Graph::addConstantHalf(Type const &type, ArrayRef<std::size_t> shape,
                                         std::uint16_t val, DebugContext const &debugContext) {
  return addConstant(type, shape, &val, TypeTraits::make<IeeeHalf>(), true, debugContext);
}

POP_INLINE Tensor Graph::addConstantHalf(Type const &type, ArrayRef<std::size_t> shape,
                                         std::uint16_t const *val,
                                         DebugContext const &debugContext) {
  return addConstant(type, shape, val, TypeTraits::make<IeeeHalf>(), false, debugContext);
}

POP_INLINE Tensor Graph::addReplicationIndexConstant(DebugContext const &debugContext) {
  using namespace cottonwood::graph;
  GraphData &graph = data("Graph::addReplicationIndexConstant");
  NewVariables const made(graph);
  VarId const id =
      graph.addConstant(UNSIGNED_INT, {}, std::vector<std::byte>(sizeof(std::uint32_t)), false,
                        cottonwood::base::DebugAccess::path(debugContext));
  graph.variable(id).replicaScale = 1;
  made.replicate({replicas_, replicaStride_});
  return makeTensor(graph.wholeView(id));
}

// ---- Initial values

POP_INLINE void Graph::setTensorValue(Tensor const &t, void const *values, std::size_t count,
                                      TypeTraits const &traits, bool broadcast) {
  using namespace cottonwood;
  char const *const where = "Graph::setInitialValue";
  graph::GraphData &graph = data(where);
  graph::View const &view = graph::checkedView(where, "t", t, graph);
  if (!broadcast && count != view.numElements())
    base::fail<tensor_creation_error>(where, count, " values are given for a tensor of shape ",
                                      base::shapeText(view.shape()), ", which has ",
                                      view.numElements(), " elements");
  if (view.containsConstant())
    base::fail<poplar_error>(where, "the tensor of shape ", base::shapeText(view.shape()),
                             " has elements of a constant, which have their value already");
  std::size_t const size = base::sizeOf(view.type());
  std::vector<std::byte> bytes(count * size);
  graph::convertValues(where, view.type(), values, traits, count, bytes.data(),
                       graph.constantMetadata(view.metadata()));

  auto const setRun = [&](graph::VarId var, std::uint64_t begin, std::uint64_t runSize,
                          std::byte const *from) {
    for (unsigned k = 0; k < graph.variable(var).group.count; ++k) {
      graph::Variable &variable = graph.variable(graph.instance(var, k));
      if (!variable.initial)
        variable.initial = std::make_unique<graph::InitialValues>();
      variable.initial->set(begin, runSize, {from, broadcast ? size : runSize * size}, broadcast,
                            variable.numElements, size);
    }
  };
  if (broadcast) {
    view.forEachBlockUnordered([&](graph::StridedBlock const &block) {
      graph::forEachDenseRun(block, [&](std::uint64_t begin, std::uint64_t runSize) {
        setRun(block.var, begin, runSize, bytes.data());
      });
    });
    return;
  }
  std::byte const *from = bytes.data();
  view.forEachRun([&](graph::Run const &run) {
    setRun(run.var, run.begin, run.size, from);
    from += run.size * size;
  });
}

POP_INLINE void Graph::setInitialValueHalf(Tensor const &t, std::uint16_t val) {
  setTensorValue(t, &val, 1, TypeTraits::make<IeeeHalf>(), true);
}

POP_INLINE void Graph::setInitialValueHalf(Tensor const &t, ArrayRef<std::uint16_t> values) {
  setTensorValue(t, values.data(), values.size(), TypeTraits::make<IeeeHalf>(), false);
}

} // namespace poplar
