/// \file SoftmaxKernel.hpp
/// Softmax, log-softmax and softmax gradient of rows; the rules are those of Softmax.hpp.
#pragma once

#include <codelets/arch/SimdHalfOrder.hpp>
#include <codelets/popnn/SoftmaxExp.hpp>
#include <codelets/popnn/SoftmaxShortKernel.hpp>
#include <codelets/popops/ReduceKernel.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::kernels {

namespace detail {
/// Rows up to these lengths keep all of their exponentials, or for logarithms the differences from
/// their maximum: in L1, and in L2. Longer ones keep as many exponentials as the latter, and what
/// is beyond is computed twice. Reading a row for the third time instead of what was kept of it
/// made log-softmax of 10000 rows of 1000 a fifth slower on Zen 4.
inline constexpr std::size_t SOFTMAX_ROW = 4096, SOFTMAX_LONG_ROW = 65536;
/// Bytes of an operand from which rows are fetched before they are needed, and how far ahead: to
/// the second-level cache. In the first one the row that is kept and those that are read leave no
/// room: rows of 1000 to 50000 floats take 1.1 to 2 times as long so on Zen 4.
inline constexpr std::size_t SOFTMAX_FETCHED = std::size_t{4} << 20, SOFTMAX_AHEAD = 8192;
/// Shorter rows are never written past the caches.
inline constexpr std::size_t SOFTMAX_STREAMED_ROW = 256;

struct RowBounds {
  float least, most;
};

/// Of the elements that are no NaN.
template <class Tag> class RowBoundsOf {
  using V = simd<float, Tag>;

public:
  RowBoundsOf() : least_(V::splat(__builtin_inff())), most_(V::splat(-__builtin_inff())) {}

  POP_SIMD_INLINE void take(V x) { take(x, x); }
  POP_SIMD_INLINE void take(V low, V high) {
    least_ = V::min(low, least_);
    most_ = V::max(high, most_);
  }
  template <class T> POP_SIMD_INLINE void takePartial(const T *in, std::size_t n) {
    using L = simd<std::int32_t, Tag>;
    const auto inside = L::iota() < L::splat(static_cast<std::int32_t>(n));
    take(V::select(inside, V::loadPartial(in, n), V::splat(__builtin_nanf(""))));
  }
  /// Elements in[0, 64).
  template <class T> POP_SIMD_INLINE void takeBlock(const T *in) {
    arch::unrolled<64 / V::width>([&](auto k)
                                      POP_SIMD_LAMBDA { take(V::load(in + k * V::width)); });
  }
  POP_SIMD_INLINE void merge(const RowBoundsOf &other) {
    least_ = V::min(least_, other.least_);
    most_ = V::max(most_, other.most_);
  }
  POP_SIMD_INLINE void mergeInto(RowBoundsOf &other, const void *, std::size_t) const {
    other.merge(*this);
  }
  POP_SIMD_INLINE RowBounds get() const { return {least_.reduceMin(), most_.reduceMax()}; }

private:
  V least_, most_;
};

template <class Tag, class T> POP_SIMD_INLINE RowBounds boundsOfRow(const T *in, std::size_t n) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width, K = 4;
  RowBoundsOf<Tag> bounds[K];
  std::size_t i = 0;
  for (; i + K * W <= n; i += K * W)
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { bounds[k].take(V::load(in + i + k * W)); });
  for (; i + W <= n; i += W)
    bounds[0].take(V::load(in + i));
  if (i < n)
    bounds[0].takePartial(in + i, n - i);
  bounds[0].merge(bounds[1]);
  bounds[2].merge(bounds[3]);
  bounds[0].merge(bounds[2]);
  return bounds[0].get();
}

/// The same of blocks of halves, compared by their bits.
template <class Tag> class HalfBoundsOf {
  using E = arch::HalfExtremes<Tag>;

public:
  POP_SIMD_INLINE void takeBlock(const half *in) {
    arch::unrolled<64 / E::width>([&](auto k)
                                      POP_SIMD_LAMBDA { extremes_.take(in + k * E::width); });
  }
  /// \param in, n  what was taken, if it was anything
  POP_SIMD_INLINE void mergeInto(RowBoundsOf<Tag> &bounds, const half *in, std::size_t n) const {
    if (n == 0)
      return;
    using V = simd<float, Tag>;
    if (extremes_.anyNan()) {
      const RowBounds found = boundsOfRow<Tag>(in, n);
      return bounds.take(V::splat(found.least), V::splat(found.most));
    }
    half low[E::width], high[E::width];
    extremes_.store(low, high);
    for (std::size_t i = 0; i < E::width; i += V::width)
      bounds.take(V::load(low + i), V::load(high + i));
  }

private:
  E extremes_;
};

/// The same where halves have arithmetic of their own.
template <class Tag>
requires(Tag::HALF_ARITHMETIC) class HalfBoundsOf<Tag> {
  using H = simd<half, Tag>;

public:
  HalfBoundsOf() : least_(H::splat(__builtin_inff())), most_(H::splat(-__builtin_inff())) {}

  POP_SIMD_INLINE void takeBlock(const half *in) {
    arch::unrolled<64 / H::width>([&](auto k) POP_SIMD_LAMBDA {
      const H x = H::load(in + k * H::width);
      least_ = H::min(x, least_);
      most_ = H::max(x, most_);
    });
  }
  POP_SIMD_INLINE void mergeInto(RowBoundsOf<Tag> &bounds, const half *, std::size_t) const {
    using V = simd<float, Tag>;
    half low[H::width], high[H::width];
    least_.store(low);
    most_.store(high);
    for (std::size_t i = 0; i < H::width; i += V::width)
      bounds.take(V::load(low + i), V::load(high + i));
  }

private:
  H least_, most_;
};

/// How the bounds of blocks are found.
template <class Tag, class T> struct BlockBounds { using type = RowBoundsOf<Tag>; };
template <class Tag>
requires(Tag::HALF_ARITHMETIC || arch::HasHalfExtremes<Tag>) struct BlockBounds<Tag, half> {
  using type = HalfBoundsOf<Tag>;
};

/// out[i] = f(in[i], i) for whole vectors and the ragged end.
template <class Tag, class T, class F>
POP_SIMD_INLINE void transformRow(const T *in, T *out, std::size_t n, F f) {
  using V = simd<float, Tag>;
  std::size_t i = 0;
  for (; i + V::width <= n; i += V::width)
    f(V::load(in + i), i).store(out + i);
  if (i < n)
    f(V::loadPartial(in + i, n - i), i).storePartial(out + i, n - i);
}

/// A row whose sum is known, and where it goes.
template <class T> struct SoftmaxReady {
  const T *in = nullptr;
  T *out = nullptr;
  float most = 0;   ///< what is subtracted from its elements,
  float factor = 0; ///< and what exponentials are multiplied by, or the logarithm of their sum
};

/// Rows that lie one behind another, by way of a pipeline: while the exponentials of a row are
/// computed, the bounds of the next one are found and the one before is written. So reading,
/// computing and writing go on all the time. Rows that may be near zero are taken for such, and
/// their bounds are found beside their own exponentials: they are read once. If they are not, they
/// are computed again.
/// \tparam PARTS  rows are longer than REDUCE_PART, and summed in such parts: others, were they one
///     part of a loop of parts, would take up to a fifth longer on Zen 5
template <class Tag, bool LOG, std::size_t KEPT, bool PARTS, class T> class SoftmaxRows {
  using V = simd<float, Tag>;
  static constexpr std::size_t W = V::width, LINE = 64 / sizeof(T);
  /// Vectors whose exponentials are computed side by side: sixteen registers have no room for two.
  static constexpr std::size_t PACKED = arch::Avx512Tag<Tag> ? 4 : 1;
  static constexpr bool KEEPS = KEPT > 0;
  /// A guess that fails overflows, which the scalar tag reports.
  static constexpr bool GUESSES = !LOG && !math::RAISES<V>;
  static_assert(KEEPS || LOG, "logarithms alone are as easily computed twice");

public:
  /// \param elements  of all rows: decides how they are fetched, never what is computed
  SoftmaxRows(SoftmaxKind kind, std::size_t length, std::size_t elements, bool inPlace)
      : kind_(kind), length_(length), keep_(!KEEPS          ? 0
                                            : length < KEPT ? length
                                                            : KEPT),
        fetches_(elements * sizeof(T) >= SOFTMAX_FETCHED),
        past_(W > 1 && !inPlace && length >= SOFTMAX_STREAMED_ROW &&
              2 * elements * sizeof(T) >= STREAM_BYTES) {}

  void run(const T *in, T *out, std::size_t rows) {
    SoftmaxReady<T> ready;
    RowBounds bounds{0, 0}; // of the row, where it is not near zero; 0 may be a guess
    if constexpr (!GUESSES)
      bounds = boundsOfRow<Tag>(in, length_);
    for (std::size_t row = 0; row < rows; ++row, in += length_, out += length_) {
      begin(ready, row == 1, false);
      const float sum = sumOfRow(in, row + 1 < rows, ready, bounds);
      ready = {in, out, most_, factorOf(sum)};
    }
    begin(ready, rows == 1, true);
    for (std::size_t i = 0; i < whole_; i += W)
      write(ready, i);
  }

private:
  SoftmaxRange rangeOf(const RowBounds &bounds) const {
    if (!LOG && bounds.least >= -SOFTMAX_NEAR && bounds.most <= SOFTMAX_NEAR)
      return SoftmaxRange::NEAR;
    if (kind_ != SoftmaxKind::PLAIN && bounds.least - bounds.most >= SOFTMAX_LEAST)
      return SoftmaxRange::BOUNDED;
    return SoftmaxRange::ANY;
  }

  /// The sum of the row's exponentials. `bounds` are its own, and become those of the next one;
  /// where GUESSES both may be any that are near instead. What was ready is written.
  POP_SIMD_INLINE float sumOfRow(const T *in, bool hasNext, SoftmaxReady<T> &ready,
                                 RowBounds &bounds) {
    SoftmaxRange range = rangeOf(bounds);
    if constexpr (!LOG)
      if (range == SoftmaxRange::NEAR) {
        most_ = 0;
        const float sum = step<SoftmaxRange::NEAR>(in, hasNext, ready, bounds);
        if constexpr (GUESSES)
          range = rangeOf(bounds);
        if (range == SoftmaxRange::NEAR)
          return sum;
        ready = {};
        begin(ready, false, false);
      }
    most_ = kind_ == SoftmaxKind::PLAIN ? 0 : bounds.most;
    return range == SoftmaxRange::BOUNDED ? step<SoftmaxRange::BOUNDED>(in, hasNext, ready, bounds)
                                          : step<SoftmaxRange::ANY>(in, hasNext, ready, bounds);
  }

  float factorOf(float sum) const {
    if constexpr (LOG)
      return math::log(V::splat(sum)).first();
    else
      return (kind_ == SoftmaxKind::SCALED ? SOFTMAX_SCALE : 1.f) / sum;
  }

  /// Result vector of elements [i, i + n) of a row.
  POP_SIMD_INLINE V result(const SoftmaxReady<T> &row, std::size_t i, std::size_t n) const {
    V x;
    if (i + n <= keep_) {
      x = V::load(kept_ + i);
    } else {
      x = (n == W ? V::load(row.in + i) : V::loadPartial(row.in + i, n)) - V::splat(row.most);
      if constexpr (!LOG)
        x = SoftmaxExp<Tag, SoftmaxRange::ANY, T>()(x);
    }
    if constexpr (LOG)
      return x - V::splat(row.factor);
    else
      return x * V::splat(row.factor);
  }

  POP_SIMD_INLINE void results(const SoftmaxReady<T> &row, std::size_t begin, std::size_t end,
                               T *out) const {
    for (; begin + W <= end; begin += W, out += W)
      result(row, begin, W).store(out);
    if (begin < end)
      result(row, begin, end - begin).storePartial(out, end - begin);
  }

  /// What is to be written of the row by write(): all whole vectors or, past the caches, all whole
  /// lines; what is before and behind these is written here.
  POP_SIMD_INLINE void begin(const SoftmaxReady<T> &row, bool isFirst, bool isLast) {
    head_ = whole_ = 0;
    if (row.out == nullptr)
      return;
    if (past_) {
      const std::size_t beyond = reinterpret_cast<std::uintptr_t>(row.out) / sizeof(T) % LINE;
      head_ = (LINE - beyond) % LINE;
      if (head_ != 0) {
        results(row, 0, head_, isFirst ? row.out : line_ + beyond);
        if (!isFirst)
          streamBytes<Tag>(reinterpret_cast<unsigned char *>(row.out - beyond),
                           reinterpret_cast<const unsigned char *>(line_), 64);
      }
    }
    whole_ = past_ ? (length_ - head_) / LINE * LINE : length_ / W * W;
    const std::size_t done = head_ + whole_;
    if (done < length_)
      results(row, done, length_, past_ && !isLast ? line_ : row.out + done);
  }

  /// Vector i of those.
  POP_SIMD_INLINE void write(const SoftmaxReady<T> &row, std::size_t i) const {
    const V y = result(row, head_ + i, W);
    past_ ? y.stream(row.out + head_ + i) : y.store(row.out + head_ + i);
  }

  /// The sum of a row's exponentials; `bounds` become those of the next row, if there is one, or of
  /// this one where that is a guess.
  template <SoftmaxRange RANGE>
  [[gnu::noinline]] float step(const T *in, bool hasNext, const SoftmaxReady<T> &ready,
                               RowBounds &bounds) {
    constexpr bool GUESS = GUESSES && RANGE == SoftmaxRange::NEAR;
    const SoftmaxExp<Tag, RANGE, T> e;
    const V shift = V::splat(most_);
    const T *const watched = GUESS ? in : in + length_; // the row whose bounds are found
    const bool watches = GUESS || hasNext;
    RowBoundsOf<Tag> found;
    RowPartials<Tag, ReduceOp::ADD, T> sums;
    double sumOfParts = 0;
    std::size_t i = 0;
    // Blocks of 64 elements up to `end`: f(end of those of a part) for each part of the row.
    const auto eachPart = [&](std::size_t end, auto f) POP_SIMD_LAMBDA {
      if constexpr (!PARTS)
        return f(end);
      while (i < end) {
        const std::size_t partEnd = (i / REDUCE_PART + 1) * REDUCE_PART;
        f(end < partEnd ? end : partEnd);
        if (i == partEnd) {
          sumOfParts += static_cast<double>(sums.fold());
          sums = {};
        }
      }
    };
    const auto exponential = [&](V moved, std::size_t k) POP_SIMD_LAMBDA {
      const V value = e(moved);
      if (k < keep_)
        (LOG ? moved : value).store(kept_ + k);
      return value;
    };
    if (watches && ready.out != nullptr && (!KEEPS || keep_ >= whole_)) {
      eachPart(whole_ / 64 * 64, [&](std::size_t end) POP_SIMD_LAMBDA {
        past_ ? blocks<RANGE, true>(in, watched, i, end, ready, sums, found)
              : blocks<RANGE, false>(in, watched, i, end, ready, sums, found);
        i = end;
      });
      fetchAhead<2>(watched, i, length_ - i, fetches_ ? SOFTMAX_AHEAD : 0);
    }
    for (std::size_t k = i; k < whole_; k += W)
      write(ready, k);
    if (watches) {
      std::size_t k = i;
      for (; k + W <= length_; k += W)
        found.take(V::load(watched + k));
      if (k < length_)
        found.takePartial(watched + k, length_ - k);
      bounds = found.get();
    }
    eachPart(length_ / 64 * 64, [&](std::size_t end) POP_SIMD_LAMBDA {
      for (; i < end; i += 64)
        sums.block(in, i, [&](V x, std::size_t k) POP_SIMD_LAMBDA {
          return exponential(e.moved(x, shift), k);
        });
    });
    sums.raggedEnd(in, i, length_, [&](V x, std::size_t k) POP_SIMD_LAMBDA {
      // Lanes behind the row must not become subnormal, which costs more than all others.
      using I = simd<std::int32_t, Tag>;
      const auto inside = I::iota() < I::splat(static_cast<std::int32_t>(length_ - k));
      return exponential(V::select(inside, e.moved(x, shift), V::zero()), k);
    });
    const float sum = sums.fold();
    return PARTS ? static_cast<float>(sumOfParts + static_cast<double>(sum)) : sum;
  }

  /// The same for blocks of 64 elements from `begin` to `end` of all three rows.
  template <SoftmaxRange RANGE, bool PAST>
  POP_SIMD_INLINE void blocks(const T *in, const T *watched, std::size_t begin, std::size_t end,
                              const SoftmaxReady<T> &ready,
                              RowPartials<Tag, ReduceOp::ADD, T> &sums, RowBoundsOf<Tag> &found) {
    using P = arch::Pack<V, PACKED>;
    const SoftmaxExp<Tag, RANGE, T> e;
    const std::size_t ahead = fetches_ ? SOFTMAX_AHEAD : 0;
    float *const kept = kept_;
    const float *const results = kept + head_;
    const T *const before = ready.in + head_;
    const P most = P::splat(ready.most), factor = P::splat(ready.factor),
            subtracted = P::splat(most_);
    T *const out = ready.out + head_;
    RowPartials<Tag, ReduceOp::ADD, T> partials = sums;
    typename BlockBounds<Tag, T>::type bounds;
    for (std::size_t i = begin; i < end; i += 64) {
      partials.template blockOfPacks<PACKED>(in, i, [&](P x, std::size_t k) POP_SIMD_LAMBDA {
        P y = KEEPS ? P::load(results + k) : P::load(before + k) - most;
        if constexpr (LOG)
          y = y - factor;
        else
          y = y * factor;
        PAST ? y.stream(out + k) : y.store(out + k);
        const P moved = e.moved(x, subtracted), value = e(moved);
        if constexpr (KEEPS)
          (LOG ? moved : value).store(kept + k);
        return value;
      });
      bounds.takeBlock(watched + i);
      fetchAhead<2>(watched, i, 64, ahead);
    }
    sums = partials;
    bounds.mergeInto(found, watched + begin, end - begin);
  }

  SoftmaxKind kind_;
  std::size_t length_, keep_;
  bool fetches_;   ///< rows before they are needed
  bool past_;      ///< writes past the caches
  float most_ = 0; ///< what is subtracted from the elements of the row whose sum is found
  std::size_t head_ = 0, whole_ = 0;
  /// The last line of a row if the next row has a part of it. Written in two parts it would have to
  /// be read before, and all stores behind it would wait.
  alignas(64) T line_[LINE];
  /// Of the row that is ready; the next row takes its places, one just behind the other. Zen 4
  /// takes a load from a second row for one of what was stored in the first if they have the same
  /// twelve last bits of addresses.
  alignas(64) float kept_[KEPT + W];
};

template <class Tag, bool LOG, std::size_t KEPT, bool PARTS, class T>
[[gnu::noinline]] void softmaxRowsOf(SoftmaxKind kind, const T *in, T *out, std::size_t rows,
                                     std::size_t length, std::size_t elements) {
  SoftmaxRows<Tag, LOG, KEPT, PARTS, T>(kind, length, elements, in == out).run(in, out, rows);
}
} // namespace detail

/// Rows [begin, end) of [rows, length]; `out` may be `in`.
/// \param elements  of all rows: decides how they are fetched, never what is computed
template <class Tag, class T>
void softmaxRows(SoftmaxKind kind, const T *in, T *out, std::size_t begin, std::size_t end,
                 std::size_t length, std::size_t elements) {
  const bool isShort = length <= detail::SHORT_ROW;
  if constexpr (detail::ShortSoftmax<Tag, T>::EXISTS)
    if (isShort)
      begin += detail::shortSoftmaxRows<Tag>(kind, in + begin * length, out + begin * length,
                                             end - begin, length);
  if (begin == end)
    return;
  constexpr std::size_t ROW = detail::SOFTMAX_ROW, LONG_ROW = detail::SOFTMAX_LONG_ROW;
  const bool isLog = kind == SoftmaxKind::LOG;
  static_assert(LONG_ROW == detail::REDUCE_PART);
  const auto run = length <= ROW ? (isLog ? &detail::softmaxRowsOf<Tag, true, ROW, false, T>
                                          : &detail::softmaxRowsOf<Tag, false, ROW, false, T>)
                   : length <= LONG_ROW
                       ? (isLog ? &detail::softmaxRowsOf<Tag, true, LONG_ROW, false, T>
                                : &detail::softmaxRowsOf<Tag, false, LONG_ROW, false, T>)
                   : isLog ? &detail::softmaxRowsOf<Tag, true, 0, true, T>
                           : &detail::softmaxRowsOf<Tag, false, LONG_ROW, true, T>;
  run(kind, in + begin * length, out + begin * length, end - begin, length, elements);
  for (std::size_t row = begin; isShort && row < end; ++row)
    detail::settleNan(out + row * length, length);
}

/// out = g y - y sum(g y) for rows [begin, end).
template <class Tag, class T>
void softmaxGradientRows(const T *activation, const T *outGradient, T *out, std::size_t begin,
                         std::size_t end, std::size_t length) {
  using V = simd<float, Tag>;
  for (std::size_t row = begin; row < end; ++row) {
    const T *y = activation + row * length, *g = outGradient + row * length;
    const auto gradient = [=](std::size_t i) POP_SIMD_LAMBDA {
      return i + V::width <= length ? V::load(g + i) : V::loadPartial(g + i, length - i);
    };
    const V sum = V::splat(detail::reduceLongRow<Tag, ReduceOp::ADD>(
        y, length, [=](V x, std::size_t i) POP_SIMD_LAMBDA { return x * gradient(i); }));
    detail::transformRow<Tag>(y, out + row * length, length,
                              [&](V x, std::size_t i)
                                  POP_SIMD_LAMBDA { return x * (gradient(i) - sum); });
  }
}

} // namespace cottonwood::kernels
