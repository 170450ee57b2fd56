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

/// Rows of `length` elements, one behind another, each with a statistic of its own.
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

/// Elements of a row that are computed side by side.
inline constexpr std::size_t NORMALISED_BLOCK = 32;

/// A row is channels of `field` elements each; the first channel of row r is
/// base + (firstGroup + r) % groups * (length / field).
struct RowChannels {
  std::size_t field = 1, groups = 1, firstGroup = 0;
  std::ptrdiff_t base = 0;
};

/// Coefficients of the elements of one row after the other, from blocks with ascending places.
/// \tparam COUNT  of coefficients an element
/// \tparam RUNS  channels have a block of elements and more; else one
template <class Tag, std::size_t COUNT, bool RUNS> class RowCoefficients {
public:
  POP_SIMD_INLINE RowCoefficients(const RowChannels &channels, std::size_t length,
                                  const float *const (&chan)[2])
      : length_(length), channels_(channels), chan_{chan[0], chan[1]} {}

  POP_SIMD_INLINE void begin(std::size_t row) {
    std::ptrdiff_t first = channels_.base;
    if (channels_.groups != 1)
      first += static_cast<std::ptrdiff_t>((channels_.firstGroup + row) % channels_.groups *
                                           (length_ / channels_.field));
    for (std::size_t k = 0; k < COUNT; ++k)
      row_[k] = chan_[k] + first;
    end_ = 0;
  }

  /// To those of elements i, i + 1, ... of one block in `at`.
  POP_SIMD_INLINE void locate(std::size_t i, const float **at) {
    if constexpr (!RUNS) {
      arch::unrolled<COUNT>([&](auto k) POP_SIMD_LAMBDA { at[k] = row_[k] + i; });
    } else {
      if (i + NORMALISED_BLOCK > end_)
        layOut(i);
      arch::unrolled<COUNT>([&](auto k) POP_SIMD_LAMBDA { at[k] = laidOut_[k]; });
    }
  }

private:
  using V = simd<float, Tag>;

  /// Of a block that begins a channel, or that another one begins in.
  void layOut(std::size_t i) {
    const std::size_t field = channels_.field, channel = i / field, next = (channel + 1) * field;
    fill(0, channel);
    const bool crosses = next < i + NORMALISED_BLOCK;
    if (crosses && next < length_)
      fill(next - i, channel + 1);
    end_ = crosses ? 0 : next;
  }
  POP_SIMD_INLINE void fill(std::size_t from, std::size_t channel) {
    for (std::size_t k = 0; k < COUNT; ++k) {
      const V coefficient = V::splat(row_[k][channel]);
      for (std::size_t e = from; e < NORMALISED_BLOCK; e += V::width)
        coefficient.store(laidOut_[k] + e);
    }
  }

  std::size_t length_;
  RowChannels channels_;
  const float *chan_[2];
  const float *row_[2] = {nullptr, nullptr}; ///< of the row's first channel
  std::size_t end_ = 0; ///< what is laid out is that of all elements up to here
  /// Vectors may end behind the block.
  alignas(64) float laidOut_[COUNT == 0 ? 1 : COUNT][NORMALISED_BLOCK + V::width];
};

template <class Tag, class Op, bool PAST, bool RUNS, class T> class RowNormaliser {
  using V = simd<float, Tag>;
  static constexpr std::size_t BLOCK = NORMALISED_BLOCK;

public:
  POP_SIMD_INLINE RowNormaliser(const NormalisedRows<T> &rows, const RowChannels &channels)
      : rows_(rows), coefficients_(channels, rows.length, rows.chan) {}

  /// At least one row.
  POP_SIMD_INLINE void run(std::size_t rows) {
    V stat[2] = {V::zero(), V::zero()}; // of the row before
    for (std::size_t row = 0; row < rows; ++row) {
      const T *const in = rows_.in + row * rows_.length;
      std::size_t done = 0; // elements of the row before
      V next[2];
      if (row == 0) {
        statistics<false>(in, stat, done, next);
      } else {
        statistics<true>(in, stat, done, next);
        finish(row - 1, stat, done);
      }
      next[0].storePartial(rows_.mean + row, 1);
      next[1].storePartial(rows_.invStdDev + row, 1);
      for (std::size_t k = 0; k < 2; ++k)
        stat[k] = asStored(next[k]);
      coefficients_.begin(row);
    }
    finish(rows - 1, stat, 0);
  }

private:
  POP_SIMD_INLINE static V asStored(V x) {
    if constexpr (sizeof(T) == 2)
      return V::roundToHalf(x);
    else
      return x;
  }

  /// The statistics of the row `in`. \tparam BESIDE  blocks of the row before are computed
  /// meanwhile
  template <bool BESIDE>
  POP_SIMD_INLINE void statistics(const T *in, const V *stat, std::size_t &done, V *next) {
    const V count = V::splat(rows_.rule.count);
    NormLanes<Tag> lanes;
    if (rows_.rule.stable) {
      constexpr std::size_t EACH = BESIDE ? 2 : 0; // of two passes
      pass<EACH, NormSum::SQUARES, false>(in, V::zero(), stat, done, lanes);
      next[0] = V::splat(lanes.fold(lanes.first)) / count;
      pass<EACH, NormSum::DEVIATIONS, true>(in, next[0], stat, done, lanes);
    } else {
      pass<BESIDE, NormSum::SQUARES, true>(in, V::zero(), stat, done, lanes);
      next[0] = V::splat(lanes.fold(lanes.first)) / count;
    }
    next[1] = invStdDevOf(V::splat(lanes.fold(lanes.second)), next[0], rows_.rule);
  }

  /// One pass over the row `in`. Beside EACH blocks of it that are added up one of the row before
  /// is computed, as far as such blocks go; EACH = 0: none is.
  /// \tparam SECOND  whether the second sum is needed
  template <std::size_t EACH, NormSum KIND, bool SECOND>
  POP_SIMD_INLINE void pass(const T *in, V centre, const V *stat, std::size_t &done,
                            NormLanes<Tag> &lanes) {
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
    // Each of two passes fetches half of the lines, unless they are read long before.
    const bool halves = rows_.rule.stable && length * sizeof(T) <= NORMALISED_AHEAD;
    const bool fetches = rows_.fetches && (halves || KIND != NormSum::DEVIATIONS);
    const T *fetched = halves && KIND == NormSum::DEVIATIONS ? in + length / 2 : in;
    std::size_t i = 0;
    for (; i + AT_ONCE * BLOCK <= length; i += AT_ONCE * BLOCK) {
      if constexpr (EACH != 0) {
        block(in - length, stat, done);
        done += BLOCK;
      }
      if (fetches) {
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
  POP_SIMD_INLINE void block(const T *in, const V *stat, std::size_t i) {
    const float *chan[2];
    coefficients_.locate(i, chan);
    if constexpr (PAST) {
      arch::unrolled<BLOCK * sizeof(T) / 64>(
          [&](auto k) POP_SIMD_LAMBDA { line(in, stat, chan, i, k * (64 / sizeof(T))); });
    } else {
      arch::unrolled<BLOCK / V::width>(
          [&](auto k) POP_SIMD_LAMBDA { vector(in, stat, chan, i, k * V::width, V::width); });
    }
  }

  /// Elements `at` + [0, n) of the block at i, whose coefficients are at `chan`.
  POP_SIMD_INLINE V value(const T *in, const V *stat, const float *const *chan, std::size_t i,
                          std::size_t at, std::size_t n, V &second) const {
    V c[2];
    arch::unrolled<Op::CHANS>([&](auto k) POP_SIMD_LAMBDA { c[k] = loadUpTo<V>(chan[k] + at, n); });
    return Op::template apply<T>(loadUpTo<V>(in + i + at, n), V::zero(), stat, c, second);
  }

  POP_SIMD_INLINE void line(const T *in, const V *stat, const float *const *chan, std::size_t i,
                            std::size_t at) const {
    constexpr std::size_t LINE = 64 / sizeof(T);
    const std::size_t to = static_cast<std::size_t>(in - rows_.in) + i + at;
    V second[LINE / V::width];
    streamLine<V>(rows_.out + to, [&](std::size_t k) POP_SIMD_LAMBDA {
      return value(in, stat, chan, i, at + k, V::width, second[k / V::width]);
    });
    if constexpr (Op::TWO_OUTPUTS)
      streamLine<V>(rows_.out2 + to,
                    [&](std::size_t k) POP_SIMD_LAMBDA { return second[k / V::width]; });
  }

  POP_SIMD_INLINE void vector(const T *in, const V *stat, const float *const *chan, std::size_t i,
                              std::size_t at, std::size_t n) const {
    const std::size_t to = static_cast<std::size_t>(in - rows_.in) + i + at;
    V second = V::zero();
    const V first = value(in, stat, chan, i, at, n, second);
    if (n == V::width)
      first.store(rows_.out + to);
    else
      first.storePartial(rows_.out + to, n);
    if constexpr (Op::TWO_OUTPUTS) {
      if (n == V::width)
        second.store(rows_.out2 + to);
      else
        second.storePartial(rows_.out2 + to, n);
    }
  }

  /// Elements from `done` on of a row.
  POP_SIMD_INLINE void finish(std::size_t row, const V *stat, std::size_t done) {
    const T *const in = rows_.in + row * rows_.length;
    const std::size_t length = rows_.length;
    for (; done + BLOCK <= length; done += BLOCK)
      block(in, stat, done);
    if (done == length)
      return;
    const float *chan[2];
    coefficients_.locate(done, chan);
    const std::size_t left = length - done;
    if constexpr (PAST) {
      for (std::size_t at = 0; at < left; at += 64 / sizeof(T))
        line(in, stat, chan, done, at);
    } else {
      for (std::size_t at = 0; at < left; at += V::width)
        vector(in, stat, chan, done, at, left - at < V::width ? left - at : V::width);
    }
  }

  const NormalisedRows<T> rows_; ///< a copy: others would be loaded again after each store
  RowCoefficients<Tag, Op::CHANS, RUNS> coefficients_;
};

/// The shortest rows that take less time so than side by side.
inline constexpr std::size_t NORMALISED_ROW = 64;
/// The fewest: one has none to be computed beside. Two of 3072 floats from memory take 1.07 times
/// as long on Zen 5, two of 4096 in the caches .85.
POP_SIMD_INLINE constexpr std::size_t leastNormalisedRows(bool fetches) { return fetches ? 3 : 2; }

/// Whether elements of `walk` are whole rows of `length` with a statistic each, from statistic 0
/// on. \param channels  where to say which channels they have; null if that does not matter
POP_SIMD_INLINE bool walksRows(const NormWalk &walk, std::size_t length, RowChannels *channels) {
  if (walk.first % length != 0 ||
      walk.statBase != -static_cast<std::ptrdiff_t>(walk.first / length))
    return false;
  std::size_t block = 1, field = 1, groups = 1; // `block`: elements of the dimensions within
  bool hasChannels = false, repeats = false;    // dimensions so far number channels, leave them
  for (unsigned d = walk.dims; d-- > 0;) {
    const std::size_t size = walk.table[3 * d], stat = walk.table[3 * d + 1],
                      chan = walk.table[3 * d + 2];
    if (size == 1)
      continue;
    const bool within = block < length;
    if ((within && block * size > length) || stat != (within ? 0 : block / length))
      return false;
    if (within && chan == 0 && !hasChannels) {
      field = block * size;
    } else if (within) {
      hasChannels = true;
      if (channels && chan != block / field)
        return false;
    } else if (chan == 0) {
      repeats = true;
    } else {
      if (channels && (repeats || chan != block / field))
        return false;
      groups = block / length * size;
    }
    block *= size;
  }
  if (channels)
    *channels = {field, groups, walk.first / length % groups, walk.chanBase};
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
    detail::RowChannels channels;
    if (rows < detail::leastNormalisedRows(data.fetches) || data.length < detail::NORMALISED_ROW ||
        !detail::walksRows(walk, data.length, Op::CHANS != 0 ? &channels : nullptr))
      return false;
    const bool runs = channels.field != 1;
    if (runs && channels.field < detail::NORMALISED_BLOCK)
      return false;
    // Rows may be overwritten one by one, but not others than the one in work.
    const std::size_t elements = rows * data.length;
    const auto isApart = [&](const T *out) POP_SIMD_LAMBDA {
      return out == data.in || out + elements <= data.in || data.in + elements <= out;
    };
    if (!isApart(data.out) || (Op::TWO_OUTPUTS && !isApart(data.out2)))
      return false;
    constexpr std::size_t STREAMS = 2 + Op::TWO_OUTPUTS;
    const bool past = STREAMS * walk.elements() * sizeof(T) >= detail::STREAM_BYTES &&
                      data.length * sizeof(T) % 64 == 0 && detail::isLine(data.out) &&
                      (!Op::TWO_OUTPUTS || detail::isLine(data.out2));
    const auto run = [&](auto isPast, auto hasRuns) POP_SIMD_LAMBDA {
      detail::RowNormaliser<Tag, Op, isPast, hasRuns && Op::CHANS != 0, T>(data, channels)
          .run(rows);
    };
    if (runs)
      past ? run(std::true_type(), std::true_type()) : run(std::false_type(), std::true_type());
    else
      past ? run(std::true_type(), std::false_type()) : run(std::false_type(), std::false_type());
    return true;
  }
}

} // namespace cottonwood::kernels
