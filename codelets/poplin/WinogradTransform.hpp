/// \file WinogradTransform.hpp
/// The transforms of Winograd's minimal filtering in one dimension, and how two of them make one in
/// two dimensions.
///
/// M outputs of a filter g of three taps over M + 2 inputs d are y = A^T ((G g) . (B^T d)): M + 2
/// products instead of 3 M. In two dimensions the transforms are applied to all columns and then to
/// all rows. The matrices are those of A. Lavin and S. Gray, "Fast Algorithms for Convolutional
/// Neural Networks" (2015), which evaluate polynomials at 0, 1, -1 (, 2, -2) and infinity.
#pragma once

#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

/// \tparam M  outputs in one dimension: 2 or 4
template <unsigned M> struct WinogradTransform;

template <> struct WinogradTransform<2> {
  static constexpr unsigned SIZE = 4;

  /// B^T d
  template <class V> POP_SIMD_INLINE static void input(const V (&d)[4], V (&t)[4]) {
    t[0] = d[0] - d[2];
    t[1] = d[1] + d[2];
    t[2] = d[2] - d[1];
    t[3] = d[1] - d[3];
  }
  /// G g
  template <class V> POP_SIMD_INLINE static void filter(const V (&g)[3], V (&t)[4]) {
    const V half = V::splat(0.5f), sum = g[0] + g[2];
    t[0] = g[0];
    t[1] = (sum + g[1]) * half;
    t[2] = (sum - g[1]) * half;
    t[3] = g[2];
  }
  /// A^T m
  template <class V> POP_SIMD_INLINE static void output(const V (&m)[4], V (&y)[2]) {
    y[0] = m[0] + (m[1] + m[2]);
    y[1] = (m[1] - m[2]) - m[3];
  }
};

template <> struct WinogradTransform<4> {
  static constexpr unsigned SIZE = 6;

  template <class V> POP_SIMD_INLINE static void input(const V (&d)[6], V (&t)[6]) {
    const V two = V::splat(2.f), four = V::splat(4.f), five = V::splat(5.f);
    t[0] = V::fma(four, d[0], V::fnma(five, d[2], d[4]));
    const V even = V::fnma(four, d[2], d[4]), odd = V::fnma(four, d[1], d[3]);
    t[1] = even + odd;
    t[2] = even - odd;
    const V near = d[4] - d[2], far = d[3] - d[1];
    t[3] = V::fma(two, far, near);
    t[4] = V::fnma(two, far, near);
    t[5] = V::fma(four, d[1], V::fnma(five, d[3], d[5]));
  }
  template <class V> POP_SIMD_INLINE static void filter(const V (&g)[3], V (&t)[6]) {
    const V sixth = V::splat(-1.f / 6), sum = g[0] + g[2];
    t[0] = g[0] * V::splat(0.25f);
    t[1] = (sum + g[1]) * sixth;
    t[2] = (sum - g[1]) * sixth;
    const V even = V::fma(g[0], V::splat(1.f / 24), g[2] * V::splat(1.f / 6));
    const V odd = V::splat(1.f / 12);
    t[3] = V::fma(g[1], odd, even);
    t[4] = V::fnma(g[1], odd, even);
    t[5] = g[2];
  }
  template <class V> POP_SIMD_INLINE static void output(const V (&m)[6], V (&y)[4]) {
    const V a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], d = m[3] - m[4];
    y[0] = m[0] + (a + c);
    y[1] = V::fma(V::splat(2.f), d, b);
    y[2] = V::fma(V::splat(4.f), c, a);
    y[3] = V::fma(V::splat(8.f), d, b) + m[5];
  }
};

namespace detail {

/// step on each column of x, then on each row of what that gives.
template <unsigned IN, unsigned OUT, class V, class Step>
POP_SIMD_INLINE void winogradBoth(const Step &step, const V (&x)[IN][IN], V (&y)[OUT][OUT]) {
  V half[OUT][IN];
  repeat<IN>([&](auto c) POP_SIMD_LAMBDA {
    V column[IN], result[OUT];
    repeat<IN>([&](auto r) POP_SIMD_LAMBDA { column[r] = x[r][c]; });
    step(column, result);
    repeat<OUT>([&](auto r) POP_SIMD_LAMBDA { half[r][c] = result[r]; });
  });
  repeat<OUT>([&](auto r) POP_SIMD_LAMBDA { step(half[r], y[r]); });
}

} // namespace detail

} // namespace cottonwood::kernels
