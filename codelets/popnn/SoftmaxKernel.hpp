/// \file SoftmaxKernel.hpp
/// Softmax, log-softmax and softmax gradient of rows; the rules are those of Softmax.hpp.
#pragma once

#include <codelets/popops/ReduceKernel.hpp>
#include <codelets/popops/StreamBytes.hpp>

namespace cottonwood::kernels {

enum class SoftmaxKind : std::uint8_t { PLAIN, STABLE, SCALED, LOG };

/// What the elements of a row of SoftmaxKind::SCALED sum to.
inline constexpr float SOFTMAX_SCALE = 62000.f;

namespace detail {
/// Rows up to this length keep their exponentials in L1; longer ones compute them twice.
inline constexpr std::size_t SOFTMAX_ROW = 4096;

template <class Tag, class T> POP_SIMD_INLINE float rowMaximum(const T *in, std::size_t n) {
  return reduceRow<Tag, ReduceOp::MAX>(
      in, n, [](simd<float, Tag> x, std::size_t) POP_SIMD_LAMBDA { return x; });
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

/// The same with `out` written past the caches, which is worth it where all rows together do not
/// fit them.
template <class Tag, class T, class F>
POP_SIMD_INLINE void transformRowPast(const T *in, T *out, std::size_t n, F f) {
  alignas(64) T piece[SOFTMAX_ROW];
  for (std::size_t begin = 0; begin < n; begin += SOFTMAX_ROW) {
    const std::size_t m = n - begin < SOFTMAX_ROW ? n - begin : SOFTMAX_ROW;
    transformRow<Tag>(in + begin, piece, m,
                      [&](auto x, std::size_t i) POP_SIMD_LAMBDA { return f(x, begin + i); });
    streamBytes<Tag>(reinterpret_cast<unsigned char *>(out + begin),
                     reinterpret_cast<const unsigned char *>(piece), m * sizeof(T));
  }
}

template <class Tag, class T>
void softmaxRow(SoftmaxKind kind, const T *in, T *out, std::size_t n, bool past) {
  using V = simd<float, Tag>;
  const auto transform = [&](auto f) POP_SIMD_LAMBDA {
    past ? transformRowPast<Tag>(in, out, n, f) : transformRow<Tag>(in, out, n, f);
  };
  const V shift = V::splat(kind == SoftmaxKind::PLAIN ? 0.f : rowMaximum<Tag>(in, n));
  const bool keep = n <= SOFTMAX_ROW && kind != SoftmaxKind::LOG;
  alignas(64) float kept[SOFTMAX_ROW + V::width];
  const float sum = reduceRow<Tag, ReduceOp::ADD>(in, n, [&](V x, std::size_t i) POP_SIMD_LAMBDA {
    const V e = math::exp(x - shift);
    if (keep)
      e.store(kept + i);
    if (past) // while this row is computed the next one comes from memory
      __builtin_prefetch(in + n + i, 0, 2);
    return e;
  });
  if (kind == SoftmaxKind::LOG) {
    const V logSum = math::log(V::splat(sum));
    transform([&](V x, std::size_t) POP_SIMD_LAMBDA { return (x - shift) - logSum; });
    return;
  }
  const V factor = V::splat((kind == SoftmaxKind::SCALED ? SOFTMAX_SCALE : 1.f) / sum);
  if (keep)
    transform([&](V, std::size_t i) POP_SIMD_LAMBDA { return V::load(kept + i) * factor; });
  else
    transform([&](V x, std::size_t) POP_SIMD_LAMBDA { return math::exp(x - shift) * factor; });
}
} // namespace detail

/// Rows [begin, end) of [rows, length]; `out` may be `in`.
/// \param elements  of all rows: decides how they are stored, never what
template <class Tag, class T>
void softmaxRows(SoftmaxKind kind, const T *in, T *out, std::size_t begin, std::size_t end,
                 std::size_t length, std::size_t elements) {
  const bool past = in != out && 2 * elements * sizeof(T) >= detail::STREAM_BYTES;
  for (std::size_t row = begin; row < end; ++row)
    detail::softmaxRow<Tag>(kind, in + row * length, out + row * length, length, past);
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
