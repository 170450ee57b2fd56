// Body of MoveRunner.hpp.
#pragma once

#include <poplar/impl/engine/MoveRunner.hpp>

#include <poplar/impl/base/SmallVector.hpp>
#include <poplar/impl/base/ThreadPool.hpp>

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplar/ActiveKernels.hpp>

#include <algorithm>
#include <cstring>

namespace cottonwood::engine::detail {

/// Plans with fewer bytes stay on one thread: a core copies them before another could help.
inline constexpr std::uint64_t PARALLEL_BYTES = std::uint64_t{1} << 16;
/// Side of the square that a transposing copy moves at a time, so that the lines of both sides stay
/// in the cache.
inline constexpr std::uint64_t TRANSPOSE_BLOCK = 32;

/// Pieces up to this many bytes are copied without a call; from longer ones the call saves more
/// than it costs where they come from beyond the caches.
inline constexpr std::uint64_t SMALL_PIECE_BYTES = 32;
/// Pieces up to this many bytes are copied by planes: with 64 those of 16 MB and more took twice as
/// long on Zen 5, short of stores past the caches.
inline constexpr std::uint64_t PLANE_PIECE_BYTES = 16;

/// The least pieces that are written past the caches if they are no whole lines: 64 MB of 160 bytes
/// and more each take .6 to .85 of the time so on Zen 5, shorter ones up to 1.2 times as long.
inline constexpr std::uint64_t PAST_PIECE_BYTES = 160;

/// Elements that have no type: as many bytes.
template <std::size_t N> struct Bytes { std::byte bytes[N]; };

template <class T>
POP_ALWAYS_INLINE void copyRow(std::byte const *src, std::byte *dst, std::uint64_t n,
                               std::int64_t ss, std::int64_t ds) {
  for (std::uint64_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, src, sizeof value);
    std::memcpy(dst, &value, sizeof value);
    src += ss;
    dst += ds;
  }
}

/// A row whose destination is packed: the compiler may use wide stores.
template <class T>
void copyElements(std::byte const *src, std::byte *dst, std::uint64_t n, std::int64_t ss,
                  std::int64_t ds) {
  constexpr std::int64_t UNIT = sizeof(T);
  if (ds == UNIT && ss == 0)
    copyRow<T>(src, dst, n, 0, UNIT);
  else if (ds == UNIT)
    copyRow<T>(src, dst, n, ss, UNIT);
  else if (ss == UNIT)
    copyRow<T>(src, dst, n, UNIT, ds);
  else
    copyRow<T>(src, dst, n, ss, ds);
}

/// Pieces of N to 2 N bytes: the first N and the last N, which may overlap.
template <std::size_t N>
void copyByEnds(std::byte const *src, std::byte *dst, std::uint64_t n, std::int64_t ss,
                std::int64_t ds, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < n; ++i, src += ss, dst += ds)
    kernels::detail::copyEnds<N>(src, dst, bytes);
}

POP_INLINE void copyStrided(std::byte const *src, std::byte *dst, std::uint64_t n, std::int64_t ss,
                            std::int64_t ds, std::uint64_t bytes) {
  switch (bytes) {
  case 1:
    return copyElements<Bytes<1>>(src, dst, n, ss, ds);
  case 2:
    return copyElements<Bytes<2>>(src, dst, n, ss, ds);
  case 4:
    return copyElements<Bytes<4>>(src, dst, n, ss, ds);
  case 8:
    return copyElements<Bytes<8>>(src, dst, n, ss, ds);
  case 16:
    return copyElements<Bytes<16>>(src, dst, n, ss, ds);
  }
  if (bytes > SMALL_PIECE_BYTES)
    for (std::uint64_t i = 0; i < n; ++i, src += ss, dst += ds)
      std::memcpy(dst, src, bytes);
  else if (bytes > 16)
    copyByEnds<16>(src, dst, n, ss, ds, bytes);
  else if (bytes > 8)
    copyByEnds<8>(src, dst, n, ss, ds, bytes);
  else if (bytes > 4)
    copyByEnds<4>(src, dst, n, ss, ds, bytes);
  else if (bytes == 3)
    copyByEnds<2>(src, dst, n, ss, ds, bytes);
}

/// One run of memory, part of a copy of `total` bytes: past the caches if those would not hold its
/// source and destination. On a core with 32 MB of last cache 40 MB take 1.9 ms past the caches and
/// 2.7 ms through them; 4 MB 0.15 ms and 0.08 ms.
POP_INLINE void copyRun(std::byte const *src, std::byte *dst, std::uint64_t bytes,
                        std::uint64_t total) {
  constexpr std::uint64_t PAST_RUN_BYTES = std::uint64_t(12) << 20;
  if (total < PAST_RUN_BYTES) {
    std::memcpy(dst, src, bytes);
    return;
  }
  kernels::activeMoveKernels().copyRowsPast({src, dst, 0, 0, 1, bytes});
  arch::finishStoresPast();
}

/// Two levels of small pieces, of which the longer is the inner one if the other has few. Where
/// that strides far on one side and the outer one on the other, square by square.
POP_INLINE void copyPlane(std::byte const *src, std::byte *dst, lower::MoveDim const &first,
                          lower::MoveDim const &second, std::uint64_t bytes) {
  constexpr std::uint64_t FEW = 8;
  bool const swaps = second.count < FEW && second.count < first.count;
  lower::MoveDim const &outer = swaps ? second : first, &inner = swaps ? first : second;
  bool const transposes = std::abs(inner.srcStride) > std::abs(outer.srcStride) &&
                          std::abs(inner.dstStride) < std::abs(outer.dstStride);
  bool const scatters = std::abs(inner.srcStride) < std::abs(outer.srcStride) &&
                        std::abs(inner.dstStride) > std::abs(outer.dstStride);
  std::uint64_t const step = transposes || scatters ? TRANSPOSE_BLOCK : inner.count;
  for (std::uint64_t from = 0; from < inner.count; from += step) {
    std::uint64_t const n = std::min(step, inner.count - from);
    std::byte const *s = src + static_cast<std::int64_t>(from) * inner.srcStride;
    std::byte *d = dst + static_cast<std::int64_t>(from) * inner.dstStride;
    for (std::uint64_t i = 0; i < outer.count; ++i, s += outer.srcStride, d += outer.dstStride)
      copyStrided(s, d, n, inner.srcStride, inner.dstStride, bytes);
  }
}

/// What two dims are of which one is packed in the source and the other in the destination.
enum class PlaneKind : std::uint8_t {
  None,      ///< something else
  Transpose, ///< both long enough for vectors
  Join,      ///< few runs of the source to packed groups of an element each
  Split      ///< and back
};

POP_INLINE PlaneKind planeKind(lower::MoveDim const &packedSrc, lower::MoveDim const &packedDst,
                               std::uint64_t bytes) {
  constexpr std::uint64_t LEAST_RUN_BYTES = 64; // a vector
  auto const unit = static_cast<std::int64_t>(bytes);
  std::uint64_t const side = kernels::transposeSide(bytes);
  if (side == 0 || packedSrc.srcStride != unit || packedDst.dstStride != unit ||
      packedSrc.dstStride == unit || packedDst.srcStride == unit)
    return PlaneKind::None;
  if (packedSrc.count >= side && packedDst.count >= side)
    return PlaneKind::Transpose;
  auto const interleaves = [&](lower::MoveDim const &runs, lower::MoveDim const &run,
                               std::int64_t groupStride) {
    return runs.count >= 2 && runs.count <= kernels::mostInterleaved(bytes) &&
           run.count * bytes >= LEAST_RUN_BYTES &&
           groupStride == static_cast<std::int64_t>(runs.count) * unit;
  };
  return interleaves(packedDst, packedSrc, packedSrc.dstStride)   ? PlaneKind::Join
         : interleaves(packedSrc, packedDst, packedDst.srcStride) ? PlaneKind::Split
                                                                  : PlaneKind::None;
}

/// \param kind  not None
POP_INLINE void copyPlaneByKernel(PlaneKind kind, std::byte const *src, std::byte *dst,
                                  lower::MoveDim const &packedSrc, lower::MoveDim const &packedDst,
                                  std::uint64_t bytes, kernels::PlaneStores stores) {
  auto const &active = kernels::activeMoveKernels();
  if (kind == PlaneKind::Join)
    return active.joins.of(bytes)({src, dst, packedDst.srcStride, packedDst.count, packedSrc.count},
                                  stores);
  if (kind == PlaneKind::Split)
    return active.splits.of(bytes)(
        {src, dst, packedSrc.dstStride, packedSrc.count, packedDst.count}, stores);
  // Where instructions on 512 bits run as two, it has not been measured.
  bool const atOnce = stores == kernels::PlaneStores::Past && !isa::cpuFeatures().splitsVectors;
  active.transposes.of(bytes)(
      {src, dst, packedDst.srcStride, packedSrc.dstStride, packedDst.count, packedSrc.count},
      atOnce ? kernels::PlaneStores::PastAtOnce : stores);
}

POP_INLINE void copyNest(std::byte const *src, std::byte *dst, lower::MoveDim const *dims,
                         std::size_t numDims, std::uint64_t bytes, kernels::PlaneStores stores) {
  if (numDims == 0) {
    std::memcpy(dst, src, bytes);
  } else if (numDims == 1) {
    lower::MoveDim const &row = dims[0];
    kernels::ByteRows const rows{src, dst, row.srcStride, row.dstStride, row.count, bytes};
    if (stores == kernels::PlaneStores::Past && (bytes >= PAST_PIECE_BYTES || rows.areLines()))
      kernels::activeMoveKernels().copyRowsPast(rows);
    else
      copyStrided(src, dst, row.count, row.srcStride, row.dstStride, bytes);
  } else if (PlaneKind const kind =
                 numDims == 2 ? planeKind(dims[0], dims[1], bytes) : PlaneKind::None;
             kind != PlaneKind::None) {
    copyPlaneByKernel(kind, src, dst, dims[0], dims[1], bytes, stores);
  } else if (numDims == 2 && bytes <= PLANE_PIECE_BYTES) {
    copyPlane(src, dst, dims[0], dims[1], bytes);
  } else {
    for (std::uint64_t i = 0; i < dims[0].count;
         ++i, src += dims[0].srcStride, dst += dims[0].dstStride)
      copyNest(src, dst, dims + 1, numDims - 1, bytes, stores);
  }
}

/// The dims with two that are a plane of some kind behind the others; false if there are none.
POP_INLINE bool putPlaneLast(lower::MoveDim const *dims, std::size_t numDims, std::uint64_t bytes,
                             base::SmallVector<lower::MoveDim, 8> &ordered) {
  for (std::size_t s = 0; s < numDims; ++s)
    for (std::size_t d = 0; d < numDims; ++d) {
      if (s == d || planeKind(dims[s], dims[d], bytes) == PlaneKind::None)
        continue;
      for (std::size_t i = 0; i < numDims; ++i)
        if (i != s && i != d)
          ordered.push_back(dims[i]);
      ordered.push_back(dims[s]);
      ordered.push_back(dims[d]);
      return true;
    }
  return false;
}

/// How to write a destination of that many bytes. Measured on one core of a Xeon of 2.8 GHz with a
/// second cache of 2 MB; where a reader follows, what was written past the caches takes it longer.
POP_INLINE kernels::PlaneStores storesFor(std::uint64_t bytes, bool conflicts) {
  // 4096 x 4096 floats are transposed in 7 ms past the caches and 18 ms through them, 1000 x 1000
  // and a reader after it take 0.70 ms and 0.60 ms.
  constexpr std::uint64_t PAST_BYTES = std::uint64_t(6) << 20;
  // 2048 x 2048 halves and a reader after it take 1.6 ms past the caches and 2.1 ms through them,
  // 1024 x 1024 floats 0.7 ms either way.
  constexpr std::uint64_t PAST_BYTES_OF_CONFLICTS = std::uint64_t(4) << 20;
  // 768 x 768 floats and a reader after it take 0.37 ms without fetching ahead and 0.33 ms with it,
  // 512 x 512 0.084 ms and 0.089 ms.
  constexpr std::uint64_t FAR_BYTES = std::uint64_t(3) << 19;
  using enum kernels::PlaneStores;
  return bytes >= (conflicts ? PAST_BYTES_OF_CONFLICTS : PAST_BYTES) ? Past
         : bytes >= FAR_BYTES                                        ? Far
                                                                     : Near;
}

/// All of a move. The order of its dims is free: planes that have kernels come last.
POP_INLINE void copyMove(std::byte const *src, std::byte *dst, lower::MoveDim const *dims,
                         std::size_t numDims, std::uint64_t bytes) {
  if (numDims == 0)
    return copyRun(src, dst, bytes, bytes);
  std::uint64_t total = bytes;
  for (std::size_t i = 0; i < numDims; ++i)
    total *= dims[i].count;
  base::SmallVector<lower::MoveDim, 8> ordered;
  bool const hasPlane = putPlaneLast(dims, numDims, bytes, ordered);
  if (hasPlane)
    dims = ordered.data();
  // Rows of the destination that are pages apart meet in few sets of the caches.
  kernels::PlaneStores const stores =
      storesFor(total, hasPlane && dims[numDims - 2].dstStride % 4096 == 0);
  bool const past = stores == kernels::PlaneStores::Past;
  if (past && !hasPlane) { // read in order, so that the next lines are fetched ahead
    ordered = {dims, dims + numDims};
    std::sort(ordered.begin(), ordered.end(), [](auto const &x, auto const &y) {
      return std::abs(x.srcStride) > std::abs(y.srcStride);
    });
    dims = ordered.data();
  }
  copyNest(src, dst, dims, numDims, bytes, stores);
  if (past)
    arch::finishStoresPast();
}

} // namespace cottonwood::engine::detail

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
  if (maxThreads < 2 || plan.totalBytes < detail::PARALLEL_BYTES)
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
