// Body of MoveRunner.hpp.
#pragma once

#include <poplar/impl/engine/MoveRunner.hpp>

#include <poplar/impl/base/SmallVector.hpp>
#include <poplar/impl/base/ThreadPool.hpp>
#include <poplar/impl/engine/CopyMove.hpp>

#include <algorithm>

namespace cottonwood::engine {

POP_INLINE void MoveRunner::runPart(lower::Move const &move, std::byte const *src, std::byte *dst,
                                    unsigned part, unsigned parts) const {
  src += move.src;
  dst += move.dst;
  if (move.numDims == 0) {
    std::uint64_t const chunk = (move.bytes / parts + 63) / 64 * 64;
    std::uint64_t const begin = std::min(move.bytes, chunk * part);
    std::uint64_t const end = part + 1 == parts ? move.bytes : std::min(move.bytes, begin + chunk);
    return detail::copyRun(src + begin, dst + begin, end - begin, move.bytes);
  }
  lower::MoveDim const *const dims = &executable_->moveDims[move.firstDim];
  // Threads take ranges of the longest dimension, most often places of a field or a batch: as the
  // vertices before and after the copy do, so that data stays near the core that works on it.
  base::SmallVector<lower::MoveDim, 8> ranges(dims, dims + move.numDims);
  lower::MoveDim &cut = *std::max_element(
      ranges.begin(), ranges.end(),
      [](lower::MoveDim const &x, lower::MoveDim const &y) { return x.count < y.count; });
  // Ranges of many elements begin with whole cache lines.
  std::uint64_t const grain = cut.count >= std::uint64_t(256) * parts ? 64 : 1,
                      grains = (cut.count + grain - 1) / grain;
  std::uint64_t const begin = grains * part / parts * grain,
                      end = std::min(grains * (part + 1) / parts * grain, cut.count);
  cut.count = end - begin;
  src += static_cast<std::int64_t>(begin) * cut.srcStride;
  dst += static_cast<std::int64_t>(begin) * cut.dstStride;
  detail::copyMove(src, dst, ranges.data(), ranges.size(), move.bytes);
}

POP_INLINE void MoveRunner::runInline(lower::MovePlan const &plan, std::byte const *src,
                                      std::byte *dst) const {
  lower::Move const *const moves = executable_->moves.data() + plan.first;
  for (std::uint64_t i = 0; i < plan.count; ++i) {
    lower::Move const &move = moves[i];
    detail::copyMove(src + move.src, dst + move.dst, executable_->moveDims.data() + move.firstDim,
                     move.numDims, move.bytes);
  }
}

POP_INLINE std::byte *MoveRunner::singleRun(lower::MovePlan const &plan, std::byte *arena,
                                            Side side) const {
  if (plan.count != 1)
    return nullptr;
  lower::Move const &move = executable_->moves[plan.first];
  bool const isSource = side == Side::Source;
  if (move.numDims != 0 || (isSource ? move.dst : move.src) != 0)
    return nullptr;
  return arena + (isSource ? move.src : move.dst);
}

POP_INLINE void MoveRunner::run(lower::MovePlan const &plan, std::byte const *src, std::byte *dst,
                                unsigned maxThreads) const {
  // A core copies fewer bytes before another could help.
  constexpr std::uint64_t PARALLEL_BYTES = std::uint64_t{1} << 16;
  if (maxThreads < 2 || plan.totalBytes < PARALLEL_BYTES)
    return runInline(plan, src, dst);
  unsigned const parts = std::min(maxThreads, base::threadBackend().numThreads());
  auto body = [&](unsigned slice) {
    // Many moves are dealt out whole; of few, each slice takes a part.
    if (plan.count >= parts) {
      lower::MovePlan piece = plan;
      piece.first = plan.first + plan.count * slice / parts;
      piece.count = plan.first + plan.count * (slice + 1) / parts - piece.first;
      return runInline(piece, src, dst);
    }
    for (std::uint64_t i = 0; i < plan.count; ++i)
      runPart(executable_->moves[plan.first + i], src, dst, slice, parts);
  };
  base::parallelFor(parts, maxThreads, body);
}

} // namespace cottonwood::engine
