// The number of replicas of a graph, as a type of its own so that it is not mistaken for another
// number.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_REPLICATION_FACTOR_HPP
#define POPLAR_REPLICATION_FACTOR_HPP

namespace poplar {

struct replication_factor {
  explicit replication_factor(unsigned r) : factor(r) {}
  unsigned factor;
};

} // namespace poplar

#endif
