#pragma once
#include <poplar/impl/graph/GraphData.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Mix.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

namespace cottonwood::graph {

// ---- The process-wide table

namespace detail {

struct GraphTable {
  std::mutex mutex;
  std::unordered_map<GraphId, std::weak_ptr<GraphData>> graphs;

  static GraphTable &get() {
    // Never destroyed: graphs of static lifetime leave it late.
    static GraphTable *const instance = new GraphTable;
    return *instance;
  }
};

/// A bijection whose results for 0, 1, 2 ... look random (SplitMix64).
POP_INLINE std::uint64_t scatterBits(std::uint64_t x) {
  return base::scrambleBits((x + 1) * base::GOLDEN_STEP);
}

POP_INLINE GraphId newGraphId() {
  static std::atomic<GraphId> last{0};
  return ++last;
}

} // namespace detail

POP_INLINE GraphData::GraphData(poplar::Target const &target, unsigned numReplicas)
    : id_(detail::newGraphId()), target_(target), numTiles_(target.getNumTiles()),
      numReplicas_(numReplicas) {
  registerGraphNames(id_, this);
}

POP_INLINE GraphData::~GraphData() {
  forgetGraphNames(id_);
  detail::GraphTable &table = detail::GraphTable::get();
  std::lock_guard const lock(table.mutex);
  table.graphs.erase(id_);
}

POP_INLINE std::shared_ptr<GraphData> GraphData::create(poplar::Target const &target,
                                                        unsigned numReplicas) {
  std::shared_ptr<GraphData> const graph(new GraphData(target, numReplicas));
  detail::GraphTable &table = detail::GraphTable::get();
  std::lock_guard const lock(table.mutex);
  table.graphs.emplace(graph->id(), graph);
  return graph;
}

POP_INLINE std::shared_ptr<GraphData> GraphData::find(GraphId id) {
  detail::GraphTable &table = detail::GraphTable::get();
  std::lock_guard const lock(table.mutex);
  auto const found = table.graphs.find(id);
  return found == table.graphs.end() ? nullptr : found->second.lock();
}

// ---- Initial values

POP_INLINE void InitialValues::set(std::uint64_t begin, std::uint64_t size,
                                   std::span<std::byte const> bytes, bool splat,
                                   std::uint64_t numElements, std::size_t elementBytes) {
  // Beyond this many pieces a plain array is smaller.
  std::uint64_t const maxPieces = 64 + numElements * elementBytes / sizeof(Piece);
  if (pieces_.size() >= maxPieces)
    makeDense(numElements, elementBytes);
  if (pieces_.size() == 1 && pieces_[0].size == numElements && !pieces_[0].splat) {
    for (std::uint64_t i = 0; splat && i < size; ++i)
      std::memcpy(bytes_.data() + (begin + i) * elementBytes, bytes.data(), elementBytes);
    if (!splat)
      std::memcpy(bytes_.data() + begin * elementBytes, bytes.data(), bytes.size());
    return;
  }
  if (size == numElements) { // nothing of the older values is left
    pieces_.clear();
    bytes_.clear();
  }
  bool const continues = !pieces_.empty() && !splat && !pieces_.back().splat &&
                         pieces_.back().begin + pieces_.back().size == begin;
  if (continues)
    pieces_.back().size += size;
  else
    pieces_.push_back({begin, size, bytes_.size(), splat});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

POP_INLINE void InitialValues::makeDense(std::uint64_t numElements, std::size_t elementBytes) {
  std::vector<std::byte> dense(numElements * elementBytes);
  for (Piece const &piece : pieces_) {
    std::byte const *const from = bytes_.data() + piece.offset;
    std::byte *const to = dense.data() + piece.begin * elementBytes;
    if (!piece.splat)
      std::memcpy(to, from, piece.size * elementBytes);
    for (std::uint64_t i = 0; piece.splat && i < piece.size; ++i)
      std::memcpy(to + i * elementBytes, from, elementBytes);
  }
  bytes_ = std::move(dense);
  pieces_ = {{0, numElements, 0, false}};
}

// ---- Variables and constants

namespace detail {

POP_INLINE Variable makeVariable(poplar::Type type, std::span<std::size_t const> shape,
                                 std::string name, MetadataId metadata) {
  Variable variable;
  variable.type = type;
  variable.metadata = metadata;
  variable.name = std::move(name);
  variable.shape.assign(shape.begin(), shape.end());
  variable.numElements = 1;
  for (std::size_t const size : shape)
    variable.numElements *= size;
  variable.tiles = TileMap(variable.numElements);
  return variable;
}

} // namespace detail

POP_INLINE VarId GraphData::addVariable(poplar::Type type, std::span<std::size_t const> shape,
                                        std::string name, MetadataId metadata) {
  variables_.push_back(detail::makeVariable(type, shape, std::move(name), metadata));
  return static_cast<VarId>(variables_.size() - 1);
}

POP_INLINE VarId GraphData::addConstant(poplar::Type type, std::span<std::size_t const> shape,
                                        std::vector<std::byte> value, bool splat, std::string name,
                                        MetadataId metadata) {
  constants_.push_back(detail::makeVariable(type, shape, std::move(name), metadata));
  constants_.back().value = std::move(value);
  constants_.back().splat = splat;
  return static_cast<VarId>(constants_.size() - 1) | kConstantBit;
}

POP_INLINE Variable &GraphData::variable(VarId id) {
  return isConstant(id) ? constants_[id & ~kConstantBit] : variables_[id];
}

POP_INLINE bool GraphData::hasVariable(VarId id) const {
  return isConstant(id) ? (id & ~kConstantBit) < constants_.size() : id < variables_.size();
}

POP_INLINE std::string GraphData::nameOf(VarId var) const {
  return hasVariable(var) ? variable(var).name : std::string();
}

POP_INLINE bool GraphData::readConstant(VarId var, std::uint64_t offset,
                                        std::span<std::byte> value) const {
  if (!isConstant(var) || !hasVariable(var))
    return false;
  Variable const &constant = variable(var);
  if (constant.replicaScale != 0 && (numReplicas_ > 1 || constant.group.count > 1))
    return false; // not the same everywhere
  std::size_t const from = constant.splat ? 0 : offset * value.size();
  if (from + value.size() > constant.value.size())
    return false;
  std::memcpy(value.data(), constant.value.data() + from, value.size());
  return true;
}

POP_INLINE std::string GraphData::describe(VarId id) const {
  std::string const &name = variable(id).name;
  if (!name.empty())
    return base::quoted(name);
  return base::textOf(isConstant(id) ? "constant " : "variable ", id & ~kConstantBit);
}

POP_INLINE View GraphData::wholeView(VarId id) const {
  Variable const &var = variable(id);
  return View::whole(id_, id, var.type, var.shape, var.metadata);
}

POP_INLINE MetadataId GraphData::addMetadata(View const &view) {
  View::Location const place = view.locate(0);
  if (metadata_.size() == kMaxMetadata)
    base::fail<poplar::tensor_metadata_error>("Graph", "there are ", kMaxMetadata,
                                              " metadata tensors, and no more can be; share some");
  auto const next = static_cast<MetadataId>(metadata_.size() + 1);
  auto const [entry, isNew] = metadataIds_.emplace(std::pair(place.var, place.offset), next);
  if (isNew)
    metadata_.push_back(view);
  return entry->second;
}

POP_INLINE std::optional<poplar::QuarterMetadata> GraphData::constantMetadata(MetadataId id) const {
  if (id == kNoMetadata)
    return std::nullopt;
  View::Location const place = metadata(id).locate(0);
  std::byte binary{};
  if (!readConstant(place.var, place.offset, {&binary, 1}))
    return std::nullopt;
  return poplar::QuarterMetadata(std::to_integer<unsigned char>(binary));
}

POP_INLINE VarId GraphData::floatingPointBehaviour() {
  if (floatingPointBehaviour_)
    return *floatingPointBehaviour_;
  std::size_t const shape[] = {5};
  VarId const id = addVariable(poplar::BOOL, shape, "floatingPointBehaviour");
  floatingPointBehaviour_ = id;
  variable(id).tiles.set(0, shape[0], 0);
  return id;
}

POP_INLINE VarId GraphData::hwSeeds() {
  if (hwSeeds_)
    return *hwSeeds_;
  std::size_t const shape[] = {numTiles_, target_.getNumWorkerContexts(), 4};
  VarId const id = addVariable(poplar::UNSIGNED_INT, shape, "hwSeeds");
  hwSeeds_ = id;
  Variable &var = variable(id);
  std::uint64_t const perTile = shape[1] * shape[2];
  for (std::uint32_t tile = 0; tile != numTiles_; ++tile)
    var.tiles.set(tile * perTile, (tile + 1) * perTile, tile);
  // A bijection of the position of each pair of words: no two rows begin alike.
  std::vector<std::uint64_t> pairs(var.numElements / 2);
  for (std::size_t i = 0; i != pairs.size(); ++i)
    pairs[i] = detail::scatterBits(i);
  var.initial = std::make_unique<InitialValues>();
  var.initial->set(0, var.numElements, std::as_bytes(std::span(pairs)), false, var.numElements,
                   sizeof(std::uint32_t));
  return id;
}

// ---- Compute sets and vertices

POP_INLINE ComputeSetId GraphData::addComputeSet(std::string name) {
  computeSets_.push_back({std::move(name), {}});
  return static_cast<ComputeSetId>(computeSets_.size() - 1);
}

POP_INLINE codelet::Codelet const *GraphData::findCodelet(std::string_view name) const {
  if (spellingsOf_ != registry_.size())
    spellings_.clear(); // the graph's own go first
  spellingsOf_ = registry_.size();
  if (auto const known = spellings_.find(name); known != spellings_.end())
    return known->second;
  codelet::Codelet const *found = registry_.find(name);
  if (!found)
    found = codelet::findProcessWide(name);
  if (found)
    spellings_.emplace(name, found);
  return found;
}

POP_INLINE std::uint32_t GraphData::codeletIndex(codelet::Codelet const &codelet) {
  if (auto const found = codeletIndices_.find(&codelet); found != codeletIndices_.end())
    return found->second;
  auto const index = static_cast<std::uint32_t>(codelets_.size());
  codelets_.push_back(&codelet);
  codeletIndices_.emplace(&codelet, index);
  return index;
}

POP_INLINE VertexId GraphData::addVertex(ComputeSetId computeSet, codelet::Codelet const &codelet) {
  VertexId const id = static_cast<VertexId>(vertices_.size());
  vertices_.push_back({codeletIndex(codelet), computeSet, kNoTile,
                       static_cast<std::uint32_t>(slots_.size()),
                       static_cast<std::uint64_t>(values_.size())});
  slots_.resize(slots_.size() + codelet.numRegionFields);
  if (codelet.initialValues.empty())
    values_.resize(values_.size() + codelet.valueBytes);
  else
    values_.insert(values_.end(), codelet.initialValues.begin(), codelet.initialValues.end());
  computeSets_[computeSet].vertices.push_back(id);
  return id;
}

POP_INLINE void GraphData::mapVertex(VertexId id, std::uint32_t tile) {
  vertices_[id].tile = tile;
  if (valueEdges_.empty())
    return;
  auto const [first, last] = valueEdges_.equal_range(id);
  for (auto edge = first; edge != last; ++edge) {
    Variable &constant = variable(edge->second);
    constant.tiles.set(0, constant.numElements, tile);
  }
}

POP_INLINE void GraphData::followVertex(VertexId id, VarId constant) {
  valueEdges_.emplace(id, constant);
  variable(constant).tiles.set(0, variable(constant).numElements, vertices_[id].tile);
}

POP_INLINE std::string GraphData::describeVertex(VertexId id) const {
  std::string const &name = computeSets_[vertices_[id].computeSet].name;
  return base::textOf(codeletOf(id).name, ", vertex ", id, " of compute set ",
                      name.empty() ? base::textOf(vertices_[id].computeSet) : base::quoted(name));
}

// ---- Connections

POP_INLINE EdgeSlot &GraphData::slot(VertexId id, unsigned field) {
  return slots_[vertices_[id].firstSlot + codeletOf(id).slotOfField[field]];
}

POP_INLINE void GraphData::makeList(EdgeSlot &slot, std::size_t size) {
  slot = {0, EdgeSlot::Kind::List, listSlots_.size(), size};
  listSlots_.resize(listSlots_.size() + size);
}

POP_INLINE void GraphData::connectSlot(EdgeSlot &slot, View const &view) {
  if (view.numElements() == 0 && view.metadata() == kNoMetadata) {
    slot = {0, EdgeSlot::Kind::Run, 0, 0};
  } else if (auto const run = view.asRun()) {
    slot = {run->var, EdgeSlot::Kind::Run, run->begin, run->size};
  } else {
    slot = {static_cast<VarId>(views_.size()), EdgeSlot::Kind::View, 0, view.numElements()};
    views_.push_back(view);
  }
}

POP_INLINE bool GraphData::isConnected(VertexId id, unsigned field) const {
  EdgeSlot const &first = slot(id, field);
  if (first.kind != EdgeSlot::Kind::List)
    return first.kind != EdgeSlot::Kind::Unconnected;
  for (std::size_t i = 0; i < first.size; ++i)
    if (listSlot(first, i).kind == EdgeSlot::Kind::Unconnected)
      return false;
  return true;
}

POP_INLINE std::optional<std::size_t> GraphData::numRegions(VertexId id, unsigned field) const {
  if (!codeletOf(id).fields[field].hasManyRegions())
    return 1;
  EdgeSlot const &first = slot(id, field);
  if (first.kind != EdgeSlot::Kind::List)
    return std::nullopt;
  return first.size;
}

POP_INLINE Region GraphData::region(VertexId id, unsigned field, std::size_t i) const {
  EdgeSlot const &first = slot(id, field);
  return regionOf(first.kind == EdgeSlot::Kind::List ? listSlot(first, i) : first);
}

POP_INLINE std::size_t GraphData::fieldSize(VertexId id, unsigned field) const {
  codelet::Field const &declared = codeletOf(id).fields[field];
  if (declared.holdsValues() || declared.shape == codelet::FieldShape::Scalar)
    return declared.count;
  EdgeSlot const &first = slot(id, field);
  return first.kind == EdgeSlot::Kind::List ? first.size : first.size / declared.lanes;
}

POP_INLINE std::span<std::byte const> GraphData::stateBytes(VertexId id, unsigned field) const {
  codelet::Codelet const &codelet = codeletOf(id);
  if (codelet.slotOfField[field] == codelet::Codelet::kNoSlot)
    return {values_.data() + vertices_[id].firstValue + codelet.fields[field].valueSlot,
            codelet.fields[field].valueBytes};
  EdgeSlot const &values = slot(id, field);
  if (values.kind != EdgeSlot::Kind::Values)
    return {};
  return arrays_[values.var];
}

POP_INLINE bool GraphData::hasValue(VertexId id, unsigned field) const {
  codelet::Codelet const &codelet = codeletOf(id);
  if (codelet.slotOfField[field] != codelet::Codelet::kNoSlot)
    return slot(id, field).kind == EdgeSlot::Kind::Values;
  std::span<std::byte const> const bytes = stateBytes(id, field);
  return bytes.data()[bytes.size()] != std::byte{0}; // the byte behind the values
}

POP_INLINE void GraphData::setHeldValues(VertexId id, unsigned field,
                                         std::span<std::byte const> bytes) {
  std::byte *const to = values(id) + codeletOf(id).fields[field].valueSlot;
  std::memcpy(to, bytes.data(), bytes.size());
  to[bytes.size()] = std::byte{1};
}

POP_INLINE void GraphData::setVectorValue(VertexId id, unsigned field, std::vector<std::byte> bytes,
                                          std::size_t size) {
  EdgeSlot &values = slot(id, field);
  if (values.kind == EdgeSlot::Kind::Values) {
    arrays_[values.var] = std::move(bytes);
    values.size = size;
    return;
  }
  values = {static_cast<VarId>(arrays_.size()), EdgeSlot::Kind::Values, 0, size};
  arrays_.push_back(std::move(bytes));
}

// ---- Host access, streams, functions

POP_INLINE std::shared_ptr<StreamData const> GraphData::findStream(std::string_view handle) const {
  auto const found = streamIds_.find(handle);
  return found == streamIds_.end() ? nullptr : streams_[found->second];
}

POP_INLINE std::shared_ptr<StreamData const> GraphData::addStream(StreamData stream) {
  stream.graph = id_;
  stream.id = static_cast<StreamId>(streams_.size());
  streamIds_.emplace(stream.handle, stream.id);
  streams_.push_back(std::make_shared<StreamData const>(std::move(stream)));
  return streams_.back();
}

POP_INLINE std::shared_ptr<RemoteBufferData const>
GraphData::findRemoteBuffer(std::string_view handle) const {
  auto const found = std::find_if(remoteBuffers_.begin(), remoteBuffers_.end(),
                                  [&](auto const &buffer) { return buffer->handle == handle; });
  return found == remoteBuffers_.end() ? nullptr : *found;
}

POP_INLINE std::shared_ptr<RemoteBufferData const>
GraphData::addRemoteBuffer(RemoteBufferData buffer) {
  buffer.graph = id_;
  buffer.id = static_cast<RemoteBufferId>(remoteBuffers_.size());
  remoteBuffers_.push_back(std::make_shared<RemoteBufferData const>(std::move(buffer)));
  return remoteBuffers_.back();
}

POP_INLINE std::optional<HostFunctionId> GraphData::addHostFunction(HostFunctionData function) {
  bool const taken =
      std::any_of(hostFunctions_.begin(), hostFunctions_.end(),
                  [&](HostFunctionData const &other) { return other.handle == function.handle; });
  if (taken)
    return std::nullopt;
  hostFunctions_.push_back(std::move(function));
  return static_cast<HostFunctionId>(hostFunctions_.size() - 1);
}

POP_INLINE bool GraphData::addHostAccess(std::vector<HostAccess> &list,
                                         std::unordered_set<std::string> &handles,
                                         HostAccess access) {
  if (!handles.insert(access.handle).second)
    return false;
  list.push_back(std::move(access));
  return true;
}

POP_INLINE FunctionId GraphData::addFunction(program::NodePtr body) {
  functions_.push_back(std::move(body));
  return static_cast<FunctionId>(functions_.size() - 1);
}

} // namespace cottonwood::graph
