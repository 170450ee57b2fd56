/// \file ReduceRows.hpp
/// Reductions of rows of neighbouring elements, and what one operation does with two values.
#pragma once

#include <codelets/arch/SimdAddConverted.hpp>
#include <codelets/arch/SimdColumns.hpp>
#include <codelets/arch/SimdFold.hpp>
#include <codelets/arch/SimdMath.hpp>
#include <codelets/arch/SimdTable.hpp>
#include <codelets/popops/StreamBytes.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// In the order of popops::Operation.
enum class ReduceOp : std::uint8_t {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD,
  LOG_ADD
};

/// What LOG_ADD gives for nothing: the logarithm that stands for probability zero.
inline constexpr float LOG_ZERO = -65504.f;

namespace detail {
template <class T>
using Accumulator =
    std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, float>, float, T>;

/// One operation on vectors of accumulators.
template <ReduceOp OP> struct Combine {
  template <class T> static constexpr T identity() {
    constexpr bool FLOATING = std::is_same_v<T, float>;
    if constexpr (OP == ReduceOp::MUL)
      return T(1);
    else if constexpr (OP == ReduceOp::MIN)
      return FLOATING ? T(__builtin_inff()) : std::is_signed_v<T> ? T(INT32_MAX) : T(UINT32_MAX);
    else if constexpr (OP == ReduceOp::MAX)
      return FLOATING ? T(-__builtin_inff()) : std::is_signed_v<T> ? T(INT32_MIN) : T(0);
    else
      return T(0);
  }
  template <class V> POP_SIMD_INLINE static V accumulate(V sum, V x) {
    if constexpr (OP == ReduceOp::SQUARE_ADD && std::is_same_v<typename V::Element, float>)
      return V::fma(x, x, sum);
    else if constexpr (OP == ReduceOp::SQUARE_ADD)
      return sum + x * x;
    else
      return merge(sum, x);
  }
  /// NaN in b leaves a.
  template <class V> POP_SIMD_INLINE static V merge(V a, V b) {
    if constexpr (OP == ReduceOp::MUL)
      return a * b;
    else if constexpr (OP == ReduceOp::MIN)
      return V::min(b, a);
    else if constexpr (OP == ReduceOp::MAX)
      return V::max(b, a);
    else
      return a + b;
  }
  /// The partial result of one element.
  template <class V> POP_SIMD_INLINE static V lift(V x) {
    if constexpr (OP == ReduceOp::SQUARE_ADD)
      return x * x;
    else if constexpr (OP == ReduceOp::MIN || OP == ReduceOp::MAX)
      return merge(V::splat(identity<typename V::Element>()), x);
    else
      return x;
  }
  /// What horizontal() does with two lanes.
  template <class V> POP_SIMD_INLINE static V acrossLanes(V low, V high) {
    if constexpr (OP == ReduceOp::MIN)
      return V::min(low, high);
    else if constexpr (OP == ReduceOp::MAX)
      return V::max(low, high);
    else
      return merge(low, high);
  }
  template <class V> POP_SIMD_INLINE static typename V::Element horizontal(V v) {
    if constexpr (OP == ReduceOp::MUL)
      return v.reduceMul();
    else if constexpr (OP == ReduceOp::MIN)
      return v.reduceMin();
    else if constexpr (OP == ReduceOp::MAX)
      return v.reduceMax();
    else
      return v.reduceAdd();
  }
};

/// The same for vectors that were elements In.
template <ReduceOp OP, class In> struct CombineOf : Combine<OP> {};
template <> struct CombineOf<ReduceOp::ADD, half> : Combine<ReduceOp::ADD> {
  template <class V> POP_SIMD_INLINE static V accumulate(V sum, V x) {
    return arch::addConverted(sum, x);
  }
  template <class V> POP_SIMD_INLINE static V merge(V a, V b) { return arch::addConverted(a, b); }
};

/// 64 partial results that the elements of a row are combined in, folded by halves: element r
/// always goes to partial result r mod 64.
template <class Tag, ReduceOp OP, class In> class RowPartials {
  using T = Accumulator<In>;
  using V = simd<T, Tag>;
  using C = CombineOf<OP, In>;
  static constexpr std::size_t W = V::width, K = 64 / W;

public:
  POP_SIMD_INLINE RowPartials() {
    arch::unrolled<K>([&](auto k)
                          POP_SIMD_LAMBDA { sums_[k] = V::splat(C::template identity<T>()); });
  }

  /// Elements [i, i + 64), of which f(x, index of the first lane) is taken vector by vector.
  template <class F> POP_SIMD_INLINE void block(const In *in, std::size_t i, F f) {
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
      sums_[k] = C::accumulate(sums_[k], f(V::load(in + i + k * W), i + k * W));
    });
  }

  /// The same, of which f takes and gives packs of N vectors.
  template <std::size_t N, class F>
  POP_SIMD_INLINE void blockOfPacks(const In *in, std::size_t i, F f) {
    using P = arch::Pack<V, N>;
    arch::unrolled<K / N>([&](auto k) POP_SIMD_LAMBDA {
      const std::size_t first = i + k * P::width;
      const P x = f(P::load(in + first), first);
      arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
        sums_[k * N + j] = C::accumulate(sums_[k * N + j], x.v[j]);
      });
    });
  }

  /// Elements [i, n), fewer than 64 of them; i is a multiple of 64.
  template <class F>
  POP_SIMD_INLINE void raggedEnd(const In *in, std::size_t i, std::size_t n, F f) {
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
      const std::size_t begin = i + k * W;
      if (begin + W <= n) {
        sums_[k] = C::accumulate(sums_[k], f(V::load(in + begin), begin));
      } else if (begin < n) {
        using I = simd<std::int32_t, Tag>;
        const auto inside = I::iota() < I::splat(static_cast<std::int32_t>(n - begin));
        const V next = C::accumulate(sums_[k], f(V::loadPartial(in + begin, n - begin), begin));
        sums_[k] = V::select(inside, next, sums_[k]);
      }
    });
  }

  /// Elements [0, 64 - beyond) of a row that begins `beyond` elements behind a line, as places
  /// [beyond, 64); the elements behind them follow from place 64 on.
  template <class F> POP_SIMD_INLINE void firstLines(const In *in, std::size_t beyond, F f) {
    using I = simd<std::int32_t, Tag>;
    const V first = arch::lanesFrom(V::zero(), V::loadPartial(in, W - beyond), W - beyond);
    const auto outside = I::iota() < I::splat(static_cast<std::int32_t>(beyond));
    sums_[0] = V::select(outside, sums_[0], C::accumulate(sums_[0], f(first, 0)));
    arch::unrolled<K - 1>([&](auto k) POP_SIMD_LAMBDA {
      sums_[k + 1] = C::accumulate(sums_[k + 1], f(V::load(in + (k + 1) * W - beyond), 0));
    });
  }

  /// Afterwards: partial results of elements instead of places.
  POP_SIMD_INLINE void fromLines(std::size_t beyond) {
    const V first = sums_[0];
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
      sums_[k] = arch::lanesFrom(sums_[k], k + 1 < K ? sums_[(k + 1) % K] : first, beyond);
    });
  }

  POP_SIMD_INLINE T fold() { return C::horizontal(foldToVector()); }

  /// All partial results in one vector, whose lanes remain.
  POP_SIMD_INLINE V foldToVector() {
    if constexpr (K >= 64)
      mergeHalves<32>();
    if constexpr (K >= 32)
      mergeHalves<16>();
    if constexpr (K >= 16)
      mergeHalves<8>();
    if constexpr (K >= 8)
      mergeHalves<4>();
    mergeHalves<2>();
    return C::merge(sums_[0], sums_[1]);
  }

private:
  template <std::size_t N> POP_SIMD_INLINE void mergeHalves() {
    arch::unrolled<N>([&](auto k) POP_SIMD_LAMBDA { sums_[k] = C::merge(sums_[k], sums_[k + N]); });
  }

  V sums_[K];
};

/// f(x, index of its first lane) of every vector of a row.
/// \tparam AHEAD  bytes ahead of those that are read, of which lines are fetched, of floats to the
///     second-level cache; 0: none are
template <class Tag, ReduceOp OP, std::size_t AHEAD = 0, class In, class F>
POP_SIMD_INLINE RowPartials<Tag, OP, In> partialsOfRow(const In *in, std::size_t n, F f) {
  constexpr int LEVEL = sizeof(In) == 2 ? 3 : 2;
  RowPartials<Tag, OP, In> partials;
  std::size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    if constexpr (AHEAD != 0)
      fetchAhead<LEVEL>(in, i, 64, AHEAD);
    partials.block(in, i, f);
  }
  if constexpr (AHEAD != 0)
    fetchAhead<LEVEL>(in, i, n - i, AHEAD);
  partials.raggedEnd(in, i, n, f);
  return partials;
}

/// The same, combined.
template <class Tag, ReduceOp OP, std::size_t AHEAD = 0, class In, class F>
POP_SIMD_INLINE Accumulator<In> reduceRow(const In *in, std::size_t n, F f) {
  return partialsOfRow<Tag, OP, AHEAD>(in, n, f).fold();
}

/// Elements of a row that are summed before the sum is added to those of the elements in front:
/// each partial sum is of at most 1024 of them.
inline constexpr std::size_t REDUCE_PART = 65536;

/// The same for rows longer than that.
template <class Tag, ReduceOp OP, class In, class F>
[[gnu::noinline]] float reduceParts(const In *in, std::size_t n, F f) {
  double sum = 0;
  for (std::size_t begin = 0; begin < n; begin += REDUCE_PART) {
    const std::size_t left = n - begin, length = left < REDUCE_PART ? left : REDUCE_PART;
    sum += static_cast<double>(reduceRow<Tag, OP>(in + begin, length,
                                                  [&](auto x, std::size_t i)
                                                      POP_SIMD_LAMBDA { return f(x, begin + i); }));
  }
  return static_cast<float>(sum);
}

/// The same for sums, which rows of any length do not make much less exact.
/// \param f  holds no references, for reduceParts() is a call: what they refer to would be read
///     again after each store of the caller
template <class Tag, ReduceOp OP, class In, class F>
POP_SIMD_INLINE float reduceLongRow(const In *in, std::size_t n, F f) {
  return n <= REDUCE_PART ? reduceRow<Tag, OP>(in, n, f) : reduceParts<Tag, OP>(in, n, f);
}

/// Rows of at most LANES elements, as many at a time as a vector has lanes; returns how many were
/// reduced. Partial results that no element goes to change nothing, and are not combined.
template <class Tag, ReduceOp OP, std::size_t LANES, class In>
std::size_t reducePackedRows(const In *in, std::size_t count, std::size_t length,
                             Accumulator<In> *results) {
  using T = Accumulator<In>;
  using V = simd<T, Tag>;
  using C = CombineOf<OP, In>;
  constexpr std::size_t W = V::width;
  const arch::PackedRows<LANES, Tag> rows(length);
  const V none = V::splat(C::template identity<T>());
  std::size_t i = 0;
  for (; i + W <= count; i += W, in += W * length)
    arch::foldLanes<LANES, Tag, V>(
        [&](std::size_t v) POP_SIMD_LAMBDA {
          const V x = C::accumulate(none, rows.template load<V>(in, v));
          return LANES == 1 ? x : V::select(rows.inside(), x, none);
        },
        [](V low, V high) POP_SIMD_LAMBDA { return C::acrossLanes(low, high); })
        .store(results + i);
  return i;
}

/// The same for rows of 1 to W elements.
template <class Tag, ReduceOp OP, class In>
std::size_t reduceShortRows(const In *in, std::size_t count, std::size_t length,
                            Accumulator<In> *results) {
  constexpr std::size_t W = simd<Accumulator<In>, Tag>::width;
  if (length == 1)
    return reducePackedRows<Tag, OP, 1>(in, count, length, results);
  if (length == 2)
    return reducePackedRows<Tag, OP, 2>(in, count, length, results);
  if (length <= 4)
    return reducePackedRows<Tag, OP, 4>(in, count, length, results);
  if (length <= 8)
    return reducePackedRows<Tag, OP, 8>(in, count, length, results);
  return reducePackedRows<Tag, OP, W>(in, count, length, results);
}

/// Longer rows up to this are folded sixteen at a time where vectors have as many lanes: one by one
/// they take longer than with vectors of eight.
inline constexpr std::size_t REDUCE_SHORT = 128;
template <class Tag> inline constexpr bool FOLDS_ROWS = arch::Avx512Tag<Tag>;

/// results[r] = op over row r of 16 rows.
template <class Tag, ReduceOp OP, class In>
void reduceSixteenRows(const In *in, std::size_t length, Accumulator<In> *results) {
  using V = simd<Accumulator<In>, Tag>;
  V rows[16];
  for (std::size_t r = 0; r < 16; ++r)
    rows[r] = partialsOfRow<Tag, OP>(in + r * length, length, [](V x, std::size_t) POP_SIMD_LAMBDA {
                return x;
              }).foldToVector();
  arch::foldLanes<16, Tag, V>([&](std::size_t r) POP_SIMD_LAMBDA { return rows[r]; },
                              [](V low, V high)
                                  POP_SIMD_LAMBDA { return Combine<OP>::acrossLanes(low, high); })
      .store(results);
}

/// Rows of at least so many elements that begin within a line are read line by line where vectors
/// are whole lines: each would touch two of them.
inline constexpr std::size_t REDUCE_LINES = 384;
template <class Tag, class In>
inline constexpr bool READS_LINES = arch::Avx512Tag<Tag> && sizeof(In) == 4;

/// The same for such a row and f of the vector alone; the same bits.
template <class Tag, ReduceOp OP, class In, class F>
[[gnu::noinline]] Accumulator<In> reduceLines(const In *in, std::size_t n, F f) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(in) / sizeof(In) % 16;
  RowPartials<Tag, OP, In> partials;
  partials.firstLines(in, beyond, f);
  const In *const rest = in + (64 - beyond);
  const std::size_t left = n - (64 - beyond);
  std::size_t i = 0;
  for (; i + 64 <= left; i += 64)
    partials.block(rest, i, f);
  partials.raggedEnd(rest, i, left, f);
  partials.fromLines(beyond);
  return partials.fold();
}

/// Bytes ahead at which rows are fetched by vectors of whole lines and of halves of lines. The more
/// instructions a line takes, the fewer lines a processor itself asks for at a time: of half on Zen
/// 5 rows of 40 MB take .7 of the time with fetches to the first-level cache. Floats take 1.2 times
/// as long so, but from past the caches .85 to 1 of the time on Zen 4 with near ones to the second;
/// from the second they take 1.2 times as long with them.
/// \tparam FAR  rows come from past the caches
template <class Tag, class In, bool FAR>
inline constexpr std::size_t REDUCE_ROW_AHEAD = !arch::Avx512Tag<Tag> ? 0
                                                : sizeof(In) == 2     ? 12288
                                                : FAR                 ? 1024
                                                                      : 0;

/// log(sum of exp(x)) of a row: its maximum first, so that nothing overflows.
template <class Tag, class In> POP_SIMD_INLINE float logAddRow(const In *in, std::size_t n) {
  using V = simd<float, Tag>;
  if (n == 0)
    return LOG_ZERO;
  const float largest =
      reduceRow<Tag, ReduceOp::MAX>(in, n, [](V x, std::size_t) POP_SIMD_LAMBDA { return x; });
  if (__builtin_isinf(largest))
    return largest;
  const V shift = V::splat(largest);
  const float sum = reduceRow<Tag, ReduceOp::ADD>(
      in, n, [&](V x, std::size_t) POP_SIMD_LAMBDA { return math::exp(x - shift); });
  return largest + math::log(V::splat(sum)).first();
}

/// Rows up to this length, for which RowPartials has more room than elements, are taken as many at
/// a time as a vector has lanes, if there are as many: fewer take longer so than one by one.
inline constexpr std::size_t SHORT_ROW = 63;

/// The sum of n columns of short rows, in the order of RowPartials. Its other partial results are
/// +0 and change nothing: none of the columns has a -0.
template <class V> POP_SIMD_INLINE V sumOfColumns(V *columns, std::size_t n) {
  for (std::size_t half = 32; half != 0; half /= 2)
    for (std::size_t i = 0; i < half && i + half < n; ++i)
      columns[i] = columns[i] + columns[i + half];
  return columns[0];
}

/// The same as logAddRow() of W rows of 1 to SHORT_ROW elements.
template <class Tag, class In>
[[gnu::noinline]] void logAddColumns(const In *in, std::size_t length, float *results) {
  using V = simd<float, Tag>;
  V columns[SHORT_ROW + 1];
  arch::loadColumns<Tag>(in, length, columns);
  const V infinity = V::splat(__builtin_inff());
  V largest = V::zero() - infinity;
  for (std::size_t j = 0; j < length; ++j)
    largest = V::max(columns[j], largest);
  for (std::size_t j = 0; j < length; ++j)
    columns[j] = math::exp(columns[j] - largest);
  const V sum = largest + math::log(sumOfColumns(columns, length));
  V::select(V::abs(largest) == infinity, largest, sum).store(results);
}

/// log(e^a + e^b).
template <class V> POP_SIMD_INLINE V logAdd(V a, V b) {
  const V high = V::max(a, b), low = V::min(a, b);
  const V sum = high + math::log1p(math::exp(low - high));
  const V result = V::select(V::abs(high) == V::splat(__builtin_inff()), high, sum);
  return V::select((a != a) | (b != b), a + b, result);
}

/// results[i] = op over row i of `count` rows of `length` contiguous elements.
/// \param far  they are part of what comes from past the caches
template <class Tag, ReduceOp OP, class In>
void reduceRows(const In *in, std::size_t count, std::size_t length, bool far,
                Accumulator<In> *results) {
  using V = simd<Accumulator<In>, Tag>;
  const auto same = [](V x, std::size_t) POP_SIMD_LAMBDA { return x; };
  if constexpr (OP != ReduceOp::LOG_ADD && READS_LINES<Tag, In>) {
    const bool atLines = reinterpret_cast<std::uintptr_t>(in) % 64 == 0 && length % 16 == 0;
    // All rows in one way: with two by turns, hardware prefetchers lose track (.7 times on Zen 5).
    if (length >= REDUCE_LINES && !atLines) {
      for (std::size_t i = 0; i < count; ++i, in += length)
        results[i] = reduceLines<Tag, OP>(in, length, same);
      return;
    }
  }
  std::size_t i = 0;
  if constexpr (OP != ReduceOp::LOG_ADD && V::width > 1)
    if (length != 0 && length <= V::width) {
      i = reduceShortRows<Tag, OP>(in, count, length, results);
      in += i * length;
    }
  if constexpr (OP != ReduceOp::LOG_ADD && FOLDS_ROWS<Tag>)
    if (length > V::width && length < REDUCE_SHORT)
      for (; i + 16 <= count; i += 16, in += 16 * length)
        reduceSixteenRows<Tag, OP>(in, length, results + i);
  if constexpr (OP == ReduceOp::LOG_ADD && V::width > 1)
    if (length != 0 && length <= SHORT_ROW)
      for (; i + V::width <= count; i += V::width, in += V::width * length)
        logAddColumns<Tag>(in, length, results + i);
  for (; i < count; ++i, in += length) {
    if constexpr (OP == ReduceOp::LOG_ADD)
      results[i] = logAddRow<Tag>(in, length);
    else
      results[i] = far ? reduceRow<Tag, OP, REDUCE_ROW_AHEAD<Tag, In, true>>(in, length, same)
                       : reduceRow<Tag, OP, REDUCE_ROW_AHEAD<Tag, In, false>>(in, length, same);
  }
}

} // namespace detail

} // namespace cottonwood::kernels
