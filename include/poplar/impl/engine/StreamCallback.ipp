// Body of poplar/StreamCallback.hpp.
#pragma once

#include <poplar/StreamCallback.hpp>

#include <condition_variable>
#include <mutex>

namespace poplar {

POP_INLINE StreamCallbackBase::~StreamCallbackBase() = default;
POP_INLINE void StreamCallbackBase::invalidatePrefetched() {}
POP_INLINE StreamCallback::~StreamCallback() = default;
POP_INLINE LegacyStreamCallback::~LegacyStreamCallback() = default;

POP_INLINE StreamCallbackWithMetadata::~StreamCallbackWithMetadata() = default;

struct ResumableStreamCallback::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool awaiting = false, notified = false;
};

POP_INLINE ResumableStreamCallback::ResumableStreamCallback() : state_(new State) {}
POP_INLINE ResumableStreamCallback::~ResumableStreamCallback() = default;

POP_INLINE void ResumableStreamCallback::notify() {
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    state_->notified = true;
  }
  state_->changed.notify_all();
}

POP_INLINE bool ResumableStreamCallback::isAwaiting() const {
  std::lock_guard<std::mutex> const lock(state_->mutex);
  return state_->awaiting;
}

POP_INLINE void ResumableStreamCallback::wait() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->awaiting = true;
  state_->changed.wait(lock, [this] { return state_->notified; });
  state_->awaiting = state_->notified = false;
}

POP_INLINE StreamCallbackHandle::StreamCallbackHandle(std::unique_ptr<StreamCallback> callback)
    : callback_(std::move(callback)) {}
POP_INLINE
StreamCallbackHandle::StreamCallbackHandle(StreamCallbackHandle &&other) noexcept = default;
POP_INLINE StreamCallbackHandle &
StreamCallbackHandle::operator=(StreamCallbackHandle &&other) noexcept = default;
POP_INLINE StreamCallbackHandle::~StreamCallbackHandle() = default;

} // namespace poplar
