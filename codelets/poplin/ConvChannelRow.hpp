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
/// weights[s.weights + t * weightsStep + j].
template <class TIn, class TWeights> struct ConvChannelRow {
  const TIn *in;
  std::ptrdiff_t inOut, inStep;
  const ConvSegment *segments;
  std::size_t numSegments;
  const TWeights *weights;
  std::ptrdiff_t weightsStep;
  std::size_t columns;
  /// Not 0: the next line, too, is computed, whose inputs are those of this line one segment on;
  /// its segments are this far apart in the input.
  std::ptrdiff_t nextLine;
};

/// Taps of a segment of such a line, and outputs that are computed together at most and where fewer
/// are better.
inline constexpr unsigned CONV_ROW_TAPS = 3, CONV_ROW_OUTPUTS = 6, CONV_ROW_FEW = 3;

/// True if `inOut` lets neighbouring outputs share their inputs.
POP_SIMD_INLINE bool sharesInputs(std::ptrdiff_t inOut, std::ptrdiff_t inStep) {
  return inOut == inStep || inOut == 2 * inStep;
}

namespace detail {

/// The registers of OUTPUTS neighbouring outputs.
/// \tparam STRIDE  taps between them: inOut == STRIDE * inStep, if OUTPUTS > 1
template <class Tag, unsigned OUTPUTS, unsigned STRIDE, class TIn, class TWeights>
struct ConvRowTile {
  using V = simd<float, Tag>;
  using Row = ConvChannelRow<TIn, TWeights>;
  static constexpr unsigned TAPS = CONV_ROW_TAPS;
  static constexpr unsigned INPUTS = (OUTPUTS - 1) * STRIDE + TAPS;

  template <bool WHOLE>
  POP_SIMD_INLINE static void loadTaps(const Row &row, std::size_t s, std::size_t j, std::size_t n,
                                       V (&tap)[TAPS]) {
    const TWeights *weights = row.weights + row.segments[s].weights + j;
    unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
      tap[t] = loadVector<V, WHOLE>(weights + t * row.weightsStep, n);
    });
  }
  template <bool WHOLE>
  POP_SIMD_INLINE static void loadInputs(const Row &row, const TIn *in, std::size_t n,
                                         V (&value)[INPUTS]) {
    unroll<INPUTS>(
        [&](auto i) POP_SIMD_LAMBDA { value[i] = loadVector<V, WHOLE>(in + i * row.inStep, n); });
  }
  POP_SIMD_INLINE static void multiply(const V (&value)[INPUTS], const V (&tap)[TAPS],
                                       V (&sum)[OUTPUTS]) {
    unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
      unroll<OUTPUTS>(
          [&](auto x) POP_SIMD_LAMBDA { sum[x] = V::fma(value[x * STRIDE + t], tap[t], sum[x]); });
    });
  }

  /// One line, columns [j, j + n).
  template <bool WHOLE, class Store>
  POP_SIMD_INLINE static void one(const Row &row, std::size_t j, std::size_t n,
                                  const Store &store) {
    V sum[OUTPUTS], tap[TAPS], value[INPUTS];
    unroll<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA { sum[x] = V::zero(); });
    for (std::size_t s = 0; s < row.numSegments; ++s) {
      loadTaps<WHOLE>(row, s, j, n, tap);
      loadInputs<WHOLE>(row, row.in + row.segments[s].in + j, n, value);
      multiply(value, tap, sum);
    }
    unroll<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA { store(0, x, j, n, sum[x]); });
  }

  /// Two lines: every input is loaded once for both.
  template <bool WHOLE, class Store>
  POP_SIMD_INLINE static void two(const Row &row, std::size_t j, std::size_t n,
                                  const Store &store) {
    V sum[OUTPUTS], next[OUTPUTS], tap[TAPS], before[TAPS], value[INPUTS];
    unroll<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA { sum[x] = next[x] = V::zero(); });
    const TIn *in = row.in + row.segments[0].in + j;
    loadTaps<WHOLE>(row, 0, j, n, before);
    loadInputs<WHOLE>(row, in, n, value);
    multiply(value, before, sum);
    for (std::size_t s = 1; s < row.numSegments; ++s) {
      loadTaps<WHOLE>(row, s, j, n, tap);
      loadInputs<WHOLE>(row, in += row.nextLine, n, value);
      multiply(value, tap, sum);
      multiply(value, before, next);
      unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA { before[t] = tap[t]; });
    }
    loadInputs<WHOLE>(row, in + row.nextLine, n, value);
    multiply(value, before, next);
    unroll<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA { store(0, x, j, n, sum[x]); });
    unroll<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA { store(1, x, j, n, next[x]); });
  }

  /// A function of its own: in one they would take the compiler minutes.
  template <class Store>
  __attribute__((noinline)) static void run(const Row &row, const Store &store) {
    constexpr std::size_t W = static_cast<std::size_t>(V::width);
    std::size_t j = 0;
    if (row.nextLine != 0) {
      for (; j + W <= row.columns; j += W)
        two<true>(row, j, W, store);
      if (j < row.columns)
        two<false>(row, j, row.columns - j, store);
      return;
    }
    for (; j + W <= row.columns; j += W)
      one<true>(row, j, W, store);
    if (j < row.columns)
      one<false>(row, j, row.columns - j, store);
  }
};

} // namespace detail

/// `outputs` (1, or CONV_ROW_FEW or CONV_ROW_OUTPUTS if they share inputs) neighbours with
/// CONV_ROW_TAPS taps a segment. Calls store(line, x, j, n, sum) with the sums of output x, columns
/// [j, j + n).
template <class Tag, class TIn, class TWeights, class Store>
void runConvChannelRow(std::size_t outputs, const ConvChannelRow<TIn, TWeights> &row,
                       const Store &store) {
  using detail::ConvRowTile;
  const bool dense = row.inOut == row.inStep;
  if (outputs == 1)
    ConvRowTile<Tag, 1, 1, TIn, TWeights>::run(row, store);
  else if (outputs == CONV_ROW_FEW && dense)
    ConvRowTile<Tag, CONV_ROW_FEW, 1, TIn, TWeights>::run(row, store);
  else if (outputs == CONV_ROW_FEW)
    ConvRowTile<Tag, CONV_ROW_FEW, 2, TIn, TWeights>::run(row, store);
  else if (dense)
    ConvRowTile<Tag, CONV_ROW_OUTPUTS, 1, TIn, TWeights>::run(row, store);
  else
    ConvRowTile<Tag, CONV_ROW_OUTPUTS, 2, TIn, TWeights>::run(row, store);
}

} // namespace cottonwood::kernels
