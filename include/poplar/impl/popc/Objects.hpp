// Shared objects of codelets in this process: loaded once, whatever file they came in, and never
// closed, because graphs and executables hold addresses of their code.
#pragma once

#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/codelet/CodeObject.hpp>
#include <poplar/impl/codelet/Codelet.hpp>
#include <poplar/impl/popc/HostCalls.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cottonwood::popc {

struct LoadedObject {
  std::shared_ptr<codelet::CodeObject const> object;
  std::vector<codelet::Codelet> codelets; ///< all it exports, with entry points
};

/// Loads the object, or finds it loaded. Safe to call from any thread; the result stays.
/// \param path  what an error calls the file that it is from
/// \throws poplar::link_error  it needs symbols that nothing has
/// \throws poplar::graph_object_load_error  it cannot be loaded, or is none of popc's
POP_API LoadedObject const &loadObject(codelet::CodeObject object, std::string const &path);

/// What all loaded objects call; to be filled in before the first vertex of one runs.
POP_API codelet::HostCalls &hostCalls();

} // namespace cottonwood::popc
