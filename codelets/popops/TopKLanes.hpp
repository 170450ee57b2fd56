/// \file TopKLanes.hpp
/// The few first elements of a row that is long, or alone: each lane of vectors keeps the first of
/// the elements that it sees. The order is that of TopKKernel.hpp.
#pragma once

#include <codelets/popops/StreamBytes.hpp>
#include <codelets/popops/TopKColumns.hpp>

namespace cottonwood::kernels {

/// Whether firstItems() lets lanes select. Results do not depend on it.
template <class Tag> POP_SIMD_INLINE constexpr bool selectsInLanes(std::size_t n, std::size_t k) {
  constexpr std::size_t W = simd<float, Tag>::width;
  return HAS_COLUMNS<Tag> && k <= W && n >= 2 * W && n <= INT32_MAX;
}

namespace detail {

/// Bytes ahead of those that are looked at: they are fetched meanwhile.
inline constexpr std::size_t TOPK_AHEAD = 12288;

/// The k smallest items of a row, ascending. \tparam List  as for topKOfColumns
template <class Tag, template <class, bool> class List, class E, class Item>
[[gnu::noinline]] void selectInLanes(const TopKRow<E> &row, std::size_t k, KeyCode keyCode,
                                     Item *out) {
  constexpr bool INDEXED = sizeof(Item) == 8;
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t W = I::width, TOGETHER = 4, BLOCK = TOGETHER * W;
  const ColumnCode<Tag> code(keyCode);
  const I none = I::splat(INT32_MAX); // behind all elements, as key and as index
  List<Tag, INDEXED> list(k);
  I index = I::iota();
  std::size_t i = 0;
  for (; i + BLOCK <= row.n; i += BLOCK) {
    I keys[TOGETHER], indices[TOGETHER];
    fetchAhead(row.in, i, BLOCK, TOPK_AHEAD);
    arch::unrolled<TOGETHER>([&](auto j) POP_SIMD_LAMBDA {
      keys[j] = code.key(arch::loadElementBits<Tag>(row.in + i + j * W));
      indices[j] = index;
      index = index + I::splat(W);
    });
    if (list.takesAny(keys))
      list.insert(keys, indices);
  }
  fetchAhead(row.in, i, row.n - i, TOPK_AHEAD);
  const auto insert = [&](I key) POP_SIMD_LAMBDA { list.insert({key}, {index}); };
  for (; i + W <= row.n; i += W) {
    insert(code.key(arch::loadElementBits<Tag>(row.in + i)));
    index = index + I::splat(W);
  }
  if (i < row.n) { // the last W elements, of which the lower lanes have seen some
    const I first = I::splat(static_cast<std::int32_t>(i + W - row.n));
    const auto unseen = I::iota() >= first;
    const I key = code.key(arch::loadElementBits<Tag>(row.in + row.n - W));
    index = I::select(unseen, index - first, none);
    insert(I::select(unseen, key, none));
  }
  for (std::size_t kept = 0; kept < k; ++kept) {
    const std::int32_t first = list.key(0).reduceMin();
    const I where = INDEXED ? list.index(0) : I::iota();
    const std::int32_t place = I::select(list.key(0) == I::splat(first), where, none).reduceMin();
    out[kept] = makeItem<Item>(static_cast<std::uint32_t>(first) ^ 0x80000000u,
                               row.firstIndex + static_cast<std::uint32_t>(place));
    list.removeFirst(where == I::splat(place), none);
  }
}
} // namespace detail

/// The same as topK(), by what is fastest.
template <class Tag, class E, class Item>
Item *firstItems(const TopKRow<E> &row, std::size_t k, KeyCode code, Item *a, Item *b) {
  if constexpr (HAS_COLUMNS<Tag>)
    if (selectsInLanes<Tag>(row.n, k)) {
      k == 1 ? detail::selectInLanes<Tag, detail::FirstColumn>(row, k, code, a)
             : detail::selectInLanes<Tag, detail::ColumnList>(row, k, code, a);
      return a;
    }
  return topK<Tag>(row, k, code, a, b);
}

} // namespace cottonwood::kernels
