// The wisdom of this process, and how measuring adds to it.
#pragma once

#include <planners/poplin/ConvMeasure.hpp>
#include <poplin/impl/Config.hpp>

#include <poplar/impl/base/Error.hpp>

#include <chrono>
#include <limits>
#include <optional>
#include <string>

namespace cottonwood::poplin {

POP_API std::optional<planner::WisdomEntry> knownPlan(std::string const &problem);
POP_API void learnPlan(std::string const &problem, planner::WisdomEntry const &entry);

/// Memory that measuring may take for operands and result.
inline constexpr double MEASURE_BYTES = 1024.0 * 1024 * 1024;
/// A plan is run until this much time has passed, and at least twice after a first run.
inline constexpr std::chrono::nanoseconds MEASURE_TIME{3000000};

/// Nanoseconds of the quickest of several runs.
template <class Run> std::uint64_t quickest(Run const &run) {
  using Clock = std::chrono::steady_clock;
  auto best = Clock::duration::max();
  Clock::duration total{};
  run();
  for (int i = 0; i < 2 || total < MEASURE_TIME; ++i) {
    auto const begin = Clock::now();
    run();
    auto const once = Clock::now() - begin;
    best = std::min(best, once);
    total += once;
  }
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(best).count());
}

/// A plan and its time, found by running all that are worth it.
template <class Plan> struct Measured {
  Plan plan;
  std::uint64_t nanoseconds = std::numeric_limits<std::uint64_t>::max();
  std::size_t tried = 0;

  /// time(plan) of each in nanoseconds; keeps the quickest.
  template <class Time> void tryAll(std::vector<Plan> const &plans, Time const &time) {
    for (Plan const &one : plans) {
      std::uint64_t const taken = time(one);
      ++tried;
      if (taken < nanoseconds)
        plan = one, nanoseconds = taken;
    }
  }
};

/// \returns  nothing if the problem is too large to be tried
POP_API std::optional<Measured<planner::MatMulPlan>>
measureMatMul(planner::MatMulProblem const &problem, planner::MatMulCpu const &cpu,
              planner::MatMulPlan const &estimated);

/// Replaces an estimated plan by what is known of the problem or, if `measure` asks for it, can be
/// found out.
/// \param refusal  why a plan cannot stand for choice.plan, as matMulRefusal()
/// \param measured  a plan with its time, or nothing for a problem that is too large; called only
///                  if needed
/// \throws planner::PlanError  a known plan that this problem cannot have.
template <class Choice, class Problem, class Refusal, class Measure>
void improvePlan(Problem const &problem, unsigned threads, bool measure, Choice &choice,
                 Refusal const &refusal, Measure const &measured) {
  using Plan = decltype(choice.plan);
  std::string const key = planner::wisdomKey(problem, threads);
  auto const note = [&](char const *how, auto const &...rest) {
    choice.explanation += base::textOf(how, rest..., "\n");
  };
  if (auto const known = knownPlan(key)) {
    auto const plan = planner::fromText<Plan>(known->plan);
    if (auto const reason = refusal(plan); !reason.empty())
      throw planner::PlanError("wisdom: the plan '" + known->plan + "' cannot be that of '" + key +
                               "': " + reason);
    choice.plan = plan;
    return note("wisdom: ", known->nanoseconds, " ns: ", known->plan);
  }
  if (!measure)
    return;
  auto const best = measured();
  if (!best)
    return note("not measured: the operands are too large");
  choice.plan = best->plan;
  std::string const text = toText(best->plan);
  learnPlan(key, {text, best->nanoseconds});
  note("measured: ", best->nanoseconds, " ns, the best of ", best->tried, " plans: ", text);
}

} // namespace cottonwood::poplin
