// What the host functions of one replica are connected to.
#pragma once

#include <poplar/HostFunctionCallback.hpp>
#include <poplar/impl/engine/MoveRunner.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cottonwood::engine {

/// Connections outlive load().
class HostFunctions {
public:
  explicit HostFunctions(lower::ExecutableData const &executable)
      : executable_(&executable), callbacks_(executable.hostFunctions.size()) {}

  void connect(std::uint32_t function, poplar::HostCallbackHandle callback) {
    callbacks_[function].emplace(std::move(callback));
  }
  /// Packs the inputs, calls, and writes the outputs.
  /// \throws stream_connection_error  the function is not connected.
  void call(lower::HostCall const &call, MoveRunner const &moves, std::byte *arena,
            unsigned maxThreads);

private:
  lower::ExecutableData const *executable_;
  std::vector<std::optional<poplar::HostCallbackHandle>> callbacks_;
  std::vector<std::byte> packed_; ///< arguments of the call in work
};

} // namespace cottonwood::engine
