// How a new variable is spread over tiles.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VARIABLEMAPPINGMETHOD_HPP
#define POPLAR_VARIABLEMAPPINGMETHOD_HPP

#include <string>

namespace poplar {

enum class VariableMappingMethod {
  NONE,  ///< not at all: Graph::setTileMapping must follow
  LINEAR ///< in flat order over all tiles of the graph, as evenly as possible
};

/// The name of the enumerator.
POP_API std::string toString(VariableMappingMethod const &method);

} // namespace poplar

#endif
