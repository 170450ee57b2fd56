// What is behind a poplar::Engine: an executable, the options and connections, and, while loaded,
// its memory.
#pragma once

#include <poplar/Device.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/impl/engine/HostFunctions.hpp>
#include <poplar/impl/engine/Replicas.hpp>
#include <poplar/impl/engine/Reports.hpp>
#include <poplar/impl/engine/SimulatedErrors.hpp>
#include <poplar/impl/engine/Streams.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <atomic>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cottonwood::engine {

class Session {
public:
  Session(std::shared_ptr<lower::ExecutableData const> executable, poplar::OptionFlags options);
  Session(Session const &) = delete;
  Session &operator=(Session const &) = delete;
  ~Session();

  lower::ExecutableData const &executable() const { return *executable_; }
  std::shared_ptr<lower::ExecutableData const> const &sharedExecutable() const {
    return executable_;
  }
  poplar::OptionFlags const &options() const { return options_; }

  void prepare(poplar::Device const &device);
  void deploy();
  void run(std::uint32_t program, std::string const &name, poplar::OptionFlags const &runtime);
  void stop();

  void readTensor(std::string_view handle, void *buffer, std::uint64_t bytes);
  /// Sets the metadata of the tensor that writeTensor() reaches by that handle, if it can write so
  /// many bytes there.
  void writeMetadata(std::string_view handle, unsigned char binary, std::uint64_t bytes);
  void writeTensor(std::string_view handle, void const *buffer, std::uint64_t bytes);
  std::uint32_t findStream(char const *where, std::string_view handle) const;
  void connect(std::string_view handle, void *begin, void *end);
  /// A buffer as long as one transfer, of all replicas unless it is broadcast.
  void connect(std::string_view handle, void *begin);
  void connect(std::string_view handle, unsigned replica, poplar::StreamCallbackHandle callback);

  void connectFunction(std::string_view handle, unsigned replica,
                       poplar::HostCallbackHandle callback);
  /// One row of a remote buffer of at least `bytes` bytes.
  std::byte *remoteRow(char const *where, std::string_view handle, std::uint64_t index,
                       unsigned replica, std::uint64_t bytes, std::uint64_t &rowBytes);
  SimulatedErrors &simulatedErrors() { return simulated_; }

  void setPrintStream(std::ostream &out) { print_ = &out; }
  void setRecording(bool on);
  void resetRecording();
  /// What was executed since load or reset; null when not loaded.
  StepRecorder const *recorder() const { return replicas_ ? &replicas_->recorder() : nullptr; }
  /// The first runs since load or reset, as many as are to be told apart.
  std::vector<RunMark> const &runs() const { return runs_; }

private:
  enum class State { New, Prepared, Loaded };

  lower::HostTensor const &findTensor(char const *where,
                                      std::vector<lower::HostTensor> const &tensors,
                                      std::string_view handle, std::uint64_t bytes) const;
  RunSettings runSettings(poplar::OptionFlags const &runtime) const;
  /// \throws poplar_error  a program runs: the call comes from a callback or another thread.
  void checkIdle(char const *where) const;

  std::shared_ptr<lower::ExecutableData const> executable_;
  poplar::OptionFlags options_;
  std::vector<StreamConnection> streams_;
  std::vector<HostFunctions> functions_; ///< by replica
  SimulatedErrors simulated_;
  std::ostream *print_;
  // Options that every run asks for.
  unsigned const wantedThreads_; ///< 0: all
  std::uint64_t const mostRuns_;
  bool const manyThreads_, prefetch_;
  StreamSettings const streamSettings_;
  Reports reports_;
  State state_ = State::New;
  std::shared_ptr<model::DeviceData> device_;
  std::optional<Replicas> replicas_; ///< while loaded
  std::atomic<bool> running_{false}, stop_{false};
  bool recording_ = true;
  std::vector<RunMark> runs_;
};

/// What is behind an engine. \throws poplar_error  nothing; `function` is the engine's.
Session &sessionOf(std::unique_ptr<Session> const &session, char const *function);

} // namespace cottonwood::engine
