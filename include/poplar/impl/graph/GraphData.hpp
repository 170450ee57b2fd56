#pragma once
// Everything a program has declared in one graph: the shared state behind poplar::Graph and all its
// virtual graphs, and the input of lowering. Tiles are numbered as in the top-level graph
// throughout.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <poplar/DataStreamType.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/impl/codelet/Registry.hpp>
#include <poplar/impl/graph/ReplicaGroups.hpp>
#include <poplar/impl/graph/TileMap.hpp>
#include <poplar/impl/graph/View.hpp>
#include <poplar/impl/graph/ViewText.hpp>
#include <poplar/impl/program/Node.hpp>

namespace cottonwood::graph {

using VertexId = std::uint32_t;
using ComputeSetId = std::uint32_t;
using StreamId = std::uint32_t;
using FunctionId = std::uint32_t;
using RemoteBufferId = std::uint32_t;
using HostFunctionId = std::uint32_t;

/// Bytes a loaded program starts with, in the order they were given: later pieces overwrite earlier
/// ones.
class InitialValues {
public:
  struct Piece {
    std::uint64_t begin;  ///< element of the variable
    std::uint64_t size;   ///< elements
    std::uint64_t offset; ///< into bytes()
    bool splat;           ///< one element's bytes, repeated `size` times
  };
  /// Elements [begin, begin + size) of a variable of numElements elements get `bytes`: theirs all,
  /// or one splat value.
  void set(std::uint64_t begin, std::uint64_t size, std::span<std::byte const> bytes, bool splat,
           std::uint64_t numElements, std::size_t elementBytes);
  std::span<Piece const> pieces() const { return pieces_; }
  std::span<std::byte const> bytes() const { return bytes_; }

private:
  void makeDense(std::uint64_t numElements, std::size_t elementBytes);
  std::vector<Piece> pieces_;
  std::vector<std::byte> bytes_;
};

/// A variable, or a constant when its id has kConstantBit.
struct Variable {
  poplar::Type type;
  std::string name; ///< debug path, may be empty
  std::vector<std::size_t> shape;
  std::uint64_t numElements = 0;
  MetadataId metadata = kNoMetadata; ///< of QUARTER elements
  TileMap tiles;
  std::unique_ptr<InitialValues> initial; ///< variables only; null: undefined at load
  std::vector<std::byte> value;           ///< constants only: all elements, or one if splat
  bool splat = false;
  /// Constants only, if not 0: one UNSIGNED_INT that is `value` + replicaScale * index of the
  /// replica.
  std::uint32_t replicaScale = 0;
  ReplicaGroup group;      ///< if of several instances, this variable stands for them
  VarId firstInstance = 0; ///< instance 0; the others follow
};

struct ComputeSetData {
  std::string name;
  std::vector<VertexId> vertices; ///< in the order they were added
};

/// What one edge slot of a vertex is connected to. A contiguous region is stored in place.
struct EdgeSlot {
  enum class Kind : std::uint32_t {
    Unconnected,
    Run,  ///< elements [begin, begin + size) of variable var
    View, ///< views[var]
    List, ///< size slots from listSlots[begin]: the regions of a rank-2 field or a vector of scalar
          ///< edges
    Values, ///< a state vector: arrays[var], size elements, lanes of short vectors included
  };
  VarId var = 0;
  Kind kind = Kind::Unconnected;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(EdgeSlot) == 24);

/// One region of an edge field: a run, or a view with several runs.
struct Region {
  Run run{};
  View const *view = nullptr; ///< null: `run` is the whole region

  std::uint64_t numElements() const { return view ? view->numElements() : run.size; }
  template <class F> void forEachRun(F &&f) const {
    if (view)
      view->forEachRun(f);
    else if (run.size != 0)
      f(run);
  }
};

struct VertexData {
  std::uint32_t codelet; ///< index for GraphData::codelet(index)
  ComputeSetId computeSet;
  std::uint32_t tile; ///< kNoTile: not mapped
  std::uint32_t firstSlot;
  std::uint64_t firstValue;
};

struct StreamData {
  GraphId graph = 0;
  StreamId id = 0;
  std::string handle;
  poplar::Type type;
  std::uint64_t numElements = 0;
  poplar::DataStreamType direction = poplar::DataStreamType::HostToDeviceFIFO;
  poplar::ReplicatedStreamMode mode = poplar::ReplicatedStreamMode::REPLICATE;
  unsigned bufferingDepth = 1;
  std::uint64_t splitLimitBytes = 0; ///< 0: never split
  unsigned numReplicas = 1;          ///< in all
  unsigned group = 1;                ///< of them within one replica of the whole graph
};

struct RemoteBufferData {
  GraphId graph = 0;
  RemoteBufferId id = 0;
  std::string handle;
  poplar::Type type;
  std::uint64_t numElements = 0; ///< of one row
  std::uint64_t repeats = 1;     ///< rows
  bool rearrangeOnHost = false;
  bool optimiseMemory = false;
};

struct HostFunctionData {
  using Argument = std::pair<poplar::Type, std::uint64_t>; ///< element type, elements
  std::string handle;
  std::vector<Argument> inputs, outputs;
};

/// A tensor that Engine::writeTensor or readTensor reaches by its handle.
struct HostAccess {
  std::string handle;
  View view;
};

class POP_API GraphData final : public GraphNames, public std::enable_shared_from_this<GraphData> {
public:
  /// A graph of the given machine, entered in the process-wide table.
  /// \param target  of one replica
  static std::shared_ptr<GraphData> create(poplar::Target const &target, unsigned numReplicas = 1);
  /// The living graph of that id, null if there is none. Safe to call from any thread.
  static std::shared_ptr<GraphData> find(GraphId id);
  ~GraphData();
  GraphData(GraphData const &) = delete;
  GraphData &operator=(GraphData const &) = delete;

  // GraphNames
  std::string nameOf(VarId var) const override;
  bool readConstant(VarId var, std::uint64_t offset, std::span<std::byte> value) const override;
  View metadataView(MetadataId id) const override { return metadata(id); }

  GraphId id() const { return id_; }
  poplar::Target const &target() const { return target_; }
  unsigned numTiles() const { return numTiles_; }
  /// How many times the whole graph runs side by side, each with its own contents.
  unsigned numReplicas() const { return numReplicas_; }

  // Variables and constants
  VarId addVariable(poplar::Type type, std::span<std::size_t const> shape, std::string name,
                    MetadataId metadata = kNoMetadata);
  VarId addConstant(poplar::Type type, std::span<std::size_t const> shape,
                    std::vector<std::byte> value, bool splat, std::string name,
                    MetadataId metadata = kNoMetadata);
  std::size_t numVariables() const { return variables_.size(); }
  std::size_t numConstants() const { return constants_.size(); }
  static bool isConstant(VarId id) { return (id & kConstantBit) != 0; }
  Variable &variable(VarId id);
  Variable const &variable(VarId id) const { return const_cast<GraphData *>(this)->variable(id); }
  bool hasVariable(VarId id) const;
  /// State of the random number generators of all tiles, [tiles, worker contexts, 4] UNSIGNED_INT,
  /// row by row on its tile; made at the first call, with rows that all differ.
  VarId hwSeeds();
  /// Which floating point behaviour is switched on, [5] BOOL on tile 0 in the order of
  /// poplar::FloatingPointBehaviour's members; made at the first call, all false.
  VarId floatingPointBehaviour();
  /// For messages: `'conv/weights'`, or `variable 12` without a name.
  std::string describe(VarId id) const;
  View wholeView(VarId id) const;

  // Metadata of QUARTER elements
  /// The number of a tensor of one element; equal places have equal numbers.
  MetadataId addMetadata(View const &view);
  View const &metadata(MetadataId id) const { return metadata_[id - 1]; }
  /// The metadata if there are any and they are a constant.
  std::optional<poplar::QuarterMetadata> constantMetadata(MetadataId id) const;

  // Replica groups
  /// Adds the instances of a variable or constant, with the tiles it has so far.
  void makeGroup(VarId id, ReplicaGroup group);
  bool hasGroups() const { return hasGroups_; }
  /// Whether some graph of this process may have groups.
  static bool anyGroups() { return groupsExist().load(std::memory_order_relaxed); }
  VarId instance(VarId id, unsigned k) const;
  MetadataId instanceOfMetadata(MetadataId id, unsigned k, unsigned count);
  /// Vertices first, first + 1, ... are the instances of one.
  void makeVertexGroup(VertexId first, ReplicaGroup group);
  ReplicaGroup vertexGroup(VertexId id) const;
  std::uint32_t instanceTile(std::uint32_t tile, std::uint32_t k, ReplicaGroup group) const;
  /// Maps elements, and those of the other instances to the tiles of their replicas.
  void mapElements(VarId id, std::uint64_t begin, std::uint64_t end, std::uint32_t tile);

  // Compute sets and vertices
  ComputeSetId addComputeSet(std::string name);
  std::size_t numComputeSets() const { return computeSets_.size(); }
  ComputeSetData const &computeSet(ComputeSetId id) const { return computeSets_[id]; }
  VertexId addVertex(ComputeSetId computeSet, codelet::Codelet const &codelet);
  std::size_t numVertices() const { return vertices_.size(); }
  VertexData const &vertex(VertexId id) const { return vertices_[id]; }
  codelet::Codelet const &codeletOf(VertexId id) const { return *codelets_[vertices_[id].codelet]; }
  std::size_t numCodelets() const { return codelets_.size(); } ///< those that some vertex uses
  codelet::Codelet const &codelet(std::uint32_t index) const { return *codelets_[index]; }
  /// Places a vertex, and with it the constants that were given to its fields as values.
  void mapVertex(VertexId id, std::uint32_t tile);
  void followVertex(VertexId id, VarId constant);
  /// For messages: `popops::Reduce<float>, vertex 3 of compute set 'sum'`.
  std::string describeVertex(VertexId id) const;

  // Connections, as lowering reads them. `field` is an index into the codelet's fields.
  /// Whether every region of an edge field is connected.
  bool isConnected(VertexId id, unsigned field) const;
  /// Number of regions: 1 for scalar and vector edges, the field size for the others; nullopt while
  /// not known.
  std::optional<std::size_t> numRegions(VertexId id, unsigned field) const;
  Region region(VertexId id, unsigned field, std::size_t i = 0) const;
  /// Number of regions or values, as size() of the field in the codelet counts them: short vectors,
  /// not their lanes; 0 while not known.
  std::size_t fieldSize(VertexId id, unsigned field) const;
  /// State: the bytes of a scalar or array (zero if never set) or of the elements of a state
  /// vector.
  std::span<std::byte const> stateBytes(VertexId id, unsigned field) const;
  /// Whether setInitialValue reached this state field.
  bool hasValue(VertexId id, unsigned field) const;
  /// Calls f(Region) for every region of every edge field that is connected; f(field, i, region).
  template <class F> void forEachRegion(VertexId id, F &&f) const;
  /// Calls f(field, View) for the metadata that vectors of QUARTER elements bring with them, which
  /// the codelet reads.
  template <class F> void forEachMetadata(VertexId id, F &&f) const;
  static bool hasMetadata(codelet::Field const &field) {
    return field.type.requiresMetadata() && field.isEdge() &&
           (field.shape == codelet::FieldShape::Vector ||
            field.shape == codelet::FieldShape::VectorOfVectors);
  }
  MetadataId metadataOf(Region const &region) const {
    return region.view ? region.view->metadata() : variable(region.run.var).metadata;
  }

  // What libraries want reports to say of their operations: name and text.
  void addNote(std::string name, std::string text) {
    notes_.emplace_back(std::move(name), std::move(text));
  }
  std::vector<std::pair<std::string, std::string>> const &notes() const { return notes_; }

  // Connections, as Graph writes them.
  EdgeSlot &slot(VertexId id, unsigned field);
  EdgeSlot const &slot(VertexId id, unsigned field) const {
    return const_cast<GraphData *>(this)->slot(id, field);
  }
  EdgeSlot &listSlot(EdgeSlot const &list, std::size_t i) { return listSlots_[list.begin + i]; }
  EdgeSlot const &listSlot(EdgeSlot const &list, std::size_t i) const {
    return listSlots_[list.begin + i];
  }
  void makeList(EdgeSlot &slot, std::size_t size);
  void connectSlot(EdgeSlot &slot, View const &view);
  /// All bytes of a field that holds values.
  void setHeldValues(VertexId id, unsigned field, std::span<std::byte const> bytes);
  void setVectorValue(VertexId id, unsigned field, std::vector<std::byte> bytes, std::size_t size);

  // Performance estimates
  void setEstimate(VertexId id, poplar::VertexPerfEstimate estimate);
  /// Set on the vertex, else the registered estimator's, else the codelet's own cost function's;
  /// nullopt: none.
  std::optional<poplar::VertexPerfEstimate> estimate(VertexId id) const;
  /// Whether setEstimate() was called for the vertex.
  bool hasOwnEstimate(VertexId id) const { return id < estimates_.size() && estimates_[id].set; }
  void registerEstimator(std::string_view vertexType, poplar::PerfEstimateFunc function);

  // Host access, streams, functions
  /// The handle must not be taken: see findStream.
  std::shared_ptr<StreamData const> addStream(StreamData stream);
  std::shared_ptr<StreamData const> findStream(std::string_view handle) const;
  std::size_t numStreams() const { return streams_.size(); }
  StreamData const &stream(StreamId id) const { return *streams_[id]; }
  /// False if the handle is taken.
  bool addHostWrite(HostAccess access) {
    return addHostAccess(hostWrites_, hostWriteHandles_, std::move(access));
  }
  bool addHostRead(HostAccess access) {
    return addHostAccess(hostReads_, hostReadHandles_, std::move(access));
  }
  std::span<HostAccess const> hostWrites() const { return hostWrites_; }
  std::span<HostAccess const> hostReads() const { return hostReads_; }
  FunctionId addFunction(program::NodePtr body);
  std::size_t numFunctions() const { return functions_.size(); }
  program::NodePtr const &function(FunctionId id) const { return functions_[id]; }
  /// The handle must not be taken: see findRemoteBuffer.
  std::shared_ptr<RemoteBufferData const> addRemoteBuffer(RemoteBufferData buffer);
  std::shared_ptr<RemoteBufferData const> findRemoteBuffer(std::string_view handle) const;
  std::span<std::shared_ptr<RemoteBufferData const> const> remoteBuffers() const {
    return remoteBuffers_;
  }
  /// nullopt if the handle is taken.
  std::optional<HostFunctionId> addHostFunction(HostFunctionData function);
  std::span<HostFunctionData const> hostFunctions() const { return hostFunctions_; }
  unsigned addFunctionBuffer() { return numFunctionBuffers_++; }

  codelet::Registry &registry() { return registry_; }
  codelet::Registry const &registry() const { return registry_; }
  /// The codelet of that name: this graph's own, else the process-wide one; null if unknown.
  codelet::Codelet const *findCodelet(std::string_view name) const;

private:
  GraphData(poplar::Target const &target, unsigned numReplicas);
  std::uint32_t codeletIndex(codelet::Codelet const &codelet);
  Region regionOf(EdgeSlot const &slot) const {
    if (slot.kind == EdgeSlot::Kind::View)
      return {{}, &views_[slot.var]};
    return {{slot.var, slot.begin, slot.size}, nullptr};
  }
  std::byte *values(VertexId id) { return values_.data() + vertices_[id].firstValue; }

  static std::atomic<bool> &groupsExist();
  static bool addHostAccess(std::vector<HostAccess> &list, std::unordered_set<std::string> &handles,
                            HostAccess access);

  struct Estimate {
    poplar::VertexPerfEstimate value;
    bool set = false;
  };
  GraphId id_ = 0;
  poplar::Target target_;
  unsigned numTiles_ = 0;
  unsigned numReplicas_ = 1;
  std::deque<Variable> variables_;
  std::deque<Variable> constants_;
  std::deque<ComputeSetData> computeSets_;
  std::vector<VertexData> vertices_;
  std::vector<EdgeSlot> slots_;
  std::vector<std::pair<std::string, std::string>> notes_;
  std::vector<EdgeSlot> listSlots_;
  std::deque<View> views_;
  std::deque<View> metadata_;
  std::map<std::pair<VarId, std::uint64_t>, MetadataId> metadataIds_; ///< by where they are stored
  std::vector<std::vector<std::byte>> arrays_;
  std::vector<std::byte> values_;
  std::unordered_multimap<VertexId, VarId> valueEdges_;
  std::vector<Estimate> estimates_;
  std::unordered_map<std::string, poplar::PerfEstimateFunc> estimators_;
  std::vector<codelet::Codelet const *> codelets_;
  std::unordered_map<codelet::Codelet const *, std::uint32_t> codeletIndices_;
  codelet::Registry registry_;
  /// What findCodelet() found, by name as it was spelled, while the registry had so many codelets.
  using Spellings =
      std::unordered_map<std::string, codelet::Codelet const *, codelet::NameHash, std::equal_to<>>;
  mutable Spellings spellings_;
  mutable std::size_t spellingsOf_ = 0;
  std::vector<std::shared_ptr<StreamData const>> streams_;
  std::vector<HostAccess> hostWrites_, hostReads_;
  std::unordered_set<std::string> hostWriteHandles_, hostReadHandles_;
  std::unordered_map<std::string, StreamId, codelet::NameHash, std::equal_to<>> streamIds_;
  std::vector<program::NodePtr> functions_;
  std::vector<std::shared_ptr<RemoteBufferData const>> remoteBuffers_;
  std::vector<HostFunctionData> hostFunctions_;
  unsigned numFunctionBuffers_ = 0;
  std::optional<VarId> hwSeeds_, floatingPointBehaviour_;
  bool hasGroups_ = false;
  std::unordered_map<VertexId, ReplicaGroup> vertexGroups_;
};

template <class F> void GraphData::forEachRegion(VertexId id, F &&f) const {
  codelet::Codelet const &codelet = codeletOf(id);
  EdgeSlot const *const slots = slots_.data() + vertices_[id].firstSlot;
  for (unsigned field = 0; field < codelet.fields.size(); ++field) {
    if (!codelet.fields[field].isEdge())
      continue;
    EdgeSlot const &slot = slots[codelet.slotOfField[field]];
    if (slot.kind == EdgeSlot::Kind::List) {
      for (std::size_t i = 0; i < slot.size; ++i)
        f(field, i, regionOf(listSlot(slot, i)));
    } else if (!codelet.fields[field].hasManyRegions()) {
      f(field, std::size_t{0}, regionOf(slot));
    }
  }
}

template <class F> void GraphData::forEachMetadata(VertexId id, F &&f) const {
  codelet::Codelet const &codelet = codeletOf(id);
  for (unsigned field = 0; field < codelet.fields.size(); ++field)
    if (hasMetadata(codelet.fields[field]) && isConnected(id, field))
      for (std::size_t i = 0; i < numRegions(id, field).value_or(0); ++i)
        f(field, metadata(metadataOf(region(id, field, i))));
}

} // namespace cottonwood::graph
