// The process-wide thread pool: fork and join in well under a microsecond, inline whenever that is
// better.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <type_traits>

namespace cottonwood::base {

/// A slice of a parallel job: called once with every index below the job's number of slices, in any
/// order, on any thread. It must not throw (callers catch, keep and rethrow) and must not start a
/// job of its own: a nested job runs inline.
using SliceFunction = void (*)(void *context, unsigned slice);

/// What runs parallel jobs. Implement these two functions to run the engine on threads of your own.
class ThreadBackend {
public:
  virtual ~ThreadBackend() = default;

  /// Threads that can work at the same time, the calling one included; at least 1.
  virtual unsigned numThreads() const = 0;

  /// Calls slice(context, i) for every i below numSlices and returns when all calls have returned.
  /// At most `maxThreads` threads take part, the calling one included.
  virtual void run(unsigned numSlices, unsigned maxThreads, SliceFunction slice, void *context) = 0;
};

/// The backend in use: the one set last, or the process-wide pool.
POP_API ThreadBackend &threadBackend();

/// Replaces the backend; nullptr restores the pool. The backend must outlive its use. Not while an
/// engine runs.
POP_API void setThreadBackend(ThreadBackend *backend);

/// Sizes the pool: `count` threads in total, the calling one included. 0 restores the default: the
/// environment variable POPLAR_NUM_THREADS, or else the hardware threads this process may use.
/// Waits for a running job; inside a job the pool keeps its size.
POP_API void setPoolThreads(unsigned count);

/// Makes the pool hold at least `count` threads in total, without shrinking it. To grow it waits
/// for a running job; inside a job the pool keeps its size.
POP_API void ensurePoolThreads(unsigned count);

/// The default number of threads, as setPoolThreads(0) would choose it. A value of
/// POPLAR_NUM_THREADS that is no positive number counts as absent.
POP_API unsigned defaultPoolThreads();

/// Runs body(slice) for every slice below `numSlices` on at most `maxThreads` threads.
template <class Body> void parallelFor(unsigned numSlices, unsigned maxThreads, Body &body) {
  using Plain = std::remove_reference_t<Body>;
  threadBackend().run(
      numSlices, maxThreads,
      [](void *context, unsigned slice) { (*static_cast<Plain *>(context))(slice); }, &body);
}

} // namespace cottonwood::base
