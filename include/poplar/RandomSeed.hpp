// The state of the random number generators of tiles.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_RANDOMSEED_HPP
#define POPLAR_RANDOMSEED_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

class Graph;

/// Appends a copy of the state of all generators to prog: what the worker contexts of the graph's
/// tiles would draw from next.
///
/// The state is a hidden variable of the graph that operations without a seed of their own read and
/// advance. It starts with values that differ for all workers of all tiles and are the same in
/// every load of every program, and stays from run to run of an engine. A virtual graph sees the
/// rows of its own tiles.
/// \returns [tiles, worker contexts, 4] UNSIGNED_INT, row t on tile t.
POP_API Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                          DebugContext const &debugContext = {});

/// Appends the setting of the state of all generators to prog.
/// \param hwSeeds  [tiles, worker contexts, 4] UNSIGNED_INT, as getHwSeeds gives it; any mapping.
/// \throws poplar_error  another shape or type.
POP_API void setHwSeeds(Graph &graph, Tensor const &hwSeeds, program::Sequence &prog,
                        DebugContext const &debugContext = {});

} // namespace poplar

#endif
