// Runs compiled graphs.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_ENGINE_HPP
#define POPLAR_ENGINE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>
#include <string>
#include <vector>

namespace cottonwood {
namespace engine {
class Session; // impl/engine/Session.hpp
} // namespace engine
} // namespace cottonwood

namespace pva {
class Report; // <pva/pva.hpp>
} // namespace pva

namespace poplar {

/// Called with (progress, total) while a graph is compiled; the last call has progress == total >
/// 0.
using ProgressFunc = std::function<void(int, int)>;

/// Bytes that a worker has for itself on a device; nothing here depends on it.
static const unsigned WORKER_SCRATCH_SIZE = 48;

/// Compiles the programs, numbered from 0 in list order, for the graph's target.
///
/// Options: the engine options of the contract; unknown names and values are errors, and the
/// environment variable POPLAR_ENGINE_OPTIONS (a JSON object) overrides. Beside those:
/// `engine.numThreads` (at most this many threads run vertices; 0, the default: as many as the pool
/// has, see POPLAR_NUM_THREADS), `debug.dumpLowering` ("stdout", "stderr" or a folder: what
/// every pass of lowering made) and `debug.stopAtNan` ("true": a run ends with an
/// application_runtime_error at the first vertex that leaves a NaN in an output, with its type,
/// compute set and tile, and the tensor). \throws invalid_option          an unknown option, or a
/// value that does not parse. \throws invalid_tile_mapping    a tensor or vertex that the programs
/// use is not mapped. \throws graph_connection_error  a vertex field is not connected. \throws
/// graph_cycle_error       vertices of one compute set depend on each other. \throws
/// graph_recursion_error   a function calls itself.
POP_API Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs,
                                OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                                OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});

// The flag of these forms is published without its meaning. Nothing depends on it.
POP_API Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs, bool flag,
                                OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs, bool flag,
                                OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});

/// As above, for a device whose tiles also hold what `preallocations` names.
/// \throws graph_memory_allocation_error  a tile of an IPU cannot hold both.
/// \throws poplar_error                   they are of a target with another number of tiles.
POP_API Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs,
                                Preallocations const &preallocations, OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                                Preallocations const &preallocations, OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});
POP_API Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs,
                                Preallocations const &preallocations, bool flag,
                                OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                                Preallocations const &preallocations, bool flag,
                                OptionFlags const &opt = {},
                                ProgressFunc progressCallBack = ProgressFunc(),
                                DebugContext const &debugContext = {});

/// Compiles one program by itself: as compileGraph() does.
POP_API Module compileModule(Graph const &graph, program::Program prog, OptionFlags const &opt = {},
                             ProgressFunc progressCallBack = ProgressFunc(),
                             DebugContext const &debugContext = {});
POP_API Module compileModule(Graph &&graph, program::Program prog, OptionFlags const &opt = {},
                             ProgressFunc progressCallBack = ProgressFunc(),
                             DebugContext const &debugContext = {});
POP_API Module compileModule(Graph const &graph, program::Program prog,
                             Preallocations const &preallocations, OptionFlags const &opt = {},
                             ProgressFunc progressCallBack = ProgressFunc(),
                             DebugContext const &debugContext = {});
POP_API Module compileModule(Graph &&graph, program::Program prog,
                             Preallocations const &preallocations, OptionFlags const &opt = {},
                             ProgressFunc progressCallBack = ProgressFunc(),
                             DebugContext const &debugContext = {});

// The text of Engine::printProfileSummary from a file `profile.pop`, as the engine options
// autoReport.* make it; with the same options.
/// Target, graph and memory.
/// \throws file_load_error  there is no such file.
/// \throws parse_error      it is no profile.
POP_API void printGraphSummary(std::ostream &out, std::string const &profilePath,
                               OptionFlags const &opt = {});
/// The same, and what was executed if the file has it.
POP_API void printProfileSummary(std::ostream &out, std::string const &profilePath,
                                 OptionFlags const &opt = {});
// A literal would be a profile as well as a path.
inline void printGraphSummary(std::ostream &out, char const *profilePath,
                              OptionFlags const &opt = {}) {
  printGraphSummary(out, std::string(profilePath), opt);
}
inline void printProfileSummary(std::ostream &out, char const *profilePath,
                                OptionFlags const &opt = {}) {
  printProfileSummary(out, std::string(profilePath), opt);
}

/// Loads compiled programs on a device and runs them. One engine is used by one thread at a time;
/// several engines may be used by several threads.
/// While a program runs, its callbacks and other threads may call stop() and nothing else that
/// changes the engine or reads its tensors: load, run, connect... throw a poplar_error. So do all
/// functions of an engine that was moved from.
class POP_API Engine {
public:
  using ProgressFunc = poplar::ProgressFunc;

  /// A point in time of the host, see reportTiming().
  class TimerTimePoint {
  public:
    TimerTimePoint() {}

  private:
    friend class Engine;
    std::chrono::steady_clock::time_point time_;
  };

  // Compiling constructors: as compileGraph(). The name of the debug context names the engine.
  Engine(Graph const &graph, ArrayRef<program::Program> progs, OptionFlags const &opt = {},
         ProgressFunc progressCallBack = ProgressFunc(), DebugContext const &debugContext = {});
  Engine(Graph &&graph, ArrayRef<program::Program> progs, OptionFlags const &opt = {},
         ProgressFunc progressCallBack = ProgressFunc(), DebugContext const &debugContext = {});
  Engine(Graph const &graph, program::Program prog, OptionFlags const &opt = {},
         ProgressFunc progressCallBack = ProgressFunc(), DebugContext const &debugContext = {});
  Engine(Graph &&graph, program::Program prog, OptionFlags const &opt = {},
         ProgressFunc progressCallBack = ProgressFunc(), DebugContext const &debugContext = {});
  /// A compile-time option that differs from the executable's is logged and ignored.
  Engine(Executable const &exe, OptionFlags const &opt = {});
  Engine(Executable &&exe, OptionFlags const &opt = {});
  Engine(Engine &&other) noexcept;
  Engine &operator=(Engine &&other) noexcept;
  Engine(Engine const &) = delete;
  Engine &operator=(Engine const &) = delete;
  ~Engine();

  /// prepare() and deploy(). All variables get their initial contents, zero where none were given.
  /// \throws poplar_error  the device is not attached, or its target is not the one compiled for.
  void load(Device const &device);
  void prepare(Device const &device);
  void prepare(Device const &device, RuntimeOptions const &opt);
  /// \throws poplar_error  without prepare().
  void deploy();

  /// Runs program number `prog` to its end. Contents of variables persist from run to run. After an
  /// exception they are undefined until the next load(). \throws poplar_error             not
  /// loaded. \throws index_error              no such program. \throws stream_connection_error  the
  /// program meets a stream or host function that is not connected. \throws
  /// application_runtime_error  the program aborts, a vertex fails an assertion or calls abort(),
  /// or raises a floating-point exception that an option enables. Exceptions of callbacks and
  /// vertices pass through.
  void run(unsigned prog = 0, std::string const &debugName = "");
  void run(unsigned prog, std::string const &debugName, RuntimeOptions const &opt);
  void loadAndRun(Device const &device, unsigned prog = 0);
  /// Ends a running program at its next loop turn (the one call allowed from another thread), and
  /// gives back blocks that were prefetched. The engine must be loaded again before the next run.
  void stop();

  // Tensors by the handle given to Graph::createHostRead and createHostWrite; between runs.
  // Data are packed, row-major, elements as on the device (HALF: 2 bytes); in a replicated graph
  // the tensors of all replicas one after another, replica 0 first.
  /// \throws stream_connection_error  no such handle, or [buf, bufEnd) is smaller than the tensor.
  /// \throws tensor_io_state_error    not loaded.
  void readTensor(StringRef handle, void *buf, void *bufEnd);
  void writeTensor(StringRef handle, void const *buf, void const *bufEnd);
  template <class T> void readTensor(StringRef handle, gccs::ArrayRef<T> buf) {
    readTensor(handle, static_cast<void *>(buf.data()),
               static_cast<void *>(buf.data() + buf.size()));
  }
  template <class T> void writeTensor(StringRef handle, ArrayRef<T> buf) {
    writeTensor(handle, static_cast<void const *>(buf.data()),
                static_cast<void const *>(buf.data() + buf.size()));
  }
  // No candidate where T is named: writeTensor<float>("x", vector) would be ambiguous.
  template <int = 0, class T> void writeTensor(StringRef handle, gccs::ArrayRef<T> buf) {
    writeTensor(handle, static_cast<void const *>(buf.data()),
                static_cast<void const *>(buf.data() + buf.size()));
  }
  /// Writes QUARTER elements, one byte each, and their metadata.
  /// \throws tensor_metadata_error  other elements, or metadata that are a constant.
  void writeTensor(StringRef handle, QuarterMetadata const &metadata, void const *buf,
                   void const *bufEnd);
  /// As above for a buffer that the caller knows to be large enough.
  void readTensor(StringRef handle, void *buf);
  void writeTensor(StringRef handle, void const *buf);

  // Streams by handle, before or after load(); connecting again replaces.
  /// A circular buffer: each transfer takes the next bytes and starts again at the end. Its
  /// position is kept over runs. \throws stream_connection_error  no such stream, or the length is
  /// no positive multiple of a transfer's bytes.
  void connectStream(StringRef handle, void *begin, void *end);
  /// In a replicated graph transfer k of replica r takes (k * replicas + r) transfers from the
  /// beginning; of a broadcast stream all replicas take the same.
  /// A buffer of one transfer of all replicas, or of one if it is broadcast.
  void connectStream(StringRef handle, void *p);
  template <class T> void connectStream(StringRef handle, gccs::ArrayRef<T> const &buf) {
    connectStream(handle, static_cast<void *>(buf.data()),
                  static_cast<void *>(buf.data() + buf.size()));
  }
  void connectStream(DataStream const &stream, void *begin, void *end);
  void connectStream(DataStream const &stream, void *p);
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle f);
  /// `index` is the replica: 0 unless the graph is replicated. A broadcast stream has index 0
  /// alone.
  void connectStreamToCallback(StringRef handle, unsigned index, StreamCallbackHandle f);
  void connectStreamToCallback(DataStream const &stream, StreamCallbackHandle f);
  void connectStreamToCallback(DataStream const &stream, unsigned index, StreamCallbackHandle f);
  /// What a host function of the graph does, before or after load(); connecting again replaces.
  /// `index` is the replica: 0 unless the graph is replicated.
  /// \throws stream_connection_error  no such host function or replica, or f is null.
  void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle f);

  // One row of a remote buffer, numElements() elements; between runs. A buffer that no program uses
  // is one like others: it is zero until the host writes it.
  /// \throws stream_connection_error  no buffer has that handle, or w is shorter than a row.
  /// \throws index_error              no such row or replica.
  /// \throws tensor_io_state_error    not loaded.
  void copyFromRemoteBuffer(StringRef handle, void *w, std::uint64_t repeatIndex,
                            unsigned replicationIndex = 0);
  void copyToRemoteBuffer(void *w, StringRef handle, std::uint64_t repeatIndex,
                          unsigned replicationIndex = 0);
  template <class T>
  void copyFromRemoteBuffer(StringRef handle, gccs::ArrayRef<T> w, std::uint64_t repeatIndex,
                            unsigned replicationIndex = 0) {
    copyFromRemoteBuffer(handle, w.data(), w.size() * sizeof(T), repeatIndex, replicationIndex);
  }
  template <class T>
  void copyToRemoteBuffer(ArrayRef<T> w, StringRef handle, std::uint64_t repeatIndex,
                          unsigned replicationIndex = 0) {
    copyToRemoteBuffer(w.data(), w.size() * sizeof(T), handle, repeatIndex, replicationIndex);
  }
  template <class T>
  void copyToRemoteBuffer(gccs::ArrayRef<T> w, StringRef handle, std::uint64_t repeatIndex,
                          unsigned replicationIndex = 0) {
    copyToRemoteBuffer(w.data(), w.size() * sizeof(T), handle, repeatIndex, replicationIndex);
  }
  void copyFromRemoteBuffer(RemoteBuffer const &buffer, void *w, int repeatIndex,
                            unsigned replicationIndex = 0);
  void copyToRemoteBuffer(void *w, RemoteBuffer const &buffer, int repeatIndex,
                          unsigned replicationIndex = 0);
  /// The handles of all streams of the graph.
  std::vector<std::string> listStreams() const;

  /// The host's clock now.
  TimerTimePoint getTimeStamp();
  /// Text of the time between two points, in seconds and cycles of the target.
  std::string reportTiming(TimerTimePoint const &start, TimerTimePoint const &end);
  /// Forgets, stops and resumes recording what runs do.
  void resetExecutionProfile();
  void disableExecutionProfiling();
  void enableExecutionProfiling();
  /// Target, graph, memory and modelled cycles as text.
  /// \throws profiling_disabled  the target is a CPU.
  void printProfileSummary(std::ostream &out, OptionFlags const &opt = {});
  // The same figures as trees of values, as older programs ask for them.
  /// `target`, `graph` (numbers of vertices and the like), `vertexTypes` (vertices by type),
  /// `variables`, and `memory`: `byTile` has lists of bytes, `total` among them.
  /// \throws profiling_disabled  the target is a CPU.
  ProfileValue getGraphProfile() const;
  /// `programs` (names of runs), `cycles` of all, `tileAverages` (cycles of one tile by what it
  /// does), `vertexTypes` (`instances` and `cycles`), and `steps`, each with `type`, `name`,
  /// `executions` and the `cycles` of one. \throws profiling_disabled  the target is a CPU.
  ProfileValue getExecutionProfile() const;
  /// Both: `graphProfile` and `executionProfile`.
  ProfileValue getProfile() const;
  /// The same figures as objects. Callers include <pva/pva.hpp> and link libpva, which has the
  /// body. \param reportExecution  false: the graph alone.
  /// \throws profiling_disabled  the target is a CPU.
  pva::Report getReport(bool reportExecution = true) const;
  /// CSV with a title line: `begin` and `end` of intervals in cycles, and how many tiles compute,
  /// exchange, exchange with the host, or wait in a sync meanwhile. In a replicated graph those of
  /// replica 0. \throws profiling_disabled    the target is a CPU.
  /// \throws missing_profile_data  nothing was loaded, or the option debug.instrument is not set.
  void reportIntervals(std::ostream &out) const;

  /// Where PrintTensor prints; std::cerr unless set. The stream must outlive the runs.
  void setPrintStream(std::ostream &stream);
  void setPrintTensorStream(std::ostream &stream);
  /// All engine options with their effective values.
  OptionFlags getEngineOptions() const;
  /// Writes the engine's executable: Executable::serialize.
  void serializeExecutable(std::ostream &out) const;

  /// For tests of what an application does about failing devices: the next time that a vertex on
  /// the location's tile would run, run() throws what a device would report as `code`: an
  /// application_runtime_error for what programs cause, a recoverable_, unrecoverable_ or
  /// unknown_runtime_error else. Errors stay until they are erased.
  /// \throws index_error  the target has no such tile.
  void insertSimulatedError(ErrorCode code, ErrorLocation const &location);
  void eraseSimulatedError(ErrorLocation const &location);
  void clearSimulatedErrors();
  /// The tiles on which a program runs vertices, at most `limit` of them unless that is 0.
  /// \throws index_error  no such program.
  std::vector<ErrorLocation> getSimulatedErrorLocations(unsigned prog, unsigned limit = 0) const;
  /// The same of the compute sets whose name contains `name`.
  std::vector<ErrorLocation> getSimulatedErrorLocations(StringRef name, unsigned limit = 0) const;

private:
  void copyFromRemoteBuffer(StringRef handle, void *w, std::uint64_t bytes,
                            std::uint64_t repeatIndex, unsigned replicationIndex);
  void copyToRemoteBuffer(void const *w, std::uint64_t bytes, StringRef handle,
                          std::uint64_t repeatIndex, unsigned replicationIndex);

  std::unique_ptr<cottonwood::engine::Session> session_;
};

} // namespace poplar

#endif
