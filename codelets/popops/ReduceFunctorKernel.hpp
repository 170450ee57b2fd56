/// \file ReduceFunctorKernel.hpp
/// out[o, i] = finish(op over r of map(in[o, r, i])) for functors of applications.
///
/// A reduction is a trivially copyable class R with
///   r.identity                         float, int or unsigned: the type T of partial results
///   r.combine(a, b)                     of vectors of Ts; associative and commutative
///   r.map(x)                            optional, of vectors: before combine, once an element
///   r.finish(x)                         optional, of vectors: once a result
/// float reductions read float or half and write either; those of integers read and write T.
///
/// The order is a function of the shape alone, the same on every instruction set, and that of
/// ReduceRows.hpp: a row keeps 64 partial results (element r goes to partial r mod 64), folded by
/// halves; columns take eight rows at a time as a tree and add its result to the running one.
#pragma once

#include <codelets/arch/SimdFold.hpp>
#include <codelets/arch/SimdMixed.hpp>
#include <codelets/popops/CastKernel.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// What a part of a reduction does besides combining: results between stages are not finished,
/// and not mapped again.
struct ReduceFunctorStage {
  bool maps, finishes;
};

template <class In, class Out> struct ReduceFunctorArgs {
  const In *in; ///< [outer, reduced, inner]
  Out *out;     ///< [outer, inner]
  std::size_t reduced, inner;
};

namespace detail {
template <class R> using ReduceNumber = std::remove_cv_t<decltype(R::identity)>;

/// A vector of a reduction's results, from a functor's answer.
template <class R, class Tag> using ReduceLanes = simd<ReduceNumber<R>, Tag>;

template <bool MAPS, class R, class V> POP_SIMD_INLINE V reduceMapped(const R &r, V x) {
  if constexpr (MAPS && requires { r.map(x); })
    return r.map(x);
  else
    return x;
}
template <class R, class V> POP_SIMD_INLINE V reduceFinished(const R &r, V x) {
  if constexpr (requires { r.finish(x); })
    return r.finish(x);
  else
    return x;
}

inline constexpr std::size_t REDUCE_FUNCTOR_PARTIALS = 64;

/// partials[i] = combine(partials[i], partials[i + n]) for i < n.
template <class Tag, class R, class T>
POP_SIMD_INLINE void foldPartials(const R &r, T *partials, std::size_t n) {
  using V = simd<T, Tag>;
  constexpr std::size_t W = V::width;
  for (std::size_t i = 0; i < n; i += W) {
    const std::size_t lanes = n - i < W ? n - i : W;
    const V sum =
        r.combine(V::loadPartial(partials + i, lanes), V::loadPartial(partials + i + n, lanes));
    sum.storePartial(partials + i, lanes);
  }
}

/// The partial results of a row in one vector, whose lanes remain to be folded.
template <class Tag, bool MAPS, class R, class In>
POP_SIMD_INLINE ReduceLanes<R, Tag> reduceFunctorPartials(const R &r, const In *in, std::size_t n) {
  using V = ReduceLanes<R, Tag>;
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t N = REDUCE_FUNCTOR_PARTIALS, W = V::width, K = N / W;
  V sums[K];
  arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { sums[k] = V::splat(r.identity); });
  std::size_t i = 0;
  for (; i + N <= n; i += N)
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
      sums[k] = r.combine(sums[k], reduceMapped<MAPS>(r, V::load(in + i + k * W)));
    });
  arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA {
    const std::size_t begin = i + k * W;
    if (begin + W <= n)
      sums[k] = r.combine(sums[k], reduceMapped<MAPS>(r, V::load(in + begin)));
    if (begin + W <= n || begin >= n)
      return;
    const std::size_t lanes = n - begin;
    const V next = r.combine(sums[k], reduceMapped<MAPS>(r, V::loadPartial(in + begin, lanes)));
    const auto inside = I::iota() < I::splat(static_cast<std::int32_t>(lanes));
    sums[k] = V::select(inside, next, sums[k]);
  });
  for (std::size_t half = K / 2; half != 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k)
      sums[k] = r.combine(sums[k], sums[k + half]);
  return sums[0];
}

template <class Tag, bool MAPS, class R, class In>
POP_SIMD_INLINE ReduceNumber<R> reduceFunctorRow(const R &r, const In *in, std::size_t n) {
  constexpr std::size_t W = ReduceLanes<R, Tag>::width;
  alignas(64) ReduceNumber<R> partials[W];
  reduceFunctorPartials<Tag, MAPS>(r, in, n).store(partials);
  for (std::size_t half = W / 2; half != 0; half /= 2)
    foldPartials<Tag>(r, partials, half);
  return partials[0];
}

/// Rows of 1 to LANES elements, as many at a time as a vector has lanes; returns how many were
/// reduced.
template <class Tag, bool MAPS, std::size_t LANES, class R, class In>
std::size_t reduceFunctorPacked(const R &r, const In *in, std::size_t count, std::size_t n,
                                ReduceNumber<R> *results) {
  using V = ReduceLanes<R, Tag>;
  constexpr std::size_t W = V::width;
  const arch::PackedRows<LANES, Tag> rows(n);
  const V none = V::splat(r.identity);
  const auto row = [&](const In *p, std::size_t v) POP_SIMD_LAMBDA {
    const V mapped = reduceMapped<MAPS>(r, rows.template load<V>(p, v));
    V x = V::select(rows.inside(), r.combine(none, mapped), none);
    // The folds with partial results that no element goes to.
    V absent = none;
    for (std::size_t half = REDUCE_FUNCTOR_PARTIALS / 2; half >= LANES; half /= 2) {
      x = r.combine(x, absent);
      absent = r.combine(absent, absent);
    }
    return x;
  };
  std::size_t i = 0;
  for (; i + W <= count; i += W, in += W * n)
    arch::foldLanes<LANES, Tag, V>([&](std::size_t v) POP_SIMD_LAMBDA { return row(in, v); },
                                   [&](V low, V high)
                                       POP_SIMD_LAMBDA { return V(r.combine(low, high)); })
        .store(results + i);
  return i;
}

/// The same for longer rows.
template <class Tag, bool MAPS, class R, class In>
std::size_t reduceFunctorTogether(const R &r, const In *in, std::size_t count, std::size_t n,
                                  ReduceNumber<R> *results) {
  using V = ReduceLanes<R, Tag>;
  constexpr std::size_t W = V::width;
  std::size_t i = 0;
  for (; i + W <= count; i += W) {
    V rows[W];
    for (std::size_t k = 0; k < W; ++k, in += n)
      rows[k] = reduceFunctorPartials<Tag, MAPS>(r, in, n);
    arch::foldLanes<W, Tag, V>([&](std::size_t k) POP_SIMD_LAMBDA { return rows[k]; },
                               [&](V low, V high)
                                   POP_SIMD_LAMBDA { return V(r.combine(low, high)); })
        .store(results + i);
  }
  return i;
}

/// results[i] = op over row i of `count` rows of n contiguous elements.
template <class Tag, bool MAPS, class R, class In>
void reduceFunctorRows(const R &r, const In *in, std::size_t count, std::size_t n,
                       ReduceNumber<R> *results) {
  constexpr std::size_t W = ReduceLanes<R, Tag>::width, FEW = 4;
  std::size_t i = 0;
  if constexpr (W > 1) {
    if (n != 0 && n <= FEW)
      i = reduceFunctorPacked<Tag, MAPS, FEW>(r, in, count, n, results);
    else if (n != 0 && n <= W)
      i = reduceFunctorPacked<Tag, MAPS, W>(r, in, count, n, results);
    else if (n != 0)
      i = reduceFunctorTogether<Tag, MAPS>(r, in, count, n, results);
  }
  for (; i < count; ++i)
    results[i] = reduceFunctorRow<Tag, MAPS>(r, in + i * n, n);
}

/// Columns reduced at a time: their results stay in L1.
inline constexpr std::size_t REDUCE_FUNCTOR_COLUMNS = 512;

/// sums[c] = op over r of in[r * stride + c], for c < n <= REDUCE_FUNCTOR_COLUMNS; `sums` has whole
/// vectors.
template <class Tag, bool MAPS, class R, class In>
POP_SIMD_INLINE void reduceFunctorColumns(const R &r, const In *in, std::size_t rows,
                                          std::size_t stride, std::size_t n,
                                          ReduceNumber<R> *sums) {
  using V = ReduceLanes<R, Tag>;
  constexpr std::size_t W = V::width;
  const auto load = [&](std::size_t row, std::size_t c) POP_SIMD_LAMBDA {
    const In *p = in + row * stride + c;
    return reduceMapped<MAPS>(r, c + W <= n ? V::load(p) : V::loadPartial(p, n - c));
  };
  for (std::size_t c = 0; c < n; c += W)
    V::splat(r.identity).store(sums + c);
  std::size_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    for (std::size_t c = 0; c < n; c += W) {
      const V a = r.combine(load(i, c), load(i + 1, c));
      const V b = r.combine(load(i + 2, c), load(i + 3, c));
      const V d = r.combine(load(i + 4, c), load(i + 5, c));
      const V e = r.combine(load(i + 6, c), load(i + 7, c));
      V(r.combine(V::load(sums + c), r.combine(r.combine(a, b), r.combine(d, e)))).store(sums + c);
    }
  }
  for (; i < rows; ++i)
    for (std::size_t c = 0; c < n; c += W)
      V(r.combine(V::load(sums + c), load(i, c))).store(sums + c);
}

template <class Tag, class R, class T, class Out>
POP_SIMD_INLINE void storeFunctorResults(const R &r, bool finishes, const T *results, Out *out,
                                         std::size_t n) {
  using V = simd<T, Tag>;
  constexpr std::size_t W = V::width;
  for (std::size_t i = 0; i < n; i += W) {
    const std::size_t lanes = n - i < W ? n - i : W;
    V x = V::loadPartial(results + i, lanes);
    if (finishes)
      x = reduceFinished(r, x);
    x.storePartial(out + i, lanes);
  }
}

template <class Tag, bool MAPS, class R, class In, class Out>
void reduceFunctorRange(const R &functor, const ReduceFunctorArgs<In, Out> &args, bool finishes,
                        std::size_t begin, std::size_t end) {
  constexpr std::size_t MOST = REDUCE_FUNCTOR_COLUMNS;
  const R r = functor;
  alignas(64) ReduceNumber<R> results[MOST];
  while (begin < end) {
    const std::size_t block = args.inner == 1 ? MOST : args.inner - begin % args.inner;
    std::size_t n = end - begin < block ? end - begin : block;
    n = n < MOST ? n : MOST;
    if (args.inner == 1) {
      reduceFunctorRows<Tag, MAPS>(r, args.in + begin * args.reduced, n, args.reduced, results);
    } else {
      const std::size_t outer = begin / args.inner, column = begin % args.inner;
      reduceFunctorColumns<Tag, MAPS>(r, args.in + outer * args.reduced * args.inner + column,
                                      args.reduced, args.inner, n, results);
    }
    storeFunctorResults<Tag>(r, finishes, results, args.out + begin, n);
    begin += n;
  }
}
} // namespace detail

/// Outputs [begin, end) of the flattened [outer, inner].
template <class Tag, class R, class In, class Out>
void reduceFunctor(const R &r, const ReduceFunctorArgs<In, Out> &args, ReduceFunctorStage stage,
                   std::size_t begin, std::size_t end) {
  constexpr bool HAS_MAP = requires(detail::ReduceLanes<R, Tag> x) { r.map(x); };
  if (HAS_MAP && stage.maps)
    detail::reduceFunctorRange<Tag, HAS_MAP>(r, args, stage.finishes, begin, end);
  else
    detail::reduceFunctorRange<Tag, false>(r, args, stage.finishes, begin, end);
}

} // namespace cottonwood::kernels
