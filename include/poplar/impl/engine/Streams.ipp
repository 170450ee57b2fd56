// Body of Streams.hpp.
#pragma once

#include <poplar/impl/engine/Streams.hpp>

#include <algorithm>
#include <utility>

namespace cottonwood::engine {

POP_INLINE void StreamConnection::connect(std::byte *begin, std::byte *end) {
  invalidate();
  callback_.reset();
  begin_ = at_ = begin;
  end_ = end;
}

POP_INLINE void StreamConnection::connect(poplar::StreamCallbackHandle callback) {
  invalidate();
  begin_ = end_ = at_ = nullptr;
  callback_.reset();
  callback_.emplace(std::move(callback));
}

POP_INLINE std::byte *StreamConnection::nextBlock(std::uint64_t bytes) {
  std::byte *const block = at_;
  at_ += bytes;
  if (at_ >= end_)
    at_ = begin_;
  return block;
}

POP_INLINE void StreamConnection::prefetchAhead(lower::StreamPlan const &stream) {
  std::size_t const numBlocks = stream.bufferingDepth + 1;
  while (numFilled_ < stream.bufferingDepth) {
    std::size_t const next = (first_ + numFilled_) % numBlocks;
    if ((*callback_)->prefetch(block(next, stream.blockBytes)) !=
        poplar::StreamCallback::Result::Success)
      return;
    ++numFilled_;
  }
}

POP_INLINE void StreamConnection::read(lower::StreamPlan const &stream, lower::MovePlan const &plan,
                                       MoveRunner const &moves, std::byte *arena,
                                       unsigned maxThreads, bool prefetch) {
  if (!callback_) {
    moves.run(plan, nextBlock(stream.blockBytes), arena, maxThreads);
    return;
  }
  std::size_t const numBlocks = stream.bufferingDepth + 1;
  if (blocks_.bytes() == 0)
    blocks_ = Arena(numBlocks * blockStride(std::max<std::uint64_t>(1, stream.blockBytes)));
  std::byte *const data = block(first_, stream.blockBytes);
  if (numFilled_ == 0)
    (*callback_)->fetch(data);
  else
    --numFilled_;
  first_ = (first_ + 1) % numBlocks;
  moves.run(plan, data, arena, maxThreads);
  (*callback_)->complete();
  if (prefetch)
    prefetchAhead(stream);
}

POP_INLINE void StreamConnection::write(lower::StreamPlan const &stream,
                                        lower::MovePlan const &plan, MoveRunner const &moves,
                                        std::byte const *arena, unsigned maxThreads) {
  if (!callback_) {
    moves.run(plan, arena, nextBlock(stream.blockBytes), maxThreads);
    return;
  }
  if (blocks_.bytes() == 0)
    blocks_ = Arena(blockStride(std::max<std::uint64_t>(1, stream.blockBytes)));
  moves.run(plan, arena, blocks_.data(), maxThreads);
  (*callback_)->fetch(blocks_.data());
  (*callback_)->complete();
}

POP_INLINE void StreamConnection::invalidate() {
  if (callback_ && numFilled_ != 0)
    (*callback_)->invalidatePrefetched();
  numFilled_ = 0;
}

} // namespace cottonwood::engine
