/// \file TopKKernel.hpp
/// The k first elements of a row in an order, and full sorts.
///
/// Elements become items: unsigned integers whose order is that of the elements. An item of 64 bits
/// has the key above and the element's index below, so that no two are equal and ties are in order
/// of index; one of 32 bits is the key alone. Keys are bijective: the element comes back from them.
/// Of floating numbers -0 is below +0, and NaN is above infinity (those with a sign above those
/// without).
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/popops/SortKernel.hpp>

namespace cottonwood::kernels {

/// How the bits u of an element become a key: (u ^ (sign of u ? whenNegative : 0) ^ flip) - bias,
/// then ^ reverse for descending order. Elements of 16 bits stand in the upper half of u.
struct KeyCode {
  std::uint32_t whenNegative, flip, bias, reverse;

  POP_SIMD_INLINE std::uint32_t key(std::uint32_t u) const {
    const std::uint32_t sign = 0u - (u >> 31);
    return ((u ^ (sign & whenNegative) ^ flip) - bias) ^ reverse;
  }
  POP_SIMD_INLINE std::uint32_t bits(std::uint32_t key) const {
    const std::uint32_t w = ((key ^ reverse) + bias) ^ flip;
    return w ^ ((0u - (w >> 31)) & whenNegative);
  }
};

/// The kinds of elements that have an order.
enum class KeyKind : std::uint32_t { FLOAT, HALF, INT, UNSIGNED };

POP_SIMD_INLINE constexpr KeyCode keyCode(KeyKind kind, bool descending) {
  const std::uint32_t unit = kind == KeyKind::HALF ? 0xffff0000u : 0xffffffffu;
  const std::uint32_t reverse = descending ? unit : 0u;
  switch (kind) {
  case KeyKind::FLOAT: // -infinity becomes 0, what is below it wraps to the top
    return {0x7fffffffu, 0x80000000u, 0x007fffffu, reverse};
  case KeyKind::HALF:
    return {0x7fff0000u, 0x80000000u, 0x03ff0000u, reverse};
  case KeyKind::INT:
    return {0u, 0x80000000u, 0u, reverse};
  case KeyKind::UNSIGNED:
    break;
  }
  return {0u, 0u, 0u, reverse};
}

namespace detail {
/// The bits of an element, 16 of them in the upper half.
POP_SIMD_INLINE std::uint32_t elementBits(const std::uint32_t *p) { return *p; }
POP_SIMD_INLINE std::uint32_t elementBits(const std::uint16_t *p) {
  return static_cast<std::uint32_t>(*p) << 16;
}
POP_SIMD_INLINE void storeBits(std::uint32_t *p, std::uint32_t bits) { *p = bits; }
POP_SIMD_INLINE void storeBits(std::uint16_t *p, std::uint32_t bits) {
  *p = static_cast<std::uint16_t>(bits >> 16);
}

/// A vector of keys compared with a limit.
template <class Tag> struct KeyFilter {
  using U = simd<std::uint32_t, Tag>;
  U whenNegative, flip, bias, reverse;
  explicit KeyFilter(KeyCode code)
      : whenNegative(U::splat(code.whenNegative)), flip(U::splat(code.flip)),
        bias(U::splat(code.bias)), reverse(U::splat(code.reverse)) {}
  POP_SIMD_INLINE auto below(U u, U limit) const {
    const U sign = U::zero() - u.template shiftRight<31>();
    return (((u ^ (sign & whenNegative) ^ flip) - bias) ^ reverse) < limit;
  }
};

/// Elements whose keys anyBelow() looks at together.
template <class Tag, class E>
inline constexpr std::size_t FILTER_BLOCK = 4 * simd<std::uint32_t, Tag>::width *(4 / sizeof(E));

/// Whether one of FILTER_BLOCK elements has a key below the limit.
template <class Tag, class E>
POP_SIMD_INLINE bool anyBelow(const KeyFilter<Tag> &filter, const E *p,
                              typename KeyFilter<Tag>::U limit) {
  using U = typename KeyFilter<Tag>::U;
  simdMask<Tag> found[4];
  arch::unrolled<4>([&](auto j) POP_SIMD_LAMBDA {
    const U u = U::load(reinterpret_cast<const std::uint32_t *>(p) + j * U::width);
    if constexpr (sizeof(E) == 2) // two elements a lane: the upper one with rubbish below it
      found[j] = filter.below(u & U::splat(0xffff0000u), limit) |
                 filter.below(u.template shiftLeft<16>(), limit);
    else
      found[j] = filter.below(u, limit);
  });
  return ((found[0] | found[1]) | (found[2] | found[3])).any();
}

/// Brings the k smallest of n > k items to the front, in the order they stand in. \param copy
/// room for n items.
template <class Tag, class Item>
void keepSmallest(Item *items, std::size_t n, std::size_t k, Item *copy) {
  __builtin_memcpy(copy, items, n * sizeof(Item));
  const Item last = selectKth<Tag>(copy, n, k - 1);
  std::size_t below = 0;
  for (std::size_t i = 0; i < n; ++i)
    below += items[i] < last;
  std::size_t ties = k - below, kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Item x = items[i];
    const bool tie = x == last && ties != 0;
    items[kept] = x;
    kept += x < last || tie;
    ties -= tie;
  }
}
} // namespace detail

/// A row of n elements at `in`, the first of which has the given index.
template <class E> struct TopKRow {
  const E *in;
  std::size_t n;
  std::uint32_t firstIndex;
};

/// From this share of a row on the row is sorted as a whole, and so is a short one.
POP_SIMD_INLINE constexpr bool sortsWhole(std::size_t n, std::size_t k) {
  return k > n / 4 || n <= 2 * detail::INSERTION_RUN;
}

/// Items that each of the two buffers of topK must hold. A selection that keeps k of more is worth
/// its passes only if it is made seldom.
POP_SIMD_INLINE constexpr std::size_t topKBuffer(std::size_t n, std::size_t k) {
  const std::size_t buffer = k > 64 ? 3 * k : k + 128;
  return sortsWhole(n, k) || buffer > n ? n : buffer;
}

namespace detail {
template <class E, class Item>
POP_SIMD_INLINE Item itemAt(const TopKRow<E> &row, std::size_t i, KeyCode code) {
  return makeItem<Item>(code.key(elementBits(row.in + i)),
                        row.firstIndex + static_cast<std::uint32_t>(i));
}

/// Collects candidates, at least the k smallest of the row, in order of index. \returns  how many.
template <class Tag, class E, class Item>
std::size_t collect(const TopKRow<E> &row, std::size_t k, KeyCode code, Item *items, Item *copy) {
  using U = simd<std::uint32_t, Tag>;
  constexpr std::size_t BLOCK = FILTER_BLOCK<Tag, E>;
  const std::size_t capacity = topKBuffer(row.n, k);
  const KeyFilter<Tag> filter(code);
  std::size_t i = 0, count = 0;
  for (; i < capacity; ++i)
    items[count++] = itemAt<E, Item>(row, i, code);
  if (i == row.n)
    return count;
  std::uint32_t limit = 0;
  const auto shrink = [&] {
    keepSmallest<Tag>(items, count, k, copy);
    count = k;
    Item largest = items[0];
    for (std::size_t j = 1; j < k; ++j)
      largest = items[j] > largest ? items[j] : largest;
    // A later element of the same key comes after all that are kept.
    limit = keyOf(largest);
  };
  shrink();
  const auto scan = [&](std::size_t end) {
    for (; i < end; ++i) {
      if (count == capacity)
        shrink();
      const Item item = itemAt<E, Item>(row, i, code);
      items[count] = item;
      count += keyOf(item) < limit;
    }
  };
  for (; i + BLOCK <= row.n;)
    if (anyBelow(filter, row.in + i, U::splat(limit)))
      scan(i + BLOCK);
    else
      i += BLOCK;
  scan(row.n);
  return count;
}
} // namespace detail

/// The k smallest items of a row (by code), ascending. 1 <= k <= n. \param a, b  buffers of
/// topKBuffer(n, k) items. \returns  a or b.
template <class Tag, class E, class Item>
Item *topK(const TopKRow<E> &row, std::size_t k, KeyCode code, Item *a, Item *b) {
  if (sortsWhole(row.n, k)) {
    for (std::size_t i = 0; i < row.n; ++i)
      a[i] = detail::itemAt<E, Item>(row, i, code);
    return sortItems<Tag>(a, b, row.n);
  }
  const std::size_t count = detail::collect<Tag>(row, k, code, a, b);
  if (count > k)
    detail::keepSmallest<Tag>(a, count, k, b);
  return sortItems<Tag>(a, b, k);
}

/// Writes elements and indices of outputs [begin, end) of the k sorted items of a row. \param
/// mirrored  last item first; ties stay in order of index. \param indices  may be null.
template <class Tag, class E, class Item>
void unpackItems(const Item *items, std::size_t k, KeyCode code, bool mirrored, E *values,
                 std::uint32_t *indices, std::size_t begin, std::size_t end) {
  const auto write = [&](std::size_t to, Item item) POP_SIMD_LAMBDA {
    detail::storeBits(values + to, code.bits(keyOf(item)));
    if constexpr (sizeof(Item) == 8)
      indices[to] = static_cast<std::uint32_t>(item);
  };
  if (!mirrored) {
    for (std::size_t i = begin; i < end; ++i)
      write(i, items[i]);
    return;
  }
  for (std::size_t i = begin; i < end;) {
    // Items of one key form a group, which keeps its order at its mirrored place.
    const std::uint32_t key = keyOf(items[k - 1 - i]);
    const std::size_t first = lowerBound<Tag>(items, k, makeItem<Item>(key, 0));
    const std::size_t past =
        key == 0xffffffffu ? k : lowerBound<Tag>(items, k, makeItem<Item>(key + 1, 0));
    for (const std::size_t groupEnd = k - first; i < groupEnd && i < end; ++i)
      write(i, items[first + (i - (k - past))]);
  }
}

} // namespace cottonwood::kernels
