#include <popnn/impl/Config.hpp>
#ifndef POPNN_CODELETS_HPP
#define POPNN_CODELETS_HPP

namespace poplar {
class Graph;
}

namespace popnn {

/// Makes the vertices of this library, and those of poplin, known to the graph. Call it once before
/// any other function of popnn, together with popops::addCodelets; calling it again does nothing.
POP_API void addCodelets(poplar::Graph &graph);

} // namespace popnn

#endif
