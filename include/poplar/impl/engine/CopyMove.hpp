// Copies what a move says, on this thread: runs, rows, planes and groups of pieces.
#pragma once

#include <poplar/impl/lower/ExecutableData.hpp>

#include <cstddef>

namespace cottonwood::engine::detail {

/// One run of memory, part of a copy of `total` bytes: past the caches if those would not hold its
/// source and destination. On a core with 32 MB of last cache 40 MB take 1.9 ms past the caches and
/// 2.7 ms through them; 4 MB 0.15 ms and 0.08 ms.
void copyRun(std::byte const *src, std::byte *dst, std::uint64_t bytes, std::uint64_t total);

/// All pieces of a move, of `bytes` bytes each. The order of its dims is free: planes that have
/// kernels come last.
void copyMove(std::byte const *src, std::byte *dst, lower::MoveDim const *dims, std::size_t numDims,
              std::uint64_t bytes);

} // namespace cottonwood::engine::detail
