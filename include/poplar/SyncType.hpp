// Which tiles wait for one another.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_SYNCTYPE_HPP
#define POPLAR_SYNCTYPE_HPP

namespace poplar {

/// INTERNAL: the tiles of one IPU. EXTERNAL: the IPUs of one replica or group. GLOBAL: all,
/// including all replicas.
enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

} // namespace poplar

#endif
