// Another program in the way of the engine's threads.
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace cottonwood::bench {

/// A process that spins on one core until destroyed, and this thread kept on another.
class BusyCore {
public:
  /// \throws std::runtime_error  this process may use one core only, or cannot make another one.
  BusyCore();
  ~BusyCore();
  BusyCore(BusyCore const &) = delete;
  BusyCore &operator=(BusyCore const &) = delete;

private:
  cpu_set_t allowed_; ///< of this thread before
  pid_t child_;
};

} // namespace cottonwood::bench
