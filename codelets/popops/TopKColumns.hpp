/// \file TopKColumns.hpp
/// The k first elements of short rows, as many rows at a time as a vector has lanes: lane r of
/// column j is element j of row r. The order is that of TopKKernel.hpp.
///
/// The columns of a row so far are kept as a sorted list of at most k, into which the next ones are
/// inserted: n k steps of a few operations for all rows together, whatever the elements are.
#pragma once

#include <codelets/arch/SimdElementBits.hpp>
#include <codelets/arch/SimdTable.hpp>
#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/popops/TopKKernel.hpp>

namespace cottonwood::kernels {

/// Elements that are kept of a row at most.
inline constexpr std::size_t TOPK_COLUMNS = 256;
/// Elements of a row at most, and where one of them is kept. Of longer rows most elements are
/// sorted out faster (topK(), TopKLanes.hpp).
inline constexpr std::size_t TOPK_ROW = 1024, TOPK_ROW_ONE = 128;

template <class Tag> inline constexpr bool HAS_COLUMNS = simd<float, Tag>::width > 1;

/// Whether rows are taken by topKColumns(). Results do not depend on it. Together the columns
/// pass k (2 n - k) / 2 entries of the list.
template <class Tag>
POP_SIMD_INLINE constexpr bool selectsColumns(std::size_t rows, std::size_t n, std::size_t k) {
  constexpr std::size_t W = simd<float, Tag>::width;
  return rows >= W / 2 && k <= TOPK_COLUMNS && n <= (k == 1 ? TOPK_ROW_ONE : TOPK_ROW) &&
         k * (2 * n - k) <= 6144 * W;
}

namespace detail {

/// What turns the order of keys of elements round, by ^.
template <class E> constexpr std::uint32_t reversal() {
  return sizeof(E) == 2 ? 0xffff0000u : 0xffffffffu;
}

/// KeyCode of vectors; keys are ordered as signed integers.
template <class Tag> class ColumnCode {
  using I = simd<std::int32_t, Tag>;

public:
  /// What flips is the highest bit or none: that is an addition.
  POP_SIMD_INLINE explicit ColumnCode(KeyCode code)
      : whenNegative_(splat(code.whenNegative)), offset_(splat(code.flip - code.bias)),
        reverse_(splat(code.reverse ^ 0x80000000u)) {}

  POP_SIMD_INLINE I key(I u) const {
    return ((u ^ (sign(u) & whenNegative_)) + offset_) ^ reverse_;
  }
  POP_SIMD_INLINE I bits(I key) const {
    const I w = (key ^ reverse_) - offset_;
    return w ^ (sign(w) & whenNegative_);
  }

private:
  POP_SIMD_INLINE static I splat(std::uint32_t x) { return I::splat(static_cast<std::int32_t>(x)); }
  POP_SIMD_INLINE static I sign(I u) { return u.template shiftRightArithmetic<31>(); }

  I whenNegative_, offset_, reverse_;
};

/// The first k of the columns that were inserted, ascending by key; of equal keys those inserted
/// earlier come first.
/// \tparam INDEXED  each key has an index; else keys alone are kept
template <class Tag, bool INDEXED> class ColumnList {
  using I = simd<std::int32_t, Tag>;

public:
  explicit ColumnList(std::size_t k) : k_(k) {} // and no list: its values are set before use

  std::size_t size() const { return count_; }
  I key(std::size_t i) const { return keys_[i]; }
  I index(std::size_t i) const { return indices_[i]; }

  /// N columns that follow each other. All of them pass entry i before any of them passes i + 1: an
  /// entry is loaded and stored once for all.
  template <std::size_t N> POP_SIMD_INLINE void insert(const I (&keys)[N], const I (&indices)[N]) {
    Moving moving[N];
    arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
      moving[j].inserted = moving[j].key = keys[j];
      if constexpr (INDEXED)
        moving[j].index = indices[j];
    });
    for (std::size_t i = 0; i < count_; ++i) {
      I key = keys_[i], index;
      if constexpr (INDEXED)
        index = indices_[i];
      arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA { moving[j].pass(key, index); });
      keys_[i] = key;
      if constexpr (INDEXED)
        indices_[i] = index;
    }
    if (count_ == k_)
      return;
    arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
      for (std::size_t later = j + 1; later < N; ++later)
        moving[later].pass(moving[j].key, moving[j].index);
      if (count_ < k_) {
        keys_[count_] = moving[j].key;
        if constexpr (INDEXED)
          indices_[count_] = moving[j].index;
        ++count_;
      }
    });
  }

  /// Whether one of the columns would become part of the list in some lane.
  template <std::size_t N> POP_SIMD_INLINE bool takesAny(const I (&keys)[N]) const {
    if (count_ < k_)
      return true;
    const I last = keys_[k_ - 1];
    auto below = keys[0] < last;
    for (std::size_t j = 1; j < N; ++j)
      below = below | (keys[j] < last);
    return below.any();
  }

  /// Takes the first entry out of the list in some lanes, at whose ends `none` comes in.
  POP_SIMD_INLINE void removeFirst(simdMask<Tag> lanes, I none) {
    for (std::size_t i = 0; i < count_; ++i) {
      const bool last = i + 1 == count_;
      keys_[i] = I::select(lanes, last ? none : keys_[i + 1], keys_[i]);
      if constexpr (INDEXED)
        indices_[i] = I::select(lanes, last ? none : indices_[i + 1], indices_[i]);
    }
  }

private:
  /// What goes on to the next entry: the inserted column, or the entry that gave way to it.
  struct Moving {
    I inserted, key, index;

    POP_SIMD_INLINE void pass(I &entryKey, I &entryIndex) {
      if constexpr (INDEXED) {
        // All entries behind the first that gives way do so too: they are sorted.
        const auto before = inserted < entryKey;
        const I shorter = I::select(before, index, entryIndex);
        index = I::select(before, entryIndex, index);
        entryIndex = shorter;
      }
      const I low = I::min(entryKey, key);
      key = I::max(entryKey, key);
      entryKey = low;
    }
  };

  std::size_t k_, count_ = 0;
  I keys_[TOPK_COLUMNS], indices_[INDEXED ? TOPK_COLUMNS : 1];
};

/// The same of k = 1, in registers.
template <class Tag, bool INDEXED> class FirstColumn {
  using I = simd<std::int32_t, Tag>;

public:
  explicit FirstColumn(std::size_t = 1) : key_(I::splat(INT32_MAX)), index_(I::zero()) {}

  POP_SIMD_INLINE I key(std::size_t) const { return key_; }
  POP_SIMD_INLINE I index(std::size_t) const { return index_; }

  template <std::size_t N> POP_SIMD_INLINE void insert(const I (&keys)[N], const I (&indices)[N]) {
    arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
      if constexpr (INDEXED)
        index_ = I::select(keys[j] < key_, indices[j], index_);
      key_ = I::min(key_, keys[j]);
    });
  }

  template <std::size_t N> POP_SIMD_INLINE bool takesAny(const I (&)[N]) const { return true; }
  POP_SIMD_INLINE void removeFirst(simdMask<Tag>, I) {}

private:
  I key_, index_; // if no key is below the largest one, all are this, and the first has index 0
};

/// So few columns are taken from their rows, or put into them, lane by lane; more by transposing.
inline constexpr std::size_t FEW_COLUMNS = 4;

/// Lane i is lane lane[i] of v[which[i]]. \param n  vectors
template <class Tag, class I = simd<std::int32_t, Tag>>
POP_SIMD_INLINE I lanesOf(const I *v, std::size_t n, I which, I lane) {
  I result = arch::permuteLanes(v[0], lane);
  for (std::size_t i = 1; i < n; ++i)
    result = I::select(which == I::splat(static_cast<std::int32_t>(i)),
                       arch::permuteLanes(v[i], lane), result);
  return result;
}

/// Rows [0, W) as columns. Rows from `rows` on are the last one again.
template <class Tag, class E> class ColumnLoader {
  using I = simd<std::int32_t, Tag>;
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width;

public:
  /// \param readable  elements from `in` on that may be read
  POP_SIMD_INLINE ColumnLoader(const E *in, std::size_t rows, std::size_t n, std::size_t readable)
      : in_(in), rows_(rows), n_(n), readable_(readable) {}

  /// Columns j, j + 1, ... j + W - 1; those behind the row's end have no meaning.
  POP_SIMD_INLINE void load(std::size_t j, V (&v)[W]) const {
    if (rows_ == W && n_ <= FEW_COLUMNS)
      return loadFew(v);
    if (rows_ >= W && (W - 1) * n_ + j + W <= readable_) {
      POP_SIMD_UNROLL
      for (std::size_t r = 0; r < W; ++r)
        v[r] = V::fromBits(arch::loadElementBits<Tag>(in_ + r * n_ + j));
    } else {
      for (std::size_t r = 0; r < W; ++r)
        v[r] = V::fromBits(loadInside((r < rows_ ? r : rows_ - 1) * n_ + j));
    }
    arch::transpose<Tag>(v);
  }

private:
  /// All columns of rows that together are n vectors.
  POP_SIMD_INLINE void loadFew(V (&v)[W]) const {
    I in[FEW_COLUMNS];
    for (std::size_t i = 0; i < n_; ++i)
      in[i] = arch::loadElementBits<Tag>(in_ + i * W);
    const I rowBegin = I::iota() * I::splat(static_cast<std::int32_t>(n_));
    for (std::size_t j = 0; j < n_; ++j) {
      const I at = rowBegin + I::splat(static_cast<std::int32_t>(j));
      v[j] = V::fromBits(
          lanesOf<Tag>(in, n_, at.template shiftRight<__builtin_ctz(W)>(), at & I::splat(W - 1)));
    }
  }

  POP_SIMD_INLINE I loadInside(std::size_t at) const {
    if (at + W <= readable_)
      return arch::loadElementBits<Tag>(in_ + at);
    E part[W] = {};
    if (at < readable_)
      __builtin_memcpy(part, in_ + at, (readable_ - at) * sizeof(E));
    return arch::loadElementBits<Tag>(part);
  }

  const E *in_;
  std::size_t rows_, n_, readable_;
};

/// Writes columns column(0), ... column(k - 1), which are bits of elements, as rows of k.
/// \param rows  that are written, at most W \param writable  elements from `out` on that may be
/// overwritten: what is written behind the rows has no meaning
template <class Tag, class E, class F>
POP_SIMD_INLINE void storeColumnBits(E *out, std::size_t rows, std::size_t k, std::size_t writable,
                                     F column) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width;
  const auto put = [&](simd<std::int32_t, Tag> bits, std::size_t at) POP_SIMD_LAMBDA {
    if (at + W <= writable) {
      arch::storeElementBits<Tag>(out + at, bits);
    } else {
      E part[W];
      arch::storeElementBits<Tag>(part, bits);
      __builtin_memcpy(out + at, part, (writable - at) * sizeof(E));
    }
  };
  if (k == 1)
    return put(column(0), 0);
  if (rows == W && k <= FEW_COLUMNS) {
    using I = simd<std::int32_t, Tag>;
    I columns[FEW_COLUMNS];
    for (std::size_t i = 0; i < k; ++i)
      columns[i] = column(i);
    const I length = I::splat(static_cast<std::int32_t>(k));
    const I inverse = I::splat(static_cast<std::int32_t>(0x10000 / k + 1));
    for (std::size_t i = 0; i < k; ++i) {
      const I at = I::iota() + I::splat(static_cast<std::int32_t>(i * W));
      const I row = (at * inverse).template shiftRight<16>(); // at / k
      arch::storeElementBits<Tag>(out + i * W, lanesOf<Tag>(columns, k, at - row * length, row));
    }
    return;
  }
  // What a row's last vector writes too much is overwritten: by the next row's, or by the first
  // vectors of rows, which come after all last ones.
  for (std::size_t j = (k - 1) / W * W;; j -= W) {
    V v[W];
    for (std::size_t i = 0; i < W; ++i)
      v[i] = V::fromBits(column(j + i < k ? j + i : k - 1));
    arch::transpose<Tag>(v);
    for (std::size_t r = 0; r < rows; ++r)
      put(v[r].bits(), r * k + j);
    if (j == 0)
      return;
  }
}

/// f(first of them, how many) of W rows at a time; the last W rows include some again. Fewer rows
/// are one group.
template <class Tag, class F> POP_SIMD_INLINE void forGroupsOfRows(std::size_t rows, F f) {
  constexpr std::size_t W = simd<float, Tag>::width;
  std::size_t begin = 0;
  for (; begin + W <= rows; begin += W)
    f(begin, W);
  if (begin == rows)
    return;
  rows < W ? f(0, rows) : f(rows - W, W);
}

/// Puts all n columns into a list; key(bits, j) is the key of column j, j being a vector.
template <class Tag, class E, class List, class Key>
POP_SIMD_INLINE void insertColumns(const ColumnLoader<Tag, E> &loader, std::size_t n, List &list,
                                   Key key) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t W = V::width, TOGETHER = 4;
  for (std::size_t begin = 0; begin < n; begin += W) {
    V v[W];
    loader.load(begin, v);
    const std::size_t count = n - begin < W ? n - begin : W;
    const auto insert = [&]<std::size_t N>(std::size_t first, const V(&columns)[N])
                            POP_SIMD_LAMBDA {
                              I keys[N], indices[N];
                              arch::unrolled<N>([&](auto i) POP_SIMD_LAMBDA {
                                indices[i] = I::splat(static_cast<std::int32_t>(begin + first + i));
                                keys[i] = key(columns[i].bits(), indices[i]);
                              });
                              list.insert(keys, indices);
                            };
    std::size_t i = 0;
    for (; i + TOGETHER <= count; i += TOGETHER)
      insert(i, {v[i], v[i + 1], v[i + 2], v[i + 3]});
    for (; i < count; ++i)
      insert(i, {v[i]});
  }
}

/// The same as topK() and unpackItems() of up to W rows.
/// \tparam List  ColumnList, or FirstColumn where k = 1
/// \param writable  elements from `values` on that may be overwritten
template <class Tag, bool INDICES, template <class, bool> class List, class E>
[[gnu::noinline]] void topKOfColumns(const ColumnLoader<Tag, E> &loader, std::size_t rows,
                                     std::size_t n, std::size_t k, KeyCode code, bool mirrored,
                                     E *values, std::uint32_t *indices, std::size_t writable) {
  using I = simd<std::int32_t, Tag>;
  // An index has room below a key of 16 bits: both are one.
  constexpr bool BOTH_IN_ONE = INDICES && sizeof(E) == 2, INDEXED = INDICES && sizeof(E) == 4;
  const auto reversed = I::splat(static_cast<std::int32_t>(reversal<E>()));
  List<Tag, INDEXED> list(k);
  const ColumnCode<Tag> columnCode(code);
  insertColumns(loader, n, list, [&](I bits, I index) POP_SIMD_LAMBDA {
    const I key = columnCode.key(bits);
    return BOTH_IN_ONE ? key | index : key;
  });
  const auto write = [&](const auto &from, KeyCode fromCode, bool lastFirst) POP_SIMD_LAMBDA {
    const ColumnCode<Tag> coding(fromCode);
    storeColumnBits<Tag>(values, rows, k, writable, [&](std::size_t i) POP_SIMD_LAMBDA {
      const I key = from.key(lastFirst ? k - 1 - i : i);
      return coding.bits(BOTH_IN_ONE ? key & I::splat(static_cast<std::int32_t>(0xffff0000u))
                                     : key);
    });
    if constexpr (INDICES)
      storeColumnBits<Tag>(indices, rows, k, writable, [&](std::size_t i) POP_SIMD_LAMBDA {
        return BOTH_IN_ONE ? from.key(i) & I::splat(0xffff) : from.index(i);
      });
  };
  if (!INDICES || !mirrored)
    return write(list, code, mirrored);
  // Sorted the other way round, ties stay in order of index.
  List<Tag, INDEXED> back(k);
  for (std::size_t i = 0; i < k; ++i)
    back.insert({list.key(i) ^ reversed}, {INDEXED ? list.index(i) : reversed});
  code.reverse ^= reversal<E>();
  write(back, code, false);
}
} // namespace detail

/// The same as topK() and unpackItems() of each of `rows` rows of n elements that lie one behind
/// another. selectsColumns(rows, n, k). \param indices  of no meaning without INDICES
template <class Tag, bool INDICES, class E>
void topKColumns(const E *in, std::size_t rows, std::size_t n, std::size_t k, KeyCode code,
                 bool mirrored, E *values, std::uint32_t *indices) {
  if (k == 1)
    mirrored = false;
  if (mirrored && k == n) { // all are selected whatever the order
    code.reverse ^= detail::reversal<E>();
    mirrored = false;
  }
  const auto group = k == 1 ? &detail::topKOfColumns<Tag, INDICES, detail::FirstColumn, E>
                            : &detail::topKOfColumns<Tag, INDICES, detail::ColumnList, E>;
  detail::forGroupsOfRows<Tag>(rows, [&](std::size_t begin, std::size_t count) {
    const std::size_t left = rows - begin;
    const detail::ColumnLoader<Tag, E> loader(in + begin * n, count, n, left * n);
    group(loader, count, n, k, code, mirrored, values + begin * k,
          indices + (INDICES ? begin * k : 0), left * k);
  });
}

} // namespace cottonwood::kernels
