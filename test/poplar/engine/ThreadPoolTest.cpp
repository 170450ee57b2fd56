#include "PoolSize.hpp"

#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <numeric>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace base = cottonwood::base;
using engineTest::PoolSize;

std::uint64_t sumOfSlices(unsigned numSlices, unsigned maxThreads = ~0u) {
  std::vector<std::uint64_t> out(numSlices);
  auto body = [&](unsigned slice) { out[slice] += slice + 1u; };
  base::parallelFor(numSlices, maxThreads, body);
  return std::accumulate(out.begin(), out.end(), std::uint64_t{0});
}

} // namespace

TEST_SUITE("poplar/engine/threads") {
  TEST_CASE("every slice runs exactly once, for any number of threads and slices") {
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
      const PoolSize size(threads);
      CHECK(base::threadBackend().numThreads() == threads);
      for (const std::uint64_t n : {0u, 1u, 2u, 3u, 7u, 64u, 1000u})
        CHECK(sumOfSlices(static_cast<unsigned>(n)) == n * (n + 1) / 2);
    }
  }

  TEST_CASE("jobs that follow one another at once do not mix their slices") {
    const PoolSize size(4);
    for (unsigned turn = 0; turn < 5000; ++turn)
      REQUIRE(sumOfSlices(2 + turn % 7) == (2 + turn % 7) * (3 + turn % 7) / 2);
  }

  TEST_CASE("workers that went to sleep wake up for the next job") {
    const PoolSize size(3);
    for (unsigned turn = 0; turn < 5; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      CHECK(sumOfSlices(100) == 5050);
    }
  }

  TEST_CASE("a job with a limit of one thread runs in slice order on the calling thread") {
    const PoolSize size(4);
    std::vector<unsigned> order;
    auto body = [&](unsigned slice) { order.push_back(slice); };
    base::parallelFor(5, 1, body);
    CHECK(order == std::vector<unsigned>{0, 1, 2, 3, 4});
  }

  TEST_CASE("a job inside a job and jobs of several threads at the same time run to the end") {
    const PoolSize size(4);
    std::atomic<std::uint64_t> total{0};
    auto outer = [&](unsigned) { total += sumOfSlices(10); };
    base::parallelFor(8, ~0u, outer);
    CHECK(total == 8 * 55);
    std::vector<std::thread> callers;
    std::atomic<unsigned> wrong{0};
    for (unsigned i = 0; i < 3; ++i)
      callers.emplace_back([&] {
        for (unsigned turn = 0; turn < 500; ++turn)
          wrong += sumOfSlices(20) != 210;
      });
    for (std::thread &caller : callers)
      caller.join();
    CHECK(wrong == 0);
  }

#if !defined(                                                                                      \
    __SANITIZE_THREAD__) // ThreadSanitizer does not follow threads started in a forked child
  TEST_CASE("the pool can be sized while other threads give it jobs") {
    const PoolSize size(4);
    std::atomic<bool> done{false};
    std::thread sizing([&] {
      for (unsigned turn = 0; turn < 200; ++turn)
        base::setPoolThreads(1 + turn % 4);
      done = true;
    });
    unsigned wrong = 0;
    while (!done)
      wrong += sumOfSlices(40) != 820;
    sizing.join();
    CHECK(wrong == 0);
  }

  TEST_CASE("inside a job nobody waits for its end: the pool keeps its size") {
    const PoolSize size(3);
    auto body = [](unsigned slice) {
      base::ensurePoolThreads(slice);
      base::ensurePoolThreads(16);
      base::setPoolThreads(2);
    };
    base::parallelFor(8, ~0u, body);
    CHECK(base::threadBackend().numThreads() == 3);
    base::ensurePoolThreads(4);
    CHECK(base::threadBackend().numThreads() == 4);
  }

  TEST_CASE("a forked child makes a pool of its own") {
    const PoolSize size(3);
    CHECK(sumOfSlices(50) == 1275);
    const pid_t child = fork();
    if (child == 0)
      _exit(sumOfSlices(50) == 1275 && base::threadBackend().numThreads() == 3 ? 0 : 1);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(sumOfSlices(50) == 1275);
  }
#endif

  TEST_CASE("a backend of the program's own replaces the pool") {
    struct Reversed final : base::ThreadBackend {
      unsigned calls = 0;
      unsigned numThreads() const override { return 1; }
      void run(unsigned numSlices, unsigned, base::SliceFunction slice, void *context) override {
        ++calls;
        while (numSlices > 0)
          slice(context, --numSlices);
      }
    } reversed;
    base::setThreadBackend(&reversed);
    std::vector<unsigned> order;
    auto body = [&](unsigned slice) { order.push_back(slice); };
    base::parallelFor(3, ~0u, body);
    base::setThreadBackend(nullptr);
    CHECK(reversed.calls == 1);
    CHECK(order == std::vector<unsigned>{2, 1, 0});
  }

  TEST_CASE("POPLAR_NUM_THREADS sizes the pool; a value that is no positive number is ignored") {
    setenv("POPLAR_NUM_THREADS", "5", 1);
    CHECK(base::defaultPoolThreads() == 5);
    setenv("POPLAR_NUM_THREADS", "many", 1);
    CHECK(base::defaultPoolThreads() >= 1);
    unsetenv("POPLAR_NUM_THREADS");
    base::ensurePoolThreads(6);
    CHECK(base::threadBackend().numThreads() >= 6);
    base::setPoolThreads(0);
    CHECK(base::threadBackend().numThreads() == base::defaultPoolThreads());
  }

  TEST_CASE("a program bound to one core works on one thread by default") {
    std::thread([] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
      REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
      CHECK(base::defaultPoolThreads() == 1);
    }).join();
  }

  TEST_CASE("no worker stays on the caller's core while others are free to use") {
    base::setPoolThreads(2);
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    if (CPU_COUNT(&allowed) < 2)
      return;
    std::atomic<unsigned> together{0};
    for (int job = 0; job < 200; ++job) {
      std::atomic<int> cores[2] = {-1, -1};
      auto body = [&](unsigned slice) {
        cores[slice] = sched_getcpu();
        // Both slices are under way at the same time, on two threads, or this one gives up waiting.
        for (int i = 0; i < 20000 && cores[1 - slice] < 0; ++i)
          std::this_thread::yield();
      };
      base::parallelFor(2, 2, body);
      together += cores[0] == cores[1];
    }
    CHECK(together < 200); // all of them would be a worker that never left
    base::setPoolThreads(0);
  }
}
