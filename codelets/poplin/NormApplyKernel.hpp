/// \file NormApplyKernel.hpp
/// Elementwise parts of normalisations: activations in memory order, coefficients of statistics and
/// channels found by strides; the formulas are those of Norm.hpp.
#pragma once

#include <codelets/poplin/NormSumsKernel.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::kernels {

/// Where coefficients of an element are: its index in the dimensions of the table, times strides.
struct NormWalk {
  /// Of each dimension, outermost first: size, stride in statistics, stride in channels.
  const unsigned *table;
  unsigned dims;
  std::size_t first;                 ///< position of element 0 in the whole tensor
  std::ptrdiff_t statBase, chanBase; ///< coefficients of that tensor's element 0

  POP_SIMD_INLINE std::size_t elements() const {
    std::size_t elements = 1;
    for (unsigned d = 0; d < dims; ++d)
      elements *= table[3 * d];
    return elements;
  }
};

/// Data of one vertex of `elements` elements; what an operation does not use is null.
/// \tparam S  of the statistics
template <class T, class S = float> struct NormOperands {
  const T *x, *w;
  const S *stat[3];
  const float *chan[2];
  T *out, *out2;
  std::size_t elements;
};

/// Operations on x (and w), which are Ts: STATS and CHANS coefficients of each kind.
struct NormWhitenOp {
  static constexpr unsigned STATS = 2, CHANS = 0;
  static constexpr bool TWO_INPUTS = false, TWO_OUTPUTS = false;
  template <class T, class V>
  POP_SIMD_INLINE static V apply(V x, V, const V *stat, const V *, V &) {
    return arch::subtractOf<T>(x, stat[0]) * stat[1];
  }
};
struct NormaliseOp {
  static constexpr unsigned STATS = 2, CHANS = 2;
  static constexpr bool TWO_INPUTS = false, TWO_OUTPUTS = true;
  template <class T, class V>
  POP_SIMD_INLINE static V apply(V x, V, const V *stat, const V *chan, V &whitened) {
    whitened = arch::subtractOf<T>(x, stat[0]) * stat[1];
    return V::fma(whitened, chan[0], chan[1]);
  }
};
/// The same without the whitened activations.
struct NormaliseOnlyOp {
  static constexpr unsigned STATS = 2, CHANS = 2;
  static constexpr bool TWO_INPUTS = false, TWO_OUTPUTS = false;
  template <class T, class V>
  POP_SIMD_INLINE static V apply(V x, V, const V *stat, const V *chan, V &whitened) {
    return NormaliseOp::apply<T>(x, x, stat, chan, whitened);
  }
};
struct NormAffineOp {
  static constexpr unsigned STATS = 0, CHANS = 2;
  static constexpr bool TWO_INPUTS = false, TWO_OUTPUTS = false;
  template <class T, class V>
  POP_SIMD_INLINE static V apply(V x, V, const V *, const V *chan, V &) {
    return V::fma(x, chan[0], chan[1]);
  }
};
struct NormScaleOp {
  static constexpr unsigned STATS = 0, CHANS = 1;
  static constexpr bool TWO_INPUTS = false, TWO_OUTPUTS = false;
  template <class T, class V>
  POP_SIMD_INLINE static V apply(V x, V, const V *, const V *chan, V &) {
    return x * chan[0];
  }
};
struct NormGradientOp {
  static constexpr unsigned STATS = 3, CHANS = 0;
  static constexpr bool TWO_INPUTS = true, TWO_OUTPUTS = false;
  template <class T, class V>
  POP_SIMD_INLINE static V apply(V x, V w, const V *stat, const V *, V &) {
    return stat[0] * arch::subtractOf<T>(V::fnma(w, stat[1], x), stat[2]);
  }
};

namespace detail {
/// Coefficients of so many neighbouring elements are laid out at a time where strides are not 0
/// or 1.
inline constexpr std::size_t NORM_EXPANDED = 512;
/// Elements that large outputs are computed at a time, before they are stored past the caches.
inline constexpr std::size_t NORM_STREAMED = 1024;
/// Vertices of fewer elements leave that to the caches.
inline constexpr std::size_t NORM_STREAM_LEAST = 4096;
/// Most bytes of a vertex while whose results are stored past the caches what the next vertex reads
/// is fetched: on a Granite Rapids class core norms of 50 MB take a seventh less time.
inline constexpr std::size_t NORM_FETCH_BYTES = std::size_t{512} << 10;
/// Whether a cache line begins there.
template <class T> POP_SIMD_INLINE bool isLine(const T *p) {
  return reinterpret_cast<std::uintptr_t>(p) % 64 == 0;
}
/// Rows shorter than this are joined with their neighbours.
inline constexpr std::size_t NORM_SHORT_ROW = 32;

template <class Tag, class Op, class T, class S> class NormRun {
  using V = simd<float, Tag>;
  static constexpr unsigned COEFFICIENTS = Op::STATS + Op::CHANS;

public:
  NormRun(const NormWalk &walk, const NormOperands<T, S> &data) : walk_(walk), data_(data) {
    inner_ = walk.dims - 1;
    length_ = size(inner_);
    // Neighbouring statistics are loaded as floats.
    expands_ = stride(inner_, 1) > std::is_same_v<S, float> || stride(inner_, 2) > 1;
    while (inner_ > 0 && length_ < NORM_SHORT_ROW) {
      length_ *= size(--inner_);
      expands_ = true;
    }
    if (Op::STATS == 2 && size(0) > 1 && stride(0, 1) != 0 && normFetch() == NormFetch::SHARED)
      fetchedLines_ = 64;
  }

  void run(std::size_t begin, std::size_t end) {
    constexpr std::size_t STREAMS = 1 + Op::TWO_INPUTS + 1 + Op::TWO_OUTPUTS;
    // What counts is the traffic of all vertices together.
    const std::size_t elements = data_.elements < NORM_STREAM_LEAST ? 0 : walk_.elements();
    if (STREAMS * elements * sizeof(T) < STREAM_BYTES)
      return walk(begin, end, data_.out + begin, Op::TWO_OUTPUTS ? data_.out2 + begin : nullptr);
    const bool fetches =
        data_.elements * sizeof(T) <= NORM_FETCH_BYTES && walk_.first + data_.elements < elements;
    if (!expands_ && hasWholeLines(begin, end)) {
      past_ = true, fetches_ = fetches;
      return walk(begin, end, data_.out + begin, Op::TWO_OUTPUTS ? data_.out2 + begin : nullptr);
    }
    while (begin < end) {
      // Pieces end at whole cache lines of the output.
      const std::size_t line = 64 / sizeof(T);
      const std::size_t beyond =
          reinterpret_cast<std::uintptr_t>(data_.out + begin) / sizeof(T) % line;
      const std::size_t most = NORM_STREAMED - beyond;
      const std::size_t n = end - begin < most ? end - begin : most;
      if (fetches) {
        fetchBehind(data_.x, begin, n);
        if constexpr (Op::TWO_INPUTS)
          fetchBehind(data_.w, begin, n);
      }
      walk(begin, begin + n, streamed_[0], Op::TWO_OUTPUTS ? streamed_[Op::TWO_OUTPUTS] : nullptr);
      store(data_.out + begin, streamed_[0], n);
      if constexpr (Op::TWO_OUTPUTS)
        store(data_.out2 + begin, streamed_[1], n);
      begin += n;
    }
  }

private:
  /// Whether elements [begin, end) of all rows are whole cache lines of the outputs.
  bool hasWholeLines(std::size_t begin, std::size_t end) const {
    constexpr std::size_t LINE = 64 / sizeof(T);
    return V::width > 1 && length_ % LINE == 0 && (walk_.first + begin) % LINE == 0 &&
           (end - begin) % LINE == 0 && isLine(data_.out + begin) &&
           (!Op::TWO_OUTPUTS || isLine(data_.out2 + begin));
  }

  /// Brings elements [begin, begin + n) of the next vertex to the second-level cache: reading them
  /// and storing past the caches go together. Of every two lines one is left to the vertex that
  /// finds the statistics, if rows have some of their own and NormFetch::SHARED is best. (GCC drops
  /// calls of functions that only fetch.)
  POP_SIMD_INLINE void fetchBehind(const T *data, std::size_t begin, std::size_t n) const {
    for (std::size_t i = 0; i < n; i += 64 / sizeof(T))
      fetchLine(data + begin + data_.elements + i);
  }
  POP_SIMD_INLINE void fetchLine(const T *p) const {
    if ((reinterpret_cast<std::uintptr_t>(p) & fetchedLines_) == fetchedLines_)
      __builtin_prefetch(p, 0, 2);
  }

  static void store(T *out, const T *from, std::size_t n) {
    streamBytes<Tag>(reinterpret_cast<unsigned char *>(out),
                     reinterpret_cast<const unsigned char *>(from), n * sizeof(T));
  }

  /// Elements [begin, end), to out and out2.
  void walk(std::size_t begin, std::size_t end, T *out, T *out2) {
    if (begin >= end)
      return;
    row_ = {};
    row_.stat = walk_.statBase, row_.chan = walk_.chanBase;
    seek(row_, (walk_.first + begin) / length_, 0, inner_);
    std::size_t at = (walk_.first + begin) % length_;
    while (begin < end) {
      std::size_t n = length_ - at < end - begin ? length_ - at : end - begin;
      if (expands_ && n > NORM_EXPANDED)
        n = NORM_EXPANDED;
      piece(begin, at, n, out, out2);
      begin += n;
      out += n;
      if constexpr (Op::TWO_OUTPUTS)
        out2 += n;
      at += n;
      if (at == length_) {
        at = 0;
        advance(row_, 0, inner_);
      }
    }
  }

  std::size_t size(unsigned d) const { return walk_.table[3 * d]; }
  /// \param which  1: statistics, 2: channels
  std::ptrdiff_t stride(unsigned d, unsigned which) const { return walk_.table[3 * d + which]; }

  /// Indices of dimensions, and the coefficients that they lead to.
  struct Place {
    std::size_t index[16] = {};
    std::ptrdiff_t stat = 0, chan = 0;

    /// So many steps along a dimension.
    void move(std::ptrdiff_t steps, std::ptrdiff_t statStride, std::ptrdiff_t chanStride) {
      stat += steps * statStride;
      chan += steps * chanStride;
    }
  };

  /// To element `at`, in row-major order, of dimensions [first, end); these are at 0.
  void seek(Place &place, std::size_t at, unsigned first, unsigned end) const {
    for (unsigned d = end; d-- > first; at /= size(d)) {
      place.index[d] = at % size(d);
      place.move(static_cast<std::ptrdiff_t>(place.index[d]), stride(d, 1), stride(d, 2));
    }
  }

  /// To the next element of dimensions [first, end).
  void advance(Place &place, unsigned first, unsigned end) const {
    for (unsigned d = end; d-- > first;) {
      place.move(1, stride(d, 1), stride(d, 2));
      if (++place.index[d] < size(d))
        return;
      place.move(-static_cast<std::ptrdiff_t>(size(d)), stride(d, 1), stride(d, 2));
      place.index[d] = 0;
    }
  }

  /// Elements [at, at + n) of the current row; `begin` is the first one's place in the data.
  void piece(std::size_t begin, std::size_t at, std::size_t n, T *out, T *out2) {
    if (expands_) {
      expand(begin, at, n);
      return loop<true, true>(begin, n, out, out2);
    }
    const bool stats = stride(inner_, 1) != 0, chans = stride(inner_, 2) != 0;
    const auto offset = static_cast<std::ptrdiff_t>(at);
    for (unsigned k = 0; k < Op::STATS; ++k)
      coefficients_[k] = statistic(k, row_.stat + (stats ? offset : 0));
    for (unsigned k = 0; k < Op::CHANS; ++k)
      coefficients_[Op::STATS + k] = data_.chan[k] + row_.chan + (chans ? offset : 0);
    if (stats && chans)
      loop<true, true>(begin, n, out, out2);
    else if (stats)
      loop<true, false>(begin, n, out, out2);
    else if (chans)
      loop<false, true>(begin, n, out, out2);
    else
      loop<false, false>(begin, n, out, out2);
  }

  template <class From> POP_SIMD_INLINE static float oneFloat(const From *p) {
    if constexpr (std::is_same_v<From, float>)
      return *p;
    else
      return V::loadPartial(p, 1).first();
  }

  /// Where statistic k is as a float.
  const float *statistic(unsigned k, std::ptrdiff_t at) {
    if constexpr (std::is_same_v<S, float>) {
      return data_.stat[k] + at;
    } else {
      expanded_[k][0] = oneFloat(data_.stat[k] + at);
      return expanded_[k];
    }
  }

  void expand(std::size_t begin, std::size_t at, std::size_t n) {
    // All that the vertex has of a row, if it fits: the next rows often have the same coefficients.
    std::size_t from = at, count = n;
    if (length_ <= NORM_EXPANDED) {
      from = at > begin ? at - begin : 0;
      const std::size_t left = data_.elements - begin + at;
      count = (left < length_ ? left : length_) - from;
    }
    layOut(from, count);
    for (unsigned k = 0; k < COEFFICIENTS; ++k)
      coefficients_[k] = expanded_[k] + (at - from);
  }

  /// The coefficients of elements [at, at + n) of the current row.
  void layOut(std::size_t at, std::size_t n) {
    if (expandedAt_ == at && expandedCount_ == n && expandedStat_ == row_.stat &&
        expandedChan_ == row_.chan)
      return;
    expandedAt_ = at, expandedCount_ = n, expandedStat_ = row_.stat, expandedChan_ = row_.chan;
    const unsigned last = walk_.dims - 1;
    Place place; // of the run's first element
    place.stat = row_.stat, place.chan = row_.chan;
    seek(place, at, inner_, walk_.dims);
    for (std::size_t i = 0; i < n;) {
      std::size_t &index = place.index[last];
      const std::size_t left = size(last) - index, run = left < n - i ? left : n - i;
      for (unsigned k = 0; k < Op::STATS; ++k)
        layOutRun(expanded_[k] + i, data_.stat[k] + place.stat, stride(last, 1), run, n - i);
      for (unsigned k = 0; k < Op::CHANS; ++k)
        layOutRun(expanded_[Op::STATS + k] + i, data_.chan[k] + place.chan, stride(last, 2), run,
                  n - i);
      i += run;
      place.move(-static_cast<std::ptrdiff_t>(index), stride(last, 1), stride(last, 2));
      index = 0;
      advance(place, inner_, last);
    }
  }

  /// Coefficients along the last dimension, `run` of them; up to `room` may be written.
  template <class From>
  static void layOutRun(float *to, const From *from, std::ptrdiff_t stride, std::size_t run,
                        std::size_t room) {
    constexpr std::size_t FEW = 4; // as fast one by one
    if (stride > 1 || run < FEW) {
      for (std::size_t i = 0; i < run; ++i)
        to[i] = oneFloat(from + static_cast<std::ptrdiff_t>(i) * stride);
      return;
    }
    constexpr std::size_t W = V::width;
    for (std::size_t i = 0; i < run; i += W) {
      const std::size_t n = run - i < W ? run - i : W;
      const V x = stride == 0 ? V::splat(oneFloat(from)) : loadUpTo<V>(from + i, n);
      if (i + W <= room)
        x.store(to + i); // what that is too much is overwritten
      else
        x.storePartial(to + i, n);
    }
  }

  /// STAT, CHAN: a coefficient for each element, not one for all.
  template <bool STAT, bool CHAN>
  void loop(std::size_t begin, std::size_t n, T *out, [[maybe_unused]] T *out2) {
    // An operation without coefficients of a kind has the same loop for both values.
    constexpr bool STATS = STAT && Op::STATS != 0, CHANS = CHAN && Op::CHANS != 0;
    if constexpr (STATS != STAT || CHANS != CHAN) {
      loop<STATS, CHANS>(begin, n, out, out2);
    } else {
      const T *x = data_.x + begin, *w = Op::TWO_INPUTS ? data_.w + begin : nullptr;
      // Members would be loaded again after each store.
      const float *at[COEFFICIENTS + 1];
      for (unsigned k = 0; k < COEFFICIENTS; ++k)
        at[k] = coefficients_[k];
      V stat[3], chan[2];
      for (unsigned k = 0; k < Op::STATS && !STAT; ++k)
        stat[k] = V::splat(*at[k]);
      for (unsigned k = 0; k < Op::CHANS && !CHAN; ++k)
        chan[k] = V::splat(*at[Op::STATS + k]);
      const auto value = [&](std::size_t i, std::size_t m, V &second) POP_SIMD_LAMBDA {
        if constexpr (STATS)
          for (unsigned k = 0; k < Op::STATS; ++k)
            stat[k] = loadUpTo<V>(at[k] + i, m);
        if constexpr (CHANS)
          for (unsigned k = 0; k < Op::CHANS; ++k)
            chan[k] = loadUpTo<V>(at[Op::STATS + k] + i, m);
        V other = V::zero();
        if constexpr (Op::TWO_INPUTS)
          other = loadUpTo<V>(w + i, m);
        return Op::template apply<T>(loadUpTo<V>(x + i, m), other, stat, chan, second);
      };
      std::size_t i = 0;
      if (past_) {
        constexpr std::size_t LINE = 64 / sizeof(T);
        // Where nothing is fetched, that is what is read in any case.
        const std::size_t behind = fetches_ ? data_.elements : 0;
        for (; i < n; i += LINE) {
          fetchLine(x + i + behind);
          if constexpr (Op::TWO_INPUTS)
            fetchLine(w + i + behind);
          V second[LINE / V::width];
          streamLine<V>(out + i, [&](std::size_t k) POP_SIMD_LAMBDA {
            return value(i + k, V::width, second[k / V::width]);
          });
          if constexpr (Op::TWO_OUTPUTS)
            streamLine<V>(out2 + i,
                          [&](std::size_t k) POP_SIMD_LAMBDA { return second[k / V::width]; });
        }
        return;
      }
      const auto step = [&](std::size_t place) POP_SIMD_LAMBDA {
        V second = V::zero();
        value(place, V::width, second).store(out + place);
        if constexpr (Op::TWO_OUTPUTS)
          second.store(out2 + place);
      };
      constexpr std::size_t STEPS = V::width > 1 ? 4 : 1;
      for (; i + STEPS * V::width <= n; i += STEPS * V::width)
        arch::unrolled<STEPS>([&](auto k) POP_SIMD_LAMBDA { step(i + k * V::width); });
      for (; i + V::width <= n; i += V::width)
        step(i);
      if (i < n) {
        V second = V::zero();
        value(i, n - i, second).storePartial(out + i, n - i);
        if constexpr (Op::TWO_OUTPUTS)
          second.storePartial(out2 + i, n - i);
      }
    }
  }

  const NormWalk &walk_;
  const NormOperands<T, S> &data_;
  unsigned inner_;     ///< the first dimension of a row
  std::size_t length_; ///< of a row
  bool expands_;
  bool past_ = false;    ///< stores past the caches at once; all pieces are whole lines,
  bool fetches_ = false; ///< and what the next vertex reads is fetched
  /// The bits of an address that must be set for its line to be fetched.
  std::uintptr_t fetchedLines_ = 0;
  Place row_;
  const float *coefficients_[COEFFICIENTS + 1] = {};
  std::size_t expandedAt_ = 0, expandedCount_ = 0;
  std::ptrdiff_t expandedStat_ = 0, expandedChan_ = 0;
  alignas(64) float expanded_[COEFFICIENTS][NORM_EXPANDED];
  alignas(64) T streamed_[1 + Op::TWO_OUTPUTS][NORM_STREAMED];
};
} // namespace detail

/// Elements [begin, end) of the data.
template <class Tag, class Op, class T, class S>
void normApply(const NormWalk &walk, const NormOperands<T, S> &data, std::size_t begin,
               std::size_t end) {
  detail::NormRun<Tag, Op, T, S>(walk, data).run(begin, end);
}

/// A row is `channels` channels of `field` elements; the first channel of row r is
/// (firstGroup + r) % groups * channels.
struct NormRows {
  std::size_t channels, field, groups, firstGroup;
};

/// out = s (g c - w mean(g c w) - mean(g c)) of rows [begin, end), s = invStdDev[row] and c the
/// channel's gamma; each row is read twice, the second time from the cache.
template <class Tag, class T>
void normGradientRows(const NormRows &rows, const T *whitened, const T *grads,
                      const float *invStdDev, const float *gamma, T *out, std::size_t begin,
                      std::size_t end) {
  using V = simd<float, Tag>;
  // Channels side by side are one run with a gamma for each element.
  const bool flat = rows.field == 1;
  const std::size_t runs = flat ? 1 : rows.channels, length = flat ? rows.channels : rows.field;
  const auto scaled = [&](const T *g, const float *c, std::size_t i,
                          std::size_t n) POP_SIMD_LAMBDA {
    return detail::loadUpTo<V>(g + i, n) * (flat ? detail::loadUpTo<V>(c + i, n) : V::splat(*c));
  };
  for (std::size_t row = begin; row < end; ++row) {
    const float *c = gamma + (rows.firstGroup + row) % rows.groups * rows.channels;
    const std::size_t at = row * rows.channels * rows.field;
    detail::NormLanes<Tag> lanes;
    lanes.clear();
    for (std::size_t r = 0; r < runs; ++r) {
      const T *g = grads + at + r * length, *w = whitened + at + r * length;
      lanes.row(length, [&](std::size_t i, std::size_t n, V &s, V &t) POP_SIMD_LAMBDA {
        detail::addTerm<NormSum::PRODUCTS, T>(scaled(g, c + r, i, n), detail::loadUpTo<V>(w + i, n),
                                              s, t);
      });
    }
    const V count = V::splat(static_cast<float>(rows.channels * rows.field));
    const V stat[3] = {V::splat(invStdDev[row]), V::splat(lanes.fold(lanes.second)) / count,
                       V::splat(lanes.fold(lanes.first)) / count};
    V unused;
    for (std::size_t r = 0; r < runs; ++r) {
      const T *g = grads + at + r * length, *w = whitened + at + r * length;
      T *o = out + at + r * length;
      std::size_t i = 0;
      for (; i + V::width <= length; i += V::width)
        NormGradientOp::apply<T>(scaled(g, c + r, i, V::width), V::load(w + i), stat, stat, unused)
            .store(o + i);
      if (const std::size_t n = length - i)
        NormGradientOp::apply<T>(scaled(g, c + r, i, n), V::loadPartial(w + i, n), stat, stat,
                                 unused)
            .storePartial(o + i, n);
    }
  }
}

} // namespace cottonwood::kernels
