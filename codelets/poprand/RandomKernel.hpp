/// \file RandomKernel.hpp
/// Filling memory with random numbers; the rules are those of Random.hpp.
#pragma once

#include <codelets/arch/SimdMath.hpp>
#include <codelets/poprand/Philox.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// Elements are drawn in groups of 64: word w of the block with counter 16 g + l is for element
/// 64 g + 16 w + l of the tensor, so that no vector width up to 16 needs a shuffle.
inline constexpr std::size_t RANDOM_GROUP = 64;
inline constexpr std::size_t RANDOM_BLOCKS = 16;
inline constexpr std::size_t RANDOM_GRAIN = 4 * RANDOM_GROUP;

/// What one tensor draws from: the key and words 2 and 3 of every counter; words 0 and 1 are the
/// number of the block.
struct RandomStream {
  std::uint32_t key0, key1, word2, word3;
};

/// The elements of a tensor that a vertex has: runs of `run` neighbours, the first at `begin`, each
/// next one `stride` further. In memory `width` of them lie side by side, one element of each in
/// turn.
struct RandomRuns {
  std::uint64_t begin, run, stride, width;
};

enum class Distribution { UNIFORM, NORMAL, TRUNCATED_NORMAL, LOG_UNIFORM };

namespace detail {

/// Signed words as numbers in [-1, 1].
template <class V> POP_SIMD_INLINE V symmetric(typename V::Uint w) {
  return V::fromInt(w.asInt()) * V::splat(0x1p-31f);
}

/// Two standard normal numbers from two words (G. E. P. Box, M. E. Muller, "A note on the
/// generation of random normal deviates", 1958). Magnitudes reach sqrt(-2 ln 2^-33) = 6.76.
template <class V>
POP_SIMD_INLINE void boxMuller(typename V::Uint radius, typename V::Uint angle, V &a, V &b) {
  using I = typename V::Int;
  const V u = V::fma(V::fromUint(radius), V::splat(0x1p-32f), V::splat(0x1p-33f)); // in (0, 1]
  V e;
  const V f = math::detail::splitLog(u, e);
  const V r = V::sqrt(V::splat(-2.f) * math::detail::logSum(f, e, V::zero()));
  // The angle is quadrant + t quarter turns with t in [-1/2, 1/2).
  const I turn = angle.asInt();
  const I quadrant = (turn + I::splat(1 << 29)).template shiftRight<30>();
  const V t = V::fromInt(turn - quadrant.template shiftLeft<30>());
  const V x = t * V::splat(0x1.921fb6p-30f); // 2 pi / 2^32
  const V x2 = x * x;
  const V s = V::fma(x2 * x, math::polynomial(x2, math::detail::SIN_TAIL<V>), x);
  const V c = V::fma(x2 * x2, math::polynomial(x2, math::detail::COS_TAIL<V>),
                     V::fnma(V::splat(0.5f), x2, V::splat(1.f)));
  const auto odd = math::detail::isOdd<V>(quadrant);
  a = r * math::detail::negateIf<1>(V::select(odd, s, c), quadrant + I::splat(1));
  b = r * math::detail::negateIf<1>(V::select(odd, c, s), quadrant);
}

/// A standard normal number between the two quantiles that cut off tails of tail / 2 each.
template <class V> POP_SIMD_INLINE V truncatedNormal(typename V::Uint w, V tail) {
  // 1 - |2 p - 1| of the quantile p, from 31 bits; exact in relative terms however small.
  const V v = V::fma(V::fromInt(w.template shiftRight<1>().asInt()), V::splat(0x1p-31f),
                     V::splat(0x1p-32f));
  const V a = V::fma(V::splat(1.f) - tail, v, tail);
  const V z = math::normalQuantileOfTail(a);
  return math::detail::negateIf<0>(z, w.asInt());
}

/// What the distribution scales and shifts: four vectors from the four words of a block.
template <Distribution D, class V>
POP_SIMD_INLINE void standardValues(typename V::Uint w0, typename V::Uint w1, typename V::Uint w2,
                                    typename V::Uint w3, V tail, V (&z)[4]) {
  if constexpr (D == Distribution::NORMAL) {
    boxMuller(w0, w1, z[0], z[1]);
    boxMuller(w2, w3, z[2], z[3]);
  } else if constexpr (D == Distribution::TRUNCATED_NORMAL) {
    z[0] = truncatedNormal(w0, tail);
    z[1] = truncatedNormal(w1, tail);
    z[2] = truncatedNormal(w2, tail);
    z[3] = truncatedNormal(w3, tail);
  } else {
    z[0] = symmetric<V>(w0);
    z[1] = symmetric<V>(w1);
    z[2] = symmetric<V>(w2);
    z[3] = symmetric<V>(w3);
  }
}

} // namespace detail

/// min(high, max(low, location + scale z)); with LOG_UNIFORM 2 to that power is bounded instead,
/// with UNIFORM the location is location + tail.
template <class Tag, Distribution D, class T> struct RealDraw {
  static constexpr bool READS = false;
  float location, scale, low, high;
  float tail; ///< TRUNCATED_NORMAL: the probability that is cut off; UNIFORM: below the ulp of
              ///< location

  template <class U>
  POP_SIMD_INLINE void operator()(U w0, U w1, U w2, U w3, const T *, T *out) const {
    using V = simd<float, Tag>;
    V z[4];
    detail::standardValues<D>(w0, w1, w2, w3, V::splat(tail), z);
    arch::unrolled<4>([&](auto k) POP_SIMD_LAMBDA {
      V x = V::fma(z[k], V::splat(scale), V::splat(location));
      if constexpr (D == Distribution::UNIFORM)
        if (tail != 0)
          x = V::splat(location) + V::fma(z[k], V::splat(scale), V::splat(tail));
      if constexpr (D == Distribution::LOG_UNIFORM)
        x = math::exp2(x);
      if constexpr (D != Distribution::NORMAL)
        x = V::min(V::splat(high), V::max(V::splat(low), x));
      if constexpr (std::is_same_v<T, std::int32_t>)
        x.toInt().store(out + k * RANDOM_BLOCKS);
      else
        x.store(out + k * RANDOM_BLOCKS);
    });
  }
};

/// low + floor(range w / 2^32); a range of 0 stands for 2^32.
template <class Tag> struct IntDraw {
  static constexpr bool READS = false;
  std::int32_t low;
  std::uint32_t range;

  template <class U>
  POP_SIMD_INLINE void operator()(U w0, U w1, U w2, U w3, const std::int32_t *,
                                  std::int32_t *out) const {
    const auto store = [&](U w, std::size_t k) POP_SIMD_LAMBDA {
      const U offset = range == 0 ? w : U::multiplyHigh(w, U::splat(range));
      (offset.asInt() + simd<std::int32_t, Tag>::splat(low)).store(out + k * RANDOM_BLOCKS);
    };
    store(w0, 0);
    store(w1, 1);
    store(w2, 2);
    store(w3, 3);
  }
};

/// Whether the upper 16 bits of a word are below the threshold: true for all words at 65536.
template <class U> POP_SIMD_INLINE typename U::Mask isKept(U w, std::uint32_t threshold) {
  return w.template shiftRight<16>().asInt() <
         decltype(w.asInt())::splat(static_cast<std::int32_t>(threshold));
}

/// `value` with probability threshold / 65536, else 0.
template <class Tag, class T> struct BernoulliDraw {
  static constexpr bool READS = false;
  using S = std::conditional_t<std::is_same_v<T, half>, float, T>;
  S value;
  std::uint32_t threshold;

  template <class U>
  POP_SIMD_INLINE void operator()(U w0, U w1, U w2, U w3, const T *, T *out) const {
    using V = simd<S, Tag>;
    const auto store = [&](U w, std::size_t k) POP_SIMD_LAMBDA {
      V::select(isKept(w, threshold), V::splat(value), V::zero()).store(out + k * RANDOM_BLOCKS);
    };
    store(w0, 0);
    store(w1, 1);
    store(w2, 2);
    store(w3, 3);
  }
};

/// in * scale with probability threshold / 65536, else 0.
template <class Tag, class T> struct DropoutDraw {
  static constexpr bool READS = true;
  float scale;
  std::uint32_t threshold;

  template <class U>
  POP_SIMD_INLINE void operator()(U w0, U w1, U w2, U w3, const T *in, T *out) const {
    using V = simd<float, Tag>;
    const auto store = [&](U w, std::size_t k) POP_SIMD_LAMBDA {
      const V x = V::load(in + k * RANDOM_BLOCKS) * V::splat(scale);
      V::select(isKept(w, threshold), x, V::zero()).store(out + k * RANDOM_BLOCKS);
    };
    store(w0, 0);
    store(w1, 1);
    store(w2, 2);
    store(w3, 3);
  }
};

namespace detail {

/// Whole groups, `first` being the number of the first one in the tensor.
template <class Tag, class Draw, class T>
void drawGroups(Draw draw, RandomStream stream, std::uint64_t first, std::size_t groups,
                const T *in, T *out) {
  using U = simd<std::uint32_t, Tag>;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint64_t block = (first + g) * RANDOM_BLOCKS;
    for (std::size_t l = 0; l < RANDOM_BLOCKS; l += U::width) {
      // The lower four bits of `block` are 0: nothing carries.
      U c0 = U::splat(static_cast<std::uint32_t>(block + l)) + U::iota();
      U c1 = U::splat(static_cast<std::uint32_t>(block >> 32));
      U c2 = U::splat(stream.word2), c3 = U::splat(stream.word3);
      philox(c0, c1, c2, c3, stream.key0, stream.key1);
      draw(c0, c1, c2, c3, Draw::READS ? in + g * RANDOM_GROUP + l : in,
           out + g * RANDOM_GROUP + l);
    }
  }
}

/// dst[i dstStep] = src[i srcStep]
template <class T>
POP_SIMD_INLINE void copySteps(T *dst, std::size_t dstStep, const T *src, std::size_t srcStep,
                               std::size_t n) {
  if (dstStep == 1 && srcStep == 1)
    __builtin_memcpy(dst, src, n * sizeof(T));
  else
    for (std::size_t i = 0; i < n; ++i)
      dst[i * dstStep] = src[i * srcStep];
}

/// Elements index ... index + n - 1 of the tensor, each `step` behind the one before in memory.
template <class Tag, class Draw, class T>
void drawRange(const Draw &draw, RandomStream stream, std::uint64_t index, std::size_t n,
               std::size_t step, const T *in, T *out) {
  for (std::size_t i = 0; i < n;) {
    const std::uint64_t group = (index + i) / RANDOM_GROUP;
    const std::size_t skipped = (index + i) % RANDOM_GROUP;
    const T *from = Draw::READS ? in + i * step : in;
    if (step == 1 && skipped == 0 && n - i >= RANDOM_GROUP) {
      const std::size_t groups = (n - i) / RANDOM_GROUP;
      drawGroups<Tag>(draw, stream, group, groups, from, out + i);
      i += groups * RANDOM_GROUP;
      continue;
    }
    const std::size_t left = RANDOM_GROUP - skipped, count = n - i < left ? n - i : left;
    alignas(64) T source[Draw::READS ? RANDOM_GROUP : 1] = {};
    alignas(64) T drawn[RANDOM_GROUP];
    if constexpr (Draw::READS)
      copySteps(source + skipped, 1, from, step, count);
    drawGroups<Tag>(draw, stream, group, 1, source, drawn);
    copySteps(out + i * step, step, static_cast<const T *>(drawn) + skipped, 1, count);
    i += count;
  }
}

} // namespace detail

/// Of all runs, which lie side by side, elements [begin, end); `in` and `out` point to what a
/// vertex has.
template <class Tag, class Draw, class T>
void drawSideBySide(const Draw &draw, RandomStream stream, RandomRuns runs, std::size_t begin,
                    std::size_t end, const T *in, T *out) {
  const auto width = static_cast<std::size_t>(runs.width);
  for (std::size_t run = 0; run < width && begin < end; ++run)
    detail::drawRange<Tag>(draw, stream, runs.begin + run * runs.stride + begin, end - begin, width,
                           Draw::READS ? in + begin * width + run : in, out + begin * width + run);
}

/// Positions [begin, end) of what a vertex has, one run after the other; `in` and `out` point to
/// its position 0.
template <class Tag, class Draw, class T>
void drawRuns(const Draw &draw, RandomStream stream, RandomRuns runs, std::size_t begin,
              std::size_t end, const T *in, T *out) {
  for (std::size_t i = begin; i < end;) {
    const std::uint64_t run = i / runs.run, within = i % runs.run;
    const std::uint64_t left = runs.run - within;
    const std::size_t count = end - i < left ? end - i : static_cast<std::size_t>(left);
    detail::drawRange<Tag>(draw, stream, runs.begin + run * runs.stride + within, count, 1,
                           Draw::READS ? in + i : in, out + i);
    i += count;
  }
}

} // namespace cottonwood::kernels
