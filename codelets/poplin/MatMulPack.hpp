/// \file MatMulPack.hpp
/// Copies operands of matrix products into the float layouts that the register tile reads fast.
#pragma once

#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulTile.hpp>

#include <cstdint>

namespace cottonwood::kernels {

namespace detail {

/// The first cache line at or behind p: workspaces begin anywhere.
POP_SIMD_INLINE float *alignedToLine(void *p) {
  return reinterpret_cast<float *>((reinterpret_cast<std::uintptr_t>(p) + 63) &
                                   ~std::uintptr_t{63});
}

/// to[i] = from[i], i < n, as the type of `to`.
template <class Tag, class From, class To>
POP_SIMD_INLINE void copyLine(const From *from, std::size_t n, To *to) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  std::size_t i = 0;
  for (; i + W <= n; i += W)
    V::load(from + i).store(to + i);
  if (i < n)
    V::loadPartial(from + i, n - i).storePartial(to + i, n - i);
}

/// to[i] = from[i * step], i < n, as float.
template <class Tag, class T>
POP_SIMD_INLINE void copyToFloat(const T *from, std::ptrdiff_t step, std::size_t n, float *to) {
  if (step == 1)
    return copyLine<Tag>(from, n, to);
  using One = simd<float, isa::scalar>;
  for (std::size_t i = 0; i < n; ++i, from += step)
    One::load(from).store(to + i);
}

/// to[i * step] = from[i], i < n, rounded to T.
template <class Tag, class T>
POP_SIMD_INLINE void copyFromFloat(const float *from, std::size_t n, T *to, std::ptrdiff_t step) {
  if (step == 1)
    return copyLine<Tag>(from, n, to);
  using One = simd<float, isa::scalar>;
  for (std::size_t i = 0; i < n; ++i, to += step)
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

namespace detail {

/// to[i * toRow + j] = from[j * fromRow + i], i < rows, j < columns: at most the first vector of
/// either, and whole vectors of zeros and values in every row of `to`.
template <class Tag, class T>
POP_SIMD_INLINE void copyTurned(const T *from, std::ptrdiff_t fromRow, std::size_t rows,
                                std::size_t columns, float *to, std::size_t toRow) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  constexpr std::size_t AHEAD = 256 / sizeof(T); // four lines
  V square[W];
  if (rows >= W && columns >= W) {
    repeat<W>([&](auto j) POP_SIMD_LAMBDA {
      __builtin_prefetch(from + j * fromRow + AHEAD);
      square[j] = V::load(from + j * fromRow);
    });
    arch::transpose<Tag>(square);
    repeat<W>([&](auto i)
                  POP_SIMD_LAMBDA { square[i].store(to + static_cast<std::size_t>(i) * toRow); });
    return;
  }
  const auto turn = [&](std::size_t values, auto load) POP_SIMD_LAMBDA {
    repeat<W>([&](auto j) POP_SIMD_LAMBDA {
      square[j] = static_cast<std::size_t>(j) < columns ? load(from + j * fromRow) : V::zero();
    });
    arch::transpose<Tag>(square);
    repeat<W>([&](auto i) POP_SIMD_LAMBDA {
      if (static_cast<std::size_t>(i) < values)
        square[i].store(to + static_cast<std::size_t>(i) * toRow);
    });
  };
  if (rows >= W)
    turn(W, [](const T *p) POP_SIMD_LAMBDA { return V::load(p); });
  else
    turn(rows, [&](const T *p) POP_SIMD_LAMBDA { return V::loadPartial(p, rows); });
}

} // namespace detail

/// Rows [0, k) of `columns` columns of B in packed rows of whole vectors, as the tile leaves them:
/// zeros after the last column. For operands that the tile cannot read in place, most of all
/// transposed ones (b.row == 1), which are turned in registers.
template <class Tag, class T>
void packMatMulPanel(MatMulView<T> b, std::size_t k, unsigned columns, float *to) {
  constexpr std::size_t W = static_cast<std::size_t>(simd<float, Tag>::width);
  const std::size_t line = (columns + W - 1) / W * W;
  if (b.row == 1) {
    for (std::size_t p = 0; p < k; p += W)
      for (std::size_t j = 0; j < columns; j += W)
        detail::copyTurned<Tag>(b.at(p, j), b.column, k - p, columns - j, to + p * line + j, line);
    return;
  }
  for (std::size_t p = 0; p < k; ++p, to += line) {
    detail::copyToFloat<Tag>(b.at(p, 0), b.column, columns, to);
    for (std::size_t j = columns; j < line; ++j)
      to[j] = 0;
  }
}

namespace detail {

/// The same for operands that lie transposed in memory (a.row == 1).
template <class Tag, class T>
void packMatMulColumnsOfA(MatMulView<T> a, std::size_t m, std::size_t k, float *to,
                          MatMulHeights heights) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = static_cast<std::size_t>(V::width);
  // A few panels together use whole cache lines of A without writing to more streams than L1 has
  // ways; the next lines of A are far apart, possibly one to a page.
  constexpr std::size_t TOGETHER = 4;
  for (std::size_t first = 0, end = 0; first < m; first = end) {
    for (std::size_t x = 0; x < TOGETHER && end < m; ++x)
      end += heights.at(end);
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t i = first; i < end;) {
        const std::size_t height = heights.at(i);
        const T *const from = a.at(i, p);
        float *const at = to + i * k + p * height;
        __builtin_prefetch(a.at(i, p + 16));
        // Whole vectors, if what they leave behind the rows is places of later values of k: never
        // those of the next panel, whose first values are there already.
        if (height <= W && W > 1 && (k - p) * height >= W && m - i >= W)
          V::load(from).store(at);
        else
          copyToFloat<Tag>(from, 1, height, at);
        i += height;
      }
  }
}

} // namespace detail

/// Rows [0, m) of A in panels of these heights, in each of them the values of one k side by side:
/// one that begins with row i begins at to + i * k. A vector behind the last may be written.
template <class Tag, class T>
void packMatMulPanelsOfA(MatMulView<T> a, std::size_t m, std::size_t k, float *to,
                         MatMulHeights heights) {
  constexpr std::size_t W = static_cast<std::size_t>(simd<float, Tag>::width);
  if (a.row == 1)
    return detail::packMatMulColumnsOfA<Tag>(a, m, k, to, heights);
  for (std::size_t i = 0, height = 0; i < m; i += height, to += height * k) {
    height = heights.at(i);
    if (a.column == 1 && height <= W && W > 1)
      for (std::size_t p = 0; p < k; p += W)
        detail::copyTurned<Tag>(a.at(i, p), a.row, k - p, height, to + p * height, height);
    else
      for (std::size_t p = 0; p < k; ++p)
        detail::copyToFloat<Tag>(a.at(i, p), a.row, height, to + p * height);
  }
}

} // namespace cottonwood::kernels
