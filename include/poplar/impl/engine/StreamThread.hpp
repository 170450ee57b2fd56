// The thread that one stream's callbacks run on in dedicated mode.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace cottonwood::engine {

/// Runs jobs one after another. An exception of a job drops those behind it and comes out of the
/// next call that waits, once.
class StreamThread {
public:
  StreamThread();
  ~StreamThread() { finishAll(); }
  StreamThread(StreamThread const &) = delete;
  StreamThread &operator=(StreamThread const &) = delete;

  /// Guards what jobs and the poster share; jobs run without it.
  std::mutex &mutex() { return mutex_; }

  void post(std::function<void()> job);
  /// Returns when `ready()`, called with the mutex held, is true or all jobs are done.
  template <class F> void waitUntil(F &&ready) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || idle() || ready(); });
    rethrow();
  }
  void waitIdle() {
    waitUntil([] { return false; });
  }
  /// Finishes all jobs and ends the thread; an exception nobody waited for is lost. Jobs may use
  /// this object until it returns.
  void finishAll();
  /// To be called by a job that has changed what a waiter may wait for.
  void changed() { changed_.notify_all(); }

private:
  bool idle() const { return jobs_.empty() && !busy_; }
  void rethrow();
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool busy_ = false, stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_; // last: it uses all the others
};

} // namespace cottonwood::engine
