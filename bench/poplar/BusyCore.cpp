#include <bench/poplar/BusyCore.hpp>

#include <csignal>
#include <cstddef>
#include <sched.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cottonwood::bench {
namespace {

cpu_set_t only(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return set;
}

/// A core of `allowed` that is not `mine`; -1 if there is none.
int otherCore(cpu_set_t const &allowed, int mine) {
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (core != mine && CPU_ISSET(static_cast<std::size_t>(core), &allowed))
      return core;
  return -1;
}

/// Of a forked process: nothing here allocates or locks.
[[noreturn]] void spin(int core) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  cpu_set_t const place = only(core);
  sched_setaffinity(0, sizeof place, &place);
  for (volatile unsigned turns = 0;;)
    turns = turns + 1;
}

} // namespace

struct BusyCore::State {
  cpu_set_t allowed; ///< of this thread before
  pid_t child;
};

BusyCore::BusyCore() : state_(std::make_unique<State>()) {
  int const mine = sched_getcpu();
  if (mine < 0 || sched_getaffinity(0, sizeof state_->allowed, &state_->allowed) != 0)
    throw std::runtime_error("--busy-core: the system does not say on which cores this runs");
  int const other = otherCore(state_->allowed, mine);
  if (other < 0)
    throw std::runtime_error("--busy-core needs two cores; this process may use one");
  state_->child = fork();
  if (state_->child < 0)
    throw std::runtime_error("--busy-core: the spinning process could not be made");
  if (state_->child == 0)
    spin(other);
  cpu_set_t const place = only(mine);
  sched_setaffinity(0, sizeof place, &place);
}

BusyCore::~BusyCore() {
  kill(state_->child, SIGKILL);
  waitpid(state_->child, nullptr, 0);
  sched_setaffinity(0, sizeof state_->allowed, &state_->allowed);
}

} // namespace cottonwood::bench
