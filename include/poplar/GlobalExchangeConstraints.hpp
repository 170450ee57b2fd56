// Which flows between IPUs share a bandwidth.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_GLOBALEXCHANGECONSTRAINTS_HPP
#define POPLAR_GLOBALEXCHANGECONSTRAINTS_HPP

#include <poplar/ArrayRef.hpp>
#include <vector>

namespace poplar {

/// Data going from one IPU to another.
struct GlobalExchangeFlow {
  unsigned src;
  unsigned dst;
  GlobalExchangeFlow(unsigned srcIPU, unsigned dstIPU) : src(srcIPU), dst(dstIPU) {}
  bool operator==(GlobalExchangeFlow const &other) const {
    return src == other.src && dst == other.dst;
  }
  bool operator!=(GlobalExchangeFlow const &other) const { return !(*this == other); }
  bool operator<(GlobalExchangeFlow const &other) const {
    return src < other.src || (src == other.src && dst < other.dst);
  }
};

/// The flows together get no more than `bandwidth` bits per second.
struct GlobalExchangeConstraint {
  double bandwidth;
  std::vector<GlobalExchangeFlow> flows;
  GlobalExchangeConstraint(double bitsPerSecond, ArrayRef<GlobalExchangeFlow> sharedBy)
      : bandwidth(bitsPerSecond), flows(sharedBy.begin(), sharedBy.end()) {}
  bool operator==(GlobalExchangeConstraint const &other) const {
    return !(bandwidth < other.bandwidth) && !(other.bandwidth < bandwidth) && flows == other.flows;
  }
  bool operator!=(GlobalExchangeConstraint const &other) const { return !(*this == other); }
  bool operator<(GlobalExchangeConstraint const &other) const {
    return bandwidth < other.bandwidth || (!(other.bandwidth < bandwidth) && flows < other.flows);
  }
};

} // namespace poplar

#endif
