/// \file ConvLinesPass.hpp
/// A line of taps added to several lines of outputs of groups of few channels, for
/// ConvGroupLines.hpp.
///
/// The taps of a line meet an input in the sums of as many neighbouring outputs, so it is
/// broadcast, or its channels are spread to the lanes of their groups, once for all of them, and
/// weights are loaded once for all lines: a load for two multiply-adds or more, where a product of
/// an input and a vector of weights takes one each.
#pragma once

#include <codelets/arch/SimdAccumulate.hpp>
#include <codelets/arch/SimdTable.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels::detail {

/// A line of taps for some lines of outputs, STRIDE inputs apart: input (place, line) has its
/// channels at in[place * inPlace + line * W]; sum (output, line), of a vector of output channels,
/// is at sums[output * sumsOutput + line * W]; tap k's weights of a channel are at
/// weights[(k * channels + channel) * W]. Output i meets input i * STRIDE + k at tap k; a step has
/// the STRIDE inputs that output i meets first. Where the input is dilated instead, a step has one
/// input i, which output i * PHASES - k meets at tap k.
struct ConvLinesPass {
  const float *in;
  std::size_t inPlace, steps;
  std::ptrdiff_t before, last; ///< inputs of a stride that the first step lacks, the last has
  const float *weights;
  std::size_t channels;
  const std::int32_t *channel; ///< the first one of each lane, if groups share vectors
  float *sums; ///< of the first step's output, which has others before it that meet its inputs
  std::size_t sumsOutput;
  bool first; ///< sums are zero and not loaded
  /// What is fetched meanwhile, for each input and line: distances in bytes.
  const char *ahead;
  std::ptrdiff_t aheadPlace, aheadPhase, aheadLine;
};

/// Where sums go that all taps of a line were added to, `count` of them behind the first `skip`
/// ones: `lanes` of each, rounded to T.
template <class T> struct ConvLinesEnd {
  T *to;
  std::ptrdiff_t toOutput, toLine;
  std::size_t lanes, skip, count;
};

/// Adds TAPS taps to LINES lines, to all outputs that meet an input of a step.
template <class Tag, bool SHARED, int STRIDE, int PHASES, int TAPS, int LINES, class T>
[[gnu::noinline]] void addConvLines(const ConvLinesPass &pass, const ConvLinesEnd<T> &end) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  constexpr auto W = static_cast<std::ptrdiff_t>(V::width);
  constexpr std::ptrdiff_t STEPS = SHARED ? 1 : 2;
  const auto channels = static_cast<std::ptrdiff_t>(pass.channels), tap = channels * W,
             output = static_cast<std::ptrdiff_t>(pass.sumsOutput),
             place = static_cast<std::ptrdiff_t>(pass.inPlace);
  const bool first = pass.first;
  const float *in = pass.in;
  float *sums = pass.sums;
  T *to = end.to;
  const std::ptrdiff_t toOutput = end.toOutput, toLine = end.toLine;
  const std::size_t lanes = end.lanes, count = end.count;
  // Sums behind the skipped ones: modulo 2^64, so that these are past any count.
  std::size_t done = std::size_t{0} - end.skip;
  const char *ahead = pass.ahead;
  const std::ptrdiff_t aheadLine = pass.aheadLine, aheadPlace = pass.aheadPlace,
                       aheadPhase = pass.aheadPhase;
  constexpr int SUMS = (TAPS + STRIDE - 1) / STRIDE;
  V sum[SUMS][LINES]; // of the outputs that meet an input at each tap
  const auto load = [&](auto k) POP_SIMD_LAMBDA {
    unroll<LINES>([&](auto l) POP_SIMD_LAMBDA {
      sum[k][l] = first ? V::zero() : V::load(sums - k * output + l * W);
    });
  };
  const auto store = [&](auto k) POP_SIMD_LAMBDA {
    unroll<LINES>([&](auto l) POP_SIMD_LAMBDA { sum[k][l].store(sums - k * output + l * W); });
  };
  unroll<SUMS - PHASES>([&](auto k) POP_SIMD_LAMBDA {
    load(std::integral_constant<std::ptrdiff_t, decltype(k)::value + PHASES>{});
  });
  for (std::size_t i = 0; i < pass.steps; ++i, in += STRIDE * place, sums += PHASES * output) {
    unroll<PHASES>([&](auto p) POP_SIMD_LAMBDA {
      load(p);
      unroll<LINES>([&](auto l) POP_SIMD_LAMBDA {
        __builtin_prefetch(ahead + p * aheadPhase + l * aheadLine);
      });
    });
    ahead += aheadPlace;
    unroll<STRIDE>([&](auto r) POP_SIMD_LAMBDA {
      constexpr std::ptrdiff_t R = decltype(r)::value, COUNT = (TAPS - R + STRIDE - 1) / STRIDE;
      if (STRIDE > 1 && ((i == 0 && R < pass.before) || (i + 1 == pass.steps && R >= pass.last)))
        return;
      const float *from = in + R * place, *weights = pass.weights + R * tap;
      I channel = SHARED ? I::load(pass.channel) : I::zero();
      const auto multiply = [&](auto step) POP_SIMD_LAMBDA {
        V weight[COUNT];
        unroll<COUNT>([&](auto k) POP_SIMD_LAMBDA {
          weight[k] = V::load(weights + k * STRIDE * tap + step * W);
        });
        unroll<LINES>([&](auto l) POP_SIMD_LAMBDA {
          const float *const at = from + l * STRIDE * W;
          const auto add = [&](V x) POP_SIMD_LAMBDA {
            unroll<COUNT>([&](auto k)
                              POP_SIMD_LAMBDA { arch::accumulate(sum[k][l], x, weight[k]); });
          };
          if constexpr (SHARED)
            add(arch::inRegister(arch::permuteLanes(V::load(at), channel)));
          else if constexpr (COUNT == 1)
            arch::accumulateOne(sum[0][l], at + step, weight[0]);
          else
            add(arch::inRegister(V::broadcast(at + step)));
        });
        channel = channel + I::splat(1);
      };
      std::ptrdiff_t left = channels;
      for (; left >= STEPS; left -= STEPS) {
        unroll<STEPS>(multiply);
        arch::stepBy(from, SHARED ? 0 : STEPS), arch::stepBy(weights, STEPS * W);
      }
      if constexpr (STEPS > 1)
        if (left != 0)
          multiply(std::integral_constant<std::ptrdiff_t, 0>{});
    });
    unroll<PHASES>([&](auto p) POP_SIMD_LAMBDA {
      constexpr std::ptrdiff_t LAST = SUMS - 1 - decltype(p)::value;
      if (done < count && lanes == static_cast<std::size_t>(W))
        unroll<LINES>([&](auto l) POP_SIMD_LAMBDA { sum[LAST][l].store(to + l * toLine); });
      else if (done < count)
        unroll<LINES>([&](auto l)
                          POP_SIMD_LAMBDA { sum[LAST][l].storePartial(to + l * toLine, lanes); });
      ++done, to += toOutput;
    });
    unroll<SUMS - PHASES>([&](auto k) POP_SIMD_LAMBDA {
      constexpr std::ptrdiff_t TO = static_cast<std::ptrdiff_t>(SUMS) - 1 - decltype(k)::value;
      unroll<LINES>([&](auto l) POP_SIMD_LAMBDA { sum[TO][l] = sum[TO - PHASES][l]; });
    });
  }
  unroll<SUMS - PHASES>([&](auto k) POP_SIMD_LAMBDA {
    store(std::integral_constant<std::ptrdiff_t, decltype(k)::value + PHASES>{});
  });
}

} // namespace cottonwood::kernels::detail
