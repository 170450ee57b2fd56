#include <poplin/impl/Config.hpp>
#ifndef POPLIN_CODELETS_HPP
#define POPLIN_CODELETS_HPP

namespace poplar {
class Graph;
}

namespace poplin {

/// Makes the vertices of this library known to the graph. Call it once before any other function of
/// poplin, together with popops::addCodelets; calling it again does nothing.
POP_API void addCodelets(poplar::Graph &graph);

} // namespace poplin

#endif
