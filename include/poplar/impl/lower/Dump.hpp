// Readable text of what lowering has made so far, for dumps behind each pass.
#pragma once

#include <poplar/impl/lower/Context.hpp>

#include <string>
#include <string_view>

namespace cottonwood::lower {

/// All that is known after some pass: reachable objects, lifetimes, memory, steps, instructions,
/// vertices. Long lists are cut.
std::string dumpText(Context const &context);

/// The instruction list with its operands, one line each.
std::string instructionText(ExecutableData const &executable);

/// Writes the state behind pass number `number` to the log (a line at DEBUG, everything at TRACE)
/// and to where the option debug.dumpLowering says. \throws file_load_error  the folder cannot be
/// written.
void dumpAfterPass(Context const &context, unsigned number, std::string_view pass, double seconds);

} // namespace cottonwood::lower
