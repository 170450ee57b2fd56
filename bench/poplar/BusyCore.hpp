// Another program in the way of the engine's threads.
#pragma once

#include <memory>

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
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace cottonwood::bench
