// Whether processes rest, and whether they were disturbed. Thread pools of libraries spin for up to
// 100 ms after a call, on cores that the next contender needs.
#pragma once

#include <chrono>
#include <span>

#include <sys/types.h>

namespace cottonwood::bench {

/// True if no thread of the process runs or waits for a core; the calling thread is left out. A
/// process that has ended is at rest.
bool isIdle(pid_t process);

/// Waits until all are idle at two looks in a row; false if they are not within `limit`.
bool waitUntilIdle(std::span<pid_t const> processes, std::chrono::milliseconds limit);

/// Seconds that the threads of a process have stood ready without getting a core, since it began:
/// what other programs on the machine took from it. 0 if the kernel does not tell.
double secondsKeptWaiting(pid_t process);

} // namespace cottonwood::bench
