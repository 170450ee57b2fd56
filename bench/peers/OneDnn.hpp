// What the sources of the oneDNN peer have in common.
#pragma once

#include <bench/race/Peer.hpp>

#include <dnnl.hpp>

namespace cottonwood::bench {

inline dnnl::engine &engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

inline dnnl::memory::dim dim(std::size_t size) { return static_cast<dnnl::memory::dim>(size); }

} // namespace cottonwood::bench
