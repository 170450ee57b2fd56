/// \file CopyRowsKernel.hpp
/// Copies of rows past the caches.
#pragma once

#include <codelets/arch/SimdLanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cottonwood::kernels {

namespace detail {
inline constexpr std::uint64_t COPY_LINE = 64;
} // namespace detail

/// Rows of `bytes` bytes anywhere.
struct ByteRows {
  std::byte const *src;
  std::byte *dst;
  std::int64_t srcStride, dstStride;
  std::uint64_t rows, bytes;

  /// Whether all rows of the destination are whole cache lines.
  POP_SIMD_INLINE bool areLines() const {
    auto const places =
        reinterpret_cast<std::uintptr_t>(dst) | static_cast<std::uintptr_t>(dstStride) | bytes;
    return places % detail::COPY_LINE == 0;
  }
};

namespace detail {
/// Bytes, of rows one behind another, that lines are fetched ahead. 40 MB by registers of 64 bytes
/// are copied at 53 GB/s on Zen 5, at 44 without fetching, at 50 with 2 KB and at 53 with 16 KB; by
/// registers of 16 bytes at 43 and 26.
inline constexpr std::uint64_t COPY_AHEAD = 8192;

/// A place in a row, and what is fetched there, which need not exist.
struct CopyPlace {
  std::byte const *src;
  std::byte *dst;
  std::uintptr_t ahead;
};

/// The first and the last SIZE of n bytes, which may overlap.
template <std::size_t SIZE>
POP_SIMD_INLINE void copyEnds(std::byte const *src, std::byte *dst, std::uint64_t n) {
  struct Piece {
    std::byte bytes[SIZE];
  } first, last;
  std::memcpy(&first, src, SIZE);
  std::memcpy(&last, src + n - SIZE, SIZE);
  std::memcpy(dst, &first, SIZE);
  std::memcpy(dst + n - SIZE, &last, SIZE);
}
/// While `bytes` are SIZE or more: from a place on, so many together.
template <class Lanes, std::uint64_t SIZE>
POP_SIMD_INLINE void copyBlocks(CopyPlace &at, std::uint64_t &bytes) {
  constexpr std::uint64_t COUNT = SIZE / Lanes::BYTES;
  for (; bytes >= SIZE; bytes -= SIZE, at.src += SIZE, at.dst += SIZE, at.ahead += SIZE) {
#pragma GCC unroll 4
    for (std::uint64_t i = 0; i < SIZE; i += COPY_LINE)
      __builtin_prefetch(reinterpret_cast<void const *>(at.ahead + i));
    Lanes v[COUNT];
#pragma GCC unroll 4
    for (std::uint64_t i = 0; i < COUNT; ++i)
      v[i] = Lanes::loadPacked(at.src + i * Lanes::BYTES);
#pragma GCC unroll 4
    for (std::uint64_t i = 0; i < COUNT; ++i)
      v[i].storePast(at.dst + i * Lanes::BYTES);
  }
}
template <class Lanes> POP_SIMD_INLINE void copyLines(CopyPlace &at, std::uint64_t bytes) {
  copyBlocks<Lanes, 4 * Lanes::BYTES>(at, bytes);
  copyBlocks<Lanes, COPY_LINE>(at, bytes);
}
/// Fewer bytes than a line from a place on, by the first and the last of them.
POP_SIMD_INLINE void copyFew(CopyPlace &at, std::uint64_t n) {
  if (n >= 32)
    copyEnds<32>(at.src, at.dst, n);
  else if (n >= 16)
    copyEnds<16>(at.src, at.dst, n);
  else if (n >= 8)
    copyEnds<8>(at.src, at.dst, n);
  else if (n >= 4)
    copyEnds<4>(at.src, at.dst, n);
  else if (n >= 2)
    copyEnds<2>(at.src, at.dst, n);
  else if (n == 1)
    *at.dst = *at.src;
  at.src += n, at.dst += n;
}

/// \tparam LINES  rows.areLines()
template <class Lanes, bool LINES> POP_SIMD_INLINE void copyRows(ByteRows const &rows) {
  // Short rows fetch the same bytes of a later row, long ones what is ahead in them, and at their
  // end the next one's first bytes.
  bool const isShort = rows.bytes < COPY_AHEAD;
  std::uint64_t const later = isShort ? (COPY_AHEAD + rows.bytes - 1) / rows.bytes : 0,
                      behind = isShort ? 0 : COPY_AHEAD,
                      most = (rows.bytes - behind) / COPY_LINE * COPY_LINE;
  auto const srcStride = static_cast<std::uintptr_t>(rows.srcStride);
  std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(rows.src) + later * srcStride;
  for (std::uint64_t row = 0; row < rows.rows; ++row, ahead += srcStride) {
    CopyPlace at{rows.src + static_cast<std::int64_t>(row) * rows.srcStride,
                 rows.dst + static_cast<std::int64_t>(row) * rows.dstStride,
                 (ahead + behind) / COPY_LINE * COPY_LINE};
    std::uint64_t head = 0;
    if constexpr (!LINES) {
      head = -reinterpret_cast<std::uintptr_t>(at.dst) % COPY_LINE;
      head = head < rows.bytes ? head : rows.bytes;
      copyFew(at, head);
    }
    std::uint64_t const lines = (rows.bytes - head) / COPY_LINE * COPY_LINE,
                        one = most < lines ? most : lines;
    copyLines<Lanes>(at, one);
    if constexpr (!LINES) // of the rows that begin and end within a line
      for (; at.ahead < ahead + rows.bytes; at.ahead += COPY_LINE)
        __builtin_prefetch(reinterpret_cast<void const *>(at.ahead));
    if (one != lines) {
      at.ahead = (ahead + srcStride) / COPY_LINE * COPY_LINE;
      copyLines<Lanes>(at, lines - one);
    }
    if constexpr (!LINES)
      copyFew(at, rows.bytes - head - lines);
  }
}
} // namespace detail

/// dst[row] = src[row]; whole lines of a row go past the caches. Readers on other threads need
/// finishStoresPast() after it.
template <class Tag> void copyRowsPast(ByteRows const &rows) {
  using Lanes = arch::WidestLanes<Tag>;
  if (rows.bytes == 0)
    return;
  if (rows.areLines())
    detail::copyRows<Lanes, true>(rows);
  else
    detail::copyRows<Lanes, false>(rows);
}

} // namespace cottonwood::kernels
