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
  /// The first tap of the first output, or the last tap of the last one, lies in the padding.
  bool leftEdge, rightEdge;
  /// Not 0: the next line, too, is computed, whose inputs are those of this line one segment on;
  /// its segments are this far apart in the input.
  std::ptrdiff_t nextLine;
};

/// Most taps of a segment of such a line, and outputs that are computed together. Seven are whole
/// lines, or whole parts of the lines, of images whose sides are 7 times a power of two.
inline constexpr unsigned CONV_ROW_TAPS = 3, CONV_ROW_OUTPUTS = 7, CONV_ROW_FEW = 3;

/// True if `inOut` lets neighbouring outputs share their inputs.
POP_SIMD_INLINE bool sharesInputs(std::ptrdiff_t inOut, std::ptrdiff_t inStep, std::size_t taps) {
  return taps > 1 && (inOut == inStep || inOut == 2 * inStep);
}

namespace detail {

/// The registers of OUTPUTS neighbouring outputs.
/// \tparam STRIDE       taps between them: inOut == STRIDE * inStep, if OUTPUTS > 1
/// \tparam LEFT, RIGHT  the row's edges
template <class Tag, unsigned OUTPUTS, unsigned TAPS, unsigned STRIDE, bool LEFT, bool RIGHT,
          class TIn, class TWeights>
struct ConvRowTile {
  using V = simd<float, Tag>;
  using Row = ConvChannelRow<TIn, TWeights>;
  static constexpr unsigned INPUTS = (OUTPUTS - 1) * STRIDE + TAPS;

  static constexpr bool exists(std::ptrdiff_t input) {
    return !(LEFT && input == 0) && !(RIGHT && input == INPUTS - 1);
  }

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
    unroll<INPUTS>([&](auto i) POP_SIMD_LAMBDA {
      if constexpr (exists(i))
        value[i] = loadVector<V, WHOLE>(in + i * row.inStep, n);
    });
  }
  POP_SIMD_INLINE static void multiply(const V (&value)[INPUTS], const V (&tap)[TAPS],
                                       V (&sum)[OUTPUTS]) {
    unroll<TAPS>([&](auto t) POP_SIMD_LAMBDA {
      unroll<OUTPUTS>([&](auto x) POP_SIMD_LAMBDA {
        if constexpr (exists(x * STRIDE + t))
          sum[x] = V::fma(value[x * STRIDE + t], tap[t], sum[x]);
      });
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

  template <class Store> POP_SIMD_INLINE static void run(const Row &row, const Store &store) {
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

/// `outputs` (1, or CONV_ROW_FEW or CONV_ROW_OUTPUTS if they share inputs) neighbours with up to
/// CONV_ROW_TAPS taps a segment; as many if there are edges. Calls store(line, x, j, n, sum) with
/// the sums of output x, columns [j, j + n).
template <class Tag, class TIn, class TWeights, class Store>
void runConvChannelRow(std::size_t outputs, std::size_t taps,
                       const ConvChannelRow<TIn, TWeights> &row, const Store &store) {
  const auto pick = [&](auto number, auto run) POP_SIMD_LAMBDA {
    constexpr unsigned TAPS = decltype(number)::value;
    if constexpr (TAPS == 1)
      run.template operator()<1, 1, 1>();
    else if (outputs == 1)
      run.template operator()<1, TAPS, 1>();
    else if (outputs == CONV_ROW_FEW && row.inOut == row.inStep)
      run.template operator()<CONV_ROW_FEW, TAPS, 1>();
    else if (outputs == CONV_ROW_FEW)
      run.template operator()<CONV_ROW_FEW, TAPS, 2>();
    else if (row.inOut == row.inStep)
      run.template operator()<CONV_ROW_OUTPUTS, TAPS, 1>();
    else
      run.template operator()<CONV_ROW_OUTPUTS, TAPS, 2>();
  };
  const auto edged = [&]<unsigned OUTPUTS, unsigned TAPS, unsigned STRIDE>() POP_SIMD_LAMBDA {
    using detail::ConvRowTile;
    if (row.leftEdge && row.rightEdge)
      ConvRowTile<Tag, OUTPUTS, TAPS, STRIDE, true, true, TIn, TWeights>::run(row, store);
    else if (row.leftEdge)
      ConvRowTile<Tag, OUTPUTS, TAPS, STRIDE, true, false, TIn, TWeights>::run(row, store);
    else if (row.rightEdge)
      ConvRowTile<Tag, OUTPUTS, TAPS, STRIDE, false, true, TIn, TWeights>::run(row, store);
    else
      ConvRowTile<Tag, OUTPUTS, TAPS, STRIDE, false, false, TIn, TWeights>::run(row, store);
  };
  const auto plain = [&]<unsigned OUTPUTS, unsigned TAPS, unsigned STRIDE>() POP_SIMD_LAMBDA {
    detail::ConvRowTile<Tag, OUTPUTS, TAPS, STRIDE, false, false, TIn, TWeights>::run(row, store);
  };
  if (taps == 3)
    pick(std::integral_constant<unsigned, 3>{}, edged);
  else if (taps == 2)
    pick(std::integral_constant<unsigned, 2>{}, plain);
  else
    pick(std::integral_constant<unsigned, 1>{}, plain);
}

} // namespace cottonwood::kernels
