// Lowering: graph + programs -> ExecutableData.
#pragma once

#include <poplar/impl/lower/Context.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cottonwood::lower {

struct LowerRequest {
  std::vector<program::NodePtr> programs;
  poplar::OptionFlags options; ///< effective engine options, stored in the result
  LowerOptions lowering;
  std::string name;                       ///< of the engine
  std::string isa;                        ///< tag the layouts are made for
  std::function<void(int, int)> progress; ///< (pass, passes), may be empty
};

/// Compiles the programs. The graph is only read.
/// \throws what the passes of Passes.hpp throw.
std::shared_ptr<ExecutableData const> lower(graph::GraphData const &graph, LowerRequest request);

/// How the memory of tiles falls short of what the executable needs on them, or an empty text.
/// \param preallocated  bytes by tile that something else holds, or none.
/// \throws poplar::poplar_error  `preallocated` is of another number of tiles.
std::string memoryShortage(ExecutableData const &executable,
                           std::vector<std::uint64_t> const &preallocated);

} // namespace cottonwood::lower
