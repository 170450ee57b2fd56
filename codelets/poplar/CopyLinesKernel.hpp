/// \file CopyLinesKernel.hpp
/// Copies of whole cache lines past the caches.
#pragma once

#include <codelets/arch/SimdLanes.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels {

/// Rows of `bytes` bytes, which are whole cache lines; `dst` and its stride are aligned to these.
struct LineRows {
  std::byte const *src;
  std::byte *dst;
  std::int64_t srcStride, dstStride;
  std::uint64_t rows, bytes;
};

namespace detail {
inline constexpr std::uint64_t COPY_LINE = 64;
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
} // namespace detail

/// dst[row] = src[row]. Readers on other threads need finishStoresPast() after it.
template <class Tag> void copyLinesPast(LineRows const &rows) {
  using Lanes = arch::WidestLanes<Tag>;
  if (rows.bytes == 0)
    return;
  // What is fetched with the first byte of a row is in a later row, behind its first bytes.
  std::uint64_t const later = detail::COPY_AHEAD / rows.bytes,
                      behind = detail::COPY_AHEAD % rows.bytes, first = rows.bytes - behind;
  detail::CopyPlace at{rows.src, rows.dst, 0};
  auto const srcStride = static_cast<std::uintptr_t>(rows.srcStride);
  std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(rows.src) + later * srcStride;
  for (std::uint64_t row = 0; row < rows.rows; ++row) {
    at.src = rows.src + static_cast<std::int64_t>(row) * rows.srcStride;
    at.dst = rows.dst + static_cast<std::int64_t>(row) * rows.dstStride;
    at.ahead = ahead + behind;
    detail::copyLines<Lanes>(at, first);
    at.ahead = ahead += srcStride;
    detail::copyLines<Lanes>(at, behind);
  }
}

} // namespace cottonwood::kernels
