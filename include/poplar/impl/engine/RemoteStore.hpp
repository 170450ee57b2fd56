// The remote buffers of one replica of a loaded executable.
#pragma once

#include <poplar/impl/engine/Arena.hpp>
#include <poplar/impl/engine/MoveRunner.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cottonwood::engine {

class RemoteStore {
public:
  /// All rows zero; memory is taken from the system as rows are touched.
  /// \throws stream_memory_allocation_error  the machine has not so much memory, `replicas` times.
  RemoteStore(lower::ExecutableData const &executable, std::uint32_t replicas);

  std::byte *row(std::uint32_t buffer, std::uint64_t index) {
    return rows_[buffer].data() + index * executable_->remoteBuffers[buffer].rowBytes;
  }
  /// \throws application_runtime_error  an offset is no row; nothing was moved.
  void read(lower::RemoteCopy const &copy, MoveRunner const &moves, std::byte *arena,
            unsigned maxThreads);
  void write(lower::RemoteCopy const &copy, MoveRunner const &moves, std::byte const *arena,
             unsigned maxThreads);

private:
  void readOffsets(lower::RemoteCopy const &copy, MoveRunner const &moves, std::byte const *arena);
  std::byte *block(std::uint64_t bytes);

  lower::ExecutableData const *executable_;
  std::vector<Arena> rows_;            ///< by buffer
  std::vector<std::uint32_t> offsets_; ///< of the copy in work
  Arena block_;                        ///< rows on their way, where they are no single run
};

} // namespace cottonwood::engine
