/// \file SoftmaxKernel.hpp
/// Softmax, log-softmax and softmax gradient of rows; the rules are those of Softmax.hpp.
#pragma once

#include <codelets/arch/SimdTable.hpp>
#include <codelets/popops/ReduceKernel.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::kernels {

enum class SoftmaxKind : std::uint8_t { PLAIN, STABLE, SCALED, LOG };

/// What the elements of a row of SoftmaxKind::SCALED sum to.
inline constexpr float SOFTMAX_SCALE = 62000.f;

namespace detail {
/// Rows up to these lengths keep all of their exponentials: in L1, and in L2. What is beyond is
/// computed twice.
inline constexpr std::size_t SOFTMAX_ROW = 4096, SOFTMAX_LONG_ROW = 32768;
/// Bytes of an operand from which the next row is fetched while one is computed.
inline constexpr std::size_t SOFTMAX_FETCHED = std::size_t{4} << 20;
/// Shorter rows are never written past the caches.
inline constexpr std::size_t SOFTMAX_STREAMED_ROW = 256;

/// 2^(k / 16)
template <class Tag>
inline constexpr float SOFTMAX_POWERS[16] = {
    0x1p+0f,        0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fep+0f,  0x1.3dea64p+0f,
    0x1.4bfdaep+0f, 0x1.5ab07ep+0f, 0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f,
    0x1.ae89fap+0f, 0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};

/// e^x with the same bits for every tag; 1.1 ulp.
/// \tparam BOUNDED  x is at least -86 and at most 88, or NaN
template <class Tag, bool BOUNDED> class SoftmaxExp {
  using V = simd<float, Tag>;
  using I = typename V::Int;

public:
  SoftmaxExp() : powers_(SOFTMAX_POWERS<Tag>) {}

  /// x = n ln(2) / 16 + r with |r| <= ln(2) / 32, and so e^x = 2^(n / 16) (1 + (e^r - 1)).
  POP_SIMD_INLINE V operator()(V x) const {
    if constexpr (!BOUNDED)
      x = math::detail::clampKeepNan(x, -104.f, 89.f);
    // The sum has no room for a fraction; its last bits are those of n.
    const V whole = V::splat(0x1.8p23f), sum = V::fma(x, V::splat(16 * math::detail::LOG2E), whole);
    const V n = sum - whole;
    const V r = V::fnma(n, V::splat(math::detail::LN2_LO / 16),
                        V::fnma(n, V::splat(math::detail::LN2_HI / 16), x));
    const V p = V::fma(r * r, V::fma(r, V::splat(0x1.555556p-3f), V::splat(0x1.00022p-1f)), r);
    const V power = powers_(sum.bits());
    if constexpr (BOUNDED) {
      const I exponent = sum.bits().template shiftLeft<19>() & I::splat(-0x800000);
      const V s = V::fromBits(power.bits() + exponent);
      return V::fma(s, p, s);
    } else {
      return math::scaleByPower(V::fma(power, p, power), V::floor(n * V::splat(0x1p-4f)));
    }
  }

private:
  arch::Table16<Tag> powers_;
};

struct RowBounds {
  float least, most;
};

/// Of the elements that are no NaN.
template <class Tag, class T> POP_SIMD_INLINE RowBounds boundsOfRow(const T *in, std::size_t n) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width, K = 4;
  const V inf = V::splat(__builtin_inff());
  V least[K], most[K];
  arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { least[k] = inf, most[k] = -inf; });
  const auto take = [&](V x, std::size_t k) POP_SIMD_LAMBDA {
    least[k] = V::min(x, least[k]);
    most[k] = V::max(x, most[k]);
  };
  std::size_t i = 0;
  for (; i + K * W <= n; i += K * W)
    arch::unrolled<K>([&](auto k) POP_SIMD_LAMBDA { take(V::load(in + i + k * W), k); });
  for (; i + W <= n; i += W)
    take(V::load(in + i), 0);
  if (i < n) {
    using L = simd<std::int32_t, Tag>;
    const auto inside = L::iota() < L::splat(static_cast<std::int32_t>(n - i));
    take(V::select(inside, V::loadPartial(in + i, n - i), V::splat(__builtin_nanf(""))), 0);
  }
  arch::unrolled<2>([&](auto k) POP_SIMD_LAMBDA {
    least[k] = V::min(least[k], least[k + 2]);
    most[k] = V::max(most[k], most[k + 2]);
  });
  return {V::min(least[0], least[1]).reduceMin(), V::max(most[0], most[1]).reduceMax()};
}

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

/// How rows that lie one behind another are read and written.
template <class T> struct SoftmaxMemory {
  static constexpr std::size_t LINE = 64 / sizeof(T);
  bool fetches = false;               ///< the next row while one is computed
  bool past = false;                  ///< writes past the caches
  bool isFirst = true, isLast = true; ///< of the rows
  /// The last line of a row if the next row has a part of it. Written in two parts it would have to
  /// be read before, and all stores behind it would wait.
  alignas(64) T line[LINE];
};

/// transformRow() past the caches.
template <class Tag, class T, class F>
POP_SIMD_INLINE void transformRowPast(const T *in, T *out, std::size_t n, SoftmaxMemory<T> &memory,
                                      F f) {
  using V = simd<float, Tag>;
  constexpr std::size_t LINE = SoftmaxMemory<T>::LINE;
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(out) / sizeof(T) % LINE;
  std::size_t i = (LINE - beyond) % LINE;
  if (i != 0) {
    transformRow<Tag>(in, memory.isFirst ? out : memory.line + beyond, i, f);
    if (!memory.isFirst)
      streamBytes<Tag>(reinterpret_cast<unsigned char *>(out - beyond),
                       reinterpret_cast<const unsigned char *>(memory.line), 64);
  }
  if constexpr (V::width > 1)
    for (; i + LINE <= n; i += LINE)
      for (std::size_t k = i; k < i + LINE; k += V::width)
        f(V::load(in + k), k).stream(out + k);
  const auto rest = [&](V x, std::size_t k) POP_SIMD_LAMBDA { return f(x, i + k); };
  transformRow<Tag>(in + i, memory.isLast ? out + i : memory.line, n - i, rest);
}

/// One row whose exponentials, KEPT of them, wait in `kept` for their sum.
template <class Tag, bool BOUNDED, std::size_t KEPT, class T>
POP_SIMD_INLINE void softmaxRow(SoftmaxKind kind, const T *in, T *out, std::size_t n, float most,
                                SoftmaxMemory<T> &memory) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width;
  const SoftmaxExp<Tag, BOUNDED> e;
  const V shift = V::splat(most);
  const std::size_t keep = kind == SoftmaxKind::LOG ? 0 : n < KEPT ? n : KEPT;
  alignas(64) float kept[KEPT + W];
  float sum;
  if (keep == n && n != 0) {
    sum = reduceRow<Tag, ReduceOp::ADD>(in, n, [&](V x, std::size_t i) POP_SIMD_LAMBDA {
      const V value = e(x - shift);
      value.store(kept + i);
      if (memory.fetches) // while this row is computed the next one comes from memory
        __builtin_prefetch(in + n + i, 0, 2);
      return value;
    });
  } else {
    sum = reduceRow<Tag, ReduceOp::ADD>(in, n, [&](V x, std::size_t i) POP_SIMD_LAMBDA {
      const V value = e(x - shift);
      if (i + W <= keep)
        value.store(kept + i);
      if (memory.fetches)
        __builtin_prefetch(in + n + i, 0, 2);
      return value;
    });
  }
  const auto transform = [&](auto f) POP_SIMD_LAMBDA {
    memory.past ? transformRowPast<Tag>(in, out, n, memory, f) : transformRow<Tag>(in, out, n, f);
  };
  if (kind == SoftmaxKind::LOG) {
    const V logSum = math::log(V::splat(sum));
    return transform([&](V x, std::size_t) POP_SIMD_LAMBDA { return (x - shift) - logSum; });
  }
  const V factor = V::splat((kind == SoftmaxKind::SCALED ? SOFTMAX_SCALE : 1.f) / sum);
  if (keep == n)
    return transform([&](V, std::size_t i) POP_SIMD_LAMBDA { return V::load(kept + i) * factor; });
  transform([&](V x, std::size_t i) POP_SIMD_LAMBDA {
    return (i + W <= keep ? V::load(kept + i) : e(x - shift)) * factor;
  });
}

template <class Tag, bool BOUNDED, class T>
[[gnu::noinline]] void softmaxShortRow(SoftmaxKind kind, const T *in, T *out, std::size_t n,
                                       float most, SoftmaxMemory<T> &memory) {
  softmaxRow<Tag, BOUNDED, SOFTMAX_ROW>(kind, in, out, n, most, memory);
}
template <class Tag, bool BOUNDED, class T>
[[gnu::noinline]] void softmaxLongRow(SoftmaxKind kind, const T *in, T *out, std::size_t n,
                                      float most, SoftmaxMemory<T> &memory) {
  softmaxRow<Tag, BOUNDED, SOFTMAX_LONG_ROW>(kind, in, out, n, most, memory);
}
} // namespace detail

/// Rows [begin, end) of [rows, length]; `out` may be `in`.
/// \param elements  of all rows: decides how they are fetched, never what is computed
template <class Tag, class T>
void softmaxRows(SoftmaxKind kind, const T *in, T *out, std::size_t begin, std::size_t end,
                 std::size_t length, std::size_t elements) {
  detail::SoftmaxMemory<T> memory;
  memory.fetches = elements * sizeof(T) >= detail::SOFTMAX_FETCHED;
  memory.past = simd<float, Tag>::width > 1 && in != out &&
                length >= detail::SOFTMAX_STREAMED_ROW &&
                2 * elements * sizeof(T) >= detail::STREAM_BYTES;
  for (std::size_t row = begin; row < end; ++row) {
    const T *from = in + row * length;
    memory.isFirst = row == begin;
    memory.isLast = row + 1 == end;
    detail::RowBounds bounds = detail::boundsOfRow<Tag>(from, length);
    if (kind == SoftmaxKind::PLAIN)
      bounds.most = 0;
    // Differences are rounded: what is a little below -86 is safe too.
    const bool bounded = kind != SoftmaxKind::PLAIN && bounds.least - bounds.most >= -86.f;
    const auto run = length <= detail::SOFTMAX_ROW || kind == SoftmaxKind::LOG
                         ? (bounded ? &detail::softmaxShortRow<Tag, true, T>
                                    : &detail::softmaxShortRow<Tag, false, T>)
                         : (bounded ? &detail::softmaxLongRow<Tag, true, T>
                                    : &detail::softmaxLongRow<Tag, false, T>);
    run(kind, from, out + row * length, length, bounds.most, memory);
  }
}

/// out = g y - y sum(g y) for rows [begin, end).
template <class Tag, class T>
void softmaxGradientRows(const T *activation, const T *outGradient, T *out, std::size_t begin,
                         std::size_t end, std::size_t length) {
  using V = simd<float, Tag>;
  for (std::size_t row = begin; row < end; ++row) {
    const T *y = activation + row * length, *g = outGradient + row * length;
    const auto gradient = [&](std::size_t i) POP_SIMD_LAMBDA {
      return i + V::width <= length ? V::load(g + i) : V::loadPartial(g + i, length - i);
    };
    const V sum = V::splat(detail::reduceRow<Tag, ReduceOp::ADD>(
        y, length, [&](V x, std::size_t i) POP_SIMD_LAMBDA { return x * gradient(i); }));
    detail::transformRow<Tag>(y, out + row * length, length,
                              [&](V x, std::size_t i)
                                  POP_SIMD_LAMBDA { return x * (gradient(i) - sum); });
  }
}

} // namespace cottonwood::kernels
