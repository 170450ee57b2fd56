// Body of Session.hpp.
#pragma once

#include <poplar/impl/engine/Session.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/ThreadPool.hpp>
#include <poplar/impl/engine/FloatEnvironment.hpp>
#include <poplar/impl/engine/OptionTable.hpp>
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

/// Writes a pattern `repeats` times: by doubling what is there already.
POP_INLINE void fill(std::byte *to, std::byte const *pattern, std::uint64_t bytes,
                     std::uint64_t repeats) {
  std::uint64_t const total = bytes * repeats;
  std::memcpy(to, pattern, bytes);
  for (std::uint64_t done = bytes; done < total;) {
    std::uint64_t const step = std::min(done, total - done);
    std::memcpy(to + done, to, step);
    done += step;
  }
}

/// Turns the arena offsets in the state images into addresses.
POP_INLINE void relocate(lower::ExecutableData const &executable, std::byte *arena) {
  std::byte *const states = arena + executable.statesBegin;
  for (std::size_t i = 0; i < executable.relocations.size(); ++i)
    for (std::uint64_t bits = executable.relocations[i]; bits != 0; bits &= bits - 1) {
      std::byte *const word = states + (i * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))) *
                                           sizeof(std::uint64_t);
      std::uint64_t offset;
      std::memcpy(&offset, word, sizeof offset);
      std::byte *const address = arena + offset;
      std::memcpy(word, &address, sizeof address);
    }
}

/// Memory shared by liveness is filled with NaNs in debug builds, up to this many bytes.
inline constexpr std::uint64_t MAX_POISON_BYTES = std::uint64_t{16} << 20;

/// What does not fit was let through by the compiler on request (debug.allowOutOfMemory); it cannot
/// be loaded.
POP_INLINE void checkFits(lower::ExecutableData const &executable) {
  if (executable.target.getTargetType() != poplar::TargetType::IPU)
    return;
  for (std::size_t tile = 0; tile < executable.tileMemory.size(); ++tile)
    if (executable.tileMemory[tile].total() > executable.target.getBytesPerTile())
      throw poplar::graph_memory_allocation_error(
          base::textOf("Engine::load: tile ", tile, " needs ", executable.tileMemory[tile].total(),
                       " bytes and has ", executable.target.getBytesPerTile(),
                       "; the executable can be reported on, not loaded"));
}

/// Says that the engine runs a program, until destroyed.
class RunningMark {
public:
  explicit RunningMark(std::atomic<bool> &running) : running_(running) { running_.store(true); }
  ~RunningMark() { running_.store(false); }
  RunningMark(RunningMark const &) = delete;
  RunningMark &operator=(RunningMark const &) = delete;

private:
  std::atomic<bool> &running_;
};

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE Session::Session(std::shared_ptr<lower::ExecutableData const> executable,
                            poplar::OptionFlags options)
    : executable_(std::move(executable)), options_(std::move(options)),
      streams_(executable_->streams.size()), print_(&std::cerr),
      wantedThreads_(static_cast<unsigned>(
          std::min<std::uint64_t>(integerOption(options_, "engine.numThreads"), 4096))),
      manyThreads_(flagOption(options_, "debug.cpuMultiThreadExecution")),
      prefetch_(flagOption(options_, "exchange.enablePrefetch") &&
                textOption(options_, "streamCallbacks.maxLookahead") != "0") {
  if (wantedThreads_ > 0)
    base::ensurePoolThreads(wantedThreads_);
}

POP_INLINE Session::~Session() {
  for (StreamConnection &stream : streams_)
    stream.invalidate();
}

POP_INLINE void Session::prepare(poplar::Device const &device) {
  if (!device.data())
    base::fail<poplar::poplar_error>("Engine::load", "the device is empty");
  poplar::Target const &target = device.getTarget();
  if (target != executable_->target)
    base::fail<poplar::poplar_error>(
        "Engine::load", "the device's target, ", detail::targetText(target),
        ", is not the one the graph was compiled for, ", detail::targetText(executable_->target));
  if (model::needsAttachment(*device.data()) && !device.isAttached())
    base::fail<poplar::poplar_error>("Engine::load", "device ", device.getId(),
                                     " is not attached; call Device::attach() first");
  detail::checkFits(*executable_);
  device_ = device.data();
  state_ = State::Prepared;
}

POP_INLINE void Session::fillArena() {
  lower::ExecutableData const &executable = *executable_;
  interpreter_.reset();
  arena_ = Arena(); // give the old memory back before taking new
  arena_ = Arena(executable.arenaBytes);
#if !defined(NDEBUG)
  // Nothing may read what its program has not written: such reads shall be seen.
  std::memset(
      arena_.data() + executable.sharedBegin, 0xff,
      std::min(executable.variableBytes - executable.sharedBegin, detail::MAX_POISON_BYTES));
#endif
  for (lower::InitialData const &data : executable.initial)
    detail::fill(arena_.data() + data.offset, executable.blob.data() + data.blobOffset,
                 data.blobBytes, data.repeats);
  if (!executable.states.empty())
    std::memcpy(arena_.data() + executable.statesBegin, executable.states.data(),
                executable.states.size());
  detail::relocate(executable, arena_.data());
}

POP_INLINE void Session::deploy() {
  if (state_ == State::New)
    base::fail<poplar::poplar_error>("Engine::deploy",
                                     "no device is prepared; call prepare() or load() first");
  state_ = State::Prepared;
  for (StreamConnection &stream : streams_)
    stream.invalidate();
  fillArena();
  interpreter_.emplace(*executable_, arena_.data(), streams_, stop_);
  interpreter_->recorder().setRecording(recording_);
  interpreter_->recorder().setTracing(flagOption(options_, "debug.instrument") ||
                                      flagOption(options_, "debug.instrumentCompute") ||
                                      flagOption(options_, "debug.instrumentControlFlow") ||
                                      flagOption(options_, "debug.instrumentExternalExchange"));
  runNames_.clear();
  stop_.store(false);
  state_ = State::Loaded;
}

POP_INLINE RunSettings Session::runSettings(poplar::OptionFlags const &runtime) const {
  RunSettings settings;
  settings.maxThreads = !manyThreads_        ? 1
                        : wantedThreads_ > 0 ? wantedThreads_
                                             : base::threadBackend().numThreads();
  settings.prefetch = prefetch_ && textOption(runtime, "streamCallbacks.maxLookahead") != "0";
  settings.print = print_;
  return settings;
}

POP_INLINE void Session::run(std::uint32_t program, std::string const &name,
                             poplar::OptionFlags const &runtime) {
  if (state_ != State::Loaded)
    base::fail<poplar::poplar_error>("Engine::run",
                                     "the engine is not loaded; call load(device) before run()");
  std::size_t const programs = executable_->entryPoints.size();
  if (program >= programs)
    base::fail<poplar::index_error>("Engine::run", "program ", program,
                                    " does not exist; the engine has ", programs,
                                    programs == 1 ? " program" : " programs, numbered from 0");
  if (recording_ &&
      runNames_.size() < integerOption(options_, "autoReport.executionProfileProgramRunCount"))
    runNames_.push_back(name);
  detail::RunningMark const mark(running_);
  FloatEnvironment const environment;
  interpreter_->run(program, runSettings(runtime));
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
  if (bytes < found->bytes)
    base::fail<poplar::stream_connection_error>(where, "the buffer for tensor '", handle, "' has ",
                                                bytes, " bytes; the tensor needs ", found->bytes);
  return *found;
}

POP_INLINE void Session::readTensor(std::string_view handle, void *buffer, std::uint64_t bytes) {
  lower::HostTensor const &tensor =
      findTensor("Engine::readTensor", executable_->hostReads, handle, bytes);
  MoveRunner(*executable_)
      .run(tensor.plan, arena_.data(), static_cast<std::byte *>(buffer),
           runSettings({}).maxThreads);
}

POP_INLINE void Session::writeTensor(std::string_view handle, void const *buffer,
                                     std::uint64_t bytes) {
  lower::HostTensor const &tensor =
      findTensor("Engine::writeTensor", executable_->hostWrites, handle, bytes);
  MoveRunner(*executable_)
      .run(tensor.plan, static_cast<std::byte const *>(buffer), arena_.data(),
           runSettings({}).maxThreads);
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
  std::uint32_t const index = findStream("Engine::connectStream", handle);
  std::uint64_t const block = executable_->streams[index].blockBytes;
  auto const length = static_cast<std::byte *>(end) - static_cast<std::byte *>(begin);
  bool const fits = begin && length >= 0 &&
                    (block == 0 || (length > 0 && static_cast<std::uint64_t>(length) % block == 0));
  if (!fits)
    base::fail<poplar::stream_connection_error>(
        "Engine::connectStream", "the buffer for stream '", handle, "' has ", length,
        " bytes; a transfer has ", block,
        " bytes, and the buffer must hold a whole number of them");
  streams_[index].connect(static_cast<std::byte *>(begin), static_cast<std::byte *>(end));
}

POP_INLINE void Session::connect(std::string_view handle, void *begin) {
  std::uint32_t const index = findStream("Engine::connectStream", handle);
  connect(handle, begin, static_cast<std::byte *>(begin) + executable_->streams[index].blockBytes);
}

POP_INLINE void Session::connect(std::string_view handle, unsigned replica,
                                 poplar::StreamCallbackHandle callback) {
  std::uint32_t const index = findStream("Engine::connectStreamToCallback", handle);
  if (replica >= executable_->numReplicas)
    base::fail<poplar::stream_connection_error>(
        "Engine::connectStreamToCallback", "replica ", replica, " of stream '", handle,
        "' does not exist; the graph has ", executable_->numReplicas);
  if (!callback)
    base::fail<poplar::stream_connection_error>("Engine::connectStreamToCallback",
                                                "the callback for stream '", handle, "' is null");
  streams_[index].connect(std::move(callback));
}

POP_INLINE void Session::setRecording(bool on) {
  recording_ = on;
  if (interpreter_)
    interpreter_->recorder().setRecording(on);
}

POP_INLINE void Session::resetRecording() {
  runNames_.clear();
  if (interpreter_)
    interpreter_->recorder().reset();
}

} // namespace cottonwood::engine
