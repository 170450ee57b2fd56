// Entry points of codelets by name and layout: how a loading engine finds the code that an
// executable names.
#pragma once

#include <poplar/impl/codelet/Codelet.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

namespace cottonwood::engine {

/// Makes the codelet known to resolveCodelet() for as long as the process lives. Safe to call from
/// any thread.
void rememberCodelet(codelet::Codelet const &codelet);

/// The entry point of a codelet that was remembered, or that the program registered process-wide.
/// \throws poplar::graph_object_load_error  there is none of that name with that layout.
codelet::Entry resolveCodelet(lower::CodeletRef const &ref);

} // namespace cottonwood::engine
