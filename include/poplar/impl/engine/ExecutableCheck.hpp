// Whether an executable that was read hangs together.
#pragma once

#include <poplar/impl/lower/ExecutableData.hpp>

#include <string>

namespace cottonwood::engine {

/// The first fault, `field: what was found; what is wanted`, or an empty text: every index names
/// something, every address lies in its memory, every jump ends at an instruction, loops, calls and
/// clocks nest. What vertices do with their state is up to their code and not seen here.
POP_API std::string faultOf(lower::ExecutableData const &executable);

} // namespace cottonwood::engine
