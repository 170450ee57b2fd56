// What poplar-plan tells of one problem.
#pragma once

#include <bench/plan/Arguments.hpp>

namespace cottonwood::plan {

/// Prints the plan, its costs and what else was possible, or with --sweep cycles against memory.
void printPlan(Arguments const &arguments);

} // namespace cottonwood::plan
