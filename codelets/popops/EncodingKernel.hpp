/// \file EncodingKernel.hpp
/// One-hot rows and ascending numbers.
#pragma once

#include <codelets/popops/FillKernel.hpp>

namespace cottonwood::kernels {

/// Elements [begin, end) of `out`, whose element 0 stands in `column` of its row.
template <class Tag, class T>
void oneHot(const std::uint32_t *indices, T *out, std::size_t column, std::size_t begin,
            std::size_t end, std::size_t columns, T on, T off) {
  if (begin == end)
    return;
  fillBytes<Tag, sizeof(T)>(out + begin, &off, end - begin);
  // Positions count from the start of the first row, which lies `column` before `out`.
  const std::size_t first = column + begin, last = column + end;
  for (std::size_t row = first / columns; row * columns < last; ++row) {
    const std::size_t at = row * columns + indices[row];
    if (indices[row] < columns && at >= first && at < last)
      out[at - column] = on;
  }
}

template <class Tag> void iota(std::uint32_t *out, std::size_t n, std::uint32_t start) {
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t W = I::width;
  std::int32_t *p = reinterpret_cast<std::int32_t *>(out);
  I v = I::iota() + I::splat(static_cast<std::int32_t>(start));
  const I step = I::splat(static_cast<std::int32_t>(W));
  std::size_t i = 0;
  for (; i + W <= n; i += W, v = v + step)
    v.store(p + i);
  v.storePartial(p + i, n - i);
}

} // namespace cottonwood::kernels
