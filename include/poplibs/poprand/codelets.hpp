#include <poprand/impl/Config.hpp>
#ifndef POPRAND_CODELETS_HPP
#define POPRAND_CODELETS_HPP

namespace poplar {
class Graph;
}

namespace poprand {

/// Makes the vertices of this library known to the graph. Call it once before any other function of
/// poprand; calling it again does nothing.
POP_API void addCodelets(poplar::Graph &graph);

} // namespace poprand

#endif
