/// \file ConvChannelRow.hpp
/// Groups of one channel each, side by side: neighbouring outputs of a line computed together, so
/// that a value of the input is loaded once for all taps that meet it.
///
/// The chain of every element is that of ConvTile.hpp.
#pragma once

#include <codelets/poplin/ConvTile.hpp>

namespace cottonwood::kernels {

/// Outputs of a line whose inputs lie `inOut` elements apart, all channels of them: input (output
/// x, segment s, tap t, channel j) is in[x * inOut + s.in + t * inStep + j], its weight is
/// weights[s.weights + t * weightsStep + j], and the sum becomes out[x * outStep + j].
template <class TIn, class TWeights, class TOut> struct ConvChannelRow {
  const TIn *in;
  std::ptrdiff_t inOut, inStep;
  const ConvSegment *segments;
  std::size_t numSegments;
  const TWeights *weights;
  std::ptrdiff_t weightsStep;
  TOut *out;
  std::ptrdiff_t outStep;
  std::size_t columns;
  /// Not 0: the next line, too, is computed, whose inputs are those of this line one segment on;
  /// its segments are this far apart in the input. Only where inOut == inStep.
  std::ptrdiff_t nextLine;
  std::ptrdiff_t nextLineOut;
  bool noFirst; ///< the first output lacks the first tap of each segment,
  bool noLast;  ///< and the last output the last one
  bool noUpper; ///< of two lines the first lacks the first segment,
  bool noLower; ///< and the second the last one
};

/// Taps of a segment of such a line.
inline constexpr unsigned CONV_ROW_TAPS = 3;

/// Outputs of a line that are computed together, if they share their inputs: so many that two lines
/// of sums, the taps of two segments and an input fit into the registers.
template <class Tag> struct ConvRowShape {
  static constexpr unsigned LEAST = 3, MOST = simd<float, Tag>::width >= 16 ? 7 : 4;
  /// Vectors of columns at a time, where outputs are two inputs apart: of near and far inputs.
  static constexpr unsigned NEAR = 2, FAR = simd<float, Tag>::width >= 16 ? 4 : NEAR;
};

/// True if `inOut` lets neighbouring outputs share their inputs.
POP_SIMD_INLINE bool sharesInputs(std::ptrdiff_t inOut, std::ptrdiff_t inStep) {
  return inOut == inStep || inOut == 2 * inStep;
}

namespace detail {

/// The registers of OUTPUTS neighbouring outputs, VECTORS of columns at a time.
/// \tparam STRIDE  taps between them: inOut == STRIDE * inStep, if OUTPUTS > 1
template <class Tag, unsigned OUTPUTS, unsigned STRIDE, unsigned VECTORS, class TIn, class TWeights,
          class TOut>
struct ConvRowTile {
  using V = simd<float, Tag>;
  using Row = ConvChannelRow<TIn, TWeights, TOut>;
  static constexpr unsigned TAPS = CONV_ROW_TAPS, INPUTS = (OUTPUTS - 1) * STRIDE + TAPS;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr std::size_t COLUMNS = VECTORS * W;
  /// Sums of two lines and the taps of two segments leave a register for one input at a time.
  static constexpr bool FEW_REGISTERS = W < 16;
  using Taps = V[TAPS][VECTORS];
  using Sums = V[OUTPUTS][VECTORS];

  /// Lanes of vector v of n columns.
  POP_SIMD_INLINE static std::size_t lanes(std::size_t n, std::ptrdiff_t v) {
    const std::size_t before = static_cast<std::size_t>(v) * W;
    return n <= before ? 0 : n - before < W ? n - before : W;
  }
  template <bool WHOLE, class T>
  POP_SIMD_INLINE static V loadAt(const T *p, std::size_t n, std::ptrdiff_t v) {
    return loadVector<V, WHOLE>(p + v * V::width, WHOLE ? W : lanes(n, v));
  }
  POP_SIMD_INLINE static void clear(Sums &sum) {
    repeat<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA { sum[x][v] = V::zero(); });
    });
  }
  template <bool WHOLE>
  POP_SIMD_INLINE static void loadTaps(const Row &row, std::size_t s, std::size_t j, std::size_t n,
                                       Taps &tap) {
    const TWeights *weights = row.weights + row.segments[s].weights + j;
    repeat<TAPS>([&](auto t) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
        tap[t][v] = loadAt<WHOLE>(weights + t * row.weightsStep, n, v);
      });
    });
  }

  /// True if input i of the row is there.
  template <class I> POP_SIMD_INLINE static bool isThere(const Row &row, I i) {
    return !(i == 0 && row.noFirst) && !(i == INPUTS - 1 && row.noLast);
  }
  /// One vector of the inputs of a segment.
  template <bool WHOLE>
  POP_SIMD_INLINE static void loadInputs(const Row &row, const TIn *in, std::size_t n,
                                         V (&value)[INPUTS]) {
    repeat<INPUTS>([&](auto i) POP_SIMD_LAMBDA {
      value[i] = isThere(row, i) ? loadAt<WHOLE>(in + i * row.inStep, n, 0) : V::zero();
    });
  }
  POP_SIMD_INLINE static void multiply(const Row &row, const V (&value)[INPUTS], const Taps &tap,
                                       Sums &sum) {
    repeat<TAPS>([&](auto t) POP_SIMD_LAMBDA {
      repeat<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA {
        if ((x == 0 && t == 0 && row.noFirst) || (x == OUTPUTS - 1 && t == TAPS - 1 && row.noLast))
          return;
        sum[x][0] = V::fma(value[x * STRIDE + t], tap[t][0], sum[x][0]);
      });
    });
  }
  /// Several vectors of the inputs of a segment: those of one input together, which meets its
  /// outputs in the order of their taps.
  template <bool WHOLE>
  POP_SIMD_INLINE static void multiplySeveral(const Row &row, const TIn *in, std::size_t n,
                                              const Taps &tap, Sums &sum) {
    repeat<INPUTS>([&](auto i) POP_SIMD_LAMBDA {
      if (!isThere(row, i))
        return;
      unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
        const V value = loadAt<WHOLE>(in + i * row.inStep, n, v);
        repeat<TAPS>([&](auto t) POP_SIMD_LAMBDA {
          const std::ptrdiff_t at = i - t, x = at / static_cast<std::ptrdiff_t>(STRIDE);
          if (at >= 0 && at % STRIDE == 0 && x < static_cast<std::ptrdiff_t>(OUTPUTS))
            sum[x][v] = V::fma(value, tap[t][v], sum[x][v]);
        });
      });
    });
  }
  /// The same for one vector of two lines, of which the second meets the taps of the segment
  /// before.
  template <bool WHOLE>
  POP_SIMD_INLINE static void multiplyBoth(const Row &row, const TIn *in, std::size_t n,
                                           const Taps &tap, Sums &sum, const Taps &before,
                                           Sums &next) {
    repeat<INPUTS>([&](auto i) POP_SIMD_LAMBDA {
      if (!isThere(row, i))
        return;
      const V value = loadAt<WHOLE>(in + i * row.inStep, n, 0);
      repeat<TAPS>([&](auto t) POP_SIMD_LAMBDA {
        const std::ptrdiff_t x = i - t;
        if (x < 0 || x >= static_cast<std::ptrdiff_t>(OUTPUTS))
          return;
        sum[x][0] = V::fma(value, tap[t][0], sum[x][0]);
        next[x][0] = V::fma(value, before[t][0], next[x][0]);
      });
    });
  }
  template <bool WHOLE>
  POP_SIMD_INLINE static void storeAll(const Row &row, TOut *out, std::size_t n, const Sums &sum) {
    repeat<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto v) POP_SIMD_LAMBDA {
        TOut *const to = out + x * row.outStep + v * V::width;
        if constexpr (WHOLE)
          sum[x][v].store(to);
        else
          sum[x][v].storePartial(to, lanes(n, v));
      });
    });
  }

  /// One line, columns [j, j + n).
  template <bool WHOLE>
  POP_SIMD_INLINE static void one(const Row &row, std::size_t j, std::size_t n) {
    Sums sum;
    Taps tap;
    clear(sum);
    for (std::size_t s = 0; s < row.numSegments; ++s) {
      const TIn *const in = row.in + row.segments[s].in + j;
      loadTaps<WHOLE>(row, s, j, n, tap);
      if constexpr (VECTORS == 1) {
        V value[INPUTS];
        loadInputs<WHOLE>(row, in, n, value);
        multiply(row, value, tap, sum);
      } else {
        multiplySeveral<WHOLE>(row, in, n, tap, sum);
      }
    }
    storeAll<WHOLE>(row, row.out + j, n, sum);
  }

  /// Two lines: every input is loaded once for both.
  template <bool WHOLE>
  POP_SIMD_INLINE static void two(const Row &row, std::size_t j, std::size_t n) {
    Sums sum, next;
    Taps tap, before;
    V value[INPUTS];
    clear(sum), clear(next);
    const TIn *in = row.in + row.segments[0].in + j;
    loadTaps<WHOLE>(row, 0, j, n, before);
    if (!row.noUpper) {
      loadInputs<WHOLE>(row, in, n, value);
      multiply(row, value, before, sum);
    }
    for (std::size_t s = 1; s < row.numSegments; ++s) {
      loadTaps<WHOLE>(row, s, j, n, tap);
      in += row.nextLine;
      if constexpr (FEW_REGISTERS) {
        multiplyBoth<WHOLE>(row, in, n, tap, sum, before, next);
      } else {
        loadInputs<WHOLE>(row, in, n, value);
        multiply(row, value, tap, sum);
        multiply(row, value, before, next);
      }
      repeat<TAPS>([&](auto t) POP_SIMD_LAMBDA { before[t][0] = tap[t][0]; });
    }
    if (!row.noLower) {
      loadInputs<WHOLE>(row, in + row.nextLine, n, value);
      multiply(row, value, before, next);
    }
    storeAll<WHOLE>(row, row.out + j, n, sum);
    storeAll<WHOLE>(row, row.out + row.nextLineOut + j, n, next);
  }

  /// A function of its own: in one they would take the compiler minutes. Its copy of the row is not
  /// what stores could change.
  [[gnu::noinline]] static void run(const Row &given) {
    const Row row = given;
    std::size_t j = 0;
    if constexpr (STRIDE == 1 && VECTORS == 1)
      if (row.nextLine != 0) {
        for (; j + COLUMNS <= row.columns; j += COLUMNS)
          two<true>(row, j, COLUMNS);
        if (j < row.columns)
          two<false>(row, j, row.columns - j);
        return;
      }
    for (; j + COLUMNS <= row.columns; j += COLUMNS)
      one<true>(row, j, COLUMNS);
    if (j < row.columns)
      one<false>(row, j, row.columns - j);
  }
};

/// The tile of `outputs` neighbours, LEAST to MOST of the shape.
template <class Tag, unsigned STRIDE, unsigned VECTORS, unsigned OUTPUTS, class TIn, class TWeights,
          class TOut>
POP_SIMD_INLINE void runConvRowTile(std::size_t outputs,
                                    const ConvChannelRow<TIn, TWeights, TOut> &row) {
  if constexpr (OUTPUTS > ConvRowShape<Tag>::LEAST)
    if (outputs != OUTPUTS)
      return runConvRowTile<Tag, STRIDE, VECTORS, OUTPUTS - 1>(outputs, row);
  ConvRowTile<Tag, OUTPUTS, STRIDE, VECTORS, TIn, TWeights, TOut>::run(row);
}

} // namespace detail

/// `outputs` neighbours (1, or LEAST to MOST of ConvRowShape if they share inputs) with
/// CONV_ROW_TAPS taps a segment.
/// \param far  places of the input share sets of L1 (CONV_FAR_BYTES): more of each is read at a
///             time then, since neighbouring lines come from L2 together
template <class Tag, class TIn, class TWeights, class TOut>
void runConvChannelRow(std::size_t outputs, const ConvChannelRow<TIn, TWeights, TOut> &row,
                       bool far) {
  constexpr unsigned MOST = ConvRowShape<Tag>::MOST;
  if (outputs == 1)
    detail::ConvRowTile<Tag, 1, 1, 1, TIn, TWeights, TOut>::run(row);
  else if (row.inOut == row.inStep)
    detail::runConvRowTile<Tag, 1, 1, MOST>(outputs, row);
  else if (far)
    detail::runConvRowTile<Tag, 2, ConvRowShape<Tag>::FAR, MOST>(outputs, row);
  else
    detail::runConvRowTile<Tag, 2, ConvRowShape<Tag>::NEAR, MOST>(outputs, row);
}

} // namespace cottonwood::kernels
