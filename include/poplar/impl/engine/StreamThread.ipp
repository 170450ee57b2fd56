// Body of StreamThread.hpp.
#pragma once

#include <poplar/impl/engine/StreamThread.hpp>

#include <utility>

namespace cottonwood::engine {

POP_INLINE StreamThread::StreamThread() : thread_([this] { loop(); }) {}

POP_INLINE void StreamThread::finishAll() {
  if (!thread_.joinable())
    return;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

POP_INLINE void StreamThread::post(std::function<void()> job) {
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    rethrow();
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

POP_INLINE void StreamThread::rethrow() {
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

POP_INLINE void StreamThread::loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty())
      return;
    std::function<void()> const job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      job();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (failure) {
      failure_ = failure;
      jobs_.clear();
    }
    changed_.notify_all();
  }
}

} // namespace cottonwood::engine
