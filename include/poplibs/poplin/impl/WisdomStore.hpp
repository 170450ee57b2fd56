// The wisdom of this process, and how measuring adds to it.
#pragma once

#include <planners/poplin/MatMulMeasure.hpp>
#include <poplin/impl/Config.hpp>

#include <optional>
#include <string>

namespace cottonwood::poplin {

POP_API std::optional<planner::WisdomEntry> knownPlan(std::string const &problem);
POP_API void learnPlan(std::string const &problem, planner::WisdomEntry const &entry);

/// A plan and its time, found by running all that are worth it; nothing if the problem is too
/// large to be tried.
struct MeasuredMatMul {
  planner::MatMulPlan plan;
  std::uint64_t nanoseconds = 0;
  std::size_t tried = 0;
};
POP_API std::optional<MeasuredMatMul> measureMatMul(planner::MatMulProblem const &problem,
                                                    planner::MatMulCpu const &cpu,
                                                    planner::MatMulPlan const &estimated);

/// Replaces an estimated plan by what is known of the problem or, if `measure` asks for it, can be
/// found out.
/// \throws planner::PlanError  a known plan that this problem cannot have.
POP_API void improvePlan(planner::MatMulProblem const &problem, planner::MatMulCpu const &cpu,
                         bool measure, planner::MatMulChoice &choice);

} // namespace cottonwood::poplin
