// The hidden variable behind <poplar/RandomSeed.hpp>, for libraries whose operations draw from it.
#pragma once

#include <poplar/Tensor.hpp>
#include <poplar/impl/base/Config.hpp>

namespace poplar {
class Graph;
}

namespace cottonwood::program {

/// State of the generators of the graph's tiles, [tiles, worker contexts, 4] UNSIGNED_INT; row t is
/// mapped to tile t. The variable itself, not a copy.
POP_API poplar::Tensor hwSeedsOf(poplar::Graph &graph);

} // namespace cottonwood::program
