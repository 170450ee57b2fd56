/// \file Tail.hpp
/// What popc compiles behind a source of codelets: the explicit instantiations that export its
/// vertex classes.
#pragma once

#include <codelets/popc/VertexFinder.hpp>

#include <string>
#include <vector>

namespace cottonwood::popc {

/// C++11 text for the end of a source that was preceded by <poplar/impl/popc/Export.hpp>.
std::string exportText(std::vector<FoundVertex> const &vertices);

} // namespace cottonwood::popc
