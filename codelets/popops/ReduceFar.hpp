/// \file ReduceFar.hpp
/// How a reduction tells its vertices to fetch what they read from past the caches: each sees its
/// share only.
#pragma once

#include <codelets/arch/Isa.hpp>
#include <codelets/popops/FarBytes.hpp>
#include <codelets/popops/SplitsVectors.hpp>

namespace cottonwood::kernels {

/// Whether reductions that read so many bytes in all fetch them by the rules of Zen 4. The
/// prefetchers of Zen 5 keep up by themselves: rows of 40 MB are read there at 61 GB/s instead of
/// 48, columns of 50 to 100 floats at 44 to 48 instead of 30 to 37, and of 2048 at 47 instead
/// of 42.
POP_SIMD_INLINE bool fetchesReduced(std::uint64_t bytes) {
  return bytes >= FAR_BYTES && splitsVectors();
}

} // namespace cottonwood::kernels

namespace cottonwood::vertices {

/// Beside the operation in the field `op` of popops::Reduce: fetchesReduced() of what all vertices
/// of the reduction together read.
inline constexpr unsigned REDUCE_FAR = 256;

} // namespace cottonwood::vertices
