// Body of poplar/Engine.hpp, without its reports (impl/profile).
#pragma once

#include <poplar/Engine.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/engine/CodeletTable.hpp>
#include <poplar/impl/engine/ExecutableFile.hpp>
#include <poplar/impl/engine/OptionTable.hpp>
#include <poplar/impl/engine/Reports.hpp>
#include <poplar/impl/engine/Session.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/lower/Lower.hpp>
#include <poplar/impl/model/Machine.hpp>
#include <poplar/impl/program/Access.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

namespace cottonwood::engine::detail {

POP_INLINE std::string_view viewOf(poplar::StringRef text) { return {text.data(), text.size()}; }

/// A model only reports what does not fit.
POP_INLINE void checkMemory(lower::ExecutableData const &executable,
                            std::vector<std::uint64_t> const &preallocated) {
  std::string const shortage = lower::memoryShortage(executable, preallocated);
  if (shortage.empty())
    return;
  poplar::graph_memory_allocation_error error("Engine: " + shortage);
  reportShortage(error, executable);
  throw error;
}

POP_INLINE poplar::Executable compile(poplar::Graph const &graph,
                                      poplar::ArrayRef<poplar::program::Program> programs,
                                      poplar::OptionFlags const &options,
                                      poplar::ProgressFunc progress,
                                      poplar::DebugContext const &debugContext,
                                      std::vector<std::uint64_t> const &preallocated = {}) {
  std::shared_ptr<graph::GraphData> const &data = graph::HandleAccess::data(graph);
  if (!data)
    base::fail<poplar::poplar_error>("Engine", "the graph is empty (moved from)");
  lower::LowerRequest request;
  for (poplar::program::Program const &program : programs)
    request.programs.push_back(program::Access::node(program));
  request.options = effectiveOptions(options);
  request.lowering.dump = textOption(request.options, "debug.dumpLowering");
  bool const allowOutOfMemory = flagOption(request.options, "debug.allowOutOfMemory");
  request.lowering.watchOutputs = flagOption(request.options, "debug.stopAtNan");
  request.lowering.scalarVertices = flagOption(request.options, "debug.floatPointOpException") ||
                                    flagOption(request.options, "debug.nanOverflowException");
  // So that an address names one variable.
  request.lowering.shareMemory = !request.lowering.watchOutputs;
  request.name = base::DebugAccess::path(debugContext);
  request.isa = std::string(isa::name(model::cpuFacts().isa));
  request.progress = std::move(progress);
  bool const verify = flagOption(request.options, "debug.verify");
  std::shared_ptr<lower::ExecutableData const> executable = lower::lower(*data, std::move(request));
  if (executable->target.getTargetType() == poplar::TargetType::IPU && !allowOutOfMemory)
    checkMemory(*executable, preallocated);
  if (verify)
    verifyExecutable(*executable);
  for (std::uint32_t i = 0; i < data->numCodelets(); ++i)
    if (!data->codelet(i).object)
      rememberCodelet(data->codelet(i));
  return poplar::Executable(std::move(executable));
}

POP_INLINE std::unique_ptr<Session> makeSession(poplar::Executable const &executable) {
  return std::make_unique<Session>(executable.data(), executable.data()->options);
}

POP_INLINE std::uint64_t distance(void const *begin, void const *end, char const *where,
                                  poplar::StringRef handle) {
  auto const bytes = static_cast<std::byte const *>(end) - static_cast<std::byte const *>(begin);
  if (bytes < 0)
    base::fail<poplar::stream_connection_error>(where, "the buffer for tensor '", handle,
                                                "' ends before it begins");
  return static_cast<std::uint64_t>(bytes);
}

/// The compute sets that a program executes, those of functions it calls included.
POP_INLINE std::vector<std::uint32_t> computeSetsOf(lower::ExecutableData const &executable,
                                                    std::uint32_t program) {
  using lower::Op;
  std::vector<std::uint32_t> sets, starts{executable.entryPoints[program]};
  for (std::size_t i = 0; i < starts.size(); ++i) // grows as calls are met
    for (std::uint32_t at = starts[i];; ++at) {
      lower::Instruction const &now = executable.instructions[at];
      if (now.op == Op::End || now.op == Op::Return)
        break;
      if (now.op == Op::Execute || now.op == Op::ExecuteWithExit)
        sets.push_back(now.a);
      if (now.op == Op::Call && std::find(starts.begin(), starts.end(), now.a) == starts.end())
        starts.push_back(now.a);
    }
  return sets;
}

/// The tiles of their vertices.
POP_INLINE std::vector<poplar::ErrorLocation>
errorLocations(lower::ExecutableData const &executable, std::vector<std::uint32_t> const &sets,
               unsigned limit) {
  std::set<std::uint32_t> tiles;
  for (std::uint32_t const set : sets) {
    lower::ComputeSetPlan const &plan = executable.computeSets[set];
    for (std::uint64_t i = plan.firstCall; i < plan.firstCall + plan.numCalls; ++i)
      tiles.insert(executable.calls[i].tile);
  }
  std::vector<poplar::ErrorLocation> locations;
  for (std::uint32_t const tile : tiles)
    if (limit == 0 || locations.size() < limit)
      locations.emplace_back(tile);
  return locations;
}

} // namespace cottonwood::engine::detail

namespace poplar {

namespace engineDetail = cottonwood::engine::detail;

POP_INLINE Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs,
                                   OptionFlags const &opt, ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  return engineDetail::compile(graph, progs, opt, std::move(progressCallBack), debugContext);
}

POP_INLINE Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                                   OptionFlags const &opt, ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  Graph const taken(std::move(graph)); // its memory is given back when it is compiled
  return engineDetail::compile(taken, progs, opt, std::move(progressCallBack), debugContext);
}

POP_INLINE Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs, bool,
                                   OptionFlags const &opt, ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  return engineDetail::compile(graph, progs, opt, std::move(progressCallBack), debugContext);
}

POP_INLINE Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs, bool,
                                   OptionFlags const &opt, ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  return compileGraph(std::move(graph), progs, opt, std::move(progressCallBack), debugContext);
}

POP_INLINE Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs,
                                   Preallocations const &preallocations, OptionFlags const &opt,
                                   ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  return engineDetail::compile(graph, progs, opt, std::move(progressCallBack), debugContext,
                               preallocations.bytesByTile());
}

POP_INLINE Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                                   Preallocations const &preallocations, OptionFlags const &opt,
                                   ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  Graph const taken(std::move(graph));
  return compileGraph(taken, progs, preallocations, opt, std::move(progressCallBack), debugContext);
}

POP_INLINE Executable compileGraph(Graph const &graph, ArrayRef<program::Program> progs,
                                   Preallocations const &preallocations, bool,
                                   OptionFlags const &opt, ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  return compileGraph(graph, progs, preallocations, opt, std::move(progressCallBack), debugContext);
}

POP_INLINE Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                                   Preallocations const &preallocations, bool,
                                   OptionFlags const &opt, ProgressFunc progressCallBack,
                                   DebugContext const &debugContext) {
  return compileGraph(std::move(graph), progs, preallocations, opt, std::move(progressCallBack),
                      debugContext);
}

POP_INLINE Module compileModule(Graph const &graph, program::Program prog, OptionFlags const &opt,
                                ProgressFunc progressCallBack, DebugContext const &debugContext) {
  return Module(compileGraph(graph, ArrayRef<program::Program>(&prog, 1), opt,
                             std::move(progressCallBack), debugContext));
}

POP_INLINE Module compileModule(Graph &&graph, program::Program prog, OptionFlags const &opt,
                                ProgressFunc progressCallBack, DebugContext const &debugContext) {
  return Module(compileGraph(std::move(graph), ArrayRef<program::Program>(&prog, 1), opt,
                             std::move(progressCallBack), debugContext));
}

POP_INLINE Module compileModule(Graph const &graph, program::Program prog,
                                Preallocations const &preallocations, OptionFlags const &opt,
                                ProgressFunc progressCallBack, DebugContext const &debugContext) {
  return Module(compileGraph(graph, ArrayRef<program::Program>(&prog, 1), preallocations, opt,
                             std::move(progressCallBack), debugContext));
}

POP_INLINE Module compileModule(Graph &&graph, program::Program prog,
                                Preallocations const &preallocations, OptionFlags const &opt,
                                ProgressFunc progressCallBack, DebugContext const &debugContext) {
  return Module(compileGraph(std::move(graph), ArrayRef<program::Program>(&prog, 1), preallocations,
                             opt, std::move(progressCallBack), debugContext));
}

POP_INLINE Engine::Engine(Graph const &graph, ArrayRef<program::Program> progs,
                          OptionFlags const &opt, ProgressFunc progressCallBack,
                          DebugContext const &debugContext)
    : session_(engineDetail::makeSession(
          compileGraph(graph, progs, opt, std::move(progressCallBack), debugContext))) {}

POP_INLINE Engine::Engine(Graph &&graph, ArrayRef<program::Program> progs, OptionFlags const &opt,
                          ProgressFunc progressCallBack, DebugContext const &debugContext)
    : session_(engineDetail::makeSession(
          compileGraph(std::move(graph), progs, opt, std::move(progressCallBack), debugContext))) {}

POP_INLINE Engine::Engine(Graph const &graph, program::Program prog, OptionFlags const &opt,
                          ProgressFunc progressCallBack, DebugContext const &debugContext)
    : Engine(graph, ArrayRef<program::Program>(&prog, 1), opt, std::move(progressCallBack),
             debugContext) {}

POP_INLINE Engine::Engine(Graph &&graph, program::Program prog, OptionFlags const &opt,
                          ProgressFunc progressCallBack, DebugContext const &debugContext)
    : Engine(std::move(graph), ArrayRef<program::Program>(&prog, 1), opt,
             std::move(progressCallBack), debugContext) {}

POP_INLINE Engine::Engine(Executable const &exe, OptionFlags const &opt) {
  if (!exe.data())
    cottonwood::base::fail<poplar_error>("Engine", "the executable is empty");
  session_ = std::make_unique<cottonwood::engine::Session>(
      exe.data(), cottonwood::engine::engineOptions(exe.data()->options, opt));
}

POP_INLINE Engine::Engine(Executable &&exe, OptionFlags const &opt)
    : Engine(static_cast<Executable const &>(exe), opt) {}
POP_INLINE Engine::Engine(Engine &&other) noexcept = default;
POP_INLINE Engine &Engine::operator=(Engine &&other) noexcept = default;
POP_INLINE Engine::~Engine() = default;

POP_INLINE void Engine::prepare(Device const &device) {
  sessionOf(session_, __func__).prepare(device);
}
POP_INLINE void Engine::prepare(Device const &device, RuntimeOptions const &) {
  sessionOf(session_, __func__).prepare(device);
}
POP_INLINE void Engine::deploy() { sessionOf(session_, __func__).deploy(); }

POP_INLINE void Engine::load(Device const &device) {
  prepare(device);
  deploy();
}

POP_INLINE void Engine::run(unsigned prog, std::string const &debugName) {
  sessionOf(session_, __func__).run(prog, debugName, {});
}

POP_INLINE void Engine::run(unsigned prog, std::string const &debugName,
                            RuntimeOptions const &opt) {
  sessionOf(session_, __func__).run(prog, debugName, opt.flags());
}

POP_INLINE void Engine::loadAndRun(Device const &device, unsigned prog) {
  load(device);
  run(prog);
}

POP_INLINE void Engine::stop() { sessionOf(session_, __func__).stop(); }

POP_INLINE void Engine::readTensor(StringRef handle, void *buf, void *bufEnd) {
  sessionOf(session_, __func__)
      .readTensor(engineDetail::viewOf(handle), buf,
                  engineDetail::distance(buf, bufEnd, "Engine::readTensor", handle));
}

POP_INLINE void Engine::writeTensor(StringRef handle, void const *buf, void const *bufEnd) {
  sessionOf(session_, __func__)
      .writeTensor(engineDetail::viewOf(handle), buf,
                   engineDetail::distance(buf, bufEnd, "Engine::writeTensor", handle));
}

POP_INLINE void Engine::writeTensor(StringRef handle, QuarterMetadata const &metadata,
                                    void const *buf, void const *bufEnd) {
  // Too small a buffer is an error before anything is written.
  sessionOf(session_, __func__)
      .writeMetadata(engineDetail::viewOf(handle), metadata.getBinary(),
                     engineDetail::distance(buf, bufEnd, "Engine::writeTensor", handle));
  writeTensor(handle, buf, bufEnd);
}

POP_INLINE void Engine::readTensor(StringRef handle, void *buf) {
  sessionOf(session_, __func__).readTensor(engineDetail::viewOf(handle), buf, ~std::uint64_t{0});
}

POP_INLINE void Engine::writeTensor(StringRef handle, void const *buf) {
  sessionOf(session_, __func__).writeTensor(engineDetail::viewOf(handle), buf, ~std::uint64_t{0});
}

POP_INLINE void Engine::connectStream(StringRef handle, void *begin, void *end) {
  sessionOf(session_, __func__).connect(engineDetail::viewOf(handle), begin, end);
}

POP_INLINE void Engine::connectStream(StringRef handle, void *p) {
  sessionOf(session_, __func__).connect(engineDetail::viewOf(handle), p);
}

POP_INLINE void Engine::connectStream(DataStream const &stream, void *begin, void *end) {
  connectStream(stream.handle(), begin, end);
}

POP_INLINE void Engine::connectStream(DataStream const &stream, void *p) {
  connectStream(stream.handle(), p);
}

POP_INLINE void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle f) {
  connectStreamToCallback(handle, 0u, std::move(f));
}

POP_INLINE void Engine::connectStreamToCallback(StringRef handle, unsigned index,
                                                StreamCallbackHandle f) {
  sessionOf(session_, __func__).connect(engineDetail::viewOf(handle), index, std::move(f));
}

POP_INLINE void Engine::connectStreamToCallback(DataStream const &stream, StreamCallbackHandle f) {
  connectStreamToCallback(stream.handle(), 0u, std::move(f));
}

POP_INLINE void Engine::connectStreamToCallback(DataStream const &stream, unsigned index,
                                                StreamCallbackHandle f) {
  connectStreamToCallback(stream.handle(), index, std::move(f));
}

POP_INLINE void Engine::connectHostFunction(StringRef handle, unsigned index,
                                            HostCallbackHandle f) {
  sessionOf(session_, __func__).connectFunction(engineDetail::viewOf(handle), index, std::move(f));
}

POP_INLINE void Engine::copyFromRemoteBuffer(StringRef handle, void *w, std::uint64_t bytes,
                                             std::uint64_t repeatIndex, unsigned replicationIndex) {
  std::uint64_t rowBytes = 0;
  std::byte const *const row =
      sessionOf(session_, __func__)
          .remoteRow("Engine::copyFromRemoteBuffer", engineDetail::viewOf(handle), repeatIndex,
                     replicationIndex, bytes, rowBytes);
  if (rowBytes != 0)
    std::memcpy(w, row, rowBytes);
}

POP_INLINE void Engine::copyToRemoteBuffer(void const *w, std::uint64_t bytes, StringRef handle,
                                           std::uint64_t repeatIndex, unsigned replicationIndex) {
  std::uint64_t rowBytes = 0;
  std::byte *const row = sessionOf(session_, __func__)
                             .remoteRow("Engine::copyToRemoteBuffer", engineDetail::viewOf(handle),
                                        repeatIndex, replicationIndex, bytes, rowBytes);
  if (rowBytes != 0)
    std::memcpy(row, w, rowBytes);
}

POP_INLINE void Engine::copyFromRemoteBuffer(StringRef handle, void *w, std::uint64_t repeatIndex,
                                             unsigned replicationIndex) {
  copyFromRemoteBuffer(handle, w, ~std::uint64_t{0}, repeatIndex, replicationIndex);
}

POP_INLINE void Engine::copyToRemoteBuffer(void *w, StringRef handle, std::uint64_t repeatIndex,
                                           unsigned replicationIndex) {
  copyToRemoteBuffer(w, ~std::uint64_t{0}, handle, repeatIndex, replicationIndex);
}

POP_INLINE void Engine::copyFromRemoteBuffer(RemoteBuffer const &buffer, void *w, int repeatIndex,
                                             unsigned replicationIndex) {
  copyFromRemoteBuffer(buffer.handle(), w, static_cast<std::uint64_t>(repeatIndex),
                       replicationIndex);
}

POP_INLINE void Engine::copyToRemoteBuffer(void *w, RemoteBuffer const &buffer, int repeatIndex,
                                           unsigned replicationIndex) {
  copyToRemoteBuffer(w, buffer.handle(), static_cast<std::uint64_t>(repeatIndex), replicationIndex);
}

POP_INLINE std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> handles;
  for (cottonwood::lower::StreamPlan const &stream :
       sessionOf(session_, __func__).executable().streams)
    handles.push_back(stream.handle);
  return handles;
}

POP_INLINE Engine::TimerTimePoint Engine::getTimeStamp() {
  TimerTimePoint now;
  now.time_ = std::chrono::steady_clock::now();
  return now;
}

POP_INLINE std::string Engine::reportTiming(TimerTimePoint const &start,
                                            TimerTimePoint const &end) {
  double const seconds = std::chrono::duration<double>(end.time_ - start.time_).count();
  double const cycles =
      seconds * sessionOf(session_, __func__).executable().target.getTileClockFrequency();
  char text[96];
  std::snprintf(text, sizeof text, "Elapsed time: %.6fs (approx %.0f cycles)", seconds, cycles);
  return text;
}

POP_INLINE void Engine::resetExecutionProfile() { sessionOf(session_, __func__).resetRecording(); }
POP_INLINE void Engine::disableExecutionProfiling() {
  sessionOf(session_, __func__).setRecording(false);
}
POP_INLINE void Engine::enableExecutionProfiling() {
  sessionOf(session_, __func__).setRecording(true);
}

POP_INLINE void Engine::setPrintStream(std::ostream &stream) {
  sessionOf(session_, __func__).setPrintStream(stream);
}
POP_INLINE void Engine::setPrintTensorStream(std::ostream &stream) {
  sessionOf(session_, __func__).setPrintStream(stream);
}
POP_INLINE void Engine::insertSimulatedError(ErrorCode code, ErrorLocation const &location) {
  unsigned const tiles = sessionOf(session_, __func__).executable().target.getNumTiles();
  if (location.getTile() >= tiles)
    cottonwood::base::fail<index_error>("Engine::insertSimulatedError", "tile ", location.getTile(),
                                        " does not exist; the target has ", tiles);
  sessionOf(session_, __func__).simulatedErrors().insert(location.getTile(), code);
}
POP_INLINE void Engine::eraseSimulatedError(ErrorLocation const &location) {
  sessionOf(session_, __func__).simulatedErrors().erase(location.getTile());
}
POP_INLINE void Engine::clearSimulatedErrors() {
  sessionOf(session_, __func__).simulatedErrors().clear();
}

POP_INLINE std::vector<ErrorLocation> Engine::getSimulatedErrorLocations(unsigned prog,
                                                                         unsigned limit) const {
  cottonwood::lower::ExecutableData const &executable = sessionOf(session_, __func__).executable();
  if (prog >= executable.entryPoints.size())
    cottonwood::base::fail<index_error>("Engine::getSimulatedErrorLocations", "program ", prog,
                                        " does not exist; the engine has ",
                                        executable.entryPoints.size());
  return engineDetail::errorLocations(executable, engineDetail::computeSetsOf(executable, prog),
                                      limit);
}

POP_INLINE std::vector<ErrorLocation> Engine::getSimulatedErrorLocations(StringRef name,
                                                                         unsigned limit) const {
  cottonwood::lower::ExecutableData const &executable = sessionOf(session_, __func__).executable();
  std::vector<std::uint32_t> sets;
  for (std::uint32_t set = 0; set < executable.computeSets.size(); ++set)
    if (executable.computeSets[set].name.find(std::string(name)) != std::string::npos)
      sets.push_back(set);
  return engineDetail::errorLocations(executable, sets, limit);
}

POP_INLINE OptionFlags Engine::getEngineOptions() const {
  return sessionOf(session_, __func__).options();
}

POP_INLINE void Engine::serializeExecutable(std::ostream &out) const {
  Executable(sessionOf(session_, __func__).sharedExecutable()).serialize(out);
}

} // namespace poplar
