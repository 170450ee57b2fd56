/// \file MatMulPack.hpp
/// Copies operands of matrix products into the float layouts that the register tile reads fast.
#pragma once

#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

namespace detail {

/// to[i] = from[i * step], i < n, as float.
template <class Tag, class T>
POP_SIMD_INLINE void copyToFloat(const T *from, std::ptrdiff_t step, std::size_t n, float *to) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  std::size_t i = 0;
  if (step == 1) {
    for (; i + W <= n; i += W)
      V::load(from + i).store(to + i);
    if (i < n)
      V::loadPartial(from + i, n - i).storePartial(to + i, n - i);
    return;
  }
  using One = simd<float, isa::scalar>;
  for (; i < n; ++i, from += step)
    One::load(from).store(to + i);
}

/// to[i * step] = from[i], i < n, rounded to T.
template <class Tag, class T>
POP_SIMD_INLINE void copyFromFloat(const float *from, std::size_t n, T *to, std::ptrdiff_t step) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  std::size_t i = 0;
  if (step == 1) {
    for (; i + W <= n; i += W)
      V::load(from + i).store(to + i);
    if (i < n)
      V::loadPartial(from + i, n - i).storePartial(to + i, n - i);
    return;
  }
  using One = simd<float, isa::scalar>;
  for (; i < n; ++i, to += step)
    One::load(from + i).store(to);
}

} // namespace detail

/// Rows [0, m) of A, each k floats in a row of `rowStride` floats.
template <class Tag, class T>
void packMatMulRows(MatMulView<T> a, std::size_t m, std::size_t k, float *to,
                    std::size_t rowStride) {
  for (std::size_t i = 0; i < m; ++i, to += rowStride)
    detail::copyToFloat<Tag>(a.at(i, 0), a.column, k, to);
}

/// The same rows for operands that lie transposed in memory (a.row == 1): panels of `height` rows,
/// in each of them the values of one k side by side, a panel every height * k floats.
template <class Tag, class T>
void packMatMulPanelsOfA(MatMulView<T> a, std::size_t m, std::size_t k, float *to,
                         std::size_t height) {
  // A few panels together use whole cache lines of A without writing to more streams than L1 has
  // ways; the next lines of A are far apart, possibly one to a page.
  constexpr std::size_t TOGETHER = 4;
  for (std::size_t first = 0; first < m; first += TOGETHER * height) {
    const std::size_t end = m - first < TOGETHER * height ? m : first + TOGETHER * height;
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t i = first; i < end; i += height) {
        __builtin_prefetch(a.at(i, p + 16));
        detail::copyToFloat<Tag>(a.at(i, p), a.row, end - i < height ? end - i : height,
                                 to + i * k + p * height);
      }
  }
}

/// Rows [0, k) of `columns` columns of B in packed rows of whole vectors, as the tile leaves them:
/// `vectors` vectors a row, zeros after the last column. For operands that the tile cannot read in
/// place, most of all transposed ones (b.row == 1), which are turned in registers.
template <class Tag, class T>
void packMatMulPanel(MatMulView<T> b, std::size_t k, unsigned columns, float *to) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  const std::size_t vectors = (columns + W - 1) / W;
  const std::size_t line = vectors * W;
  for (std::size_t v = 0; v < vectors; ++v) {
    const std::size_t first = v * W;
    const std::size_t lanes = columns - first < W ? columns - first : W;
    std::size_t p = 0;
    for (; b.row == 1 && p < k; p += W) {
      const std::size_t rows = k - p < W ? k - p : W;
      V square[W];
      for (std::size_t i = 0; i < W; ++i)
        square[i] = i >= lanes  ? V::zero()
                    : rows == W ? V::load(b.at(p, first + i))
                                : V::loadPartial(b.at(p, first + i), rows);
      arch::transpose<Tag>(square);
      for (std::size_t i = 0; i < rows; ++i)
        square[i].store(to + (p + i) * line + first);
    }
    for (; p < k; ++p) {
      float *out = to + p * line + first;
      detail::copyToFloat<Tag>(b.at(p, first), b.column, lanes, out);
      for (std::size_t i = lanes; i < W; ++i)
        out[i] = 0;
    }
  }
}

} // namespace cottonwood::kernels
