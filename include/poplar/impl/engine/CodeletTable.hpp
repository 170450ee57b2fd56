// Entry points of codelets by name and layout: how a loading engine finds the code that an
// executable names.
#pragma once

#include <poplar/impl/codelet/Codelet.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>
#include <poplar/impl/popc/Objects.hpp>

#include <vector>

namespace cottonwood::engine {

/// Makes the codelet known to resolveCodelet() for as long as the process lives. Safe to call from
/// any thread.
void rememberCodelet(codelet::Codelet const &codelet);

/// The code that came with an executable, by ExecutableData::objects.
using LoadedObjects = std::vector<popc::LoadedObject const *>;

/// Loads the objects that this process has not loaded yet.
/// \throws poplar::graph_object_load_error  one cannot be loaded
LoadedObjects loadObjects(lower::ExecutableData const &executable);

/// The entry point of a codelet: in the object that came with the executable if it names one, else
/// one that was remembered, that the program registered process-wide, or
/// that a library has for the instruction set of the reference. \throws poplar::unknown_vertex_type
/// there is none of that name. \throws poplar::graph_object_load_error  the one of that name has
/// another layout, or its instruction set is not one of this machine.
codelet::Entry resolveCodelet(lower::CodeletRef const &ref, LoadedObjects const &objects);

} // namespace cottonwood::engine
