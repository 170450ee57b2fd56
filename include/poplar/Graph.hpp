// Graph: declares the variables, vertices, streams and functions that programs use, and where they
// live.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_GRAPH_HPP
#define POPLAR_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/CycleEstimateFunc.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/TensorRearranger.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VariableRef.hpp>
#include <poplar/VertexRegistration.hpp>
#include <poplar/replication_factor.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace cottonwood {
namespace graph {
class GraphData;
class TileTable;
struct HandleAccess;
} // namespace graph
} // namespace cottonwood

namespace poplar {

namespace program {
class Program;
}

/// The release, for example "3.3.0".
POP_API StringRef versionString();
/// A short text that identifies the build.
POP_API StringRef packageHash();

/// A movable handle of a graph and a choice of its tiles. All virtual graphs made from one graph
/// share its variables, vertices, streams, functions and codelets, and tensors outlive the handle
/// they were made through; they differ in which tiles they show and how they number them. Not
/// thread-safe; building several graphs in several threads is.
class POP_API Graph {
public:
  /// mapping[tile]: intervals of flattened element indices.
  using TileToTensorMapping = std::vector<std::vector<Interval>>;
  /// Element type and number of elements of an input or output of a host function.
  using HostFunctionArgument = std::tuple<Type, std::size_t>;

  /// One entry of the connections given to addVertex: a field and what it is connected to.
  class ConnectionDesc {
  public:
    ConnectionDesc(StringRef field, Tensor const &tensor)
        : kind_(Kind::One), field_(field), tensor_(tensor), traits_(TypeTraits::make<char>()) {}
    ConnectionDesc(StringRef field, Tensor &&tensor)
        : kind_(Kind::One), field_(field), tensor_(std::move(tensor)),
          traits_(TypeTraits::make<char>()) {}
    ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors)
        : kind_(Kind::Many), field_(field), tensors_(tensors.begin(), tensors.end()),
          traits_(TypeTraits::make<char>()) {}
    /// A constant.
    template <typename T>
    ConnectionDesc(StringRef field, T v,
                   typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr)
        : kind_(Kind::Value), field_(field), traits_(TypeTraits::make<T>()) {
      static_assert(sizeof(T) <= sizeof value_, "a simple type");
      __builtin_memcpy(value_, &v, sizeof v);
    }

  private:
    friend class Graph;
    enum class Kind { One, Many, Value };
    Kind kind_;
    std::string field_;
    Tensor tensor_;
    std::vector<Tensor> tensors_;
    TypeTraits traits_;
    unsigned char value_[16] = {};
  };

  /// An empty handle: assign to it before use. Anything else throws poplar_error.
  Graph();
  /// r times the same graph and programs, each replica with its own contents on 1/r of the IPUs:
  /// getTarget() is what one replica has. A CPU of several IPUs is Device::createCPUDevice(n).
  /// \throws graph_replication_error  r does not divide the number of IPUs.
  Graph(Target const &target, replication_factor r = replication_factor(1));
  Graph(Device const &device, replication_factor r = replication_factor(1));
  Graph(Graph &&other) noexcept;
  Graph &operator=(Graph &&other) noexcept;
  Graph(Graph const &) = delete;
  Graph &operator=(Graph const &) = delete;
  ~Graph();
  // Older forms; the number of tiles for input and output has no effect.
  Graph(Target const &target, unsigned numIOTiles, replication_factor r = replication_factor(1))
      : Graph(target, r) {
    static_cast<void>(numIOTiles);
  }
  Graph(Device const &device, unsigned numIOTiles, replication_factor r = replication_factor(1))
      : Graph(device, r) {
    static_cast<void>(numIOTiles);
  }

  /// The machine as this graph sees it: getNumTiles() is the number of tiles of a virtual graph.
  Target const &getTarget() const;
  unsigned getReplicationFactor() const;
  /// A handle of the whole graph with its full range of tiles.
  Graph getTopLevelGraph() const;

  // Codelets

  /// Makes a vertex class that POPLAR_VERTEX registered known to this graph alone; a graph's own
  /// codelets are found before those of the process.
  template <class V> void addCodelets() {
    cottonwood::codelet::addRegisteredVertex(*this, cottonwood::codelet::VertexKey<V>::get());
  }
  // Codelets from files and text, compiled by the popc command with a C++ compiler of this machine,
  // through a cache, or compiled before (docs/codelets.md). Known to this graph alone. Code runs in
  // this process with its rights: add only what you would compile into the program.
  /// \param src           a C++ or C source, an object to be linked (.o), or what popc made (.gp)
  /// \param type          Auto: by the ending of src
  /// \param compileFlags  for the compiler, split by the quoting rules of POSIX, without a shell
  /// \param targetName    has no effect: all targets run the same code
  /// \returns whether a vertex type is new to the graph. Warnings go to compileOutput, else to the
  /// standard error. Either all vertex types of a call are added or none.
  /// \throws file_load_error                  no such file
  /// \throws graph_program_compilation_error  with the compiler's text; also for assembly and IR
  /// \throws graph_object_load_error          a .gp is damaged, or has no code for this machine
  /// \throws link_error                       a function is defined nowhere
  /// \throws no_environment                   there is no popc or no compiler
  /// \throws poplar_error                     a vertex type of that name is defined differently
  bool addCodelets(StringRef src, CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "");
  bool addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags,
                   std::ostream &compileOutput, StringRef targetName = "");
  /// The sources among them are linked together: they may use each other's functions.
  bool addCodelets(ArrayRef<std::string> xs, StringRef compileFlags = "",
                   StringRef targetName = "");
  /// A source as text; messages call it codelets.cpp.
  void addCodelets(std::stringstream &stream, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  void addCodelets(std::stringstream &stream, StringRef compileFlags, std::ostream &compileOutput,
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  /// Whether addVertex would find a vertex type of that name.
  bool hasCodelet(StringRef codeletName) const;

  // Vertices

  ComputeSet addComputeSet(DebugContext const &debugContext = {});
  /// Adds a vertex, on no tile yet.
  /// \param vertexType  the class's full name; template arguments as poplar::Type::toString()
  /// spells them \throws unknown_vertex_type  no codelet of that name; the text says what is near
  /// and which call may be missing
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  /// The same, with one connect() for each entry, in order.
  VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections);
  unsigned getNumVertices() const;

  /// Connects an edge field. Scalar fields take one element of any rank, vector fields a tensor of
  /// rank 1 (or 0), fields of several regions a tensor of rank 2, row by row; v["f"][i] is one
  /// region of such a field. The tensor may be spread over variables and tiles; a field that is
  /// written takes no constants and no aliases. \throws graph_connection_error  wrong rank or size,
  /// connected already, not an edge, constant or aliased output \throws type_error element types
  /// differ \throws index_error             the field has fewer regions
  void connect(FieldRef field, Tensor const &tensor);
  /// Connects a scalar Input to a constant of that value, on the tile of the vertex. A scalar state
  /// field gets the value.
  template <typename T>
  void connect(FieldRef field, T v,
               typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr) {
    connectValue(field, &v, TypeTraits::make<T>());
  }
  /// Connects the regions of a field in order; a vector field gets the concatenation of all.
  void connect(FieldRef field, ArrayRef<Tensor> tensors);

  /// Fixes the number of regions of a field, so that they can be connected one by one. Sizes of
  /// fields count what the field holds: short vectors, not their elements.
  void setFieldSize(FieldRef field, std::size_t size);
  /// \throws no_size_specified  neither set nor implied by a connection.
  std::size_t getFieldSize(FieldRef field) const;
  /// The largest size that the layout of a field allows: of the only or outer (0) or the inner (1)
  /// dimension.
  std::size_t getMaxFieldDim(StringRef vertexName, StringRef fieldName, unsigned dimIndex) const;
  /// The largest value of an arithmetic state field.
  double getMaxVertexFieldValue(StringRef vertexName, StringRef fieldName) const;
  /// The same as std::uint64_t or std::int64_t. \throws poplar_error  T cannot hold it exactly.
  template <typename T> T getMaxVertexFieldValueAs(StringRef vertexName, StringRef fieldName) const;

  // Performance estimates: for profiles, never for results

  void setPerfEstimate(VertexRef const &v, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(VertexRef const &v, VertexPerfEstimate const &estimate);
  /// The vertex's own estimate, else that of its type. \throws missing_perf_estimate  there is
  /// neither.
  VertexPerfEstimate getPerfEstimate(VertexRef const &v) const;
  /// Estimates all vertices of a type; it need not be known yet. The last registration holds.
  void registerPerfEstimator(StringRef vertexTypeName, PerfEstimateFunc f);
  // Older names.
  void setCycleEstimate(VertexRef const &v, std::uint64_t cycles);
  std::uint64_t getCycleEstimate(VertexRef const &v) const;
  void registerCycleEstimator(StringRef vertexTypeName, CycleEstimateFunc f);

  // Variables

  /// A variable of undefined contents, contiguous in row-major order, mapped to no tile.
  /// \throws tensor_creation_error  unset type, a type without elements on this target, or too many
  /// elements
  ///
  /// A QUARTER variable gets a variable of its own for its metadata, on tile 0 and of undefined
  /// contents: Tensor::getMetadata() shows it, and the program has to set it.
  Tensor addVariable(Type const &type, ArrayRef<std::size_t> shape,
                     DebugContext const &debugContext = {});
  /// LINEAR spreads the elements evenly over the tiles of this graph, in order, lowest tiles first.
  Tensor addVariable(Type const &type, ArrayRef<std::size_t> shape,
                     VariableMappingMethod mappingMethod, DebugContext const &debugContext = {});
  /// A QUARTER variable whose metadata are that tensor, of one element of type QUARTER_METADATA,
  /// which may be shared and may be a constant; other types ignore it.
  /// \throws tensor_metadata_error  QUARTER with another tensor, or an invalid one
  Tensor addVariable(Type const &type, Tensor const &metadata, ArrayRef<std::size_t> shape,
                     DebugContext const &debugContext = {});
  Tensor addVariable(Type const &type, Tensor const &metadata, ArrayRef<std::size_t> shape,
                     VariableMappingMethod mappingMethod, DebugContext const &debugContext = {});

  // Constants: values convert from T to `type`. They need a tile like variables, and cannot be
  // written.

  /// One value an element, in row-major order.
  /// \throws tensor_creation_error  the number of values is not the number of elements
  /// \throws overflow_error         a value does not fit in an integer type
  template <typename T>
  Tensor addConstant(Type const &type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     DebugContext const &debugContext = {"<const>"}) {
    checkValueCount("addConstant", shape, values.size());
    return addConstant(type, shape, values.data(), TypeTraits::make<T>(), false, debugContext);
  }
  /// The same value for all elements.
  template <typename T>
  Tensor addConstant(Type const &type, ArrayRef<std::size_t> shape, T val,
                     DebugContext const &debugContext = {"<const>"},
                     typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr) {
    return addConstant(type, shape, &val, TypeTraits::make<T>(), true, debugContext);
  }
  template <typename T>
  Tensor addConstant(Type const &type, ArrayRef<std::size_t> shape, T const *val,
                     DebugContext const &debugContext = {"<const>"},
                     typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr) {
    return addConstant(type, shape, val, TypeTraits::make<T>(), false, debugContext);
  }
  Tensor addConstant(Type const &type, ArrayRef<std::size_t> shape, void const *val,
                     TypeTraits const &traits, bool broadcast,
                     DebugContext const &debugContext = {"<const>"});
  // With a metadata tensor, which all types but QUARTER ignore. Numbers become QUARTER by a
  // constant of metadata, rounded to nearest even, NaN where they are too large; by metadata that
  // may change, only zeros and NaN do. \throws tensor_metadata_error  QUARTER without metadata, or
  // as said
  template <typename T>
  Tensor addConstant(Type const &type, Tensor const &metadata, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values, DebugContext const &debugContext = {"<const>"}) {
    checkValueCount("addConstant", shape, values.size());
    return addConstant(type, metadata, shape, values.data(), TypeTraits::make<T>(), false,
                       debugContext);
  }
  template <typename T>
  Tensor addConstant(Type const &type, Tensor const &metadata, ArrayRef<std::size_t> shape, T val,
                     DebugContext const &debugContext = {"<const>"},
                     typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr) {
    return addConstant(type, metadata, shape, &val, TypeTraits::make<T>(), true, debugContext);
  }
  template <typename T>
  Tensor addConstant(Type const &type, Tensor const &metadata, ArrayRef<std::size_t> shape,
                     T const *val, DebugContext const &debugContext = {"<const>"},
                     typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr) {
    return addConstant(type, metadata, shape, val, TypeTraits::make<T>(), false, debugContext);
  }
  Tensor addConstant(Type const &type, Tensor const &metadata, ArrayRef<std::size_t> shape,
                     void const *val, TypeTraits const &traits, bool broadcast,
                     DebugContext const &debugContext = {"<const>"});
  /// IEEE binary16 bit patterns; `type` is HALF.
  Tensor addConstantHalf(Type const &type, ArrayRef<std::size_t> shape, std::uint16_t val,
                         DebugContext const &debugContext = {"<const>"});
  Tensor addConstantHalf(Type const &type, ArrayRef<std::size_t> shape, std::uint16_t const *val,
                         DebugContext const &debugContext = {"<const>"});
  /// [] UNSIGNED_INT: the index of the replica that reads it, 0 in a graph without replicas.
  Tensor addReplicationIndexConstant(DebugContext const &debugContext = {});

  /// New variables with the shape and the tile mapping of t, of undefined contents; see
  /// TensorCloneMethod for their order in memory.
  Tensor clone(Type const &type, Tensor const &t, DebugContext const &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(Type const &type, Tensor const &metadata, Tensor const &t,
               DebugContext const &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(Tensor const &t, DebugContext const &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(Tensor const &metadata, Tensor const &t, DebugContext const &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  /// N clones as one tensor of shape [N, t.shape()].
  Tensor cloneN(Type const &type, Tensor const &t, std::size_t N,
                DebugContext const &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(Type const &type, Tensor const &metadata, Tensor const &t, std::size_t N,
                DebugContext const &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(Tensor const &t, std::size_t N, DebugContext const &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(Tensor const &metadata, Tensor const &t, std::size_t N,
                DebugContext const &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);

  // Initial values

  /// The value of a state field, or of field[i] for a vector or array. Repeating replaces. An
  /// unconnected Input field gets a constant.
  /// \throws overflow_error  the value does not fit in the field's type.
  template <typename T>
  void setInitialValue(FieldRef field, T val,
                       typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr) {
    setFieldValue(field, &val, 1, TypeTraits::make<T>(), false);
  }
  /// The elements of a state vector, and so its size; those of a state field that is an array
  /// (`T f[N]`) or a short vector (`float2`), all of them.
  template <typename T> void setInitialValue(FieldRef field, ArrayRef<T> val) {
    setFieldValue(field, val.data(), val.size(), TypeTraits::make<T>(), true);
  }
  template <typename T> void setInitialValue(FieldRef field, std::vector<T> const &val) {
    setFieldValue(field, val.data(), val.size(), TypeTraits::make<T>(), true);
  }
  template <typename T> void setInitialValue(FieldRef field, std::initializer_list<T> val) {
    setInitialValue(field, ArrayRef<T>(val));
  }
  void setInitialValueHalf(FieldRef field, std::uint16_t val);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> val);

  /// What the elements hold whenever the program is loaded. The last call that touches an element
  /// holds. \throws tensor_creation_error  the number of values is not the number of elements
  /// \throws poplar_error           the tensor has constant elements
  template <typename T>
  void setInitialValue(Tensor const &t, T val,
                       typename std::enable_if<TypeTraits::isSimpleType<T>()>::type * = nullptr) {
    setTensorValue(t, &val, 1, TypeTraits::make<T>(), true);
  }
  template <typename T> void setInitialValue(Tensor const &t, ArrayRef<T> values) {
    setTensorValue(t, values.data(), values.size(), TypeTraits::make<T>(), false);
  }
  void setInitialValueHalf(Tensor const &t, std::uint16_t val);
  void setInitialValueHalf(Tensor const &t, ArrayRef<std::uint16_t> values);

  // Tiles

  /// Places a vertex. \throws invalid_tile_mapping  this graph has no such tile.
  void setTileMapping(VertexRef v, unsigned tileNum);
  /// Places the elements that t names; the last call that touches an element holds.
  void setTileMapping(Tensor const &t, unsigned tileNum);
  /// mapping[tile] are intervals of t's flattened elements; elements in no interval keep their
  /// tile. \throws invalid_tile_mapping  no such tile or element, or an element is on two tiles.
  void setTileMapping(Tensor const &t, TileToTensorMapping const &mapping);
  /// One entry for each tile of this graph: ascending, merged intervals of t's flattened elements.
  /// \throws invalid_tile_mapping  an element is unmapped and requireComplete is true, or it is on
  /// a tile that this
  ///                               virtual graph does not have and allowExternal is false.
  TileToTensorMapping getTileMapping(Tensor const &t, bool requireComplete = true,
                                     bool allowExternal = false) const;
  /// The same; *isComplete says whether all elements are mapped.
  TileToTensorMapping getTileMapping(Tensor const &t, bool *isComplete,
                                     bool allowExternal = false) const;
  /// The mapping of the whole variable that t is a view of.
  TileToTensorMapping getVariableTileMapping(Tensor const &t) const;

  // Memory order

  /// [elements] all of a variable in storage order.
  Tensor getVariable(VariableRef v) const;
  bool isConstant(VariableRef v) const;
  /// The elements that `regions` name (flattened indices of t), grouped into runs that are
  /// contiguous in storage, the runs ordered by variable and position. Each run is the list of
  /// intervals of t that make it up. \param removeAliasedIntervals  keep only the first of several
  /// elements with the same storage \param aliases                 gets one entry for each interval
  /// of the result: where its storage first occurs
  std::vector<std::vector<Interval>>
  getSortedContiguousRegions(Tensor const &t, ArrayRef<Interval> regions,
                             bool removeAliasedIntervals = false,
                             std::vector<std::size_t> *aliases = nullptr) const;
  /// Permutes the rank-1 tensor *t into storage order and every tensor of ts in the same way.
  void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool requireSimplestOrder = true) const;
  /// The order that reorderToSimplify would give t.flatten(), to use again and undo.
  TensorRearranger getSimplifyingRearranger(Tensor const &t) const;
  /// A view of the same rank where every dimension along which t merely repeats has extent 1.
  Tensor findUnbroadcastTensor(Tensor const &t) const;

  // Virtual graphs

  /// The first tiles of every IPU.
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  /// Tiles [lowerTile, upperTile).
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  /// These tiles of every IPU, numbered in the order of the list.
  Graph createVirtualGraph(std::vector<unsigned> const &perIpuTiles);
  /// A graph with 1/r of the IPUs whose variables, vertices and streams exist r times, once on each
  /// 1/r of this graph's IPUs; its replication factor is r times this graph's. Its tensors stand
  /// for all replicas in programs, and predicates must have the same value on all of them. Contents
  /// are reached one by one through getNonReplicatedTensor() of this graph; host handles of its
  /// tensors have the data of all replicas one after another. \throws graph_replication_error  r
  /// does not divide the number of IPUs.
  Graph createReplicatedGraph(unsigned replicationFactor);
  /// [r, t.shape()]: element i is t on replica i of a graph that createReplicatedGraph(r) made of
  /// this one.
  Tensor getNonReplicatedTensor(Tensor const &t) const;
  unsigned convertTileToTopLevelGraphTile(unsigned virtualTileId) const;
  unsigned convertTopLevelGraphTileToTile(unsigned topLevelTileId) const;
  // The machine's own numbering is the top-level graph's.
  unsigned convertVirtualTileToPhysicalTile(unsigned virtualTileId) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned physicalTileId) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipuId, unsigned physicalTileId) const;

  // Host access

  /// Lets Engine::writeTensor(handle) write t; the host buffer is t in row-major order.
  /// \throws poplar_error  the handle is taken, or t has constants or an element twice.
  void createHostWrite(StringRef handle, Tensor const &t, bool rearrangeOnHost = false);
  /// Lets Engine::readTensor(handle) read t, which may be any view.
  void createHostRead(StringRef handle, Tensor const &t, bool rearrangeOnHost = false);

  /// A stream of blocks of numElements elements. Declaring the same stream again returns the same
  /// stream. \param options  bufferingDepth: blocks asked for ahead, at least 1, default 1;
  ///                 splitLimit: bytes, larger blocks may travel in parts, 0 never, default
  ///                 52428800
  /// \throws invalid_option  unknown option or bad value
  /// \throws poplar_error    the handle is taken by another kind of stream
  DataStream
  addHostToDeviceFIFO(StringRef handle, Type const &elementType, std::size_t numElements,
                      ReplicatedStreamMode replicatedMode = ReplicatedStreamMode::REPLICATE,
                      OptionFlags const &options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, Type const &elementType, std::size_t numElements,
                                 OptionFlags const &options = {});

  /// Memory outside the tiles: `repeats` rows of numElements elements, for each replica. All zero
  /// when an engine loads, and kept as long as it stays loaded. Programs copy rows from and to it,
  /// the host with Engine::copyToRemoteBuffer and copyFromRemoteBuffer. Declaring the same buffer
  /// again returns the same buffer. rearrangeOnHost and optimiseMemory choose between speed and
  /// memory on devices of their own; here they are only reported.
  /// \throws poplar_error  the handle is taken by another buffer, there are no rows, or their bytes
  /// do not fit into 64 bits
  RemoteBuffer addRemoteBuffer(StringRef handle, Type const &elementType, std::size_t numElements,
                               std::size_t repeats = 1, bool rearrangeOnHost = false,
                               bool optimiseMemory = false);

  // Pictures and lists of a graph

  /// The compute sets and copies of the programs in the order in which these come to them, with the
  /// variables they use, in Graphviz's DOT. Without programs: all compute sets.
  void outputComputeGraph(std::ostream &outputStream, ArrayRef<program::Program> progs = {}) const;
  /// The vertices of these compute sets with the variables they are connected to.
  void outputVertexGraph(std::ostream &outputStream, ArrayRef<program::Program> progs = {}) const;
  /// Lists variables, compute sets and programs, as JSON or CBOR: for people and tools. What Engine
  /// can load again is an Executable.
  void serialize(std::ostream &out, ArrayRef<program::Program> progs,
                 SerializationFormat format) const;
  /// Writes what tensors are, without data: element types, shapes, places in their variables and
  /// tiles as this graph numbers them.
  void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                        SerializationFormat format) const;
  /// New variables with the structure and the tiles of those that serializeTensors wrote, constants
  /// included, and the tensors on them; an empty file has none.
  /// \throws parse_error  the text is no such file, or names tiles that this graph does not have.
  std::vector<Tensor> deserializeTensors(std::istream &in, SerializationFormat format);

  // Not available: these throw poplar_error, saying what serves instead.
  VertexRef addExternalExchangeVertex(ComputeSet cs, StringRef vertexType,
                                      unsigned incomingDownCount, bool usesEastEdge,
                                      bool sendsXReq);
  Tensor addExternalVariable(Type const &type, ArrayRef<std::size_t> shape, StringRef name,
                             DebugContext const &debugContext = {});
  void setInitialValue(Tensor const &t, std::map<unsigned, unsigned> const &values);
  void addCodeletPlaceholder(std::istream &stream, StringRef targetName = "");

  /// A program that Call runs, from as many places as it likes; a snapshot of `program`.
  Function addFunction(program::Program const &program);
  /// A place for the code of a function outside the tiles. Code takes no tile memory here, so
  /// copies to and from it do nothing.
  FunctionBuffer addFunctionBuffer(Function const &function, FunctionBufferMappingType mappingType);
  /// A function of the host: Call sends it one tensor for each input, and writes what it gives back
  /// for each output. Engine::connectHostFunction names the code.
  /// \throws poplar_error  the handle is taken, or a type is unset
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);

private:
  friend struct cottonwood::graph::HandleAccess;

  cottonwood::graph::GraphData &data(char const *where) const;
  /// A metadata tensor that was given, null if none was.
  typedef Tensor const *MetadataOf;
  Tensor makeVariable(Type const &type, MetadataOf metadata, ArrayRef<std::size_t> shape,
                      DebugContext const &debugContext);
  Tensor spreadLinearly(Tensor const &tensor, VariableMappingMethod method);
  Tensor makeConstant(Type const &type, MetadataOf metadata, ArrayRef<std::size_t> shape,
                      void const *val, TypeTraits const &traits, bool broadcast,
                      DebugContext const &debugContext);
  Tensor makeClone(char const *where, Type const &type, MetadataOf metadata, Tensor const &t,
                   DebugContext const &debugContext, TensorCloneMethod method);
  Tensor makeClones(Type const &type, MetadataOf metadata, Tensor const &t, std::size_t N,
                    DebugContext const &debugContext, TensorCloneMethod method,
                    TensorCloneDuplicationMethod duplicationMethod);
  std::uint32_t metadataFor(char const *where, Type const &type, MetadataOf metadata,
                            std::uint32_t inherited, std::string const &name);
  void connectValue(FieldRef field, void const *value, TypeTraits const &traits);
  void setFieldValue(FieldRef field, void const *values, std::size_t count,
                     TypeTraits const &traits, bool isArray);
  void setTensorValue(Tensor const &t, void const *values, std::size_t count,
                      TypeTraits const &traits, bool broadcast);
  static void checkValueCount(char const *where, ArrayRef<std::size_t> shape,
                              std::size_t numValues);

  std::shared_ptr<cottonwood::graph::GraphData> data_;
  std::shared_ptr<cottonwood::graph::TileTable const>
      tiles_; ///< null: all tiles, as the machine numbers them
  Target target_;
  unsigned replicas_ = 1; ///< of what is made through this graph: see impl/graph/ReplicaGroups.hpp
  unsigned replicaStride_ = 0; ///< tiles of the top-level graph from one replica to the next
};

template <>
POP_API std::uint64_t Graph::getMaxVertexFieldValueAs<std::uint64_t>(StringRef vertexName,
                                                                     StringRef fieldName) const;
template <>
POP_API std::int64_t Graph::getMaxVertexFieldValueAs<std::int64_t>(StringRef vertexName,
                                                                   StringRef fieldName) const;

} // namespace poplar

// Programs expect this header to bring Program.
#include <poplar/Program.hpp>

#endif
