// The kinds of device a graph can be built for.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TARGETTYPE_HPP
#define POPLAR_TARGETTYPE_HPP

#include <string>

namespace poplar {

enum class TargetType { IPU, IPU_MODEL, CPU };

/// The name of the enumerator. \throws poplar_error  not an enumerator.
POP_API std::string toString(TargetType type);

} // namespace poplar

#endif
