#include <popops/impl/Config.hpp>
#ifndef POPOPS_CODELETS_HPP
#define POPOPS_CODELETS_HPP

namespace poplar {
class Graph;
}

namespace popops {

/// Makes the vertices of this library known to the graph. Call it once before any other function of
/// popops; calling it again does nothing.
POP_API void addCodelets(poplar::Graph &graph);

} // namespace popops

#endif
