// What the streams of an engine are connected to.
#pragma once

#include <poplar/StreamCallback.hpp>
#include <poplar/impl/engine/Arena.hpp>
#include <poplar/impl/engine/MoveRunner.hpp>
#include <poplar/impl/engine/StreamThread.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace cottonwood::engine {

/// What a run decides about streams.
struct StreamSettings {
  unsigned lookahead = ~0u; ///< blocks asked for ahead, within the stream's buffering depth
  bool dedicated = false;   ///< callbacks run on a thread of their stream's own
};

/// A callback of the user's with the blocks it has filled ahead.
class CallbackChannel {
public:
  explicit CallbackChannel(lower::StreamPlan const &stream) : stream_(&stream) {}
  bool connected() const { return callback_.has_value(); }
  void connect(poplar::StreamCallbackHandle callback);
  void disconnect();

  /// The next block from the host, valid until received().
  std::byte const *receive(StreamSettings const &settings);
  void received(StreamSettings const &settings);
  /// A block to fill for the host, which send() hands over.
  std::byte *blockToSend();
  void send(StreamSettings const &settings);
  /// Gives back the blocks that were filled ahead.
  void invalidate();
  /// Lets the thread end, if there is one: at the end of every run. Exceptions of callbacks that
  /// came after the last transfer come out of finish(), and are lost in abandon().
  void finish();
  void abandon();

private:
  StreamThread &thread();
  void prefetchAhead(unsigned lookahead);
  void prefetchOnThread(std::uint64_t numTotal);
  std::byte *receiveFromThread();
  std::byte *block(std::size_t i);
  void allocate(std::size_t numBlocks);

  lower::StreamPlan const *stream_;
  std::optional<poplar::StreamCallbackHandle> callback_;
  Arena blocks_; ///< to the device: bufferingDepth + 1 blocks
  // With a thread, its mutex guards these three.
  std::size_t first_ = 0;     ///< the block in use next
  std::size_t numFilled_ = 0; ///< blocks from first_ on that prefetch() has filled
  std::uint64_t numTaken_ = 0;
  std::unique_ptr<StreamThread> thread_; ///< while a run in dedicated mode uses the stream
};

/// A circular buffer of the user's, or callbacks, with the position of each replica. Connections
/// outlive load().
///
/// Replicas that have a stream each take turns in one buffer: transfer k of replica r lies at
/// (k * replicas + r) blocks. A broadcast stream has one sequence of blocks, and every replica gets
/// all of it: who comes first fetches a block, which is kept until the last has had it.
class StreamConnection {
public:
  StreamConnection(lower::StreamPlan const &stream, std::uint32_t numReplicas);
  StreamConnection(StreamConnection &&) = default;

  bool connected(std::uint32_t replica) const {
    return hasBuffer_ || channels_[channelOf(replica)].connected();
  }
  /// [begin, end) is a positive multiple of a block; anything, even null, if blocks are empty.
  void connect(std::byte *begin, std::byte *end);
  void connect(std::uint32_t replica, poplar::StreamCallbackHandle callback);

  /// One transfer to the device: moves the next block into the arena.
  void read(std::uint32_t replica, lower::MovePlan const &plan, MoveRunner const &moves,
            std::byte *arena, unsigned maxThreads, StreamSettings const &settings);
  /// One transfer to the host.
  void write(std::uint32_t replica, lower::MovePlan const &plan, MoveRunner const &moves,
             std::byte const *arena, unsigned maxThreads, StreamSettings const &settings);
  /// As CallbackChannel's, for all channels.
  void finish();
  void abandon();
  /// Whether the replica has taken so many broadcast blocks that it should let others catch up.
  bool isFarAhead(std::uint32_t replica) const;
  /// Gives back the blocks that were filled ahead, and forgets those that were kept.
  void invalidate();
  std::size_t numReplicas() const { return taken_.size(); }
  bool broadcasts() const { return broadcasts_; }
  /// Bytes of a buffer for one transfer of all replicas.
  std::uint64_t transferBytes() const { return stream_->blockBytes * stride_; }

private:
  std::size_t channelOf(std::uint32_t replica) const { return broadcasts_ ? 0 : replica; }
  std::byte *nextBlock(std::uint32_t replica);
  std::byte const *keptBlock(std::uint32_t replica, StreamSettings const &settings);
  void dropBlocks();

  lower::StreamPlan const *stream_;
  bool broadcasts_;        ///< one sequence of blocks for several replicas
  std::uint64_t stride_;   ///< blocks from one transfer of a replica to its next
  bool hasBuffer_ = false; ///< not told by begin_, which may be null if blocks are empty
  std::byte *begin_ = nullptr, *end_ = nullptr;
  std::vector<std::byte *> at_; ///< by replica: the next block in the buffer
  std::vector<CallbackChannel> channels_;
  std::deque<std::vector<std::byte>> kept_; ///< broadcast blocks from number firstKept_ on
  std::uint64_t firstKept_ = 0;
  std::vector<std::uint64_t> taken_; ///< by replica: broadcast blocks it has had
};

} // namespace cottonwood::engine
