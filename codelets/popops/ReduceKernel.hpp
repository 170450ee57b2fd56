/// \file ReduceKernel.hpp
/// out[o, i] = op over r of in[o, r, i]; order, identities and NaN rules are those of Reduce.hpp.
#pragma once

#include <codelets/arch/SimdAccumulate.hpp>
#include <codelets/popops/ColumnLines.hpp>
#include <codelets/popops/ReduceFar.hpp>
#include <codelets/popops/ReduceRows.hpp>
#include <codelets/popops/SplitsVectors.hpp>

namespace cottonwood::kernels {

/// Worker contexts share the outputs in multiples of this: vectors of columns stay whole, and long
/// rows of columns where there are enough, since memory is read in long runs.
POP_SIMD_INLINE constexpr std::size_t reduceGrain(std::size_t inner, std::size_t outputs) {
  constexpr std::size_t COLUMNS = 16, LONG = 256, ROWS = 4;
  return inner == 1 ? 1 : inner >= LONG && outputs >= ROWS * inner ? inner : COLUMNS;
}

template <class In, class Out> struct ReduceArgs {
  const In *in; ///< [outer, reduced, inner]
  Out *out;     ///< [outer, inner]
  std::size_t reduced;
  std::size_t inner;
  const float *scale; ///< null: no scaling
  bool update;        ///< add to what is in out
  bool far;           ///< `in` is fetched as part of what comes from past the caches
};

namespace detail {

/// Columns reduced at a time: their results stay in L1.
inline constexpr std::size_t REDUCE_COLUMNS = 1024;

/// What is fetched ahead of time while columns are reduced. Eight rows at a time are more than some
/// hardware prefetchers keep track of.
enum class ColumnFetch : std::uint8_t {
  NONE,
  ROWS, ///< what eight rows further on are read from
  /// Lines in memory's order, to the first cache or to the second, where whole rows come from past
  /// the caches: 40 MB take .3 to .75 of the time on Zen 4, what the third cache holds 1.1 to 1.2
  /// times as long.
  LINES_TO_FIRST,
  LINES_TO_SECOND,
};

/// Columns of so many bytes and more are fetched ROWS by rows, at least so far ahead.
inline constexpr std::size_t REDUCE_FETCHED = std::size_t{1} << 19, REDUCE_AHEAD = 8192;

/// Whether LINES of rows of n elements go to the first cache: of few, and of those that are halves
/// and wholes of lines. On Zen 4 rows of 2 to 8 floats take .65 to .95 of the time that they take
/// to the second, of 128 floats .45 and of 400 floats .65; others up to 1.3 times as long.
template <class In> POP_SIMD_INLINE constexpr bool goesToFirst(std::size_t n) {
  const std::size_t bytes = n * sizeof(In);
  return n <= 8 || (bytes % 32 == 0 && bytes >= 256 && bytes <= 2048);
}
/// Elements ahead of which LINES are. Near ones suffice for rows that prefetchers keep track of:
/// with 32 KB rows of 10 to 100 elements take 1.1 to 1.5 times as long on Zen 4. Of others about
/// eight rows are fetched before they are read.
template <class In> POP_SIMD_INLINE constexpr std::size_t linesAhead(std::size_t n) {
  return n <= 100 ? 512 : (goesToFirst<In>(n) ? 12288 : 32768) / sizeof(In);
}

/// Whether ROWS are worth it for rows of so many bytes. With vectors of whole lines prefetchers
/// keep track of all rows but short ones that end within lines: requests for others take 1.1 to 1.3
/// times as long on Zen 5. Columns of half, whose vectors are halves of lines, take .6 of the time.
template <class Tag, class In> POP_SIMD_INLINE bool isFetched(std::size_t rowBytes) {
  constexpr std::size_t LINE = 64, SHORT = 1024;
  return !arch::Avx512Tag<Tag> || sizeof(In) == 2 || (rowBytes < SHORT && rowBytes % LINE != 0);
}

/// How eight rows are combined with what was before them, vector by vector.
template <class Tag, ReduceOp OP, ColumnFetch FETCH, class In, class T, class F> class ColumnFold {
  using V = simd<T, Tag>;
  using C = CombineOf<OP, In>;
  static constexpr bool TO_FIRST = FETCH == ColumnFetch::LINES_TO_FIRST,
                        LINES = TO_FIRST || FETCH == ColumnFetch::LINES_TO_SECOND;
  /// Whether rows are loaded in memory's order, which hardware prefetchers follow. On Zen 4 rows of
  /// 16 floats are read at 34 GB/s so, out of order at 12; whole lines that were asked for to the
  /// first cache come 1.15 times as fast out of order.
  static constexpr bool IN_ORDER = !TO_FIRST;

public:
  /// \param f  of a vector of the input and of its first column
  POP_SIMD_INLINE ColumnFold(std::size_t stride, std::size_t n, F f)
      : stride_(stride), part_((n - 1) % V::width + 1), lines_(stride, n, linesAhead<In>(n)),
        f_(f) {
    const std::size_t eight = 8 * stride * sizeof(In);
    ahead_ = (REDUCE_AHEAD + eight - 1) / eight * 8 * stride;
  }

  /// Columns [c, c + width) of the eight rows at `in`; a PART of a vector: [c, n).
  template <bool PART> POP_SIMD_INLINE V eightRows(V sum, const In *in, std::size_t c) const {
    constexpr int LEVEL = arch::Avx512Tag<Tag> ? 3 : 2; // the first cache, or the second
    const In *const low = in + c, *const high = low + 4 * stride_;
    if constexpr (FETCH == ColumnFetch::ROWS)
      arch::unrolled<4>([&](auto k) POP_SIMD_LAMBDA {
        __builtin_prefetch(low + ahead_ + k * stride_, 0, LEVEL);
        __builtin_prefetch(high + ahead_ + k * stride_, 0, LEVEL);
      });
    else if constexpr (LINES)
      lines_.template fetch<TO_FIRST ? 3 : 2>(in, c, PART ? part_ : V::width);
    V x[8];
    arch::unrolled<8>([&](auto k) POP_SIMD_LAMBDA {
      const V row = load<PART>(low + k * stride_, c);
      x[k] = IN_ORDER ? arch::inOrder(row) : row;
    });
    const auto four = [&](std::size_t k) POP_SIMD_LAMBDA {
      return C::merge(C::accumulate(C::lift(x[k]), x[k + 1]),
                      C::accumulate(C::lift(x[k + 2]), x[k + 3]));
    };
    return C::merge(sum, C::merge(four(0), four(4)));
  }

  template <bool PART> POP_SIMD_INLINE V oneRow(V sum, const In *in, std::size_t c) const {
    return C::accumulate(sum, load<PART>(in + c, c));
  }

  /// All columns of all rows: part of a vector, or one and part of another.
  template <bool TWO> POP_SIMD_INLINE void few(const In *in, std::size_t rows, T *sums) const {
    constexpr std::size_t W = V::width;
    V first = V::splat(C::template identity<T>()), second = first;
    std::size_t r = 0;
    for (; r + 8 <= rows; r += 8, in += 8 * stride_) {
      first = eightRows<!TWO>(first, in, 0);
      if constexpr (TWO)
        second = eightRows<true>(second, in, W);
    }
    for (; r < rows; ++r, in += stride_) {
      first = oneRow<!TWO>(first, in, 0);
      if constexpr (TWO)
        second = oneRow<true>(second, in, W);
    }
    first.store(sums);
    if constexpr (TWO)
      second.store(sums + W);
  }

private:
  template <bool PART> POP_SIMD_INLINE V load(const In *p, std::size_t c) const {
    if constexpr (PART)
      return f_(V::loadPartial(p, part_), c);
    else
      return f_(V::load(p), c);
  }

  std::size_t stride_, part_, ahead_;
  ColumnLines<In, REDUCE_COLUMNS> lines_;
  F f_;
};

/// sums[c] = op over r of in[r * stride + c], for c < n, n at most two vectors: they stay in
/// registers, since through memory each step would wait for the one before.
template <class Tag, ReduceOp OP, ColumnFetch FETCH, class In, class T, class F>
POP_SIMD_INLINE void foldFewColumns(const In *in, std::size_t rows, std::size_t stride,
                                    std::size_t n, T *sums, F f) {
  const ColumnFold<Tag, OP, FETCH, In, T, F> fold(stride, n, f);
  if (n <= static_cast<std::size_t>(simd<T, Tag>::width))
    fold.template few<false>(in, rows, sums);
  else
    fold.template few<true>(in, rows, sums);
}

/// The same of n <= REDUCE_COLUMNS.
template <class Tag, ReduceOp OP, ColumnFetch FETCH, class In, class T, class F>
POP_SIMD_INLINE void foldColumns(const In *in, std::size_t rows, std::size_t stride, std::size_t n,
                                 T *sums, F f) {
  using V = simd<T, Tag>;
  constexpr std::size_t W = V::width;
  if (n <= 2 * W)
    return foldFewColumns<Tag, OP, FETCH>(in, rows, stride, n, sums, f);
  const ColumnFold<Tag, OP, FETCH, In, T, F> fold(stride, n, f);
  // Sums are whole vectors: lanes beyond n hold rubbish that is never stored.
  for (std::size_t c = 0; c < n; c += W)
    V::splat(Combine<OP>::template identity<T>()).store(sums + c);
  const std::size_t whole = n / W * W;
  std::size_t r = 0;
  for (; r + 8 <= rows; r += 8, in += 8 * stride) {
    for (std::size_t c = 0; c < whole; c += W)
      fold.template eightRows<false>(V::load(sums + c), in, c).store(sums + c);
    if (whole != n)
      fold.template eightRows<true>(V::load(sums + whole), in, whole).store(sums + whole);
  }
  for (; r < rows; ++r, in += stride) {
    for (std::size_t c = 0; c < whole; c += W)
      fold.template oneRow<false>(V::load(sums + c), in, c).store(sums + c);
    if (whole != n)
      fold.template oneRow<true>(V::load(sums + whole), in, whole).store(sums + whole);
  }
}

/// fold(std::integral_constant<ColumnFetch, how>), how n columns are fetched.
/// \param far  they are part of what comes from past the caches
template <class Tag, class In, class F>
POP_SIMD_INLINE void withFetch(std::size_t rows, std::size_t stride, std::size_t n, bool far,
                               F &&fold) {
  const std::size_t rowBytes = stride * sizeof(In);
  constexpr std::integral_constant<ColumnFetch, ColumnFetch::NONE> none{};
  if constexpr (std::is_same_v<Tag, isa::scalar>)
    fold(none); // too slow to wait for memory
  else if (far && n == stride && goesToFirst<In>(n))
    fold(std::integral_constant<ColumnFetch, ColumnFetch::LINES_TO_FIRST>{});
  else if (far && ColumnLines<In, REDUCE_COLUMNS>::serves(stride, n))
    fold(std::integral_constant<ColumnFetch, ColumnFetch::LINES_TO_SECOND>{});
  else if (rows * rowBytes >= REDUCE_FETCHED && isFetched<Tag, In>(rowBytes))
    fold(std::integral_constant<ColumnFetch, ColumnFetch::ROWS>{});
  else
    fold(none);
}

/// sums[c] = op over r of in[r * stride + c], for c < n, n <= REDUCE_COLUMNS.
template <class Tag, ReduceOp OP, class In, class T>
POP_SIMD_INLINE void foldLargeColumns(const In *in, std::size_t rows, std::size_t stride,
                                      std::size_t n, bool far, T *sums) {
  const auto same = [](auto x, std::size_t) POP_SIMD_LAMBDA { return x; };
  withFetch<Tag, In>(rows, stride, n, far, [&](auto fetch) POP_SIMD_LAMBDA {
    foldColumns<Tag, OP, decltype(fetch)::value>(in, rows, stride, n, sums, same);
  });
}

template <class Tag, class In>
void logAddColumns(const In *in, std::size_t rows, std::size_t stride, std::size_t n, bool far,
                   float *sums) {
  using V = simd<float, Tag>;
  float largest[REDUCE_COLUMNS];
  foldLargeColumns<Tag, ReduceOp::MAX>(in, rows, stride, n, far, largest);
  foldColumns<Tag, ReduceOp::ADD, ColumnFetch::NONE>(
      in, rows, stride, n, sums,
      [&](V x, std::size_t c) POP_SIMD_LAMBDA { return math::exp(x - V::load(largest + c)); });
  const V inf = V::splat(__builtin_inff());
  for (std::size_t c = 0; c < n; c += V::width) {
    const V m = V::load(largest + c), sum = m + math::log(V::load(sums + c));
    const V result = V::select(V::abs(m) == inf, m, sum);
    (rows ? result : V::splat(LOG_ZERO)).store(sums + c);
  }
}

/// Up to ten columns with vectors of eight lanes: loads of a line that begin within one touch two.
/// Only what is inlined may be instantiated with the tag: it is one of other objects.
template <ReduceOp OP, class In, class T>
POP_SIMD_INLINE void foldTenColumns(const In *in, std::size_t rows, std::size_t stride,
                                    std::size_t n, bool far, T *sums) {
  using Eight = isa::avx2;
  const auto same = [](auto x, std::size_t) POP_SIMD_LAMBDA { return x; };
  withFetch<Eight, In>(rows, stride, n, far, [&](auto fetch) POP_SIMD_LAMBDA {
    foldFewColumns<Eight, OP, decltype(fetch)::value>(in, rows, stride, n, sums, same);
  });
}

/// sums[c] = op over r of in[r * stride + c], for c < n, n <= REDUCE_COLUMNS.
template <class Tag, ReduceOp OP, class In>
void reduceColumns(const In *in, std::size_t rows, std::size_t stride, std::size_t n, bool far,
                   Accumulator<In> *sums) {
  if constexpr (OP == ReduceOp::LOG_ADD) {
    logAddColumns<Tag>(in, rows, stride, n, far, sums);
  } else {
    if constexpr (arch::Avx512Tag<Tag>)
      if (n == 8 || (n <= 10 && sizeof(In) == 4))
        return foldTenColumns<OP>(in, rows, stride, n, far, sums);
    foldLargeColumns<Tag, OP>(in, rows, stride, n, far, sums);
  }
}

/// Scale, update, rounding: n results into out.
template <class Tag, bool LOG_ADD, class T, class Out>
void storeResults(const T *results, Out *out, std::size_t n, const float *scale, bool update) {
  using V = simd<T, Tag>;
  const auto finish = [&](V x, V old) POP_SIMD_LAMBDA {
    if constexpr (std::is_same_v<T, float>)
      if (scale)
        x = LOG_ADD ? x + V::splat(*scale) : x * V::splat(*scale);
    if (!update)
      return x;
    if constexpr (LOG_ADD)
      return logAdd(old, x);
    else
      return old + x;
  };
  std::size_t i = 0;
  for (; i + V::width <= n; i += V::width)
    finish(V::load(results + i), update ? V::load(out + i) : V::zero()).store(out + i);
  if (const std::size_t m = n - i)
    finish(V::loadPartial(results + i, m), update ? V::loadPartial(out + i, m) : V::zero())
        .storePartial(out + i, m);
}

/// A row of BOOL: AND asks whether a 0 occurs, OR whether a 1 does.
template <class Tag, bool AND> bool reduceBoolRow(const bool *in, std::size_t n) {
  using B = simd<std::uint8_t, Tag>;
  const B flip = B::splat(AND ? 1 : 0);
  B seen = B::splat(0);
  std::size_t i = 0;
  for (; i + B::width <= n; i += B::width)
    seen = seen | (B::load(in + i) ^ flip);
  for (; i < n; ++i)
    seen = seen | B::splat(static_cast<std::uint8_t>(in[i] != AND));
  return seen.anyBit() != AND;
}

template <class Tag, bool AND>
void reduceBoolColumns(const bool *in, std::size_t rows, std::size_t stride, std::size_t n,
                       bool *out) {
  using B = simd<std::uint8_t, Tag>;
  for (std::size_t c = 0; c < n; c += B::width) {
    const std::size_t m = n - c < B::width ? n - c : B::width;
    B sum = B::splat(AND ? 1 : 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const bool *p = in + r * stride + c;
      const B x = m == B::width ? B::load(p) : B::loadPartial(p, m);
      sum = AND ? (sum & x) : (sum | x);
    }
    sum.storePartial(out + c, m);
  }
}

template <class Tag, bool AND>
void reduceBool(const ReduceArgs<bool, bool> &args, std::size_t begin, std::size_t end) {
  if (args.inner == 1) {
    for (std::size_t row = begin; row < end; ++row)
      args.out[row] = reduceBoolRow<Tag, AND>(args.in + row * args.reduced, args.reduced);
    return;
  }
  for (std::size_t i = begin; i < end;) {
    const std::size_t outer = i / args.inner, column = i % args.inner;
    const std::size_t n = args.inner - column < end - i ? args.inner - column : end - i;
    reduceBoolColumns<Tag, AND>(args.in + outer * args.reduced * args.inner + column, args.reduced,
                                args.inner, n, args.out + i);
    i += n;
  }
}

/// The two shapes of a reduction; null for operations that the type does not have.
template <class In> struct ReduceShapes {
  void (*rows)(const In *, std::size_t, std::size_t, bool, Accumulator<In> *) = nullptr;
  void (*columns)(const In *, std::size_t, std::size_t, std::size_t, bool,
                  Accumulator<In> *) = nullptr;
};

template <class Tag, class In> POP_SIMD_INLINE ReduceShapes<In> kernelsOfVectors(ReduceOp op) {
  switch (op) {
  case ReduceOp::ADD:
    return {&reduceRows<Tag, ReduceOp::ADD, In>, &reduceColumns<Tag, ReduceOp::ADD, In>};
  case ReduceOp::SQUARE_ADD:
    return {&reduceRows<Tag, ReduceOp::SQUARE_ADD, In>,
            &reduceColumns<Tag, ReduceOp::SQUARE_ADD, In>};
  case ReduceOp::MUL:
    return {&reduceRows<Tag, ReduceOp::MUL, In>, &reduceColumns<Tag, ReduceOp::MUL, In>};
  case ReduceOp::MIN:
    return {&reduceRows<Tag, ReduceOp::MIN, In>, &reduceColumns<Tag, ReduceOp::MIN, In>};
  case ReduceOp::MAX:
    return {&reduceRows<Tag, ReduceOp::MAX, In>, &reduceColumns<Tag, ReduceOp::MAX, In>};
  case ReduceOp::LOG_ADD:
    if constexpr (std::is_same_v<Accumulator<In>, float>)
      return {&reduceRows<Tag, ReduceOp::LOG_ADD, In>, &reduceColumns<Tag, ReduceOp::LOG_ADD, In>};
    return {};
  default:
    return {};
  }
}

/// Those of half.
template <class Tag> ReduceShapes<half> halfReductions(ReduceOp op) {
  return kernelsOfVectors<Tag, half>(op);
}
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
extern template ReduceShapes<half> halfReductions<isa::avx2>(ReduceOp);
#endif

/// The shapes of a reduction for a tag. Where instructions on 512 bits run as two, those that
/// convert 16 halves take as long as three of 8, and with eight lanes sums take .6 of the time.
template <class Tag, class In> POP_SIMD_INLINE ReduceShapes<In> reduceKernels(ReduceOp op) {
  if constexpr (std::is_same_v<In, half>) {
#if !defined(POPLAR_HEADER_ONLY) && defined(POP_ISA)
    if constexpr (arch::Avx512Tag<Tag>)
      if (op != ReduceOp::LOG_ADD && splitsVectors())
        return halfReductions<isa::avx2>(op);
#endif
    return halfReductions<Tag>(op);
  } else {
    return kernelsOfVectors<Tag, In>(op);
  }
}

/// Outputs [begin, begin + n) of the flattened [outer, inner], at most REDUCE_COLUMNS and within
/// one block: their accumulated values.
template <class In, class Out>
POP_SIMD_INLINE void reducePart(const ReduceShapes<In> &kernels, const ReduceArgs<In, Out> &args,
                                std::size_t begin, std::size_t n, Accumulator<In> *results) {
  if (args.inner == 1)
    return kernels.rows(args.in + begin * args.reduced, n, args.reduced, args.far, results);
  const std::size_t outer = begin / args.inner, column = begin % args.inner;
  kernels.columns(args.in + outer * args.reduced * args.inner + column, args.reduced, args.inner, n,
                  args.far, results);
}
} // namespace detail

/// Outputs [begin, end) of the flattened [outer, inner]. Operations that the types do not have
/// leave the output as it is.
template <class Tag, class In, class Out>
void reduce(ReduceOp op, const ReduceArgs<In, Out> &args, std::size_t begin, std::size_t end) {
  if constexpr (std::is_same_v<In, bool>) {
    if (op == ReduceOp::LOGICAL_AND)
      detail::reduceBool<Tag, true>(args, begin, end);
    else if (op == ReduceOp::LOGICAL_OR)
      detail::reduceBool<Tag, false>(args, begin, end);
  } else {
    using T = detail::Accumulator<In>;
    const auto kernels = detail::reduceKernels<Tag, In>(op);
    if (!kernels.rows)
      return;
    alignas(64) T results[detail::REDUCE_COLUMNS];
    while (begin < end) {
      const std::size_t block = args.inner == 1 ? end - begin : args.inner - begin % args.inner;
      std::size_t n = end - begin < block ? end - begin : block;
      n = n < detail::REDUCE_COLUMNS ? n : detail::REDUCE_COLUMNS;
      detail::reducePart(kernels, args, begin, n, results);
      bool stored = false;
      if constexpr (std::is_same_v<T, float>) {
        if (op == ReduceOp::LOG_ADD) {
          detail::storeResults<Tag, true>(results, args.out + begin, n, args.scale, args.update);
          stored = true;
        }
      }
      if (!stored)
        detail::storeResults<Tag, false>(results, args.out + begin, n, args.scale, args.update);
      begin += n;
    }
  }
}

/// A reduction without its types.
struct ErasedReduce {
  ReduceOp op;
  const void *in;
  void *out;
  std::size_t outputs, reduced, inner;
  const float *scale;
  bool update;
};

template <class Tag, class In, class Out> void reduceErased(const ErasedReduce &r) {
  const ReduceArgs<In, Out> args{static_cast<const In *>(r.in),
                                 static_cast<Out *>(r.out),
                                 r.reduced,
                                 r.inner,
                                 r.scale,
                                 r.update,
                                 fetchesReduced(r.outputs * r.reduced * sizeof(In))};
  reduce<Tag>(r.op, args, 0, r.outputs);
}

/// kernels[in][out], by the types float, half, int, unsigned int, bool; null for pairs that do not
/// exist.
struct ReduceKernels {
  void (*kernels[5][5])(const ErasedReduce &);
};
template <class Tag> POP_SIMD_INLINE ReduceKernels reduceKernelsOf() {
  return {{{&reduceErased<Tag, float, float>, &reduceErased<Tag, float, half>},
           {&reduceErased<Tag, half, float>, &reduceErased<Tag, half, half>},
           {nullptr, nullptr, &reduceErased<Tag, std::int32_t, std::int32_t>},
           {nullptr, nullptr, nullptr, &reduceErased<Tag, std::uint32_t, std::uint32_t>},
           {nullptr, nullptr, nullptr, nullptr, &reduceErased<Tag, bool, bool>}}};
}

} // namespace cottonwood::kernels
