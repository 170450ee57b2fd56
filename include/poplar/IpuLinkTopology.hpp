// The shape of the network between IPUs.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_IPULINKTOPOLOGY_HPP
#define POPLAR_IPULINKTOPOLOGY_HPP

#include <iosfwd>

namespace poplar {

enum class IpuLinkTopology { Mesh, Torus, Line };

/// Prints the name of the enumerator.
POP_API std::ostream &operator<<(std::ostream &stream, IpuLinkTopology topology);

} // namespace poplar

#endif
