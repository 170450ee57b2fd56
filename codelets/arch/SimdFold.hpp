/// \file SimdFold.hpp
/// Folds the lanes of as many vectors as a vector has lanes, all at once.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// Only for tags of 64 bytes: shorter vectors are as well folded one by one.
template <class Tag, class V, class Vector, class F>
requires(!Avx512Tag<Tag>) V foldLanes(Vector vector, F f)
= delete;

#if defined(__AVX512F__)
/// Lane r of the result: f over the lanes of vector(r), by halves as the members reduceAdd() and
/// its kin fold one vector: lanes i and i + 8 first, then i and i + 4, and so on, the lower lane
/// being f's first operand. Four operations a vector instead of eight, one of them f.
template <Avx512Tag Tag, class V, class Vector, class F>
requires(V::width == 16) POP_SIMD_INLINE V foldLanes(Vector vector, F f) {
  const auto floats = [](V v) POP_SIMD_LAMBDA { return bitCast<__m512>(v.r); };
  const auto fold = [&](__m512 low, __m512 high) POP_SIMD_LAMBDA {
    using R = decltype(V::r);
    return floats(f(V{bitCast<R>(low)}, V{bitCast<R>(high)}));
  };
  __m512 fours[4]; // block j of fours[k] is of vector 4 j + k
  unrolled<4>([&](auto k) POP_SIMD_LAMBDA {
    const auto two = [&](auto first) POP_SIMD_LAMBDA {
      const __m512 a = floats(vector(first)), b = floats(vector(first + 4));
      return fold(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
    };
    const __m512 a = two(k), b = two(k + 8);
    fours[k] = fold(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
  });
  const auto pairs = [&](__m512 a, __m512 b) POP_SIMD_LAMBDA {
    const __m512d x = _mm512_castps_pd(a), y = _mm512_castps_pd(b);
    return fold(_mm512_castpd_ps(_mm512_shuffle_pd(x, y, 0x00)),
                _mm512_castpd_ps(_mm512_shuffle_pd(x, y, 0xff)));
  };
  const __m512 a = pairs(fours[0], fours[1]), b = pairs(fours[2], fours[3]);
  return V{
      bitCast<decltype(V::r)>(fold(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd)))};
}
#endif

} // namespace cottonwood::arch
