/// \file NormaliseRowsKernel.hpp
/// Rows that have a statistic each, from their sums to their normalised elements in one pass.
///
/// Statistics of many rows first and results after them are bounded by neither memory nor
/// arithmetic: sums wait for each other at the end of each row, stores past the caches wait for
/// those before. Here the elements of a row are computed while the sums of the next one are added
/// up, and lines further on are fetched meanwhile. The bits are those of normStatistics() and
/// normApply().
#pragma once

#include <codelets/poplin/NormApplyKernel.hpp>

namespace cottonwood::kernels {

/// Rows of `length` elements, one behind another, each with a statistic of its own and all with the
/// coefficients of channels that their elements have.
template <class T> struct NormalisedRows {
  const T *in;
  std::size_t length;
  NormStatisticsRule rule;
  T *mean, *invStdDev;  ///< of each row
  const float *chan[2]; ///< as in NormOperands
  T *out, *out2;
  bool fetches; ///< the rows come from memory
};

namespace detail {
/// Bytes that rows from memory are fetched ahead, to the first-level cache. Without, rows of 768
/// floats take 1.25 times as long on Zen 5.
inline constexpr std::size_t NORMALISED_AHEAD = 8192;

template <class Tag, class Op, bool PAST, class T> class RowNormaliser {
  using V = simd<float, Tag>;
  static constexpr std::size_t BLOCK = 32;

public:
  POP_SIMD_INLINE explicit RowNormaliser(const NormalisedRows<T> &rows) : rows_(rows) {}

  POP_SIMD_INLINE void run(std::size_t rows) {
    V stat[2] = {V::zero(), V::zero()}; // of the row before
    for (std::size_t row = 0; row < rows; ++row) {
      const T *const in = rows_.in + row * rows_.length;
      std::size_t done = 0; // elements of the row before
      V next[2];
      if (row == 0)
        sums<0>(in, stat, done, next);
      else if (rows_.rule.stable)
        sums<2>(in, stat, done, next);
      else
        sums<1>(in, stat, done, next);
      if (row != 0)
        finish(row - 1, stat, done);
      next[0].storePartial(rows_.mean + row, 1);
      next[1].storePartial(rows_.invStdDev + row, 1);
      for (std::size_t k = 0; k < 2; ++k)
        stat[k] = asStored(next[k]);
    }
    if (rows != 0)
      finish(rows - 1, stat, 0);
  }

private:
  POP_SIMD_INLINE static V asStored(V x) {
    if constexpr (sizeof(T) == 2)
      return V::roundToHalf(x);
    else
      return x;
  }

  /// The statistics of the row `in`. Beside EACH blocks of it that are added up one of the row
  /// before is computed, as far as such blocks go; EACH = 0: none is.
  template <std::size_t EACH>
  POP_SIMD_INLINE void sums(const T *in, const V *stat, std::size_t &done, V *next) const {
    const V count = V::splat(rows_.rule.count);
    NormLanes<Tag> lanes;
    V variance;
    if (rows_.rule.stable) {
      pass<EACH, NormSum::SQUARES, false>(in, V::zero(), stat, done, lanes);
      next[0] = V::splat(lanes.fold(lanes.first)) / count;
      pass<EACH, NormSum::DEVIATIONS, true>(in, next[0], stat, done, lanes);
      variance = V::splat(lanes.fold(lanes.second)) / count;
    } else {
      pass<EACH, NormSum::SQUARES, true>(in, V::zero(), stat, done, lanes);
      next[0] = V::splat(lanes.fold(lanes.first)) / count;
      variance = V::splat(lanes.fold(lanes.second)) / count;
      variance = V::max(V::zero(), variance - next[0] * next[0]);
    }
    next[1] = invStdDevOf(variance, rows_.rule);
  }

  /// One pass over the row `in`.
  /// \tparam SECOND  whether the second sum is needed
  template <std::size_t EACH, NormSum KIND, bool SECOND>
  POP_SIMD_INLINE void pass(const T *in, V centre, const V *stat, std::size_t &done,
                            NormLanes<Tag> &lanes) const {
    constexpr std::size_t AT_ONCE = EACH == 0 ? 1 : EACH;
    const auto add = [&](std::size_t i, std::size_t n, V &first, V &second) POP_SIMD_LAMBDA {
      const V x = loadUpTo<V>(in + i, n);
      if constexpr (SECOND)
        addTerm<KIND, T>(KIND == NormSum::SQUARES ? arch::inRegister(x) : x, centre, first, second);
      else
        first = arch::addOf<T>(first, x);
    };
    lanes.clear();
    const std::size_t length = rows_.length;
    // Each of two passes fetches half of the lines.
    const bool halves = rows_.rule.stable;
    const T *fetched = halves && KIND == NormSum::DEVIATIONS ? in + length / 2 : in;
    std::size_t i = 0;
    for (; i + AT_ONCE * BLOCK <= length; i += AT_ONCE * BLOCK) {
      if constexpr (EACH != 0) {
        block(in - length, stat, done);
        done += BLOCK;
      }
      if (rows_.fetches) {
        const std::size_t n = halves ? AT_ONCE * BLOCK / 2 : AT_ONCE * BLOCK;
        fetchAhead<3>(fetched, 0, n, NORMALISED_AHEAD);
        fetched += n;
      }
      arch::unrolled<AT_ONCE>([&](auto k) POP_SIMD_LAMBDA { lanes.block(i + k * BLOCK, add); });
    }
    if constexpr (AT_ONCE > 1)
      for (; i + BLOCK <= length; i += BLOCK)
        lanes.block(i, add);
    lanes.tail(i, length, add);
  }

  /// Elements [i, i + BLOCK) of the row at `in`.
  POP_SIMD_INLINE void block(const T *in, const V *stat, std::size_t i) const {
    if constexpr (PAST) {
      arch::unrolled<BLOCK * sizeof(T) / 64>(
          [&](auto k) POP_SIMD_LAMBDA { line(in, stat, i + k * (64 / sizeof(T))); });
    } else {
      arch::unrolled<BLOCK / V::width>(
          [&](auto k) POP_SIMD_LAMBDA { vector(in, stat, i + k * V::width, V::width); });
    }
  }

  POP_SIMD_INLINE V value(const T *in, const V *stat, std::size_t i, std::size_t n,
                          V &second) const {
    V chan[2];
    arch::unrolled<Op::CHANS>([&](auto k)
                                  POP_SIMD_LAMBDA { chan[k] = loadUpTo<V>(rows_.chan[k] + i, n); });
    return Op::template apply<T>(loadUpTo<V>(in + i, n), V::zero(), stat, chan, second);
  }

  POP_SIMD_INLINE void line(const T *in, const V *stat, std::size_t i) const {
    constexpr std::size_t LINE = 64 / sizeof(T);
    const std::size_t at = static_cast<std::size_t>(in - rows_.in) + i;
    V second[LINE / V::width];
    streamLine<V>(rows_.out + at, [&](std::size_t k) POP_SIMD_LAMBDA {
      return value(in, stat, i + k, V::width, second[k / V::width]);
    });
    if constexpr (Op::TWO_OUTPUTS)
      streamLine<V>(rows_.out2 + at,
                    [&](std::size_t k) POP_SIMD_LAMBDA { return second[k / V::width]; });
  }

  POP_SIMD_INLINE void vector(const T *in, const V *stat, std::size_t i, std::size_t n) const {
    const std::size_t at = static_cast<std::size_t>(in - rows_.in) + i;
    V second = V::zero();
    const V first = value(in, stat, i, n, second);
    if (n == V::width)
      first.store(rows_.out + at);
    else
      first.storePartial(rows_.out + at, n);
    if constexpr (Op::TWO_OUTPUTS) {
      if (n == V::width)
        second.store(rows_.out2 + at);
      else
        second.storePartial(rows_.out2 + at, n);
    }
  }

  /// Elements from `done` on of a row.
  POP_SIMD_INLINE void finish(std::size_t row, const V *stat, std::size_t done) const {
    const T *const in = rows_.in + row * rows_.length;
    const std::size_t length = rows_.length;
    for (; done + BLOCK <= length; done += BLOCK)
      block(in, stat, done);
    if constexpr (PAST) {
      for (; done < length; done += 64 / sizeof(T))
        line(in, stat, done);
    } else {
      for (; done < length; done += V::width)
        vector(in, stat, done, length - done < V::width ? length - done : V::width);
    }
  }

  const NormalisedRows<T> rows_; ///< a copy: others would be loaded again after each store
};
/// The shortest rows that take less time so than side by side.
inline constexpr std::size_t NORMALISED_ROW = 64;

/// Whether elements of `walk` are whole rows of `length` with a statistic each, from statistic 0
/// on. \param channels  whether their coefficients of channels have to be those of NormalisedRows
POP_SIMD_INLINE bool walksRows(const NormWalk &walk, std::size_t length, bool channels) {
  if (walk.first % length != 0 || (channels && walk.chanBase != 0) ||
      walk.statBase != -static_cast<std::ptrdiff_t>(walk.first / length))
    return false;
  std::size_t block = 1; // elements of the dimensions within
  for (unsigned d = walk.dims; d-- > 0;) {
    const std::size_t size = walk.table[3 * d], stat = walk.table[3 * d + 1],
                      chan = walk.table[3 * d + 2];
    const bool within = block < length;
    if (size == 1)
      continue;
    if ((within && block * size > length) || stat != (within ? 0 : block / length) ||
        (channels && chan != (within ? block : 0)))
      return false;
    block *= size;
  }
  return block >= length;
}
} // namespace detail

/// Statistics and normalised elements of `rows` rows, if `walk` is that of such rows; else does
/// nothing and returns false.
template <class Tag, class Op, class T>
bool normaliseRows(const NormalisedRows<T> &data, const NormWalk &walk, std::size_t rows) {
  if constexpr (simd<float, Tag>::width == 1) {
    return false;
  } else {
    if (data.length < detail::NORMALISED_ROW ||
        !detail::walksRows(walk, data.length, Op::CHANS != 0))
      return false;
    // Rows may be overwritten one by one, but not others than the one in work.
    const std::size_t elements = rows * data.length;
    const auto isApart = [&](const T *out) POP_SIMD_LAMBDA {
      return out == data.in || out + elements <= data.in || data.in + elements <= out;
    };
    if (!isApart(data.out) || (Op::TWO_OUTPUTS && !isApart(data.out2)))
      return false;
    constexpr std::size_t STREAMS = 2 + Op::TWO_OUTPUTS;
    if (STREAMS * walk.elements() * sizeof(T) >= detail::STREAM_BYTES &&
        data.length * sizeof(T) % 64 == 0 && detail::isLine(data.out) &&
        (!Op::TWO_OUTPUTS || detail::isLine(data.out2)))
      detail::RowNormaliser<Tag, Op, true, T>(data).run(rows);
    else
      detail::RowNormaliser<Tag, Op, false, T>(data).run(rows);
    return true;
  }
}

} // namespace cottonwood::kernels
