// Whether the instructions of an executable that was read can be followed.
#pragma once

#include <poplar/impl/lower/ExecutableData.hpp>

#include <string>

namespace cottonwood::engine {

/// The first fault on any way through the programs, or an empty text: every way ends, jumps and
/// switches stay inside, loops and clocks end where they have begun, functions return and do not
/// call themselves. Switch tables named by the instructions must exist.
std::string controlFlowFault(lower::ExecutableData const &executable);

} // namespace cottonwood::engine
