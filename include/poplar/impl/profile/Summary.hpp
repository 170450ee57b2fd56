// The text of printProfileSummary.
#pragma once

#include <poplar/impl/engine/StepRecorder.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace cottonwood::profile {

struct SummaryOptions {
  bool executionSteps = false; ///< one line for each step that was executed
  bool varStorage = false;     ///< variables with their sizes
};

/// Target, graph, memory, and, if `recorder` is not null, what was executed. Everything is
/// modelled: estimates of a tiled machine, not measurements.
void printSummary(std::ostream &out, lower::ExecutableData const &executable,
                  engine::StepRecorder const *recorder, std::vector<std::string> const &runNames,
                  SummaryOptions const &options);

} // namespace cottonwood::profile
