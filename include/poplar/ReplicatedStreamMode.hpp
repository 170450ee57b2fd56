// How a host-to-device stream serves the replicas of a graph.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_REPLICATEDSTREAMMODE_HPP
#define POPLAR_REPLICATEDSTREAMMODE_HPP

namespace poplar {

/// REPLICATE: every replica has a stream of its own. BROADCAST: each transfer is delivered to all
/// replicas.
enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar

#endif
