/// \file ReduceFar.hpp
/// How a reduction tells its vertices that they read from past the caches: each sees its share
/// only.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

/// Of all vertices together: less than the third cache of a core complex of Zen 4 or Zen 5 (32 MB),
/// some of which holds other things.
inline constexpr std::uint64_t REDUCE_FAR_BYTES = std::uint64_t{18} << 20;

/// Beside the operation in the field `op` of popops::Reduce.
inline constexpr unsigned REDUCE_FAR = 256;

} // namespace cottonwood::vertices
