// Body of RemoteStore.hpp.
#pragma once

#include <poplar/impl/engine/RemoteStore.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

#include <cstring>

#include <sys/sysinfo.h>

namespace cottonwood::engine::detail {

/// Memory and swap of the machine.
POP_INLINE std::uint64_t machineBytes() {
  struct sysinfo facts = {};
  if (sysinfo(&facts) != 0)
    return ~std::uint64_t{0};
  return (std::uint64_t(facts.totalram) + facts.totalswap) * facts.mem_unit;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE RemoteStore::RemoteStore(lower::ExecutableData const &executable, std::uint32_t replicas)
    : executable_(&executable) {
  std::uint64_t left = detail::machineBytes();
  for (lower::RemoteBufferPlan const &buffer : executable.remoteBuffers) {
    std::uint64_t const bytes = buffer.rowBytes * buffer.repeats;
    if (bytes > left / replicas)
      base::fail<poplar::stream_memory_allocation_error>(
          "Engine::load", "the remote buffer '", buffer.handle, "' needs ", bytes,
          " bytes for each of ", replicas, replicas == 1 ? " replica" : " replicas",
          "; memory and swap have ", left, " left for it");
    left -= bytes * replicas;
    rows_.emplace_back(bytes);
  }
}

POP_INLINE std::byte *RemoteStore::block(std::uint64_t bytes) {
  if (block_.bytes() < bytes) {
    block_ = Arena();
    block_ = Arena(bytes);
  }
  return block_.data();
}

POP_INLINE void RemoteStore::readOffsets(lower::RemoteCopy const &copy, MoveRunner const &moves,
                                         std::byte const *arena) {
  offsets_.assign(copy.numRows, 0);
  moves.runInline(copy.offsets, arena, reinterpret_cast<std::byte *>(offsets_.data()));
  lower::RemoteBufferPlan const &buffer = executable_->remoteBuffers[copy.buffer];
  for (std::size_t i = 0; i < offsets_.size(); ++i)
    if (offsets_[i] >= buffer.repeats)
      base::fail<poplar::application_runtime_error>(
          "Engine::run", "offset[", i, "] = ",
          copy.isSigned ? std::int64_t{static_cast<std::int32_t>(offsets_[i])}
                        : std::int64_t{offsets_[i]},
          " is out of range for the remote buffer '", buffer.handle, "', which has ",
          buffer.repeats, " repeats");
}

POP_INLINE void RemoteStore::read(lower::RemoteCopy const &copy, MoveRunner const &moves,
                                  std::byte *arena, unsigned maxThreads) {
  readOffsets(copy, moves, arena);
  if (copy.numRows == 1)
    return moves.run(copy.data, row(copy.buffer, offsets_[0]), arena, maxThreads);
  std::uint64_t const bytes = executable_->remoteBuffers[copy.buffer].rowBytes;
  // Rows that lie in the arena as they are packed need no block between.
  std::byte *const run = moves.singleRun(copy.data, arena, MoveRunner::Side::Destination);
  std::byte *const to = run ? run : block(bytes * copy.numRows);
  for (std::size_t i = 0; i < offsets_.size(); ++i)
    std::memcpy(to + i * bytes, row(copy.buffer, offsets_[i]), bytes);
  if (!run)
    moves.run(copy.data, to, arena, maxThreads);
}

POP_INLINE void RemoteStore::write(lower::RemoteCopy const &copy, MoveRunner const &moves,
                                   std::byte const *arena, unsigned maxThreads) {
  readOffsets(copy, moves, arena);
  if (copy.numRows == 1)
    return moves.run(copy.data, arena, row(copy.buffer, offsets_[0]), maxThreads);
  std::uint64_t const bytes = executable_->remoteBuffers[copy.buffer].rowBytes;
  std::byte const *from =
      moves.singleRun(copy.data, const_cast<std::byte *>(arena), MoveRunner::Side::Source);
  if (!from) {
    std::byte *const packed = block(bytes * copy.numRows);
    moves.run(copy.data, arena, packed, maxThreads);
    from = packed;
  }
  for (std::size_t i = 0; i < offsets_.size(); ++i)
    std::memcpy(row(copy.buffer, offsets_[i]), from + i * bytes, bytes);
}

} // namespace cottonwood::engine
