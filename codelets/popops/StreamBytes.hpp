/// \file StreamBytes.hpp
/// Walks over arrays that are larger than the caches: stores past these, loads fetched ahead.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/popops/FarBytes.hpp>

namespace cottonwood::kernels {

/// How a kernel walks over its arrays.
enum class Walk : std::uint8_t {
  NEAR, ///< they may be in the caches
  FAR,  ///< operands are fetched ahead; the output is one of them, and in the caches when written
  PAST, ///< operands are fetched ahead, the output is written past the caches
};

namespace detail {
/// Traffic of a vertex from which its output is better written past the caches.
inline constexpr std::uint64_t STREAM_BYTES = std::uint64_t{20} << 20;

/// Bytes that operands are fetched ahead of their use. The processor's own prefetching stops at the
/// ends of small pages and beside stores past the caches. Beside those 40 MB of floats take .85 of
/// the time on Zen 5 that they take with 2 KB, vectors of eight floats .9, and as long as with
/// 16 KB; in place they take .97 with 16 KB of what they take with 8 KB.
POP_SIMD_INLINE constexpr std::size_t fetchDistance(Walk walk) {
  return walk == Walk::FAR ? 16384 : 8192;
}

/// The lines that elements [i, i + n) of operands will be in `ahead` bytes later; they need not
/// exist. Rows are fetched whole: without the lines behind their last blocks, two of 62, softmax of
/// rows of 1000 floats takes 1.5 times as long on Zen 4.
/// \tparam LEVEL  3: to the first-level cache, 2: to the second
template <int LEVEL = 3, class T>
POP_SIMD_INLINE void fetchAhead(const T *p, std::size_t i, std::size_t n, std::size_t ahead) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(p + i) + ahead;
  for (std::size_t line = 0; line < n * sizeof(T); line += 64)
    __builtin_prefetch(reinterpret_cast<const void *>(begin + line), 0, LEVEL);
}

/// value(k) of the vectors k of a cache line at p, past the caches. Pieces of a line that are
/// stored one by one take longer than the line.
template <class V, class T, class F> POP_SIMD_INLINE void streamLine(T *p, F value) {
  constexpr std::size_t LINE = 64 / sizeof(T), W = V::width;
  if constexpr (requires(V v) { V::streamTwo(p, v, v); } && 2 * W == LINE) {
    const V first = value(0);
    V::streamTwo(p, first, value(W));
  } else {
    for (std::size_t k = 0; k < LINE; k += W)
      value(k).stream(p + k);
  }
}

/// n bytes past the caches; `out` need not be aligned.
template <class Tag> void streamBytes(unsigned char *out, const unsigned char *in, std::size_t n) {
  using V = simd<float, Tag>;
  constexpr std::size_t LINE = 64;
  const std::size_t head = (LINE - reinterpret_cast<std::uintptr_t>(out) % LINE) % LINE;
  if (sizeof(V) < 32 || n < head + LINE) {
    __builtin_memcpy(out, in, n);
    return;
  }
  __builtin_memcpy(out, in, head);
  std::size_t i = head;
  for (; i + LINE <= n; i += LINE)
    for (std::size_t k = 0; k < LINE; k += sizeof(V))
      V::load(reinterpret_cast<const float *>(in + i + k))
          .stream(reinterpret_cast<float *>(out + i + k));
  __builtin_memcpy(out + i, in + i, n - i);
}

} // namespace detail
} // namespace cottonwood::kernels
