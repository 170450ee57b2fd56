/// \file SortKernel.hpp
/// Sorting, merging and selecting unsigned items of 32 or 64 bits in given memory. The 32 upper
/// bits (all, of the short ones) are the key; items of 64 bits that come in ascending order of
/// their lower bits keep it among equal keys.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels {

/// An item with key and index.
using LongItem = unsigned long long;

template <class Item> POP_SIMD_INLINE Item makeItem(std::uint32_t key, std::uint32_t index) {
  if constexpr (sizeof(Item) == 8)
    return static_cast<Item>(key) << 32 | index;
  else
    return key;
}
POP_SIMD_INLINE std::uint32_t keyOf(std::uint32_t item) { return item; }
POP_SIMD_INLINE std::uint32_t keyOf(LongItem item) {
  return static_cast<std::uint32_t>(item >> 32);
}

/// Position of the first item that is not below x.
template <class Tag, class Item> std::size_t lowerBound(const Item *items, std::size_t n, Item x) {
  std::size_t first = 0;
  while (n != 0) {
    const std::size_t half = n / 2;
    const bool right = items[first + half] < x;
    first += right ? half + 1 : 0;
    n = right ? n - half - 1 : half;
  }
  return first;
}

/// How many of the first `count` items of the merged runs come from a. Of equal items those of a
/// come first.
template <class Tag, class Item>
std::size_t mergeSplit(const Item *a, std::size_t na, const Item *b, std::size_t nb,
                       std::size_t count) {
  std::size_t low = count > nb ? count - nb : 0, high = count < na ? count : na;
  while (low < high) {
    const std::size_t mid = low + (high - low) / 2;
    if (a[mid] <= b[count - mid - 1])
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/// The first `count` items of two merged runs.
template <class Tag, class Item>
void mergeRuns(const Item *a, std::size_t na, const Item *b, std::size_t nb, Item *out,
               std::size_t count) {
  const Item *const endA = a + na, *const endB = b + nb;
  Item *const end = out + count;
  while (out != end && a != endA && b != endB) {
    // As many as cannot exhaust a run, without a branch each.
    std::size_t safe = static_cast<std::size_t>(endA - a);
    safe = static_cast<std::size_t>(endB - b) < safe ? static_cast<std::size_t>(endB - b) : safe;
    safe = static_cast<std::size_t>(end - out) < safe ? static_cast<std::size_t>(end - out) : safe;
    for (std::size_t i = 0; i < safe; ++i) {
      const Item x = *a, y = *b;
      const bool left = x <= y;
      *out++ = left ? x : y;
      a += left;
      b += !left;
    }
  }
  if (out != end) {
    const Item *const rest = a != endA ? a : b;
    __builtin_memcpy(out, rest, static_cast<std::size_t>(end - out) * sizeof(Item));
  }
}

namespace detail {
inline constexpr std::size_t INSERTION_RUN = 16;
/// Below this many items merging beats counting digits.
inline constexpr std::size_t MERGE_SORT_BELOW = 384;

template <class Tag, class Item> void insertionSort(Item *items, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const Item x = items[i];
    std::size_t j = i;
    for (; j != 0 && x < items[j - 1]; --j)
      items[j] = items[j - 1];
    items[j] = x;
  }
}

template <class Tag, class Item> Item *mergeSort(Item *items, Item *other, std::size_t n) {
  for (std::size_t i = 0; i < n; i += INSERTION_RUN)
    insertionSort<Tag>(items + i, n - i < INSERTION_RUN ? n - i : INSERTION_RUN);
  for (std::size_t run = INSERTION_RUN; run < n; run *= 2) {
    for (std::size_t i = 0; i < n; i += 2 * run) {
      const std::size_t left = n - i < run ? n - i : run;
      const std::size_t both = n - i < 2 * run ? n - i : 2 * run;
      mergeRuns<Tag>(items + i, left, items + i + left, both - left, other + i, both);
    }
    Item *const done = other;
    other = items;
    items = done;
  }
  return items;
}

/// One distribution by 8 bits of the key; places[d] is where the first item with digit d goes.
template <class Tag, class Item>
void distribute(const Item *in, Item *out, std::size_t n, unsigned shift, std::size_t *places) {
  for (std::size_t i = 0; i < n; ++i) {
    const Item x = in[i];
    out[places[keyOf(x) >> shift & 0xff]++] = x;
  }
}

/// Digits of the key from the lowest; those that are the same in all items are passed over.
template <class Tag, class Item> Item *radixSort(Item *items, Item *other, std::size_t n) {
  std::size_t counts[4][256] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = keyOf(items[i]);
    for (unsigned d = 0; d < 4; ++d)
      ++counts[d][key >> 8 * d & 0xff];
  }
  for (unsigned d = 0; d < 4; ++d) {
    std::size_t *const count = counts[d];
    if (count[keyOf(items[0]) >> 8 * d & 0xff] == n)
      continue;
    std::size_t place = 0;
    for (unsigned digit = 0; digit < 256; ++digit) {
      const std::size_t here = count[digit];
      count[digit] = place;
      place += here;
    }
    distribute<Tag>(items, other, n, 8 * d, count);
    Item *const done = other;
    other = items;
    items = done;
  }
  return items;
}
} // namespace detail

/// Sorts n items, which must be in order of their lower 32 bits. \param other  room for as many.
/// \returns  items or other.
template <class Tag, class Item> Item *sortItems(Item *items, Item *other, std::size_t n) {
  return n < detail::MERGE_SORT_BELOW ? detail::mergeSort<Tag>(items, other, n)
                                      : detail::radixSort<Tag>(items, other, n);
}

/// The item that stands at `k` when n > k items are sorted; they are left in another order.
template <class Tag, class Item> Item selectKth(Item *items, std::size_t n, std::size_t k) {
  // Bits of the key from the highest, then those below it: each pass keeps one bucket, so the worst
  // case is a pass a digit, whatever the items are.
  for (unsigned shift = 8 * sizeof(Item); shift != 0 && n > 1;) {
    shift -= 8;
    std::uint32_t counts[256] = {};
    for (std::size_t i = 0; i < n; ++i)
      ++counts[items[i] >> shift & 0xff];
    unsigned digit = 0;
    for (; k >= counts[digit]; ++digit)
      k -= counts[digit];
    if (counts[digit] == n)
      continue;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Item x = items[i];
      items[kept] = x;
      kept += (x >> shift & 0xff) == digit;
    }
    n = kept;
  }
  return items[0];
}

} // namespace cottonwood::kernels
