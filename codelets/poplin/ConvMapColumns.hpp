/// \file ConvMapColumns.hpp
/// Reads planes of channels as if channels lay side by side.
#pragma once

#include <codelets/arch/SimdTranspose.hpp>

#include <cstddef>

namespace cottonwood::kernels::detail {

/// Columns whose values are fetched ahead of time: a plane each is more than prefetchers follow.
inline constexpr std::size_t MAP_COLUMNS_AHEAD = 64;

/// put(i, v) for n neighbouring columns of `channels` planes, at most a vector V of them: lane c of
/// v is from[c * plane + i], and 0 behind the last channel.
template <class V, class T, class Put>
POP_SIMD_INLINE void eachMapColumn(const T *from, std::ptrdiff_t plane, std::size_t channels,
                                   std::size_t n, Put put) {
  constexpr auto W = static_cast<std::size_t>(V::width);
  for (std::size_t x = 0; x < n; x += W, from += W) {
    const std::size_t some = n - x < W ? n - x : W;
    const T *p = from;
    V v[W];
    for (std::size_t c = 0; c < W; ++c, p += c < channels ? plane : 0) {
      __builtin_prefetch(p + MAP_COLUMNS_AHEAD);
      v[c] = c >= channels ? V::zero() : some == W ? V::load(p) : V::loadPartial(p, some);
    }
    arch::transpose(v);
    for (std::size_t i = 0; i < some; ++i)
      put(x + i, v[i]);
  }
}

/// Lines of a vector V of channels, which in memory are planes with their columns side by side, one
/// behind the other and each column `step` floats from the one before; `to` is aligned to vectors.
template <class V, class T>
void copyMapLines(const T *from, std::ptrdiff_t plane, std::size_t channels, std::ptrdiff_t row,
                  int rows, int columns, float *to, std::ptrdiff_t step) {
  if (row == columns) // they are one line
    columns *= rows, rows = rows > 0 ? 1 : 0;
  for (; rows > 0; --rows, from += row, to += columns * step)
    eachMapColumn<V>(from, plane, channels, static_cast<std::size_t>(columns),
                     [&](std::size_t x, V v) POP_SIMD_LAMBDA {
                       v.storeAligned(to + static_cast<std::ptrdiff_t>(x) * step);
                     });
}

} // namespace cottonwood::kernels::detail
