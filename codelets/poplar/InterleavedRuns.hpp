/// \file InterleavedRuns.hpp
/// Runs of elements to be joined element by element, or split again.
#pragma once

#include <codelets/poplar/TransposeKernel.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cottonwood::kernels {

/// `count` elements of each of `runs` runs that are `stride` bytes apart, and as many groups of an
/// element of every run, packed: from runs in src to groups in dst, or back.
struct InterleavedRuns {
  std::byte const *src;
  std::byte *dst;
  std::int64_t stride;
  std::uint64_t runs, count;
};

/// The most runs of elements of that size, fewer than transposeSide(); below 2 there are none.
constexpr std::uint64_t mostInterleaved(std::uint64_t elementBytes) {
  std::uint64_t const side = transposeSide(elementBytes);
  return side == 0 ? 0 : side - 1;
}

namespace detail {

/// Elements [from, count) one by one.
template <std::size_t N, bool JOINS>
POP_SIMD_INLINE void interleaveEach(InterleavedRuns const &r, std::uint64_t from) {
  for (std::uint64_t i = from; i < r.count; ++i)
    for (std::uint64_t j = 0; j < r.runs; ++j) {
      std::int64_t const run = signedOf(j) * r.stride + signedOf(i * N),
                         group = signedOf((i * r.runs + j) * N);
      std::memcpy(r.dst + (JOINS ? group : run), r.src + (JOINS ? run : group), N);
    }
}

/// Bytes that runs and groups are fetched ahead where they come from beyond the caches.
inline constexpr std::size_t INTERLEAVED_AHEAD = 2048;

} // namespace detail
} // namespace cottonwood::kernels
