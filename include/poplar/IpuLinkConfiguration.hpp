// How the links between IPUs are cabled.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_IPULINKCONFIGURATION_HPP
#define POPLAR_IPULINKCONFIGURATION_HPP

#include <iosfwd>

namespace poplar {

enum class IpuLinkConfiguration {
  Default,
  SlidingWindow,
  BarleyTwist,
  None = Default ///< an older name
};

/// Prints the name of the enumerator.
POP_API std::ostream &operator<<(std::ostream &stream, IpuLinkConfiguration configuration);

} // namespace poplar

#endif
