// Plans to try for a problem, and what the library reports about one. Pure text.
#pragma once

#include <bench/Cases.hpp>

#include <string>
#include <vector>

namespace cottonwood::bench {

/// What matMulReportPlan and reportPlanInfo say: "plan: matmul splitM=2 ..." and "estimate: 123
/// cycles, ...".
struct PlanReport {
  std::string plan{};
  double cycles = 0;
};
/// \throws std::invalid_argument  the text has no such lines.
PlanReport parsePlanReport(std::string const &text);

/// The plan without fields that are 1, 0 or false, nor the name in front: "splitM=2 rows=264".
std::string shortPlan(std::string const &plan);

/// The value of a field of a plan; empty if it has none.
std::string fieldOf(std::string const &plan, std::string const &name);

/// Values of the option planConstraints to try beside none: splits over the sizes that the problem
/// has, and the chosen plan with each of its other fields changed. The library refuses those that
/// it has no plan for.
std::vector<std::string> constraintsFor(Problem const &problem, std::string const &chosenPlan);

/// The problems whose plans are compared; groups: matmul, conv.
std::vector<Case> planCases();

} // namespace cottonwood::bench
