/// \file NormSumsKernel.hpp
/// Sums over blocks [k1, r1, k2, r2] with the statistics of k1 and k2 kept; the order of additions
/// is that of Norm.hpp.
#pragma once

#include <codelets/arch/SimdAddConverted.hpp>
#include <codelets/arch/SimdFold.hpp>
#include <codelets/poplin/NormFetch.hpp>
#include <codelets/popops/ColumnLines.hpp>
#include <codelets/popops/StreamBytes.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// A contiguous block of memory [k1, r1, k2, r2], row-major.
struct NormBlock {
  std::size_t r1, k2, r2;
  /// What is read comes from memory: bytes from what is read along long rows to what may be fetched
  /// meanwhile; 0: it does not.
  std::size_t fetched = 0;
  NormFetch fetch = NormFetch::PAIRED; ///< normFetch()
};

enum class NormSum : std::uint8_t {
  SQUARES,   ///< first = sum of a, second = sum of a^2
  PRODUCTS,  ///< first = sum of a, second = sum of a b
  DEVIATIONS ///< second = sum of (a - centre)^2
};

/// Rows at least this long are summed along, shorter ones side by side.
inline constexpr std::size_t NORM_ROW = 64;
/// Columns summed at a time: their sums stay in L1.
inline constexpr std::size_t NORM_COLUMNS = 512;

POP_SIMD_INLINE bool sumsAlongRows(const NormBlock &b) { return b.r2 >= NORM_ROW || b.r1 == 1; }

/// Outputs from `begin` on, below `end`, that one call of normSums takes.
POP_SIMD_INLINE std::size_t normPiece(const NormBlock &b, std::size_t begin, std::size_t end) {
  std::size_t most = NORM_COLUMNS;
  if (!sumsAlongRows(b)) {
    most /= b.r2;
    const std::size_t left = b.k2 - begin % b.k2;
    most = left < most ? left : most;
  }
  return end - begin < most ? end - begin : most;
}

namespace detail {
/// Sums of a row in 32 partial results: element i goes to partial result i mod 32.
template <class Tag> struct NormLanes {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width, COUNT = 32 / W;
  V first[COUNT], second[COUNT];

  /// No constructor: that of an array would be a loop, which keeps the sums out of registers.
  POP_SIMD_INLINE void clear() {
    arch::unrolled<COUNT>([&](auto k) POP_SIMD_LAMBDA { first[k] = second[k] = V::zero(); });
  }

  /// add(i, n, first, second) adds elements [i, i + n), n <= W.
  template <class F> POP_SIMD_INLINE void row(std::size_t length, F add) {
    std::size_t i = 0;
    for (; i + 32 <= length; i += 32)
      block(i, add);
    tail(i, length, add);
  }

  /// Elements [i, i + 32).
  template <class F> POP_SIMD_INLINE void block(std::size_t i, F add) {
    arch::unrolled<COUNT>([&](auto k) POP_SIMD_LAMBDA { add(i + k * W, W, first[k], second[k]); });
  }

  /// The last elements [i, length), fewer than 32.
  template <class F> POP_SIMD_INLINE void tail(std::size_t i, std::size_t length, F add) {
    arch::unrolled<COUNT>([&](auto k) POP_SIMD_LAMBDA {
      const std::size_t begin = i + k * W;
      if (begin + W <= length) {
        add(begin, W, first[k], second[k]);
      } else if (begin < length) {
        using I = simd<std::int32_t, Tag>;
        const auto inside = I::iota() < I::splat(static_cast<std::int32_t>(length - begin));
        V a = first[k], b = second[k];
        add(begin, length - begin, a, b);
        first[k] = V::select(inside, a, first[k]);
        second[k] = V::select(inside, b, second[k]);
      }
    });
  }

  POP_SIMD_INLINE static float fold(V *sums) {
    if constexpr (COUNT >= 32)
      arch::unrolled<16>([&](auto k) POP_SIMD_LAMBDA { sums[k] = sums[k] + sums[k + 16]; });
    if constexpr (COUNT >= 16)
      arch::unrolled<8>([&](auto k) POP_SIMD_LAMBDA { sums[k] = sums[k] + sums[k + 8]; });
    if constexpr (COUNT >= 8)
      arch::unrolled<4>([&](auto k) POP_SIMD_LAMBDA { sums[k] = sums[k] + sums[k + 4]; });
    if constexpr (COUNT >= 4)
      arch::unrolled<2>([&](auto k) POP_SIMD_LAMBDA { sums[k] = sums[k] + sums[k + 2]; });
    return (sums[0] + sums[1]).reduceAdd();
  }
};

template <class V, class T> POP_SIMD_INLINE V loadUpTo(const T *p, std::size_t n) {
  return n == static_cast<std::size_t>(V::width) ? V::load(p) : V::loadPartial(p, n);
}

/// One element a, a T, of each lane; b is the other factor or the centre.
template <NormSum KIND, class T, class V>
POP_SIMD_INLINE void addTerm(V a, V b, V &first, V &second) {
  if constexpr (KIND == NormSum::DEVIATIONS) {
    const V d = arch::subtractOf<T>(a, b);
    second = V::fma(d, d, second);
  } else {
    first = arch::addOf<T>(first, a);
    second = V::fma(a, KIND == NormSum::SQUARES ? a : b, second);
  }
}

/// Rows at least this long are summed several at a time if they do not come from memory, and where
/// NormFetch::SEVERAL is best for halves that do: where vectors are so wide that additions to the
/// few partial results of one row wait for each other.
inline constexpr std::size_t NORM_LONG_ROW = 256;
template <class Tag>
inline constexpr std::size_t NORM_ROWS_AT_ONCE = NormLanes<Tag>::COUNT <= 2 ? 4 : 1;

/// Whether rows from memory are summed in pairs, and the lines behind them fetched so.
template <class T> POP_SIMD_INLINE bool pairsNormRows(const NormBlock &block) {
  return sizeof(T) == 2 && block.fetched != 0 && block.fetch == NormFetch::PAIRED;
}
/// Bytes from one line that is fetched behind the vertex's rows to the next; 0: none is.
template <class T> POP_SIMD_INLINE std::size_t normFetchStep(const NormBlock &block) {
  return block.fetch == NormFetch::SHARED ? 128 : pairsNormRows<T>(block) ? 64 : 0;
}
/// Bytes that rows from memory are fetched ahead of their sums, to the second-level cache, where
/// nothing else is fetched meanwhile. The vertex before asked for them already, but for more than
/// can be under way: with both, layer norms of 50 MB are written at 38 GB/s on Zen 4 and at 27 with
/// the requests of the vertex before alone; at 30 with 3 KB, 34 with 4 KB, 38 with 12 KB.
inline constexpr std::size_t NORM_ROW_AHEAD = 8192;

/// Sums of outputs output, output + 1, ..., ROWS of them, each in the order of its own.
template <class Tag, NormSum KIND, std::size_t ROWS, class T>
void normRows(const NormBlock &block, const T *a, const T *b, const float *centre,
              std::size_t output, float *first, float *second) {
  using V = simd<float, Tag>;
  const std::size_t step = normFetchStep<T>(block);
  NormLanes<Tag> lanes[ROWS];
  arch::unrolled<ROWS>([&](auto row) POP_SIMD_LAMBDA { lanes[row].clear(); });
  const auto add = [&](std::size_t row, std::size_t at) POP_SIMD_LAMBDA {
    const V middle = V::splat(KIND == NormSum::DEVIATIONS ? centre[row] : 0.f);
    return [=](std::size_t i, std::size_t n, V &s, V &t) POP_SIMD_LAMBDA {
      V other = middle;
      if constexpr (KIND == NormSum::PRODUCTS)
        other = loadUpTo<V>(b + at + i, n);
      V x = loadUpTo<V>(a + at + i, n);
      if constexpr (KIND != NormSum::DEVIATIONS)
        x = arch::inRegister(x); // both sums would load it
      addTerm<KIND, T>(x, other, s, t);
    };
  };
  for (std::size_t r = 0; r < block.r1; ++r) {
    std::size_t at[ROWS];
    for (std::size_t row = 0; row < ROWS; ++row) {
      const std::size_t k1 = (output + row) / block.k2, k2 = (output + row) % block.k2;
      at[row] = ((k1 * block.r1 + r) * block.k2 + k2) * block.r2;
    }
    const auto fetch = [&](std::size_t i, std::size_t n) POP_SIMD_LAMBDA {
      if (block.fetched == 0)
        return;
      if (step == 0)
        arch::unrolled<ROWS>(
            [&](auto row) POP_SIMD_LAMBDA { fetchAhead<2>(a + at[row], i, n, NORM_ROW_AHEAD); });
      else if ((i * sizeof(T) & (step - 1)) == 0)
        arch::unrolled<ROWS>([&](auto row) POP_SIMD_LAMBDA {
          const auto behind = reinterpret_cast<std::uintptr_t>(a + at[row] + i) + block.fetched;
          __builtin_prefetch(reinterpret_cast<const void *>(behind & ~(step - 1)), 0, 2);
        });
    };
    std::size_t i = 0;
    for (; i + 32 <= block.r2; i += 32) {
      fetch(i, 32);
      arch::unrolled<ROWS>([&](auto row)
                               POP_SIMD_LAMBDA { lanes[row].block(i, add(row, at[row])); });
    }
    if (i < block.r2) {
      fetch(i, block.r2 - i);
      arch::unrolled<ROWS>(
          [&](auto row) POP_SIMD_LAMBDA { lanes[row].tail(i, block.r2, add(row, at[row])); });
    }
  }
  arch::unrolled<ROWS>([&](auto row) POP_SIMD_LAMBDA {
    if constexpr (KIND != NormSum::DEVIATIONS)
      first[row] = lanes[row].fold(lanes[row].first);
    second[row] = lanes[row].fold(lanes[row].second);
  });
}

/// Sums of outputs of one row each of 1 to LANES elements that lie one behind another, as many at a
/// time as a vector has lanes: in the order of NormLanes, whose other partial results are +0 and
/// change nothing. Returns how many were summed.
template <class Tag, NormSum KIND, std::size_t LANES, class T>
std::size_t normPackedRows(std::size_t length, const T *a, const T *b, const float *centre,
                           std::size_t n, float *first, float *second) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t W = V::width, ROWS = W / LANES;
  const arch::PackedRows<LANES, Tag> rows(length);
  const auto sum = [](V low, V high) POP_SIMD_LAMBDA { return low + high; };
  std::size_t o = 0;
  for (; o + W <= n; o += W, a += W * length, b += W * length) {
    const V centres = KIND == NormSum::DEVIATIONS ? V::load(centre + o) : V::zero();
    V firsts[LANES], seconds[LANES];
    arch::unrolled<LANES>([&](std::size_t v) POP_SIMD_LAMBDA {
      V other = V::zero(), s = V::zero(), t = V::zero();
      if constexpr (KIND == NormSum::PRODUCTS)
        other = rows.template load<V>(b, v);
      if constexpr (KIND == NormSum::DEVIATIONS)
        other = arch::permuteLanes(centres, rows.rowOfLane() +
                                                I::splat(static_cast<std::int32_t>(v * ROWS)));
      addTerm<KIND, T>(rows.template load<V>(a, v), other, s, t);
      firsts[v] = V::select(rows.inside(), s, V::zero());
      seconds[v] = V::select(rows.inside(), t, V::zero());
    });
    if constexpr (KIND != NormSum::DEVIATIONS)
      arch::foldLanes<LANES, Tag, V>([&](std::size_t v) POP_SIMD_LAMBDA { return firsts[v]; }, sum)
          .store(first + o);
    arch::foldLanes<LANES, Tag, V>([&](std::size_t v) POP_SIMD_LAMBDA { return seconds[v]; }, sum)
        .store(second + o);
  }
  return o;
}

/// The same for rows of 1 to W elements.
template <class Tag, NormSum KIND, class T>
std::size_t normRowsOfOne(std::size_t length, const T *a, const T *b, const float *centre,
                          std::size_t n, float *first, float *second) {
  const auto packed = [&](auto lanes) POP_SIMD_LAMBDA {
    return normPackedRows<Tag, KIND, lanes>(length, a, b, centre, n, first, second);
  };
  if (length == 1)
    return packed(std::integral_constant<std::size_t, 1>());
  if (length <= 4)
    return packed(std::integral_constant<std::size_t, 4>());
  return packed(std::integral_constant<std::size_t, simd<float, Tag>::width>());
}

/// Elements ahead at which lines of rows of n elements are fetched. Rows of more than 64 take 1.2
/// to 2 times as long on Zen 4 with 512, shorter ones of floats 1.5 times with 8192.
POP_SIMD_INLINE constexpr std::size_t normLinesAhead(std::size_t n) { return n <= 64 ? 512 : 8192; }

/// sums[c] over `rows` rows at distance `stride`, for c < n <= NORM_COLUMNS. Eight rows at a time
/// are added as a tree.
/// \tparam FAR  they come from memory, in whose order they are fetched and read: 128 to 512 columns
///     of floats take .55 to .7 of the time on Zen 4, of half a third
template <class Tag, NormSum KIND, bool FAR, class T>
void normColumns(const T *a, const T *b, const float *centre, std::size_t rows, std::size_t stride,
                 std::size_t n, float *first, float *second) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width;
  const ColumnLines<T, NORM_COLUMNS> lines(stride, n, normLinesAhead(n));
  for (std::size_t c = 0; c < n; c += W) {
    V::zero().store(first + c);
    V::zero().store(second + c);
  }
  const auto addRow = [&](V x, std::size_t r, std::size_t c, std::size_t m, V &s, V &t)
                          POP_SIMD_LAMBDA {
                            V other = V::zero();
                            if constexpr (KIND == NormSum::PRODUCTS)
                              other = loadUpTo<V>(b + r * stride + c, m);
                            if constexpr (KIND == NormSum::DEVIATIONS)
                              other = V::load(centre + c);
                            addTerm<KIND, T>(x, other, s, t);
                          };
  const auto addEight = [&](std::size_t r, std::size_t c, std::size_t m) POP_SIMD_LAMBDA {
    if constexpr (FAR) {
      lines.template fetch<2>(a + r * stride, c, m);
      if constexpr (KIND == NormSum::PRODUCTS)
        lines.template fetch<2>(b + r * stride, c, m);
    }
    V x[8], s[4], t[4];
    arch::unrolled<8>([&](auto k) POP_SIMD_LAMBDA {
      const V row = loadUpTo<V>(a + (r + k) * stride + c, m);
      x[k] = FAR ? arch::inOrder(row) : row;
    });
    arch::unrolled<4>([&](auto k) POP_SIMD_LAMBDA {
      s[k] = t[k] = V::zero();
      addRow(x[2 * k], r + 2 * k, c, m, s[k], t[k]);
      addRow(x[2 * k + 1], r + 2 * k + 1, c, m, s[k], t[k]);
    });
    (V::load(first + c) + ((s[0] + s[1]) + (s[2] + s[3]))).store(first + c);
    (V::load(second + c) + ((t[0] + t[1]) + (t[2] + t[3]))).store(second + c);
  };
  const std::size_t whole = n / W * W;
  std::size_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    for (std::size_t c = 0; c < whole; c += W)
      addEight(r, c, W);
    if (whole != n)
      addEight(r, whole, n - whole);
  }
  for (; r < rows; ++r)
    for (std::size_t c = 0; c < n; c += W) {
      const std::size_t m = n - c < W ? n - c : W;
      V s = V::load(first + c), t = V::load(second + c);
      addRow(loadUpTo<V>(a + r * stride + c, m), r, c, m, s, t);
      s.store(first + c);
      t.store(second + c);
    }
}

/// out[o] = sum of the r2 columns of output o.
POP_SIMD_INLINE void foldShortRows(const float *sums, std::size_t n, std::size_t r2, float *out) {
  for (std::size_t o = 0; o < n; ++o) {
    float sum = sums[o * r2];
    for (std::size_t i = 1; i < r2; ++i)
      sum += sums[o * r2 + i];
    out[o] = sum;
  }
}

template <class Tag, NormSum KIND, class T>
void normShortRows(const NormBlock &block, const T *a, const T *b, const float *centre,
                   std::size_t begin, std::size_t n, float *first, float *second) {
  // Sums are whole vectors: lanes beyond the last column hold rubbish that is never used.
  alignas(64) float firsts[NORM_COLUMNS + 16], seconds[NORM_COLUMNS + 16];
  alignas(64) float centres[NORM_COLUMNS + 16];
  if constexpr (KIND == NormSum::DEVIATIONS) {
    for (std::size_t o = 0; o < n; ++o)
      for (std::size_t i = 0; i < block.r2; ++i)
        centres[o * block.r2 + i] = centre[o];
    for (std::size_t i = 0; i < 16; ++i)
      centres[n * block.r2 + i] = 0;
  }
  const std::size_t stride = block.k2 * block.r2;
  const std::size_t at = begin / block.k2 * block.r1 * stride + begin % block.k2 * block.r2;
  const auto sum = [&](auto far) POP_SIMD_LAMBDA {
    normColumns<Tag, KIND, far>(a + at, KIND == NormSum::PRODUCTS ? b + at : b,
                                KIND == NormSum::DEVIATIONS ? centres : nullptr, block.r1, stride,
                                n * block.r2, firsts, seconds);
  };
  const bool far = block.fetched != 0 && ColumnLines<T, NORM_COLUMNS>::serves(stride, n * block.r2);
  if (std::is_same_v<Tag, isa::scalar> || !far) // scalar code is too slow to wait for memory
    sum(std::false_type());
  else
    sum(std::true_type());
  if constexpr (KIND != NormSum::DEVIATIONS)
    foldShortRows(firsts, n, block.r2, first);
  foldShortRows(seconds, n, block.r2, second);
}
} // namespace detail

/// first[o], second[o] of outputs begin + o, o < n, as normPiece() gave n.
/// \param b       the other factors, for PRODUCTS
/// \param centre  [n], for DEVIATIONS
template <class Tag, NormSum KIND, class T>
void normSums(const NormBlock &block, const T *a, const T *b, const float *centre,
              std::size_t begin, std::size_t n, float *first, float *second) {
  if (!sumsAlongRows(block))
    return detail::normShortRows<Tag, KIND>(block, a, b, centre, begin, n, first, second);
  const auto sum = [&](auto rows, std::size_t o) POP_SIMD_LAMBDA {
    detail::normRows<Tag, KIND, rows>(block, a, b, centre ? centre + o : nullptr, begin + o,
                                      first ? first + o : nullptr, second + o);
  };
  std::size_t o = 0;
  constexpr std::size_t W = simd<float, Tag>::width;
  if constexpr (W > 1)
    if (block.r1 == 1 && block.r2 != 0 && block.r2 <= W) {
      const std::size_t at = begin * block.r2;
      o = detail::normRowsOfOne<Tag, KIND>(block.r2, a + at, KIND == NormSum::PRODUCTS ? b + at : a,
                                           centre, n, first, second);
    }
  const auto sumEach = [&](auto rows) POP_SIMD_LAMBDA {
    for (; block.r2 >= detail::NORM_LONG_ROW && o + rows <= n; o += rows)
      sum(rows, o);
  };
  constexpr std::size_t AT_ONCE = detail::NORM_ROWS_AT_ONCE<Tag>;
  if constexpr (AT_ONCE > 1)
    if (block.fetched == 0 || (sizeof(T) == 2 && block.fetch == NormFetch::SEVERAL)) {
      sumEach(std::integral_constant<std::size_t, AT_ONCE>());
      sumEach(std::integral_constant<std::size_t, AT_ONCE / 2>());
    }
  if constexpr (sizeof(T) == 2)
    if (detail::pairsNormRows<T>(block))
      sumEach(std::integral_constant<std::size_t, 2>());
  for (; o < n; ++o)
    sum(std::integral_constant<std::size_t, 1>(), o);
}

struct NormStatisticsRule {
  float count; ///< elements of a statistic
  float eps;
  float factor; ///< of the variance
  bool stable;  ///< deviations from the mean in a second pass
};

/// \param moment  sum of squares, or of squared deviations if the rule is stable
template <class V>
POP_SIMD_INLINE V invStdDevOf(V moment, V average, const NormStatisticsRule &rule) {
  V variance = moment / V::splat(rule.count);
  if (!rule.stable)
    variance = V::max(V::zero(), variance - average * average);
  return V::splat(1.f) / V::sqrt((variance + V::splat(rule.eps)) * V::splat(rule.factor));
}

/// mean and 1 / sqrt((variance + eps) factor) of outputs [begin, end).
template <class Tag, class T>
void normStatistics(const NormBlock &block, const NormStatisticsRule &rule, const T *in, T *mean,
                    T *invStdDev, std::size_t begin, std::size_t end) {
  using V = simd<float, Tag>;
  alignas(64) float means[NORM_COLUMNS + 16], moments[NORM_COLUMNS + 16];
  while (begin < end) {
    std::size_t n = normPiece(block, begin, end);
    // A few rows at a time, so that the second pass finds them in the cache.
    if (sumsAlongRows(block) && n > V::width)
      n = V::width;
    normSums<Tag, NormSum::SQUARES>(block, in, in, nullptr, begin, n, means, moments);
    for (std::size_t o = 0; o < n; ++o)
      means[o] = means[o] / rule.count;
    if (rule.stable)
      normSums<Tag, NormSum::DEVIATIONS>({block.r1, block.k2, block.r2}, in, in, means, begin, n,
                                         means, moments);
    for (std::size_t o = 0; o < n; o += V::width) {
      const std::size_t m = n - o < V::width ? n - o : V::width;
      const V average = V::loadPartial(means + o, m);
      average.storePartial(mean + begin + o, m);
      invStdDevOf(V::loadPartial(moments + o, m), average, rule)
          .storePartial(invStdDev + begin + o, m);
    }
    begin += n;
  }
}

} // namespace cottonwood::kernels
