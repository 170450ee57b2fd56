// What the tiles do over time, as text.
#pragma once

#include <poplar/impl/engine/StepRecorder.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <iosfwd>

namespace cottonwood::profile {

/// CSV with a title line: intervals of cycles from the first recorded step on, and how many tiles
/// compute, exchange, exchange with the host or wait in a sync in each. Neighbouring intervals that
/// are alike are one.
void printIntervals(std::ostream &out, lower::ExecutableData const &executable,
                    engine::StepRecorder const &recorder);

} // namespace cottonwood::profile
