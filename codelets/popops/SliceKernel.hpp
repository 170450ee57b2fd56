/// \file SliceKernel.hpp
/// Slices at offsets that are known only when the program runs.
///
/// A table is [outer, size, inner], a slice of it [outer, sliceRows, inner], and N offsets name N
/// slices: slices[n][o][j] is row (offset[n] + j) mod size of table[o]. A vertex holds rows
/// [begin, begin + rows) of the table; a row it does not hold reads as zeros and is not written.
/// Offsets not below `size` name no row, unless they are remapped to 0.
///
/// Workers share the work such that rows that occur several times are written in the order of the
/// offsets by one worker.
#pragma once

#include <codelets/arch/Half.hpp>
#include <codelets/arch/SimdLanes.hpp>
#include <codelets/popops/StreamBytes.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels {

struct SliceGeometry {
  std::size_t count = 0;     ///< offsets
  std::size_t outer = 1;     ///< of table and slice
  std::size_t rows = 0;      ///< of the table that this vertex holds
  std::size_t begin = 0;     ///< the first of them
  std::size_t size = 0;      ///< rows of the whole table
  std::size_t sliceRows = 1; ///< at most size
  std::size_t inner = 1;     ///< elements of a row
  bool remap = false;        ///< offsets not below size are 0
  bool padding = false;      ///< but size itself is not
  bool outerFirst = false;   ///< slices are [outer][n][j]; for lookups
  unsigned worker = 0, workers = 1;
};

inline constexpr std::size_t NO_ROW = ~std::size_t(0);

namespace detail {

/// Runs of at least this many bytes are worth sharing among workers.
inline constexpr std::size_t WIDE_RUN_BYTES = 4096;
/// Bytes in front of a row that are asked for ahead; hardware follows longer rows by itself.
inline constexpr std::size_t PREFETCH_BYTES = 512;
/// Most rows asked for ahead.
inline constexpr std::size_t ROWS_AHEAD = 16;
/// Rows asked for ahead when rows of so many bytes are read: some 32 lines, since a core can wait
/// for few more, and what is asked for beyond keeps it from others. A Granite Rapids class core
/// reads rows of 512 bytes from its last cache some 1.1 times as fast with four of them ahead as
/// with 16; rows of 256 bytes are as fast either way.
POP_SIMD_INLINE std::size_t rowsReadAhead(std::size_t bytes) {
  constexpr std::size_t BYTES = 32 * 64;
  const std::size_t asked = bytes < PREFETCH_BYTES ? bytes : PREFETCH_BYTES;
  return asked * ROWS_AHEAD <= BYTES ? ROWS_AHEAD : BYTES / asked;
}

/// Bytes of rows that are asked for ahead where there are so many that they come from memory: first
/// to the second-level cache, which can wait for more lines than the first, from there to the
/// first. A Zen 4 core gathers 80000 rows of 512 bytes at 21 GB/s with requests to the first-level
/// cache alone, whichever their distance, at 34 with those to the second 8 or 16 KB ahead, and at
/// 38 with both.
inline constexpr std::size_t FAR_AHEAD_BYTES = 16384, SOON_AHEAD_BYTES = 4096;
/// Whether slices of so many bytes in all do.
POP_SIMD_INLINE bool isFar(std::size_t bytes) { return 2 * bytes >= STREAM_BYTES; }

/// The rows, at least one, that begin within so many bytes.
POP_SIMD_INLINE std::size_t rowsWithin(std::size_t ahead, std::size_t rowBytes) {
  return rowBytes < 64 ? ahead / 64 : (ahead - 1) / rowBytes + 1;
}

struct SliceRange {
  std::size_t begin, end;
};

/// [begin, end) of n that worker w of W takes, in whole grains.
POP_SIMD_INLINE SliceRange sliceShare(const SliceGeometry &g, std::size_t n, std::size_t grain) {
  const std::size_t grains = (n + grain - 1) / grain;
  const std::size_t each = (grains + g.workers - 1) / g.workers * grain;
  const std::size_t begin = g.worker * each, end = begin + each;
  return {begin < n ? begin : n, end < n ? end : n};
}

/// The row that an offset names, or NO_ROW.
POP_SIMD_INLINE std::size_t rowOf(const SliceGeometry &g, unsigned offset) {
  if (offset < g.size)
    return offset;
  return g.remap && !(g.padding && offset == g.size) ? 0 : NO_ROW;
}

/// \tparam LEVEL  3: to the first-level cache, 2: to the second
/// \tparam MOST  bytes that are asked for
template <bool WRITE = false, int LEVEL = 3, std::size_t MOST = PREFETCH_BYTES>
POP_SIMD_INLINE void prefetchRow(const void *p, std::size_t bytes) {
  const char *at = static_cast<const char *>(p);
  const std::size_t n = bytes < MOST ? bytes : MOST;
  for (std::size_t i = 0; i < n; i += 64)
    __builtin_prefetch(at + i, WRITE, LEVEL);
  __builtin_prefetch(at + n - 1, WRITE, LEVEL); // a row may end in a line of its own
}

/// Whether workers share the elements of rows rather than rows.
template <class T> POP_SIMD_INLINE bool isWide(const SliceGeometry &g) {
  return g.inner * sizeof(T) >= WIDE_RUN_BYTES;
}

/// Calls run(sliceRow, heldRow or NO_ROW, numRows) for consecutive rows of a slice at `offset`.
template <class Run>
POP_SIMD_INLINE void forRuns(const SliceGeometry &g, unsigned offset, Run &&run) {
  const std::size_t first = rowOf(g, offset);
  if (first == NO_ROW)
    return run(std::size_t(0), NO_ROW, g.sliceRows);
  const std::size_t untilEnd = g.size - first;
  const std::size_t straight = g.sliceRows < untilEnd ? g.sliceRows : untilEnd;
  const SliceRange rows[2] = {{first, first + straight}, {0, g.sliceRows - straight}};
  std::size_t at = 0;
  for (const SliceRange r : rows) {
    const std::size_t length = r.end - r.begin, heldEnd = g.begin + g.rows;
    const std::size_t low = r.begin > g.begin ? r.begin : g.begin;
    const std::size_t high = r.end < heldEnd ? r.end : heldEnd;
    if (low >= high) {
      if (length)
        run(at, NO_ROW, length);
    } else {
      if (low > r.begin)
        run(at, NO_ROW, low - r.begin);
      run(at + low - r.begin, low - g.begin, high - low);
      if (high < r.end)
        run(at + high - r.begin, NO_ROW, r.end - high);
    }
    at += length;
  }
}

/// Calls apply(table position or NO_ROW, slice position, elements) for what this worker does of
/// all slices, in the order of offsets.
/// \param shareRuns  workers share each run of rows; otherwise each does whole ones
template <class Apply>
void walkSlices(const SliceGeometry &g, const unsigned *offsets, SliceRange counts,
                SliceRange outers, bool shareRuns, Apply &&apply) {
  for (std::size_t n = counts.begin; n < counts.end; ++n)
    forRuns(g, offsets[n], [&](std::size_t j, std::size_t row, std::size_t rows) {
      SliceRange part{0, rows * g.inner};
      if (shareRuns)
        part = sliceShare(g, part.end, 64);
      if (part.begin == part.end)
        return;
      for (std::size_t o = outers.begin; o < outers.end; ++o)
        apply(row == NO_ROW ? NO_ROW : (o * g.rows + row) * g.inner + part.begin,
              ((n * g.outer + o) * g.sliceRows + j) * g.inner + part.begin, part.end - part.begin);
    });
}

/// Rows of a constant number of bytes, or of g.inner.
/// \tparam FAR  they come from memory
template <class Tag, std::size_t BYTES, bool FAR = false>
void gatherRows(const SliceGeometry &g, const unsigned char *table, const unsigned *offsets,
                unsigned char *slices, SliceRange counts) {
  const std::size_t bytes = BYTES ? BYTES : g.inner;
  const std::size_t rowsAhead = FAR ? rowsWithin(FAR_AHEAD_BYTES, bytes) : rowsReadAhead(bytes);
  for (std::size_t n = counts.begin; n < counts.end; ++n) {
    if (n + rowsAhead < counts.end) {
      const std::size_t ahead = rowOf(g, offsets[n + rowsAhead]) - g.begin;
      if (ahead < g.rows)
        prefetchRow<false, FAR ? 2 : 3, FAR ? 2048 : PREFETCH_BYTES>(table + ahead * bytes, bytes);
    }
    const std::size_t row = rowOf(g, offsets[n]) - g.begin;
    if (row < g.rows)
      __builtin_memcpy(slices + n * bytes, table + row * bytes, bytes);
    else
      __builtin_memset(slices + n * bytes, 0, bytes);
  }
}

/// Rows stored past the caches; slices and rows are multiples of Lanes.
template <class Lanes>
[[gnu::noinline]] void gatherRowsPast(const SliceGeometry &g, const unsigned char *table,
                                      const unsigned *offsets, unsigned char *slices,
                                      SliceRange counts) {
  constexpr std::size_t LINE = 64;
  alignas(LINE) const std::byte zeros[LINE] = {};
  struct Row {
    const std::byte *begin;
    std::size_t step; // bytes from line to line
  };
  const std::size_t bytes = g.inner;
  const auto rowAt = [&](std::size_t n) POP_SIMD_LAMBDA {
    const std::size_t row = rowOf(g, offsets[n]) - g.begin;
    return row < g.rows ? Row{reinterpret_cast<const std::byte *>(table) + row * bytes, LINE}
                        : Row{zeros, 0};
  };
  const std::size_t soonAhead = rowsWithin(SOON_AHEAD_BYTES, bytes),
                    laterAhead = rowsWithin(FAR_AHEAD_BYTES, bytes);
  const auto rowAhead = [&](std::size_t n, std::size_t ahead) POP_SIMD_LAMBDA {
    return rowAt(n + ahead < counts.end ? n + ahead : n);
  };
  std::byte *to = reinterpret_cast<std::byte *>(slices) + counts.begin * bytes;
  for (std::size_t n = counts.begin; n < counts.end; ++n) {
    Row row = rowAt(n), soon = rowAhead(n, soonAhead), later = rowAhead(n, laterAhead);
    for (std::size_t b = 0; b < bytes; b += LINE) {
      const std::size_t left = bytes - b < LINE ? bytes - b : LINE;
      __builtin_prefetch(later.begin, 0, 2);
      __builtin_prefetch(soon.begin);
      if (Lanes::BYTES < 32 && left < LINE) { // a row may end in a line of its own
        __builtin_prefetch(later.begin + left - 1, 0, 2);
        __builtin_prefetch(soon.begin + left - 1);
      }
      for (std::size_t k = 0; k < left; k += Lanes::BYTES, to += Lanes::BYTES)
        Lanes::loadPacked(row.begin + k).storePast(to);
      row.begin += row.step, soon.begin += soon.step, later.begin += later.step;
    }
  }
  arch::finishStoresPast();
}

template <class Tag>
void gatherManyRows(const SliceGeometry &g, const unsigned char *table, const unsigned *offsets,
                    unsigned char *slices) {
  const SliceRange counts = sliceShare(g, g.count, 1);
  const bool far = isFar(g.count * g.inner) && g.inner >= 32;
  if (far) {
    const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(slices) | g.inner;
    if (places % 64 == 0)
      return gatherRowsPast<arch::WidestLanes<Tag>>(g, table, offsets, slices, counts);
    if (places % 16 == 0)
      return gatherRowsPast<arch::OneLane<Tag>>(g, table, offsets, slices, counts);
  }
  switch (g.inner) {
  case 1:
    return gatherRows<Tag, 1>(g, table, offsets, slices, counts);
  case 2:
    return gatherRows<Tag, 2>(g, table, offsets, slices, counts);
  case 4:
    return gatherRows<Tag, 4>(g, table, offsets, slices, counts);
  case 8:
    return gatherRows<Tag, 8>(g, table, offsets, slices, counts);
  case 16:
    return gatherRows<Tag, 16>(g, table, offsets, slices, counts);
  case 32:
    return gatherRows<Tag, 32>(g, table, offsets, slices, counts);
  case 64:
    return gatherRows<Tag, 64>(g, table, offsets, slices, counts);
  default:
    return far ? gatherRows<Tag, 0, true>(g, table, offsets, slices, counts)
               : gatherRows<Tag, 0>(g, table, offsets, slices, counts);
  }
}

} // namespace detail

/// slices = the slices of the table at the offsets. Elements are bytes.
template <class Tag>
void gatherSlices(const SliceGeometry &g, const unsigned char *table, const unsigned *offsets,
                  unsigned char *slices) {
  if (g.inner == 0 || g.count == 0)
    return;
  const bool manySlices = g.count >= 2 * g.workers, manyOuter = g.outer >= 2 * g.workers;
  if (g.outerFirst && g.outer > 1) {
    const detail::SliceRange mine =
        manyOuter ? detail::sliceShare(g, g.outer, 1) : detail::SliceRange{0, g.outer};
    SliceGeometry one = g;
    one.outer = 1;
    if (manyOuter) {
      one.worker = 0;
      one.workers = 1;
    }
    const std::size_t slicesBytes = g.count * g.sliceRows * g.inner;
    for (std::size_t o = mine.begin; o < mine.end; ++o)
      gatherSlices<Tag>(one, table + o * g.rows * g.inner, offsets, slices + o * slicesBytes);
    return;
  }
  if (manySlices && g.outer == 1 && g.sliceRows == 1)
    return detail::gatherManyRows<Tag>(g, table, offsets, slices);
  const detail::SliceRange counts =
      manySlices ? detail::sliceShare(g, g.count, 1) : detail::SliceRange{0, g.count};
  const detail::SliceRange outers =
      manyOuter && !manySlices ? detail::sliceShare(g, g.outer, 1) : detail::SliceRange{0, g.outer};
  detail::walkSlices(g, offsets, counts, outers, !manySlices && !manyOuter,
                     [&](std::size_t from, std::size_t to, std::size_t bytes) {
                       if (from == NO_ROW)
                         __builtin_memset(slices + to, 0, bytes);
                       else
                         __builtin_memcpy(slices + to, table + from, bytes);
                     });
}

namespace detail {

/// Rows of one worker are those whose hash falls to it: neighbouring rows and popular ranges of
/// rows spread evenly.
POP_SIMD_INLINE bool ownsRow(const SliceGeometry &g, std::size_t row) {
  const std::uint32_t hash = static_cast<std::uint32_t>(row) * 0x9e3779b1U;
  return (std::uint64_t(hash) * g.workers) >> 32 == g.worker;
}

/// One row a slice, every row by its owner. The rows found wait in a queue while they are fetched,
/// those that are far FAR_AHEAD_BYTES ahead: 80000 rows of 512 bytes are added to in .7 of the time
/// on Zen 4.
/// \param reads  the rows of the table are read
template <class T, class Apply>
void updateOwnRows(const SliceGeometry &g, T *table, const T *slices, const unsigned *offsets,
                   bool reads, Apply &&apply) {
  constexpr std::size_t MOST = 64;
  struct {
    T *row;
    const T *slice;
  } queue[MOST];
  const std::size_t bytes = g.inner * sizeof(T), farAhead = rowsWithin(FAR_AHEAD_BYTES, bytes);
  const bool far = isFar(g.count * bytes);
  const std::size_t ahead = !far ? ROWS_AHEAD : farAhead < MOST ? farAhead : MOST;
  const std::size_t soon = ahead - (ahead + 3) / 4;
  const auto finish = [&](std::size_t i) POP_SIMD_LAMBDA {
    apply(queue[i % MOST].row, queue[i % MOST].slice, g.inner);
  };
  std::size_t found = 0;
  for (std::size_t n = 0; n < g.count; ++n) {
    const std::size_t row = rowOf(g, offsets[n]) - g.begin;
    if (row >= g.rows || !ownsRow(g, row))
      continue;
    if (found >= ahead)
      finish(found - ahead);
    T *const to = table + row * g.inner;
    const T *const from = slices + n * g.inner;
    queue[found % MOST] = {to, from};
    if (!far) {
      prefetchRow<true>(to, bytes);
      prefetchRow(from, bytes);
    } else {
      prefetchRow<false, 2>(from, bytes);
      if (reads) {
        prefetchRow<false, 2>(to, bytes);
        if (found >= soon)
          prefetchRow<true>(queue[(found - soon) % MOST].row, bytes);
      }
    }
    ++found;
  }
  for (std::size_t i = found < ahead ? 0 : found - ahead; i < found; ++i)
    finish(i);
}

/// The part of a vertex's rows that one worker takes, where slices overlap.
POP_SIMD_INLINE SliceGeometry ownRows(const SliceGeometry &g, SliceRange rows) {
  SliceGeometry own = g;
  own.begin = g.begin + rows.begin;
  own.rows = rows.end - rows.begin;
  return own;
}

} // namespace detail

/// apply(row of the table, row of the slice, elements) for every row that a slice covers, several
/// adjacent rows at once; in the order of offsets for every element of the table.
/// \param reads  `apply` reads the table, or writes lines of the caches
template <class T, class Apply>
void updateSlices(const SliceGeometry &g, T *table, const T *slices, const unsigned *offsets,
                  bool reads, Apply &&apply) {
  if (g.inner == 0 || g.count == 0)
    return;
  const bool overlaps = g.count > 1 && g.sliceRows > 1;
  const bool manyOuter = g.outer >= 2 * g.workers;
  const auto each = [&](std::size_t to, std::size_t from, std::size_t n) {
    if (to != NO_ROW)
      apply(table + to, slices + from, n);
  };
  const detail::SliceRange all{0, g.count};
  if (manyOuter)
    return detail::walkSlices(g, offsets, all, detail::sliceShare(g, g.outer, 1), false, each);
  if (g.count == 1 || (!overlaps && detail::isWide<T>(g)))
    return detail::walkSlices(g, offsets, all, {0, g.outer}, true, each);
  if (!overlaps && g.outer == 1)
    return detail::updateOwnRows(g, table, slices, offsets, reads, apply);
  // Each worker sees the rows of its own range alone.
  const detail::SliceRange mine = detail::sliceShare(g, g.rows, 1);
  if (mine.begin == mine.end)
    return;
  detail::walkSlices(detail::ownRows(g, mine), offsets, all, {0, g.outer}, false,
                     [&](std::size_t to, std::size_t from, std::size_t n) {
                       if (to == NO_ROW)
                         return;
                       const std::size_t held = mine.end - mine.begin, line = held * g.inner;
                       const std::size_t o = to / line;
                       apply(table + (o * g.rows + mine.begin) * g.inner + (to - o * line),
                             slices + from, n);
                     });
}

/// Overwrites slices of the table; of rows named twice the last one stays. Elements are bytes.
/// Whole lines go past the caches where table and slices are far: 80000 rows of 512 bytes in .4 of
/// the time on Zen 4.
template <class Tag>
void scatterSlices(const SliceGeometry &g, unsigned char *table, const unsigned char *slices,
                   const unsigned *offsets) {
  const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(table) | g.inner;
  const bool far = detail::isFar(g.count * g.outer * g.sliceRows * g.inner) &&
                   detail::isFar(g.rows * g.outer * g.inner);
  if (!far || places % 64 != 0)
    return updateSlices(g, table, slices, offsets, true,
                        [](unsigned char *to, const unsigned char *from, std::size_t bytes) {
                          __builtin_memcpy(to, from, bytes);
                        });
  updateSlices(g, table, slices, offsets, false,
               [](unsigned char *to, const unsigned char *from, std::size_t bytes) {
                 detail::streamBytes<Tag>(to, from, bytes);
               });
  arch::finishStoresPast();
}

/// out[i] = in[i] | in[n + i] | in[2 n + i] | ... of `parts` arrays of n bytes, for i in
/// [begin, end).
template <class Tag>
void orSlices(const unsigned char *in, std::size_t parts, std::size_t n, unsigned char *out,
              std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  for (; i + 8 <= end; i += 8) {
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      std::uint64_t word;
      __builtin_memcpy(&word, in + p * n + i, 8);
      sum |= word;
    }
    __builtin_memcpy(out + i, &sum, 8);
  }
  for (; i < end; ++i) {
    unsigned char sum = 0;
    for (std::size_t p = 0; p < parts; ++p)
      sum = static_cast<unsigned char>(sum | in[p * n + i]);
    out[i] = sum;
  }
}

} // namespace cottonwood::kernels
