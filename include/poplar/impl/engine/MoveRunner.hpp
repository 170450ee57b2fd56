// Executes copy plans.
#pragma once

#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>

namespace cottonwood::engine {

class MoveRunner {
public:
  explicit MoveRunner(lower::ExecutableData const &executable) : executable_(&executable) {}

  /// Moves all bytes of the plan; `src` and `dst` are what its offsets count from. Large plans use
  /// several threads.
  void run(lower::MovePlan const &plan, std::byte const *src, std::byte *dst,
           unsigned maxThreads) const;
  /// The same on this thread.
  void runInline(lower::MovePlan const &plan, std::byte const *src, std::byte *dst) const;

  enum class Side { Source, Destination };
  /// Where the arena's side of a plan begins, if the plan is one run of bytes between the arena and
  /// a packed buffer; else null.
  std::byte *singleRun(lower::MovePlan const &plan, std::byte *arena, Side side) const;

private:
  /// Part `part` of `parts` equal ones of a move: bytes of a single run, else turns of its
  /// outermost dim.
  void runPart(lower::Move const &move, std::byte const *src, std::byte *dst, unsigned part,
               unsigned parts) const;

  lower::ExecutableData const *executable_;
};

} // namespace cottonwood::engine
