/// \file StreamBytes.hpp
/// Stores past the caches, for outputs that are larger than those.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels::detail {

/// Traffic of a vertex from which its output is better written past the caches.
inline constexpr std::uint64_t STREAM_BYTES = std::uint64_t{20} << 20;

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

} // namespace cottonwood::kernels::detail
