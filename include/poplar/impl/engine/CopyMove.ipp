// Body of CopyMove.hpp.
#pragma once

#include <poplar/impl/engine/CopyMove.hpp>

#include <poplar/impl/base/SmallVector.hpp>
#include <poplar/impl/model/Machine.hpp>

#include <codelets/arch/Caches.hpp>
#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplar/ActiveKernels.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace cottonwood::engine::detail {

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
#pragma GCC unroll 4
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

/// The least runs that are joined and split: a vector.
inline constexpr std::uint64_t LEAST_RUN_BYTES = 64;

/// What two dims are of which one is packed in the source and the other in the destination.
enum class PlaneKind : std::uint8_t {
  None,      ///< something else
  Transpose, ///< both long enough for vectors
  Join,      ///< few runs of the source to packed groups of an element each
  Split      ///< and back
};

POP_INLINE PlaneKind planeKind(lower::MoveDim const &packedSrc, lower::MoveDim const &packedDst,
                               std::uint64_t bytes) {
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

/// The way of transposing past the caches that suits the CPU. Whole lines at once are not measured
/// where instructions on 512 bits run as two. In front of a last cache that is far away, behind an
/// L2 of 2 MB or more, a core of the Emerald Rapids class takes up to 1.36 times as long with them:
/// 4096 x 4096 floats at 11.4 instead of 14.7 GB/s, 4096 x 4160 at 14 instead of 19.
POP_INLINE kernels::PlaneStores transposesPast() {
  static kernels::PlaneStores const best =
      isa::cpuFeatures().splitsVectors              ? kernels::PlaneStores::Past
      : model::cpuFacts().l2Bytes >= arch::LARGE_L2 ? kernels::PlaneStores::PastTall
                                                    : kernels::PlaneStores::PastAtOnce;
  return best;
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
  active.transposes.of(bytes)(
      {src, dst, packedDst.srcStride, packedSrc.dstStride, packedDst.count, packedSrc.count},
      stores == kernels::PlaneStores::Past ? transposesPast() : stores);
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

/// Destinations of so many bytes are written past the caches: 4096 x 4096 floats are transposed in
/// 7 ms so and in 18 ms through them, 1000 x 1000 and a reader after it take 0.70 ms and 0.60 ms.
inline constexpr std::uint64_t PAST_BYTES = std::uint64_t(6) << 20;

/// Few runs of one side whose elements make groups on the other that lie apart: the dim of the runs
/// and that of their elements, and the one whose groups are nearest.
struct GroupsApart {
  lower::MoveDim few, run, next;
  bool joins;     ///< from runs to groups, or back
  PlaneKind kind; ///< of plane()

  /// Groups of a part of the run, side by side: a plane of the run and the few.
  std::array<lower::MoveDim, 2> plane(std::uint64_t length, std::uint64_t bytes) const {
    auto const unit = static_cast<std::int64_t>(bytes),
               group = static_cast<std::int64_t>(few.count) * unit;
    if (joins)
      return {{{length, unit, group}, {few.count, few.srcStride, unit}}};
    return {{{few.count, unit, few.dstStride}, {length, group, unit}}};
  }
};

/// Elements of a run that are joined or split together.
inline constexpr std::uint64_t GROUPS_RUN = 64;

/// The groups that a copy of `total` bytes has, and its other dims. None if runs are too short for
/// kernels, or if groups may as well go their way one by one. On a core of the Emerald Rapids class
/// runs of 1 or 2 bytes and two runs of 4 take .1 to .9 of the time by way of a buffer, groups of
/// 16 bytes .5 to .8 where rows of the destination meet in few sets of L1 and else twice as long,
/// and three runs of 4 bytes 1.1 to 1.3.
POP_INLINE std::optional<GroupsApart> takeGroups(lower::MoveDim const *dims, std::size_t numDims,
                                                 std::uint64_t bytes, std::uint64_t total,
                                                 base::SmallVector<lower::MoveDim, 8> &others) {
  constexpr std::int64_t MOST_GROUP = 16;
  constexpr std::uint64_t FAR_BYTES_OF_CONFLICTS = std::uint64_t(16) << 20;
  auto const unit = static_cast<std::int64_t>(bytes);
  lower::MoveDim const *src = nullptr, *dst = nullptr; // packed there
  for (std::size_t d = 0; d < numDims; ++d) {
    src = dims[d].srcStride == unit ? &dims[d] : src;
    dst = dims[d].dstStride == unit ? &dims[d] : dst;
  }
  if (numDims < 3 || !src || !dst || src == dst)
    return std::nullopt;
  bool const joins = dst->count < src->count;
  lower::MoveDim const *const few = joins ? dst : src, *const run = joins ? src : dst;
  auto const apart = [&](lower::MoveDim const &dim) {
    return std::abs(joins ? dim.dstStride : dim.srcStride);
  };
  lower::MoveDim const *next = nullptr;
  for (std::size_t d = 0; d < numDims; ++d)
    if (&dims[d] != few && &dims[d] != run && (!next || apart(dims[d]) < apart(*next)))
      next = &dims[d];
  GroupsApart groups{*few, *run, *next, joins, PlaneKind::None};
  auto const plane = groups.plane(std::min(run->count, GROUPS_RUN), bytes);
  PlaneKind const kind = groups.kind = planeKind(plane[0], plane[1], bytes);
  std::int64_t const group = static_cast<std::int64_t>(few->count) * unit;
  if (kind == PlaneKind::None || group > MOST_GROUP || apart(*run) == group)
    return std::nullopt;
  std::uint64_t const vector = LEAST_RUN_BYTES / bytes;
  std::uint64_t const copied = (run->count + vector - 1) / vector * vector;
  if (run->count < vector || 3 * copied > 4 * run->count)
    return std::nullopt;
  bool const conflicts = joins && run->dstStride % 1024 == 0;
  // Beyond the caches rows of the destination one by one are fetched ahead.
  bool const hasKernel = kernels::transposeSide(static_cast<std::uint64_t>(group)) != 0;
  if (!hasKernel && total >= (conflicts ? FAR_BYTES_OF_CONFLICTS : PAST_BYTES))
    return std::nullopt;
  if (kind == PlaneKind::Transpose ? !conflicts || group != MOST_GROUP || apart(*next) != group
                                   : !conflicts && joins && bytes == 4 && few->count > 2)
    return std::nullopt;
  for (std::size_t d = 0; d < numDims; ++d)
    if (&dims[d] != few && &dims[d] != run && &dims[d] != next)
      others.push_back(dims[d]);
  return groups;
}

/// All groups of two dims, by way of a buffer in which they lie side by side: a block of `next` and
/// of the run at a time, which is whole vectors. The last ones of a run begin early enough to be
/// such: some elements are copied twice.
POP_INLINE void copyGroups(std::byte const *src, std::byte *dst, GroupsApart const &of,
                           std::uint64_t bytes, kernels::PlaneStores stores) {
  constexpr std::uint64_t LINES_BYTES = 128;
  alignas(64) std::byte buffer[GROUPS_RUN * LINES_BYTES];
  std::uint64_t const group = of.few.count * bytes, vector = LEAST_RUN_BYTES / bytes;
  std::uint64_t const most = LINES_BYTES / group;
  auto const signedOf = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  for (std::uint64_t i = 0; i < of.run.count;) {
    std::uint64_t const left = of.run.count - i;
    std::uint64_t const length =
        left < vector ? vector : std::min(GROUPS_RUN, left / vector * vector);
    std::int64_t const first = signedOf(std::min(i, of.run.count - length));
    std::int64_t const line = signedOf(length * group);
    auto const plane = of.plane(length, bytes);
    i += length;
    for (std::uint64_t j = 0, n; j < of.next.count; j += n) {
      n = std::min(most, of.next.count - j);
      std::byte const *const from =
          src + first * of.run.srcStride + signedOf(j) * of.next.srcStride;
      std::byte *const to = dst + first * of.run.dstStride + signedOf(j) * of.next.dstStride;
      if (of.joins) {
        for (std::int64_t x = 0; x < signedOf(n); ++x)
          copyPlaneByKernel(of.kind, from + x * of.next.srcStride, buffer + x * line, plane[0],
                            plane[1], bytes, kernels::PlaneStores::Near);
        lower::MoveDim const groups[] = {{length, signedOf(group), of.run.dstStride},
                                         {n, line, of.next.dstStride}};
        copyNest(buffer, to, groups, 2, group, stores);
      } else {
        lower::MoveDim const groups[] = {{n, of.next.srcStride, line},
                                         {length, of.run.srcStride, signedOf(group)}};
        copyNest(from, buffer, groups, 2, group, kernels::PlaneStores::Near);
        for (std::int64_t x = 0; x < signedOf(n); ++x)
          copyPlaneByKernel(of.kind, buffer + x * line, to + x * of.next.dstStride, plane[0],
                            plane[1], bytes, stores);
      }
    }
  }
}
POP_INLINE void copyGroups(std::byte const *src, std::byte *dst, lower::MoveDim const *others,
                           std::size_t numOthers, GroupsApart const &of, std::uint64_t bytes,
                           kernels::PlaneStores stores) {
  if (numOthers == 0)
    return copyGroups(src, dst, of, bytes, stores);
  for (std::uint64_t i = 0; i < others->count;
       ++i, src += others->srcStride, dst += others->dstStride)
    copyGroups(src, dst, others + 1, numOthers - 1, of, bytes, stores);
}

/// How to write a destination of that many bytes. Measured on one core of a Xeon of 2.8 GHz with a
/// second cache of 2 MB; where a reader follows, what was written past the caches takes it longer.
POP_INLINE kernels::PlaneStores storesFor(std::uint64_t bytes, bool conflicts) {
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

POP_INLINE void copyMove(std::byte const *src, std::byte *dst, lower::MoveDim const *dims,
                         std::size_t numDims, std::uint64_t bytes) {
  if (numDims == 0)
    return copyRun(src, dst, bytes, bytes);
  std::uint64_t total = bytes;
  for (std::size_t i = 0; i < numDims; ++i)
    total *= dims[i].count;
  base::SmallVector<lower::MoveDim, 8> ordered;
  if (auto const groups = takeGroups(dims, numDims, bytes, total, ordered)) {
    kernels::PlaneStores const stores = storesFor(total, false);
    copyGroups(src, dst, ordered.data(), ordered.size(), *groups, bytes, stores);
    if (stores == kernels::PlaneStores::Past)
      arch::finishStoresPast();
    return;
  }
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
