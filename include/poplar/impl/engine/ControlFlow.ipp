// Body of ControlFlow.hpp.
#pragma once

#include <poplar/impl/engine/ControlFlow.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace cottonwood::engine::detail {

/// What must be the same whichever way an instruction is reached.
struct FlowState {
  std::uint32_t function; ///< its first instruction; NONE: a program
  std::uint32_t loops, clocks;
  bool operator==(FlowState const &) const = default;
};

/// Follows all ways once.
class ControlFlow {
public:
  explicit ControlFlow(lower::ExecutableData const &executable)
      : x_(executable), seen_(executable.instructions.size()) {}
  std::string fault();

private:
  void reach(std::uint64_t target, FlowState state);
  void follow(std::uint32_t at);
  void leave(std::uint32_t at, FlowState state, bool fromFunction);
  void checkRecursion();
  void refuse(std::uint64_t at, std::string const &what) {
    if (fault_.empty())
      fault_ = base::textOf("instructions[", at, "]: ", what);
  }

  struct Visit {
    bool seen = false;
    FlowState state{};
  };

  lower::ExecutableData const &x_;
  std::vector<Visit> seen_;
  std::vector<std::uint32_t> open_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> calls_; ///< (function, called function)
  std::string fault_;
};

POP_INLINE void ControlFlow::reach(std::uint64_t target, FlowState state) {
  if (target >= seen_.size())
    return refuse(target, base::textOf("is executed; there are ", seen_.size()));
  Visit &visit = seen_[target];
  if (!visit.seen) {
    visit = {true, state};
    open_.push_back(static_cast<std::uint32_t>(target));
  } else if (!(visit.state == state)) {
    refuse(target, base::textOf("is reached inside ", visit.state.loops, " and ", state.loops,
                                " loops, ", visit.state.clocks, " and ", state.clocks,
                                " clocks, or from two functions"));
  }
}

POP_INLINE void ControlFlow::leave(std::uint32_t at, FlowState state, bool fromFunction) {
  if (fromFunction != (state.function != lower::NONE))
    refuse(at, fromFunction ? "a Return outside of functions" : "an End inside a function");
  if (state.loops != 0 || state.clocks != 0)
    refuse(at, "loops or clocks are left open");
}

POP_INLINE void ControlFlow::follow(std::uint32_t at) {
  using lower::Op;
  lower::Instruction const &now = x_.instructions[at];
  FlowState state = seen_[at].state;
  std::uint64_t const next = std::uint64_t{at} + 1;
  switch (now.op) {
  case Op::End:
  case Op::Return:
    return leave(at, state, now.op == Op::Return);
  case Op::Abort:
  case Op::BoundsError:
    return;
  case Op::Jump:
    return reach(now.a, state);
  case Op::Switch:
    for (auto const &[value, target] : x_.switches[now.a].cases)
      reach(target, state);
    return reach(x_.switches[now.a].otherwise, state);
  case Op::JumpIfTrue:
  case Op::JumpIfFalse:
    reach(now.a, state);
    break;
  case Op::Call:
    calls_.emplace(state.function, now.a);
    reach(now.a, {now.a, 0, 0});
    break;
  case Op::LoopBegin:
    ++state.loops;
    break;
  case Op::LoopEnd:
    if (state.loops == 0)
      return refuse(at, "ends a loop that has not begun");
    reach(now.a, state);
    --state.loops;
    break;
  case Op::ClockBegin:
    ++state.clocks;
    break;
  case Op::ClockEnd:
    if (state.clocks == 0)
      return refuse(at, "ends a clock that has not begun");
    --state.clocks;
    break;
  case Op::Step:
  case Op::Execute:
  case Op::ExecuteWithExit:
  case Op::Copy:
  case Op::StreamIn:
  case Op::StreamOut:
  case Op::Print:
  case Op::ClockStamp:
  case Op::CheckEqual:
  case Op::CrossReplicaCopy:
  case Op::GlobalSync:
  case Op::RemoteIn:
  case Op::RemoteOut:
  case Op::HostCall:
    break;
  }
  reach(next, state);
}

/// Takes away functions that call nobody until none is left, or all that are left call each other.
POP_INLINE void ControlFlow::checkRecursion() {
  std::map<std::uint32_t, std::size_t> calling; // number of functions it calls
  std::map<std::uint32_t, std::vector<std::uint32_t>> callers;
  for (auto const &[function, called] : calls_) {
    ++calling[function];
    calling.try_emplace(called, 0);
    callers[called].push_back(function);
  }
  std::vector<std::uint32_t> free;
  for (auto const &[function, number] : calling)
    if (number == 0)
      free.push_back(function);
  std::size_t removed = 0;
  for (; !free.empty(); ++removed) {
    std::uint32_t const function = free.back();
    free.pop_back();
    for (std::uint32_t const caller : callers[function])
      if (--calling[caller] == 0)
        free.push_back(caller);
  }
  if (removed != calling.size())
    fault_ = "instructions: a function that calls itself found";
}

POP_INLINE std::string ControlFlow::fault() {
  for (std::uint32_t const entry : x_.entryPoints)
    reach(entry, {lower::NONE, 0, 0});
  while (!open_.empty() && fault_.empty()) {
    std::uint32_t const at = open_.back();
    open_.pop_back();
    follow(at);
  }
  if (fault_.empty())
    checkRecursion();
  return fault_;
}

} // namespace cottonwood::engine::detail

namespace cottonwood::engine {

POP_INLINE std::string controlFlowFault(lower::ExecutableData const &executable) {
  return detail::ControlFlow(executable).fault();
}

} // namespace cottonwood::engine
