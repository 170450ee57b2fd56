/// \file SimdFold.hpp
/// Folds the lanes of rows, as many rows at once as a vector has lanes.
#pragma once

#include <codelets/arch/SimdTable.hpp>

#include <codelets/arch/Intrinsics.hpp>

#include <type_traits>

namespace cottonwood::arch {

namespace detail {
/// The lanes of two registers, taken apart: `blocks` of 128 bits, `pairs` and `ones` of lanes
/// within those. The low ones of both registers, or the high ones.
template <class Tag> struct LanesOfTwo;

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
template <Avx2Tag Tag> struct LanesOfTwo<Tag> {
  using R = __m256;
  template <bool HIGH> POP_SIMD_INLINE static R blocks(R a, R b) {
    return _mm256_permute2f128_ps(a, b, HIGH ? 0x31 : 0x20);
  }
  template <bool HIGH> POP_SIMD_INLINE static R pairs(R a, R b) {
    const __m256d x = _mm256_castps_pd(a), y = _mm256_castps_pd(b);
    return _mm256_castpd_ps(HIGH ? _mm256_unpackhi_pd(x, y) : _mm256_unpacklo_pd(x, y));
  }
  template <bool HIGH> POP_SIMD_INLINE static R ones(R a, R b) {
    return _mm256_shuffle_ps(a, b, HIGH ? 0xdd : 0x88);
  }
};
#endif

#if defined(__AVX512F__)
template <Avx512Tag Tag> struct LanesOfTwo<Tag> {
  using R = __m512;
  template <bool HIGH> POP_SIMD_INLINE static R halves(R a, R b) {
    return _mm512_shuffle_f32x4(a, b, HIGH ? 0xee : 0x44);
  }
  template <bool HIGH> POP_SIMD_INLINE static R blocks(R a, R b) {
    return _mm512_shuffle_f32x4(a, b, HIGH ? 0xdd : 0x88);
  }
  template <bool HIGH> POP_SIMD_INLINE static R pairs(R a, R b) {
    const __m512d x = _mm512_castps_pd(a), y = _mm512_castps_pd(b);
    return _mm512_castpd_ps(HIGH ? _mm512_unpackhi_pd(x, y) : _mm512_unpacklo_pd(x, y));
  }
  template <bool HIGH> POP_SIMD_INLINE static R ones(R a, R b) {
    return _mm512_shuffle_ps(a, b, HIGH ? 0xdd : 0x88);
  }
};
#endif

/// Where foldLanes' last fold leaves the rows: element r is the lane of row r.
template <std::size_t W> struct FoldedRows { alignas(64) std::int32_t lane[W]; };
template <std::size_t W, std::size_t LANES> constexpr FoldedRows<W> foldedRows() {
  constexpr std::size_t ROWS = W / LANES; // of a vector
  FoldedRows<W> rows{};
  for (std::size_t v = 0; v < LANES; ++v)
    for (std::size_t s = 0; s < ROWS; ++s) {
      const std::size_t lane = LANES == 2   ? s / 2 * 4 + 2 * v + s % 2
                               : LANES == 4 ? s * 4 + v
                                            : v / 4 * 8 + s * 4 + v % 4;
      rows.lane[v * ROWS + s] = static_cast<std::int32_t>(lane);
    }
  return rows;
}
} // namespace detail

/// Lane r of the result: f over row r, which is LANES lanes of a vector: ROWS = W / LANES rows lie
/// in each, those of vector(v), v < LANES, from row v ROWS on. Lanes are folded by halves as the
/// members reduceAdd() and its kin fold one vector: lanes i and i + LANES / 2 first, then i and
/// i + LANES / 4, and so on, the lower lane being f's first operand. Three operations and one
/// permutation a fold, instead of one fold a row and step.
/// \tparam LANES  a power of two up to W
template <std::size_t LANES, class Tag, class V, class Vector, class F>
POP_SIMD_INLINE V foldLanes(Vector vector, F f) {
  using L = detail::LanesOfTwo<Tag>;
  using R = typename L::R;
  constexpr std::size_t W = V::width;
  static_assert(sizeof(R) == sizeof(V));
  const auto given = [&](std::size_t v) POP_SIMD_LAMBDA { return bitCast<R>(vector(v).r); };
  const auto fold = [&](R low, R high) POP_SIMD_LAMBDA {
    using Of = decltype(V::r);
    return bitCast<R>(f(V{bitCast<Of>(low)}, V{bitCast<Of>(high)}).r);
  };
  const auto halves = [&](std::size_t i) POP_SIMD_LAMBDA { // a row each
    if constexpr (LANES == 16) {
      const std::size_t v = i < 4 ? i : i + 4;
      const R a = given(v), b = given(v + 4);
      return fold(L::template halves<false>(a, b), L::template halves<true>(a, b));
    } else {
      return given(i);
    }
  };
  const auto blocks = [&](std::size_t i) POP_SIMD_LAMBDA {
    if constexpr (LANES >= 8) {
      const R a = halves(i), b = halves(i + 4);
      return fold(L::template blocks<false>(a, b), L::template blocks<true>(a, b));
    } else {
      return given(i);
    }
  };
  const auto pairs = [&](std::size_t i) POP_SIMD_LAMBDA {
    if constexpr (LANES >= 4) {
      const R a = blocks(2 * i), b = blocks(2 * i + 1);
      return fold(L::template pairs<false>(a, b), L::template pairs<true>(a, b));
    } else {
      return given(i);
    }
  };
  if constexpr (LANES == 1) {
    return vector(0);
  } else {
    const R a = pairs(0), b = pairs(1);
    const R rows = fold(L::template ones<false>(a, b), L::template ones<true>(a, b));
    if constexpr (LANES == W) {
      return V{bitCast<decltype(V::r)>(rows)};
    } else {
      constexpr auto ORDER = detail::foldedRows<W, LANES>();
      return permuteLanes(V{bitCast<decltype(V::r)>(rows)},
                          simd<std::int32_t, Tag>::load(ORDER.lane));
    }
  }
}

/// Rows of at most LANES neighbouring elements one behind another, packed into vectors as foldLanes
/// takes them.
template <std::size_t LANES, class Tag> class PackedRows {
  using I = simd<std::int32_t, Tag>;
  static constexpr std::size_t W = I::width, ROWS = W / LANES;

public:
  POP_SIMD_INLINE explicit PackedRows(std::size_t length)
      : length_(length), inside_(element() < I::splat(static_cast<std::int32_t>(length))) {
    from_ = rowOfLane() * I::splat(static_cast<std::int32_t>(length)) + element();
  }

  /// Lanes that hold an element; what others hold has no meaning.
  POP_SIMD_INLINE simdMask<Tag> inside() const { return inside_; }

  /// Which of a vector's rows lanes belong to.
  POP_SIMD_INLINE static I rowOfLane() {
    return I::iota().template shiftRight<__builtin_ctz(LANES)>();
  }

  /// Vector v, v < LANES, of the W rows that begin at p.
  template <class V, class T> POP_SIMD_INLINE V load(const T *p, std::size_t v) const {
    const std::size_t begin = v * ROWS * length_;
    // Nothing is read behind the last row.
    const V x =
        begin + W <= W * length_ ? V::load(p + begin) : V::loadPartial(p + begin, ROWS * length_);
    if constexpr (LANES == W)
      return x;
    else
      return permuteLanes(x, from_);
  }

private:
  POP_SIMD_INLINE static I element() { return I::iota() & I::splat(LANES - 1); }

  std::size_t length_;
  I from_;
  simdMask<Tag> inside_;
};

} // namespace cottonwood::arch
