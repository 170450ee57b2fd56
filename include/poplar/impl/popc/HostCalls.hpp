// What a loaded object of codelets asks of the program that loaded it.
#ifndef POPLAR_IMPL_POPC_HOSTCALLS_HPP
#define POPLAR_IMPL_POPC_HOSTCALLS_HPP

#include <cstdint>
#include <poplar/impl/codelet/Abi.hpp>

namespace cottonwood {
namespace codelet {

/// Functions of the host. New ones are added at the end and raise the version.
struct HostCalls {
  std::uint32_t version;       ///< hostCallsVersion of the host
  VertexContext *(*running)(); ///< the vertex that runs on the calling thread; null if none does
};

enum : std::uint32_t { hostCallsVersion = 1 };

/// One for each object, whatever the number of its sources: null until the loader sets it, before
/// any vertex runs. Weak, because C++11 has no inline variables.
__attribute__((weak, visibility("hidden"))) HostCalls const *hostCalls = nullptr;

/// The running vertex; null outside of one, and in an object that nothing has loaded.
inline __attribute__((always_inline)) VertexContext *runningVertex() {
  return hostCalls ? hostCalls->running() : nullptr;
}

} // namespace codelet
} // namespace cottonwood

#endif
