// Body of ThreadPool.hpp.
//
// One job at a time. Every thread that takes part has a share of the slices, the same one each
// time: what a step has left in the cache of a core is read there by the next. Who is done with a
// share of its own takes slices from the others'. A share's ticket holds the job's number in its
// upper half and the number of unclaimed slices in its lower half, so that a claim (compare and
// swap) succeeds only while that very job has slices left: a worker that was descheduled between
// reading a job and claiming from it cannot take a slice of the next job by mistake. The caller
// works like any worker, and then waits for the slices that others have begun. A worker that never
// wakes up in time therefore costs nothing but the wake-up call.
//
// What a fork and join costs is the number of times that a cache line changes cores, one after the
// other: 40 ns within a cache, 200 ns between the chiplets of a large processor. So all that a
// worker reads to join a job travels in the one line of its share.
#pragma once

#include <poplar/impl/base/ThreadPool.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace cottonwood::base::detail {

/// Workers look for the next job this long before they sleep: compute sets follow one another
/// within microseconds.
inline constexpr std::chrono::microseconds SPIN_TIME{1000};
/// A pause is 30 to 140 cycles; the clock is read once in this many of them.
inline constexpr unsigned PAUSES_PER_CLOCK = 32;
/// After this many pauses a thread without work takes the last slice of another's share.
inline constexpr unsigned PAUSES_BEFORE_LAST = 32;
/// After this many pauses the caller gives up its time slice to the worker it waits for.
inline constexpr unsigned PAUSES_BEFORE_YIELD = 4096;

POP_ALWAYS_INLINE void pauseThread() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

class ThreadPool final : public ThreadBackend {
public:
  explicit ThreadPool(unsigned numThreads) { start(numThreads); }
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;
  ~ThreadPool() override { stop(); }

  unsigned numThreads() const override { return numThreads_.load(std::memory_order_relaxed); }
  void run(unsigned numSlices, unsigned maxThreads, SliceFunction slice, void *context) override;
  void resize(unsigned numThreads, bool shrink);

private:
  struct Claim {
    SliceFunction slice;
    void *context;
    unsigned index;
    void run() const { slice(context, index); }
  };
  /// A thread's part of a job: slices [end - left, end). Number 0 is the caller's, worker w has
  /// number w + 1.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> ticket{0};
    std::atomic<SliceFunction> slice{nullptr};
    std::atomic<void *> context{nullptr};
    std::atomic<unsigned> end{0};
    std::atomic<unsigned> numShares{0};
    std::atomic<int> callerCore{-1};
  };
  /// Where a worker sleeps.
  struct alignas(64) Bed {
    std::mutex mutex;
    std::condition_variable condition;
    std::atomic<bool> occupied{false};
  };

  void start(unsigned numThreads);
  void stop();
  void workerMain(unsigned number);
  bool waitForJob(unsigned number, std::uint64_t seen);
  void publish(unsigned numSlices, unsigned numShares, SliceFunction slice, void *context);
  bool claimFrom(Share &share, Claim &claim);
  bool claimSlice(unsigned number, unsigned numShares, Claim &claim);
  void wakeNext(unsigned number, unsigned numShares);
  bool isInJob() const;

  std::vector<Share> shares_;
  std::vector<Bed> beds_; ///< by number, the caller's unused
  std::vector<std::thread> workers_;
  // Slices that workers have run, of all jobs; callers only read it.
  alignas(64) std::atomic<unsigned> finished_{0};
  // Callers only.
  alignas(64) std::atomic<bool> busy_{false};
  std::atomic<pthread_t> caller_{}; ///< of the job that runs, else no thread
  // Read all the time and seldom written.
  alignas(64) std::atomic<bool> stopping_{false};
  std::atomic<unsigned> sleeping_{0};
  std::atomic<unsigned> numThreads_{1};
  bool coreEach_ = true; ///< there are not more threads than cores
};

/// Cores that this process may use: a mask (taskset, containers) may leave fewer than there are.
POP_INLINE unsigned usableCores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) // more cores than the set has room for
    return std::max(1u, std::thread::hardware_concurrency());
  return std::max(1u, static_cast<unsigned>(CPU_COUNT(&allowed)));
}

/// Moves the calling thread to another core that it may use, if there is one. A busy machine may
/// put a worker on the caller's core, where the two only take time from each other, and leave it
/// there because neither ever sleeps. (The mask is put back at once: no thread is pinned.)
POP_INLINE void leaveCore(int core) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<std::size_t>(core), &others);
  if (CPU_COUNT(&others) == 0)
    return;
  sched_setaffinity(0, sizeof others, &others);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

inline constexpr std::uint64_t JOB_UNIT = std::uint64_t{1} << 32;
POP_ALWAYS_INLINE unsigned slicesLeft(std::uint64_t ticket) {
  return static_cast<unsigned>(ticket & (JOB_UNIT - 1));
}
POP_ALWAYS_INLINE std::uint64_t jobOf(std::uint64_t ticket) { return ticket >> 32; }

POP_INLINE void ThreadPool::start(unsigned numThreads) {
  numThreads = std::max(1u, numThreads);
  coreEach_ = numThreads <= usableCores();
  shares_ = std::vector<Share>(numThreads);
  beds_ = std::vector<Bed>(numThreads);
  workers_.reserve(numThreads - 1);
  while (workers_.size() + 1 < numThreads) {
    const auto number = static_cast<unsigned>(workers_.size()) + 1;
    try {
      workers_.emplace_back([this, number] { workerMain(number); });
    } catch (const std::system_error &) {
      break; // the system grants no more threads: work with those we have
    }
  }
  numThreads_.store(static_cast<unsigned>(workers_.size()) + 1, std::memory_order_relaxed);
}

POP_INLINE void ThreadPool::stop() {
  stopping_.store(true, std::memory_order_seq_cst);
  for (Bed &bed : beds_) {
    { const std::lock_guard<std::mutex> lock(bed.mutex); }
    bed.condition.notify_one();
  }
  for (std::thread &worker : workers_)
    worker.join();
  workers_.clear();
  stopping_.store(false, std::memory_order_relaxed);
}

/// The pool whose worker the thread is.
inline thread_local ThreadPool const *workersPool = nullptr;

POP_INLINE bool ThreadPool::isInJob() const {
  return workersPool == this || caller_.load(std::memory_order_relaxed) == pthread_self();
}

POP_INLINE void ThreadPool::resize(unsigned numThreads, bool shrink) {
  // A thread that waited for the job it is part of would wait for ever.
  if ((numThreads <= this->numThreads() && !shrink) || isInJob())
    return;
  while (busy_.exchange(true, std::memory_order_acquire))
    std::this_thread::yield();
  const unsigned now = this->numThreads();
  if (numThreads > now || (shrink && numThreads < now)) {
    stop();
    start(numThreads);
  }
  busy_.store(false, std::memory_order_release);
}

/// Tickets are published with sequential consistency, so that a caller sees who sleeps and has not
/// seen them. Plain stores with one fence behind them leave the core together with the stores
/// before them; an exchange would let another core take the line in between. (The thread sanitizer
/// knows no fences.)
#if defined(__SANITIZE_THREAD__)
inline constexpr std::memory_order PUBLISH = std::memory_order_seq_cst;
#else
inline constexpr std::memory_order PUBLISH = std::memory_order_release;
#endif

POP_INLINE void ThreadPool::publish(unsigned numSlices, unsigned numShares, SliceFunction slice,
                                    void *context) {
  const int core = sched_getcpu();
  const std::uint64_t job = jobOf(shares_[0].ticket.load(std::memory_order_relaxed)) + 1;
  unsigned begin = 0;
  for (unsigned i = 0; i < numShares; ++i) {
    Share &share = shares_[i];
    const unsigned slices = numSlices / numShares + (i < numSlices % numShares ? 1 : 0);
    begin += slices;
    share.slice.store(slice, std::memory_order_relaxed);
    share.context.store(context, std::memory_order_relaxed);
    share.end.store(begin, std::memory_order_relaxed);
    share.numShares.store(numShares, std::memory_order_relaxed);
    share.callerCore.store(core, std::memory_order_relaxed);
    share.ticket.store(job * JOB_UNIT + slices, PUBLISH);
  }
#if !defined(__SANITIZE_THREAD__)
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// Wakes the first sleeper behind `number` that has a share. Each that wakes calls the next: the
/// caller pays for one wake-up only.
POP_INLINE void ThreadPool::wakeNext(unsigned number, unsigned numShares) {
  for (unsigned i = number + 1; i < numShares; ++i) {
    Bed &bed = beds_[i];
    if (!bed.occupied.load(std::memory_order_seq_cst))
      continue;
    // Taking the mutex orders us behind a worker between its last look at the ticket and its sleep.
    { const std::lock_guard<std::mutex> lock(bed.mutex); }
    bed.condition.notify_one();
    return;
  }
}

/// Claims one slice of a share; false when none is left.
POP_INLINE bool ThreadPool::claimFrom(Share &share, Claim &claim) {
  std::uint64_t ticket = share.ticket.load(std::memory_order_acquire);
  while (slicesLeft(ticket) != 0) {
    claim.slice = share.slice.load(std::memory_order_relaxed);
    claim.context = share.context.load(std::memory_order_relaxed);
    claim.index = share.end.load(std::memory_order_relaxed) - slicesLeft(ticket);
    __builtin_prefetch(claim.context); // comes while the claim is made
    // Success proves that the job had not ended, so nothing of what was read above was overwritten
    // meanwhile.
    if (share.ticket.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel,
                                           std::memory_order_acquire))
      return true;
  }
  return false;
}

/// Claims a slice of the thread's own share, or else of another's. The last one of another's is
/// left to its owner for a while, who is likely to have its data in the cache.
POP_INLINE bool ThreadPool::claimSlice(unsigned number, unsigned numShares, Claim &claim) {
  if (claimFrom(shares_[number], claim))
    return true;
  for (unsigned pauses = 0;; ++pauses) {
    unsigned most = 0, victim = number;
    for (unsigned i = 0; i < numShares; ++i) {
      const unsigned left = slicesLeft(shares_[i].ticket.load(std::memory_order_relaxed));
      victim = left > most ? i : victim;
      most = std::max(left, most);
    }
    if (most == 0)
      return false;
    if ((most > 1 || pauses >= PAUSES_BEFORE_LAST) && claimFrom(shares_[victim], claim))
      return true;
    pauseThread();
  }
}

POP_INLINE void ThreadPool::run(unsigned numSlices, unsigned maxThreads, SliceFunction slice,
                                void *context) {
  const auto runInline = [&]() {
    for (unsigned i = 0; i < numSlices; ++i)
      slice(context, i);
  };
  const unsigned most = std::min(numSlices, maxThreads);
  // A second engine at the same time, and a job inside a job, find the pool busy and run inline.
  if (std::min(most, numThreads()) < 2 || busy_.exchange(true, std::memory_order_acquire))
    return runInline();
  const unsigned numShares = std::min(most, numThreads()); // it may have shrunk meanwhile
  if (numShares < 2) {
    busy_.store(false, std::memory_order_release);
    return runInline();
  }
  caller_.store(pthread_self(), std::memory_order_relaxed);
  const unsigned before = finished_.load(std::memory_order_relaxed);
  publish(numSlices, numShares, slice, context);
  if (sleeping_.load(std::memory_order_seq_cst) != 0)
    wakeNext(0, numShares);
  unsigned others = numSlices;
  for (Claim claim; claimSlice(0, numShares, claim); --others)
    claim.run();
  for (unsigned pauses = 0; finished_.load(std::memory_order_acquire) - before != others;
       ++pauses) {
    if (pauses < PAUSES_BEFORE_YIELD)
      pauseThread();
    else
      sched_yield();
  }
  caller_.store({}, std::memory_order_relaxed);
  busy_.store(false, std::memory_order_release);
}

/// Spins, then sleeps, until a job other than `seen` has a share for the worker; false when the
/// pool stops.
POP_INLINE bool ThreadPool::waitForJob(unsigned number, std::uint64_t seen) {
  const Share &share = shares_[number];
  const auto isNew = [&](std::memory_order order) {
    return jobOf(share.ticket.load(order)) != seen || stopping_.load(order);
  };
  const auto end = std::chrono::steady_clock::now() + SPIN_TIME;
  do {
    for (unsigned i = 0; i < PAUSES_PER_CLOCK; ++i) {
      if (isNew(std::memory_order_relaxed))
        return !stopping_.load(std::memory_order_acquire);
      pauseThread();
    }
  } while (std::chrono::steady_clock::now() < end);
  Bed &bed = beds_[number];
  std::unique_lock<std::mutex> lock(bed.mutex);
  // Sequentially consistent with publish and its reader: either we see the ticket or they see us.
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
  bed.occupied.store(true, std::memory_order_seq_cst);
  bed.condition.wait(lock, [&] { return isNew(std::memory_order_seq_cst); });
  bed.occupied.store(false, std::memory_order_relaxed);
  sleeping_.fetch_sub(1, std::memory_order_seq_cst);
  lock.unlock();
  if (sleeping_.load(std::memory_order_relaxed) != 0)
    wakeNext(number, share.numShares.load(std::memory_order_relaxed));
  return !stopping_.load(std::memory_order_acquire);
}

POP_INLINE void ThreadPool::workerMain(unsigned number) {
  workersPool = this;
  Share &share = shares_[number];
  // Not the ticket as it is now: the first job may have come before this thread has.
  for (std::uint64_t seen = 0; waitForJob(number, seen);) {
    seen = jobOf(share.ticket.load(std::memory_order_acquire));
    const int core = sched_getcpu();
    if (coreEach_ && core >= 0 && core == share.callerCore.load(std::memory_order_relaxed))
      leaveCore(core);
    const unsigned numShares = share.numShares.load(std::memory_order_relaxed);
    for (Claim claim; claimSlice(number, numShares, claim);) {
      claim.run();
      finished_.fetch_add(1, std::memory_order_release);
    }
  }
}

/// The pool and the settings that outlive it across fork().
struct PoolState {
  std::mutex mutex;
  std::atomic<ThreadPool *> pool{nullptr};
  std::atomic<ThreadBackend *> backend{nullptr};
  unsigned wanted = 0;
};

// Never destroyed: engines may run in destructors of static objects, and workers sleep on it until
// the process ends.
POP_INLINE PoolState &poolState() {
  static PoolState *const state = new PoolState;
  return *state;
}

/// In a forked child the workers do not exist: forget the parent's pool (not destroying what may be
/// in use) and let the next job make a new one. The mutex is held across fork(), so the settings
/// are whole.
POP_INLINE void handleForks() {
  static const int registered =
      pthread_atfork([] { poolState().mutex.lock(); }, [] { poolState().mutex.unlock(); },
                     [] {
                       poolState().pool.store(nullptr);
                       poolState().mutex.unlock();
                     });
  static_cast<void>(registered);
}

POP_INLINE ThreadPool &pool() {
  PoolState &state = poolState();
  if (ThreadPool *ready = state.pool.load(std::memory_order_acquire))
    return *ready;
  handleForks();
  const std::lock_guard<std::mutex> lock(state.mutex);
  ThreadPool *ready = state.pool.load(std::memory_order_relaxed);
  if (!ready) {
    ready = new ThreadPool(state.wanted ? state.wanted : defaultPoolThreads());
    state.pool.store(ready, std::memory_order_release);
  }
  return *ready;
}

} // namespace cottonwood::base::detail

namespace cottonwood::base {

POP_INLINE unsigned defaultPoolThreads() {
  if (const char *text = std::getenv("POPLAR_NUM_THREADS")) {
    char *end = nullptr;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (end != text && *end == '\0' && value > 0 && value <= 4096)
      return static_cast<unsigned>(value);
  }
  return detail::usableCores();
}

POP_INLINE ThreadBackend &threadBackend() {
  if (ThreadBackend *own = detail::poolState().backend.load(std::memory_order_acquire))
    return *own;
  return detail::pool();
}

POP_INLINE void setThreadBackend(ThreadBackend *backend) {
  detail::poolState().backend.store(backend, std::memory_order_release);
}

POP_INLINE void setPoolThreads(unsigned count) {
  {
    const std::lock_guard<std::mutex> lock(detail::poolState().mutex);
    detail::poolState().wanted = count;
  }
  detail::pool().resize(count ? count : defaultPoolThreads(), true);
}

POP_INLINE void ensurePoolThreads(unsigned count) { detail::pool().resize(count, false); }

} // namespace cottonwood::base
