// What the streams of an engine are connected to.
#pragma once

#include <poplar/StreamCallback.hpp>
#include <poplar/impl/engine/Arena.hpp>
#include <poplar/impl/engine/MoveRunner.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cottonwood::engine {

/// A circular buffer of the user's, or a callback with the blocks it has filled ahead. Connections
/// outlive load().
class StreamConnection {
public:
  bool connected() const { return begin_ != nullptr || callback_.has_value(); }
  /// [begin, end) is a positive multiple of a block.
  void connect(std::byte *begin, std::byte *end);
  void connect(poplar::StreamCallbackHandle callback);

  /// One transfer to the device: moves the next block into the arena.
  void read(lower::StreamPlan const &stream, lower::MovePlan const &plan, MoveRunner const &moves,
            std::byte *arena, unsigned maxThreads, bool prefetch);
  /// One transfer to the host.
  void write(lower::StreamPlan const &stream, lower::MovePlan const &plan, MoveRunner const &moves,
             std::byte const *arena, unsigned maxThreads);
  /// Gives back the blocks that were filled ahead.
  void invalidate();

private:
  std::byte *nextBlock(std::uint64_t bytes);
  std::byte *block(std::size_t i, std::uint64_t bytes) {
    return blocks_.data() + i * blockStride(bytes);
  }
  static std::uint64_t blockStride(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }
  void prefetchAhead(lower::StreamPlan const &stream);

  std::byte *begin_ = nullptr, *end_ = nullptr, *at_ = nullptr;
  std::optional<poplar::StreamCallbackHandle> callback_;
  Arena blocks_;              ///< bufferingDepth + 1 blocks
  std::size_t first_ = 0;     ///< the block in use next
  std::size_t numFilled_ = 0; ///< blocks from first_ on that prefetch() has filled
};

} // namespace cottonwood::engine
