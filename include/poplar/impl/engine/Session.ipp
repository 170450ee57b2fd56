// Body of Session.hpp.
#pragma once

#include <poplar/impl/engine/Session.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/ThreadPool.hpp>
#include <poplar/impl/engine/FloatEnvironment.hpp>
#include <poplar/impl/engine/OptionTable.hpp>
#include <poplar/impl/lower/Lower.hpp>
#include <poplar/impl/model/DeviceData.hpp>

#include <algorithm>
#include <cstring>
#include <iostream>

namespace cottonwood::engine::detail {

POP_INLINE std::string targetText(poplar::Target const &target) {
  return base::textOf(poplar::toString(target.getTargetType()), " target of ", target.getNumIPUs(),
                      " x ", target.getTilesPerIPU(), " tiles (", target.getTargetArchString(),
                      ")");
}

/// Whether the executable was made for that device, each replica for its part of it.
POP_INLINE bool isMadeFor(lower::ExecutableData const &executable, poplar::Target const &target) {
  unsigned const numIPUs = target.getNumIPUs(), numReplicas = executable.numReplicas;
  if (numReplicas == 1)
    return target == executable.target;
  return numIPUs % numReplicas == 0 &&
         target.createVirtualTarget(numIPUs / numReplicas, target.getTilesPerIPU()) ==
             executable.target;
}

/// What does not fit was let through by the compiler on request (debug.allowOutOfMemory); it cannot
/// be loaded.
POP_INLINE void checkFits(lower::ExecutableData const &executable) {
  if (executable.target.getTargetType() != poplar::TargetType::IPU)
    return;
  std::string const shortage = lower::memoryShortage(executable, {});
  if (shortage.empty())
    return;
  poplar::graph_memory_allocation_error error(base::textOf(
      "Engine::load: ", shortage, "; as it is, the executable can be reported on, not loaded"));
  reportShortage(error, executable);
  throw error;
}

[[noreturn]] POP_INLINE void failRunning(char const *where) {
  base::fail<poplar::poplar_error>(
      where, "the engine is running a program; callbacks of the engine and other threads must not "
             "call this until run() returns");
}

/// Says that the engine runs a program, until destroyed.
class RunningMark {
public:
  explicit RunningMark(std::atomic<bool> &running) : running_(running) {
    if (running_.exchange(true))
      failRunning("Engine::run");
  }
  ~RunningMark() { running_.store(false); }
  RunningMark(RunningMark const &) = delete;
  RunningMark &operator=(RunningMark const &) = delete;

private:
  std::atomic<bool> &running_;
};

/// `settings` where the options say nothing else.
POP_INLINE StreamSettings streamSettings(StreamSettings settings,
                                         poplar::OptionFlags const &options) {
  std::string const most = textOption(options, "streamCallbacks.maxLookahead");
  if (most == "unlimited")
    settings.lookahead = ~0u;
  else if (!most.empty())
    settings.lookahead = static_cast<unsigned>(
        std::min<std::uint64_t>(integerOption(options, "streamCallbacks.maxLookahead"), ~0u));
  std::string const mode = textOption(options, "streamCallbacks.multiThreadMode");
  if (!mode.empty())
    settings.dedicated = mode == "dedicated";
  return settings;
}

/// Ends the threads of streams when a run ends, however it does.
class StreamThreads {
public:
  explicit StreamThreads(std::vector<StreamConnection> &streams) : streams_(streams) {}
  ~StreamThreads() {
    for (StreamConnection &stream : streams_)
      stream.abandon();
  }
  StreamThreads(StreamThreads const &) = delete;
  StreamThreads &operator=(StreamThreads const &) = delete;

private:
  std::vector<StreamConnection> &streams_;
};

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE Session::Session(std::shared_ptr<lower::ExecutableData const> executable,
                            poplar::OptionFlags options)
    : executable_(std::move(executable)), options_(std::move(options)), print_(&std::cerr),
      wantedThreads_(static_cast<unsigned>(
          std::min<std::uint64_t>(integerOption(options_, "engine.numThreads"), 4096))),
      mostRuns_(integerOption(options_, "autoReport.executionProfileProgramRunCount")),
      manyThreads_(flagOption(options_, "debug.cpuMultiThreadExecution")),
      prefetch_(flagOption(options_, "exchange.enablePrefetch")),
      streamSettings_(detail::streamSettings({}, options_)), reports_(*executable_, options_) {
  for (lower::StreamPlan const &stream : executable_->streams)
    streams_.emplace_back(stream, executable_->numReplicas * stream.channels);
  for (std::uint32_t replica = 0; replica < executable_->numReplicas; ++replica)
    functions_.emplace_back(*executable_);
  if (wantedThreads_ > 0)
    base::ensurePoolThreads(wantedThreads_);
  if (reports_.wanted())
    writeReport(reports_, *this);
}

POP_INLINE Session::~Session() {
  reports_.finish(*this);
  for (StreamConnection &stream : streams_)
    stream.invalidate();
}

POP_INLINE Session &sessionOf(std::unique_ptr<Session> const &session, char const *function) {
  if (!session)
    base::fail<poplar::poplar_error>(base::textOf("Engine::", function),
                                     "the engine is empty (moved from)");
  return *session;
}

POP_INLINE void Session::checkIdle(char const *where) const {
  if (running_.load())
    detail::failRunning(where);
}

POP_INLINE void Session::prepare(poplar::Device const &device) {
  checkIdle("Engine::load");
  if (!device.data())
    base::fail<poplar::poplar_error>("Engine::load", "the device is empty");
  poplar::Target const &target = device.getTarget();
  unsigned const numReplicas = executable_->numReplicas;
  if (!detail::isMadeFor(*executable_, target))
    base::fail<poplar::poplar_error>(
        "Engine::load", "the device's target, ", detail::targetText(target),
        ", is not the one the graph was compiled for, ", detail::targetText(executable_->target),
        numReplicas > 1 ? base::textOf(", for each of ", numReplicas, " replicas") : std::string());
  if (model::needsAttachment(*device.data()) && !device.isAttached())
    base::fail<poplar::poplar_error>("Engine::load", "device ", device.getId(),
                                     " is not attached; call Device::attach() first");
  detail::checkFits(*executable_);
  device_ = device.data();
  state_ = State::Prepared;
}

POP_INLINE void Session::deploy() {
  checkIdle("Engine::deploy");
  if (state_ == State::New)
    base::fail<poplar::poplar_error>("Engine::deploy",
                                     "no device is prepared; call prepare() or load() first");
  state_ = State::Prepared;
  for (StreamConnection &stream : streams_)
    stream.invalidate();
  reports_.finish(*this);
  reports_.restart();
  replicas_.reset(); // give the old memory back before taking new
  replicas_.emplace(*executable_, streams_, functions_, stop_);
  replicas_->setRecording(recording_);
  replicas_->setRandomSeed(integerOption(options_, "prng.seed"));
  replicas_->setTracing(
      flagOption(options_, "debug.instrument") || flagOption(options_, "debug.instrumentCompute") ||
          flagOption(options_, "debug.instrumentControlFlow") ||
          flagOption(options_, "debug.instrumentExternalExchange") || reports_.withExecution(),
      integerOption(options_, "profiler.maxExecutedSteps"));
  runs_.clear();
  stop_.store(false);
  state_ = State::Loaded;
}

POP_INLINE RunSettings Session::runSettings(poplar::OptionFlags const &runtime) const {
  RunSettings settings;
  settings.maxThreads = !manyThreads_        ? 1
                        : wantedThreads_ > 0 ? wantedThreads_
                                             : base::threadBackend().numThreads();
  settings.streams =
      runtime.size() == 0 ? streamSettings_ : detail::streamSettings(streamSettings_, runtime);
  if (!prefetch_)
    settings.streams.lookahead = 0;
  settings.print = print_;
  settings.simulated = simulated_.empty() ? nullptr : &simulated_;
  return settings;
}

POP_INLINE void Session::run(std::uint32_t program, std::string const &name,
                             poplar::OptionFlags const &runtime) {
  detail::RunningMark const mark(running_);
  if (state_ != State::Loaded)
    base::fail<poplar::poplar_error>("Engine::run",
                                     "the engine is not loaded; call load(device) before run()");
  std::size_t const programs = executable_->entryPoints.size();
  if (program >= programs)
    base::fail<poplar::index_error>("Engine::run", "program ", program,
                                    " does not exist; the engine has ", programs,
                                    programs == 1 ? " program" : " programs, numbered from 0");
  StepRecorder &recorder = replicas_->recorder();
  bool const named = recording_ && runs_.size() < mostRuns_;
  if (named)
    runs_.push_back({name, recorder.clock(), recorder.clock(), recorder.separateRuns(), 0});
  FloatEnvironment const environment;
  detail::StreamThreads const threads(streams_);
  auto const endRun = [&] {
    std::size_t const numGroups = recorder.separateRuns();
    if (named) {
      runs_.back().endCycle = recorder.clock();
      runs_.back().numGroups = numGroups - runs_.back().firstGroup;
    }
  };
  try {
    replicas_->run(program, runSettings(runtime));
  } catch (...) {
    endRun();
    if (recording_)
      reports_.failed(*this);
    throw;
  }
  endRun();
  for (StreamConnection &stream : streams_)
    stream.finish();
  if (recording_)
    reports_.ran(*this);
  if (stop_.load())
    state_ = State::Prepared;
}

POP_INLINE void Session::stop() {
  stop_.store(true);
  if (running_.load())
    return; // the running thread sees it at its next loop turn
  for (StreamConnection &stream : streams_)
    stream.invalidate();
  if (state_ == State::Loaded)
    state_ = State::Prepared;
}

POP_INLINE lower::HostTensor const &
Session::findTensor(char const *where, std::vector<lower::HostTensor> const &tensors,
                    std::string_view handle, std::uint64_t bytes) const {
  checkIdle(where);
  if (state_ != State::Loaded)
    base::fail<poplar::tensor_io_state_error>(
        where, "tensor '", handle,
        "' cannot be reached: the engine is not loaded; call load(device) first");
  auto const found =
      std::find_if(tensors.begin(), tensors.end(),
                   [&](lower::HostTensor const &tensor) { return tensor.handle == handle; });
  if (found == tensors.end())
    base::fail<poplar::stream_connection_error>(
        where, "no tensor has the handle '", handle, "'; ",
        tensors.empty() ? "the graph made none" : "the graph must name it",
        &tensors == &executable_->hostReads ? " with Graph::createHostRead"
                                            : " with Graph::createHostWrite");
  unsigned const numReplicas = executable_->numReplicas;
  if (bytes / numReplicas < found->bytes)
    base::fail<poplar::stream_connection_error>(
        where, "the buffer for tensor '", handle, "' has ", bytes, " bytes; the tensor needs ",
        found->bytes * numReplicas,
        numReplicas > 1
            ? base::textOf(", ", found->bytes, " for each of ", numReplicas, " replicas")
            : std::string());
  return *found;
}

POP_INLINE void Session::readTensor(std::string_view handle, void *buffer, std::uint64_t bytes) {
  lower::HostTensor const &tensor =
      findTensor("Engine::readTensor", executable_->hostReads, handle, bytes);
  auto *to = static_cast<std::byte *>(buffer);
  for (std::size_t replica = 0; replica < replicas_->size(); ++replica, to += tensor.bytes)
    MoveRunner(*executable_)
        .run(tensor.plan, replicas_->arena(replica), to, runSettings({}).maxThreads);
}

POP_INLINE void Session::writeTensor(std::string_view handle, void const *buffer,
                                     std::uint64_t bytes) {
  lower::HostTensor const &tensor =
      findTensor("Engine::writeTensor", executable_->hostWrites, handle, bytes);
  auto const *from = static_cast<std::byte const *>(buffer);
  for (std::size_t replica = 0; replica < replicas_->size(); ++replica, from += tensor.bytes)
    MoveRunner(*executable_)
        .run(tensor.plan, from, replicas_->arena(replica), runSettings({}).maxThreads);
}

POP_INLINE void Session::writeMetadata(std::string_view handle, unsigned char binary,
                                       std::uint64_t bytes) {
  lower::HostTensor const &tensor =
      findTensor("Engine::writeTensor", executable_->hostWrites, handle, bytes);
  if (tensor.metadata.empty())
    base::fail<poplar::tensor_metadata_error>(
        "Engine::writeTensor", "metadata are given for tensor '", handle,
        "', which has none that could be written: its elements are not of type ", poplar::QUARTER,
        ", or their metadata are a constant");
  auto const byte = std::byte{binary};
  for (std::size_t replica = 0; replica < replicas_->size(); ++replica)
    MoveRunner(*executable_).run(tensor.metadata, &byte, replicas_->arena(replica), 1);
}

POP_INLINE std::uint32_t Session::findStream(char const *where, std::string_view handle) const {
  std::vector<lower::StreamPlan> const &streams = executable_->streams;
  for (std::uint32_t i = 0; i < streams.size(); ++i)
    if (streams[i].handle == handle)
      return i;
  base::fail<poplar::stream_connection_error>(where, "no stream has the handle '", handle,
                                              "'; the graph has ", streams.size(),
                                              " (Engine::listStreams)");
}

POP_INLINE void Session::connect(std::string_view handle, void *begin, void *end) {
  checkIdle("Engine::connectStream");
  std::uint32_t const index = findStream("Engine::connectStream", handle);
  std::uint64_t const block = executable_->streams[index].blockBytes;
  auto const length = static_cast<std::byte *>(end) - static_cast<std::byte *>(begin);
  bool const fits = block == 0
                        ? length >= 0
                        : begin && length > 0 && static_cast<std::uint64_t>(length) % block == 0;
  if (!fits)
    base::fail<poplar::stream_connection_error>(
        "Engine::connectStream", "the buffer for stream '", handle, "' has ", length,
        " bytes; a transfer has ", block,
        " bytes, and the buffer must hold a whole number of them");
  streams_[index].connect(static_cast<std::byte *>(begin), static_cast<std::byte *>(end));
}

POP_INLINE void Session::connect(std::string_view handle, void *begin) {
  std::uint32_t const index = findStream("Engine::connectStream", handle);
  connect(handle, begin, static_cast<std::byte *>(begin) + streams_[index].transferBytes());
}

POP_INLINE void Session::connect(std::string_view handle, unsigned replica,
                                 poplar::StreamCallbackHandle callback) {
  checkIdle("Engine::connectStreamToCallback");
  std::uint32_t const index = findStream("Engine::connectStreamToCallback", handle);
  if (replica >= streams_[index].numReplicas())
    base::fail<poplar::stream_connection_error>(
        "Engine::connectStreamToCallback", "replica ", replica, " of stream '", handle,
        "' does not exist; the graph has ", streams_[index].numReplicas());
  if (!callback)
    base::fail<poplar::stream_connection_error>("Engine::connectStreamToCallback",
                                                "the callback for stream '", handle, "' is null");
  if (replica != 0 && streams_[index].broadcasts())
    base::fail<poplar::stream_connection_error>(
        "Engine::connectStreamToCallback", "stream '", handle,
        "' is broadcast to all replicas: its one callback has index 0, not ", replica);
  streams_[index].connect(replica, std::move(callback));
}

POP_INLINE void Session::connectFunction(std::string_view handle, unsigned replica,
                                         poplar::HostCallbackHandle callback) {
  char const *const where = "Engine::connectHostFunction";
  checkIdle(where);
  std::vector<lower::HostFunctionPlan> const &functions = executable_->hostFunctions;
  auto const found = std::find_if(functions.begin(), functions.end(),
                                  [&](auto const &function) { return function.handle == handle; });
  if (found == functions.end())
    base::fail<poplar::stream_connection_error>(where, "no host function has the handle '", handle,
                                                "'; the graph has ", functions.size());
  if (replica >= executable_->numReplicas)
    base::fail<poplar::stream_connection_error>(
        where, "replica ", replica, " of the host function '", handle,
        "' does not exist; the graph has ", executable_->numReplicas);
  if (!callback)
    base::fail<poplar::stream_connection_error>(where, "the callback for the host function '",
                                                handle, "' is null");
  functions_[replica].connect(static_cast<std::uint32_t>(found - functions.begin()),
                              std::move(callback));
}

POP_INLINE std::byte *Session::remoteRow(char const *where, std::string_view handle,
                                         std::uint64_t index, unsigned replica, std::uint64_t bytes,
                                         std::uint64_t &rowBytes) {
  checkIdle(where);
  if (state_ != State::Loaded)
    base::fail<poplar::tensor_io_state_error>(
        where, "the remote buffer '", handle,
        "' cannot be reached: the engine is not loaded; call load(device) first");
  std::vector<lower::RemoteBufferPlan> const &buffers = executable_->remoteBuffers;
  auto const found = std::find_if(buffers.begin(), buffers.end(),
                                  [&](auto const &buffer) { return buffer.handle == handle; });
  if (found == buffers.end())
    base::fail<poplar::stream_connection_error>(where, "no remote buffer has the handle '", handle,
                                                "'; the graph has ", buffers.size());
  if (index >= found->repeats)
    base::fail<poplar::index_error>(where, "repeatIndex = ", index,
                                    " is out of range for the remote buffer '", handle,
                                    "', which has ", found->repeats, " repeats");
  if (replica >= executable_->numReplicas)
    base::fail<poplar::index_error>(where, "replicationIndex = ", replica,
                                    " is out of range for the remote buffer '", handle,
                                    "'; the graph has ", executable_->numReplicas,
                                    executable_->numReplicas == 1 ? " replica" : " replicas");
  if (bytes < found->rowBytes)
    base::fail<poplar::stream_connection_error>(where, "the memory for a row of '", handle,
                                                "' has ", bytes, " bytes; the row needs ",
                                                found->rowBytes);
  rowBytes = found->rowBytes;
  return replicas_->remote(replica).row(static_cast<std::uint32_t>(found - buffers.begin()), index);
}

POP_INLINE void Session::setRecording(bool on) {
  recording_ = on;
  if (replicas_)
    replicas_->setRecording(on);
}

POP_INLINE void Session::resetRecording() {
  checkIdle("Engine::resetExecutionProfile");
  reports_.finish(*this);
  reports_.restart();
  runs_.clear();
  if (replicas_)
    replicas_->resetRecording();
}

} // namespace cottonwood::engine
