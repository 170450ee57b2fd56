// What the slices of a parallel run of vertices report.
#pragma once

#include <poplar/impl/engine/VertexFailure.hpp>

#include <atomic>
#include <exception>
#include <mutex>

namespace cottonwood::engine::detail {

/// The exception or failure of the first slice that had one, by slice number: the same one whatever
/// the threads did.
class FirstException {
public:
  /// With null in place of a failure: the exception being handled.
  void keep(unsigned slice, VertexFailure const *failure) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (any_ && slice_ < slice)
      return;
    any_ = true;
    slice_ = slice;
    exception_ = failure ? nullptr : std::current_exception();
    failure_ = failure ? *failure : VertexFailure();
  }
  VertexFailure const &failure() const { return failure_; }
  void rethrow() {
    if (exception_)
      std::rethrow_exception(exception_);
  }

private:
  std::mutex mutex_;
  bool any_ = false;
  unsigned slice_ = 0;
  std::exception_ptr exception_;
  VertexFailure failure_;
};

/// What the slices of a parallel run report; touched only when there is something to report.
struct SliceResults {
  std::atomic<bool> all{true};
  std::atomic<float> busy{0};
  FirstException exception;
};

} // namespace cottonwood::engine::detail
