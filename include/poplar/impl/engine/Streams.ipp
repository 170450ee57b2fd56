// Body of Streams.hpp.
#pragma once

#include <poplar/impl/engine/Streams.hpp>

#include <algorithm>
#include <utility>

namespace cottonwood::engine::detail {

/// Broadcast blocks that one replica may have had before the others.
inline constexpr std::uint64_t MAX_KEPT_BYTES = std::uint64_t{64} << 20;

POP_INLINE std::uint64_t blockStride(lower::StreamPlan const &stream) {
  return (std::max<std::uint64_t>(1, stream.blockBytes) + 63) / 64 * 64;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

// ---- CallbackChannel

POP_INLINE void CallbackChannel::connect(poplar::StreamCallbackHandle callback) {
  disconnect();
  callback_.emplace(std::move(callback));
}

POP_INLINE void CallbackChannel::disconnect() {
  invalidate();
  callback_.reset();
}

POP_INLINE std::byte *CallbackChannel::block(std::size_t i) {
  return blocks_.data() + i * detail::blockStride(*stream_);
}

POP_INLINE void CallbackChannel::allocate(std::size_t numBlocks) {
  if (blocks_.bytes() == 0)
    blocks_ = Arena(numBlocks * detail::blockStride(*stream_));
}

POP_INLINE StreamThread &CallbackChannel::thread() {
  if (!thread_)
    thread_ = std::make_unique<StreamThread>();
  return *thread_;
}

POP_INLINE void CallbackChannel::prefetchAhead(unsigned lookahead) {
  while (numFilled_ < lookahead) {
    std::size_t const next = (first_ + numFilled_) % (stream_->bufferingDepth + 1);
    if ((*callback_)->prefetch(block(next)) != poplar::StreamCallback::Result::Success)
      return;
    ++numFilled_;
  }
}

/// Fills blocks until the stream has given numTotal, taken ones included. A block that is taken
/// meanwhile does not move the next free one: first_ + numFilled_ stays.
POP_INLINE void CallbackChannel::prefetchOnThread(std::uint64_t numTotal) {
  for (;;) {
    std::size_t next = 0;
    {
      std::lock_guard<std::mutex> const lock(thread_->mutex());
      if (numTaken_ + numFilled_ >= numTotal)
        return;
      next = (first_ + numFilled_) % (stream_->bufferingDepth + 1);
    }
    if ((*callback_)->prefetch(block(next)) != poplar::StreamCallback::Result::Success)
      return;
    {
      std::lock_guard<std::mutex> const lock(thread_->mutex());
      ++numFilled_;
    }
    thread_->changed();
  }
}

POP_INLINE std::byte *CallbackChannel::receiveFromThread() {
  StreamThread &worker = thread();
  worker.waitUntil([this] { return numFilled_ != 0; });
  std::unique_lock<std::mutex> lock(worker.mutex());
  std::byte *const data = block(first_);
  if (numFilled_ == 0) { // and the thread is idle
    lock.unlock();
    worker.post([this, data] { (*callback_)->fetch(data); });
    worker.waitIdle();
    lock.lock();
  } else {
    --numFilled_;
  }
  first_ = (first_ + 1) % (stream_->bufferingDepth + 1);
  ++numTaken_;
  return data;
}

POP_INLINE std::byte const *CallbackChannel::receive(StreamSettings const &settings) {
  allocate(stream_->bufferingDepth + std::size_t{1});
  if (settings.dedicated)
    return receiveFromThread();
  std::byte *const data = block(first_);
  if (numFilled_ == 0)
    (*callback_)->fetch(data);
  else
    --numFilled_;
  first_ = (first_ + 1) % (stream_->bufferingDepth + 1);
  return data;
}

POP_INLINE void CallbackChannel::received(StreamSettings const &settings) {
  unsigned const lookahead = std::min(settings.lookahead, stream_->bufferingDepth);
  if (!settings.dedicated) {
    (*callback_)->complete();
    return prefetchAhead(lookahead);
  }
  thread().post([this, numTotal = numTaken_ + lookahead] {
    (*callback_)->complete();
    prefetchOnThread(numTotal);
  });
}

POP_INLINE std::byte *CallbackChannel::blockToSend() {
  allocate(1);
  return block(0);
}

POP_INLINE void CallbackChannel::send(StreamSettings const &settings) {
  auto const deliver = [this] {
    (*callback_)->fetch(block(0));
    (*callback_)->complete();
  };
  if (!settings.dedicated)
    return deliver();
  // What follows in the program may rely on the host's having the data.
  thread().post(deliver);
  thread_->waitIdle();
}

POP_INLINE void CallbackChannel::finish() {
  if (thread_)
    thread_->waitIdle();
  thread_.reset();
}

POP_INLINE void CallbackChannel::abandon() {
  if (thread_)
    thread_->finishAll(); // its jobs go through thread_, which reset() would clear first
  thread_.reset();
}

POP_INLINE void CallbackChannel::invalidate() {
  if (callback_ && numFilled_ != 0)
    (*callback_)->invalidatePrefetched();
  numFilled_ = 0;
}

// ---- StreamConnection

POP_INLINE StreamConnection::StreamConnection(lower::StreamPlan const &stream,
                                              std::uint32_t numReplicas)
    : stream_(&stream), broadcasts_(numReplicas > 1 && stream.toDevice &&
                                    stream.mode == poplar::ReplicatedStreamMode::BROADCAST),
      stride_(broadcasts_ ? 1 : numReplicas), at_(numReplicas, nullptr), taken_(numReplicas, 0) {
  for (std::uint32_t i = 0; i < (broadcasts_ ? 1 : numReplicas); ++i)
    channels_.emplace_back(stream);
}

POP_INLINE void StreamConnection::connect(std::byte *begin, std::byte *end) {
  for (CallbackChannel &channel : channels_)
    channel.disconnect();
  invalidate();
  hasBuffer_ = true;
  begin_ = begin;
  end_ = end;
  std::uint64_t const length = static_cast<std::uint64_t>(end - begin);
  for (std::size_t replica = 0; replica < at_.size(); ++replica)
    at_[replica] =
        broadcasts_ || length == 0 ? begin : begin + replica * stream_->blockBytes % length;
}

POP_INLINE void StreamConnection::connect(std::uint32_t replica,
                                          poplar::StreamCallbackHandle callback) {
  hasBuffer_ = false;
  if (broadcasts_)
    invalidate(); // blocks of the old callback
  channels_[channelOf(replica)].connect(std::move(callback));
}

POP_INLINE std::byte *StreamConnection::nextBlock(std::uint32_t replica) {
  std::byte *&at = at_[replica];
  std::byte *const block = at;
  auto const length = end_ - begin_;
  if (length == 0)
    return block;
  auto const next = (at - begin_) + static_cast<std::ptrdiff_t>(transferBytes());
  at = begin_ + (next < length ? next : next % length);
  return block;
}

/// The replica's next broadcast block, fetched if no other replica has had it.
POP_INLINE std::byte const *StreamConnection::keptBlock(std::uint32_t replica,
                                                        StreamSettings const &settings) {
  std::uint64_t const number = taken_[replica] - firstKept_;
  if (number == kept_.size()) {
    std::byte const *const data = channels_[0].receive(settings);
    kept_.emplace_back(data, data + stream_->blockBytes);
    channels_[0].received(settings);
  }
  return kept_[number].data();
}

POP_INLINE void StreamConnection::dropBlocks() {
  std::uint64_t const least = *std::min_element(taken_.begin(), taken_.end());
  for (; firstKept_ < least; ++firstKept_)
    kept_.pop_front();
}

POP_INLINE void StreamConnection::read(std::uint32_t replica, lower::MovePlan const &plan,
                                       MoveRunner const &moves, std::byte *arena,
                                       unsigned maxThreads, StreamSettings const &settings) {
  if (hasBuffer_) {
    moves.run(plan, nextBlock(replica), arena, maxThreads);
    return;
  }
  if (broadcasts_) {
    moves.run(plan, keptBlock(replica, settings), arena, maxThreads);
    ++taken_[replica];
    dropBlocks();
    return;
  }
  CallbackChannel &channel = channels_[replica];
  moves.run(plan, channel.receive(settings), arena, maxThreads);
  channel.received(settings);
}

POP_INLINE void StreamConnection::write(std::uint32_t replica, lower::MovePlan const &plan,
                                        MoveRunner const &moves, std::byte const *arena,
                                        unsigned maxThreads, StreamSettings const &settings) {
  if (hasBuffer_) {
    moves.run(plan, arena, nextBlock(replica), maxThreads);
    return;
  }
  CallbackChannel &channel = channels_[channelOf(replica)];
  moves.run(plan, arena, channel.blockToSend(), maxThreads);
  channel.send(settings);
}

POP_INLINE void StreamConnection::finish() {
  for (CallbackChannel &channel : channels_)
    channel.finish();
}

POP_INLINE void StreamConnection::abandon() {
  for (CallbackChannel &channel : channels_)
    channel.abandon();
}

POP_INLINE bool StreamConnection::isFarAhead(std::uint32_t replica) const {
  return kept_.size() * detail::blockStride(*stream_) > detail::MAX_KEPT_BYTES &&
         taken_[replica] == firstKept_ + kept_.size();
}

POP_INLINE void StreamConnection::invalidate() {
  for (CallbackChannel &channel : channels_)
    channel.invalidate();
  kept_.clear();
  firstKept_ = 0;
  std::fill(taken_.begin(), taken_.end(), 0);
}

} // namespace cottonwood::engine
