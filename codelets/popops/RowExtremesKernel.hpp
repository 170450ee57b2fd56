/// \file RowExtremesKernel.hpp
/// Where the largest or the smallest element of a row is, the first of equal ones; the rules are
/// those of RowExtremes.hpp.
#pragma once

#include <codelets/arch/SimdBits.hpp>
#include <codelets/popops/ReduceKernel.hpp>
#include <codelets/popops/StreamBytes.hpp>
#include <codelets/popops/TopKColumns.hpp>

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
template <class T> POP_SIMD_INLINE T plusZero(T x) {
  if constexpr (std::is_same_v<T, half>) {
    constexpr unsigned INFINITE = 0x7c00, QUIET = 0x200;
    const unsigned magnitude = x.bits & 0x7fffU;
    if (magnitude == 0)
      return half{0};
    return half{static_cast<std::uint16_t>(magnitude > INFINITE ? x.bits | QUIET : x.bits)};
  } else {
    return x + T{0};
  }
}

/// The same as placeOfExtreme() one by one in the order of topK, where NaN have places of their
/// own.
template <bool LARGEST, class T> std::size_t placeAmongNan(const T *in, std::size_t n) {
  const KeyCode code = keyCode(sizeof(T) == 2 ? KeyKind::HALF : KeyKind::FLOAT, LARGEST);
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  std::uint32_t best = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key =
        code.key(std::uint32_t{arch::bitCast<Bits>(plusZero(in[i]))} << (32 - 8 * sizeof(T)));
    if (i == 0 || key < best) {
      best = key;
      place = i;
    }
  }
  return place;
}

/// Lines are fetched while others are looked at: so many bytes ahead to the first-level cache, or
/// near ones to the second where splitsVectors(). On Zen 5 rows of 1000 floats from memory are read
/// at 50 GB/s so, with near ones at 31, as without any. On Zen 4 at 36 with near ones, at 22 to 27
/// with others.
inline constexpr std::size_t EXTREME_AHEAD = 8192, EXTREME_NEAR = 2048;

/// The place of the first extreme element of n >= 1. Nothing but NaN and n decides what is
/// executed: in the time of a mispredicted branch some hundred bytes of a row are looked at.
/// \param fetchesNear  splitsVectors()
template <class Tag, bool LARGEST, class T>
std::size_t placeOfExtreme(const T *in, std::size_t n, bool fetchesNear) {
  using C = Combine<LARGEST ? ReduceOp::MAX : ReduceOp::MIN>;
  using E = ExtremeElement<T>;
  using V = simd<E, Tag>;
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t W = V::width, K = 4, BLOCK = K * W;
  const V none = V::splat(C::template identity<E>());
  // Of each lane of blocks: the extreme element, and the first block that has it.
  V best = none, x[K], sums[K];
  I first = I::splat(0), now = first;
  arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { sums[k] = V::zero(); });
  const auto look = [&]() POP_SIMD_LAMBDA {
    if constexpr (HAS_NAN<T>) // a sum with a NaN is one: so may be others, which do no harm
      arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { sums[k] = sums[k] + x[k]; });
    const V found = C::merge(C::merge(x[0], x[1]), C::merge(x[2], x[3]));
    first = I::select(LARGEST ? found > best : found < best, now, first);
    best = C::merge(best, found);
    now = now + I::splat(1);
  };
  // Element `at` and those behind it. The last vector of fewer, and the last block of a row, share
  // elements with the one before.
  const auto load = [&](std::size_t at) POP_SIMD_LAMBDA {
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { x[k] = V::load(in + at + k * W); });
  };
  const auto fetch = [&](std::size_t at, std::size_t count) POP_SIMD_LAMBDA {
    if constexpr (W * sizeof(T) >= 32) // a processor does not look beyond a page itself
      fetchesNear ? fetchAhead<2>(in, at, count, EXTREME_NEAR)
                  : fetchAhead<3>(in, at, count, EXTREME_AHEAD);
  };
  const std::size_t lastVector = n < W ? 0 : n - W, lastBlock = n < BLOCK ? 0 : n - BLOCK;
  if (n < W) {
    x[0] = x[1] = x[2] = x[3] =
        V::select(I::iota() < I::splat(static_cast<std::int32_t>(n)), V::loadPartial(in, n), none);
    look();
  } else if (n < BLOCK) {
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
      x[k] = V::load(in + (k * W < lastVector ? k * W : lastVector));
    });
    look();
  } else {
    std::size_t i = 0;
    for (; i <= lastBlock; i += BLOCK) {
      fetch(i, BLOCK);
      load(i);
      look();
    }
    if (i < n) {
      fetch(i, n - i);
      load(lastBlock);
      look();
    }
  }
  if constexpr (HAS_NAN<T>) {
    const V sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if ((sum != sum).any())
      return placeAmongNan<LARGEST>(in, n);
  }
  const V wanted = V::splat(C::horizontal(best));
  std::size_t at = 0;
  if (n >= BLOCK) {
    const I nowhere = I::splat(INT32_MAX);
    at = static_cast<std::size_t>(I::select(best == wanted, first, nowhere).reduceMin()) * BLOCK;
    at = at < lastBlock ? at : lastBlock;
    load(at);
  }
  std::uint64_t found = 0;
  arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
    found |= std::uint64_t{arch::bitsOf(x[k] == wanted)} << (k * W);
  });
  const auto place = static_cast<std::size_t>(__builtin_ctzll(found)), vector = place / W * W;
  return n < BLOCK ? (vector < lastVector ? vector : lastVector) + place % W : at + place;
}
} // namespace detail

/// The first extreme element of a row of n >= 1.
/// \param fetchesNear  splitsVectors()
template <class Tag, class T>
RowExtreme<T> rowExtreme(const T *in, std::size_t n, bool largest, bool fetchesNear) {
  const std::size_t place = largest ? detail::placeOfExtreme<Tag, true>(in, n, fetchesNear)
                                    : detail::placeOfExtreme<Tag, false>(in, n, fetchesNear);
  return {detail::plusZero(in[place]), place};
}

namespace detail {
/// plusZero() of the bits of elements as loadElementBits() gives them.
template <class Tag, class T>
POP_SIMD_INLINE simd<std::int32_t, Tag> plusZeroBits(simd<std::int32_t, Tag> bits) {
  using I = simd<std::int32_t, Tag>;
  if constexpr (std::is_same_v<T, float>) {
    using V = simd<float, Tag>;
    return (V::fromBits(bits) + V::zero()).bits();
  } else if constexpr (std::is_same_v<T, half>) {
    constexpr std::int32_t INFINITE = 0x7c000000, QUIET = 0x02000000;
    const I magnitude = bits & I::splat(INT32_MAX);
    const I quiet = I::select(magnitude > I::splat(INFINITE), bits | I::splat(QUIET), bits);
    return I::select(magnitude == I::zero(), magnitude, quiet);
  } else {
    return bits;
  }
}

template <class T> constexpr KeyKind keyKindOf() {
  return std::is_same_v<T, float>  ? KeyKind::FLOAT
         : std::is_same_v<T, half> ? KeyKind::HALF
         : std::is_signed_v<T>     ? KeyKind::INT
                                   : KeyKind::UNSIGNED;
}
} // namespace detail

/// Rows up to this length are taken as columns, as many at a time as a vector has lanes, if there
/// are at least so many of them.
template <class Tag> inline constexpr std::size_t EXTREME_COLUMNS = 2 * simd<float, Tag>::width;
template <class Tag> inline constexpr std::size_t EXTREME_ROWS = simd<float, Tag>::width;

/// rowExtreme() of each of `rows` rows of n elements that lie one behind another; `firstIndex` is
/// added to the places.
template <class Tag, class T>
void rowExtremesOfColumns(const T *in, std::size_t rows, std::size_t n, bool largest,
                          std::uint32_t firstIndex, T *values, std::uint32_t *indices) {
  using E = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  using I = simd<std::int32_t, Tag>;
  const detail::ColumnCode<Tag> code(keyCode(detail::keyKindOf<T>(), largest));
  const I first = I::splat(static_cast<std::int32_t>(firstIndex));
  const I upper = I::splat(static_cast<std::int32_t>(0xffff0000u));
  detail::forGroupsOfRows<Tag>(rows, [&](std::size_t begin, std::size_t count) POP_SIMD_LAMBDA {
    const std::size_t left = rows - begin;
    const detail::ColumnLoader<Tag, E> loader(reinterpret_cast<const E *>(in) + begin * n, count, n,
                                              left * n);
    detail::FirstColumn<Tag, sizeof(E) == 4> best;
    detail::insertColumns(loader, n, best, [&](I bits, I index) POP_SIMD_LAMBDA {
      const I key = code.key(detail::plusZeroBits<Tag, T>(bits));
      return sizeof(E) == 2 ? key | index : key;
    });
    const I key = best.key(0);
    detail::storeColumnBits<Tag>(
        reinterpret_cast<E *>(values) + begin, count, 1, left,
        [&](std::size_t) POP_SIMD_LAMBDA { return code.bits(sizeof(E) == 2 ? key & upper : key); });
    detail::storeColumnBits<Tag>(indices + begin, count, 1, left, [&](std::size_t) POP_SIMD_LAMBDA {
      return first + (sizeof(E) == 2 ? key & ~upper : best.index(0));
    });
  });
}

} // namespace cottonwood::kernels
