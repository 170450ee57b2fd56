/// \file RowExtremesKernel.hpp
/// Where the largest or the smallest element of a row is, the first of equal ones; the rules are
/// those of RowExtremes.hpp.
#pragma once

#include <codelets/popops/ReduceKernel.hpp>
#include <codelets/popops/TopKKernel.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// The extreme element of a row; a zero is +0, a NaN is quiet.
template <class T> struct RowExtreme {
  T value;
  std::size_t place;
};

namespace detail {
template <class T> using ExtremeElement = std::conditional_t<std::is_same_v<T, half>, float, T>;

template <class T>
inline constexpr bool HAS_NAN = std::is_same_v<T, float> || std::is_same_v<T, half>;

/// x + 0 of a floating element: it makes both zeros +0 and a NaN quiet.
template <class Tag, class T> POP_SIMD_INLINE T plusZero(const T *p) {
  if constexpr (HAS_NAN<T>) {
    using V = simd<float, Tag>;
    T result;
    (V::loadPartial(p, 1) + V::zero()).storePartial(&result, 1);
    return result;
  } else {
    return *p;
  }
}

/// The same as placeOfExtreme() one by one in the order of topK, where NaN have places of their
/// own.
template <class Tag, bool LARGEST, class T> std::size_t placeAmongNan(const T *in, std::size_t n) {
  const KeyCode code = keyCode(sizeof(T) == 2 ? KeyKind::HALF : KeyKind::FLOAT, LARGEST);
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  std::uint32_t best = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key =
        code.key(std::uint32_t{arch::bitCast<Bits>(plusZero<Tag>(in + i))} << (32 - 8 * sizeof(T)));
    if (i == 0 || key < best) {
      best = key;
      place = i;
    }
  }
  return place;
}

/// f(vector, index of its first element) of all vectors of elements [begin, end).
/// \param beyond  what lanes past the end hold
template <class Tag, class V, class T, class F>
POP_SIMD_INLINE void forVectors(const T *in, std::size_t begin, std::size_t end, V beyond, F f) {
  using I = simd<std::int32_t, Tag>;
  std::size_t i = begin;
  for (; i + V::width <= end; i += V::width)
    f(V::load(in + i));
  if (i < end) {
    const auto inside = I::iota() < I::splat(static_cast<std::int32_t>(end - i));
    f(V::select(inside, V::loadPartial(in + i, end - i), beyond));
  }
}

/// The first of elements [begin, end) that equals `value`, of which there is one.
template <class Tag, class T>
std::size_t placeOf(const T *in, std::size_t begin, std::size_t end, ExtremeElement<T> value) {
  using V = simd<ExtremeElement<T>, Tag>;
  const V wanted = V::splat(value);
  std::size_t i = begin;
  while (i + V::width <= end && !(V::load(in + i) == wanted).any())
    i += V::width;
  for (; i + 1 < end; ++i)
    if (V::loadPartial(in + i, 1).first() == value)
      break;
  return i;
}

/// Elements of which the extreme one is found before its place is: few are looked at twice, and
/// seldom does a block have an element beyond all before it.
inline constexpr std::size_t EXTREME_BLOCK = 256;

/// Bytes ahead of those that are looked at: they are fetched while the place in a row is found.
inline constexpr std::size_t EXTREME_AHEAD = 8192;

/// The place of the first extreme element of n >= 1.
template <class Tag, bool LARGEST, class T> std::size_t placeOfExtreme(const T *in, std::size_t n) {
  using C = Combine<LARGEST ? ReduceOp::MAX : ReduceOp::MIN>;
  using E = ExtremeElement<T>;
  using V = simd<E, Tag>;
  constexpr std::size_t K = 4;
  const V none = V::splat(C::template identity<E>());
  V best = none, sums[K];
  arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { sums[k] = V::zero(); });
  std::size_t at = 0, i = 0;
  const auto keep = [&](V found) POP_SIMD_LAMBDA {
    if (!(LARGEST ? found > best : found < best).any())
      return;
    best = V::splat(C::horizontal(found));
    at = i;
  };
  for (; i + EXTREME_BLOCK <= n; i += EXTREME_BLOCK) {
    V found[K];
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { found[k] = none; });
    for (std::size_t j = i; j < i + EXTREME_BLOCK; j += K * V::width)
      arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
        const V x = V::load(in + j + k * V::width);
        if constexpr (V::width * sizeof(T) >= 32) // a processor does not look beyond a page itself
          __builtin_prefetch(in + j + k * V::width + EXTREME_AHEAD / sizeof(T), 0, 2);
        found[k] = C::merge(found[k], x);
        if constexpr (HAS_NAN<T>) // a sum with a NaN is one: so may be others, which do no harm
          sums[k] = sums[k] + x;
      });
    keep(C::merge(C::merge(found[0], found[1]), C::merge(found[2], found[3])));
  }
  V found = none;
  forVectors<Tag>(in, i, n, none, [&](V x) POP_SIMD_LAMBDA {
    found = C::merge(found, x);
    if constexpr (HAS_NAN<T>)
      sums[0] = sums[0] + V::select(x == none, V::zero(), x);
  });
  keep(found);
  if constexpr (HAS_NAN<T>) {
    const V sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if ((sum != sum).any())
      return placeAmongNan<Tag, LARGEST>(in, n);
  }
  return placeOf<Tag>(in, at, n - at < EXTREME_BLOCK ? n : at + EXTREME_BLOCK, best.first());
}
} // namespace detail

/// The first extreme element of a row of n >= 1.
template <class Tag, class T> RowExtreme<T> rowExtreme(const T *in, std::size_t n, bool largest) {
  const std::size_t place = largest ? detail::placeOfExtreme<Tag, true>(in, n)
                                    : detail::placeOfExtreme<Tag, false>(in, n);
  return {detail::plusZero<Tag>(in + place), place};
}

} // namespace cottonwood::kernels
