/// \file SimdColumns.hpp
/// Short rows, as many at a time as a vector has lanes: lane r of column j is element j of row r.
#pragma once

#include <codelets/arch/SimdTranspose.hpp>

namespace cottonwood::arch {

/// columns[j], j < length, of W rows that lie one behind another.
/// \param columns  room for length rounded up to W
template <class Tag, class T>
POP_SIMD_INLINE void loadColumns(const T *in, std::size_t length, simd<float, Tag> *columns) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width;
  for (std::size_t j = 0; j < length; j += W) {
    V v[W];
    if (j + W <= length) { // else the last rows end before their vectors
      POP_SIMD_UNROLL
      for (std::size_t r = 0; r < W; ++r)
        v[r] = V::load(in + r * length + j);
    } else {
      for (std::size_t r = 0; r < W; ++r) {
        const std::size_t begin = r * length + j, left = W * length - begin;
        v[r] = left >= W ? V::load(in + begin) : V::loadPartial(in + begin, left);
      }
    }
    transpose<Tag>(v);
    POP_SIMD_UNROLL
    for (std::size_t k = 0; k < W; ++k)
      columns[j + k] = v[k];
  }
}

/// The other way round. Rows are written in their order, so that what a row's last vector writes
/// too much is overwritten by the next one; nothing is written behind the last row.
/// \param columns  are lost
template <class Tag, class T>
POP_SIMD_INLINE void storeColumns(T *out, std::size_t length, simd<float, Tag> *columns) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width;
  const auto turn = [&](std::size_t j, V(&v)[W]) POP_SIMD_LAMBDA {
    POP_SIMD_UNROLL
    for (std::size_t k = 0; k < W; ++k)
      v[k] = columns[j + k];
    transpose<Tag>(v);
  };
  const std::size_t n = W * length;
  const auto put = [&](V x, std::size_t at) POP_SIMD_LAMBDA {
    at + W <= n ? x.store(out + at) : x.storePartial(out + at, n - at);
  };
  if (length <= W) {
    V v[W];
    turn(0, v);
    for (std::size_t r = 0; r < W; ++r)
      put(v[r], r * length);
    return;
  }
  for (std::size_t j = 0; j < length; j += W) {
    V v[W];
    turn(j, v);
    for (std::size_t r = 0; r < W; ++r)
      columns[j + r] = v[r]; // element j of row r and those behind it
  }
  for (std::size_t r = 0; r < W; ++r)
    for (std::size_t j = 0; j < length; j += W)
      put(columns[j + r], r * length + j);
}

} // namespace cottonwood::arch
