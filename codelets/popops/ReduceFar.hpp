/// \file ReduceFar.hpp
/// How a reduction tells its vertices that they read from past the caches: each sees its share
/// only.
#pragma once

namespace cottonwood::vertices {

/// Beside the operation in the field `op` of popops::Reduce: all vertices of the reduction together
/// read FAR_BYTES or more.
inline constexpr unsigned REDUCE_FAR = 256;

} // namespace cottonwood::vertices
