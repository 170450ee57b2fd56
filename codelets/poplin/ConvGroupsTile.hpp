/// \file ConvGroupsTile.hpp
/// Sums of some outputs of a line or two of ConvGroupsKernel.hpp, from inputs and weights in
/// scratch: the type of the input matters no more.
#pragma once

#include <codelets/arch/SimdAccumulate.hpp>
#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/ConvGroupsArgs.hpp>

namespace cottonwood::kernels::detail {

/// What the tiles of a line and phase have in common.
template <class TOut> struct ConvGroupsTile {
  const float *weights; ///< a vector for each tap and input channel
  std::size_t taps, channels;
  std::size_t plane;                            ///< floats from one channel of an input to the next
  const std::size_t *places[CONV_GROUPS_LINES]; ///< of the inputs of each tap, for each line
  const std::size_t *run;   ///< of each tap: how many from it on have inputs side by side
  std::size_t lanes;        ///< output channels
  TOut *out;                ///< of the image, if channels are side by side
  std::size_t columns;      ///< there, from one output to the next
  TOut *const *maps;        ///< otherwise of each lane
  std::size_t stepX, stepY; ///< outputs of the image to the next one of the line, of the next line
};

/// N outputs of LINES lines, of which the first is `output` of the image and finds its inputs in
/// the places from `in` on.
/// \tparam SHARED  vectors of output channels are those of several groups
template <class Tag, class TOut, bool SHARED, unsigned N, unsigned LINES> class ConvGroupsSums {
  using V = simd<float, Tag>;
  using Tile = ConvGroupsTile<TOut>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);

public:
  [[gnu::noinline]] static void run(const Tile &tile, const float *in, std::size_t output) {
    V sum[LINES][N];
    unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[k][i] = V::zero(); });
    });
    if constexpr (SHARED)
      addGroups(tile, in, sum);
    else
      addGroup(tile, in, sum);
    unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
      const std::size_t first = output + k * tile.stepY;
      if (tile.maps)
        storeMaps(tile, sum[k], first);
      else
        storeLanes(tile, sum[k], tile.out + first * tile.columns);
    });
  }

private:
  /// The products of groups that share vectors: of inputs and of weights.
  POP_SIMD_INLINE static void addGroups(const Tile &tile, const float *in, V (&sum)[LINES][N]) {
    const std::size_t plane = tile.plane;
    const float *weights = tile.weights;
    for (std::size_t t = 0; t < tile.taps; ++t) {
      const float *at[LINES];
      unroll<LINES>([&](auto k) POP_SIMD_LAMBDA { at[k] = in + tile.places[k][t]; });
      for (std::size_t c = tile.channels; c != 0; --c, weights += W) {
        const V weight = V::load(weights);
        unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
          unroll<N>([&](auto i) POP_SIMD_LAMBDA {
            sum[k][i] = V::fma(V::load(at[k] + i * W), weight, sum[k][i]);
          });
          at[k] += plane;
        });
      }
    }
  }

  /// Of one group: of an input and a vector of weights. Outputs are reached from every third one
  /// (see matMulTile()).
  POP_SIMD_INLINE static void addGroup(const Tile &tile, const float *in, V (&sum)[LINES][N]) {
    constexpr unsigned EACH = 3, PLACES = (N + EACH - 1) / EACH, STEPS = 4;
    const auto channels = static_cast<std::ptrdiff_t>(tile.channels);
    const float *weights = tile.weights;
    for (std::size_t t = 0, run; t < tile.taps; t += run) {
      run = tile.run[t];
      const float *at[LINES][PLACES];
      unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
        unroll<PLACES>([&](auto g) POP_SIMD_LAMBDA {
          at[k][g] = in + tile.places[k][t] + g * EACH * channels;
        });
      });
      const auto multiply = [&](auto step) POP_SIMD_LAMBDA {
        const V weight = V::load(weights + step * static_cast<std::ptrdiff_t>(W));
        unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
          unroll<N>([&](auto i) POP_SIMD_LAMBDA {
            arch::accumulateOne(sum[k][i], at[k][i / EACH] + i % EACH * channels + step, weight);
          });
        });
      };
      const auto go = [&](std::ptrdiff_t steps) POP_SIMD_LAMBDA {
        arch::stepBy(weights, steps * static_cast<std::ptrdiff_t>(W));
        unroll<LINES>([&](auto k) POP_SIMD_LAMBDA {
          unroll<PLACES>([&](auto g) POP_SIMD_LAMBDA { arch::stepBy(at[k][g], steps); });
        });
      };
      std::size_t left = run * tile.channels;
      for (; left >= STEPS; left -= STEPS) {
        unroll<STEPS>(multiply);
        go(STEPS);
      }
      for (; left != 0; --left) {
        multiply(std::integral_constant<std::ptrdiff_t, 0>{});
        go(1);
      }
    }
  }

  POP_SIMD_INLINE static void storeLanes(const Tile &tile, const V (&sum)[N], TOut *to) {
    const std::size_t step = tile.columns * tile.stepX, lanes = tile.lanes;
    if (lanes == W)
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[i].store(to + i * step); });
    else
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[i].storePartial(to + i * step, lanes); });
  }

  /// Output `first` of each channel and those behind it.
  POP_SIMD_INLINE static void storeMaps(const Tile &tile, const V (&sum)[N], std::size_t first) {
    constexpr unsigned PARTS = (N + W - 1) / W;
    unroll<PARTS>([&](auto part) POP_SIMD_LAMBDA {
      constexpr std::size_t FROM = static_cast<std::size_t>(decltype(part)::value) * W,
                            SOME = N - FROM < W ? N - FROM : W;
      V v[W];
      unroll<W>([&](auto i) POP_SIMD_LAMBDA {
        v[i] = i < static_cast<std::ptrdiff_t>(SOME) ? sum[(FROM + i) % N] : V::zero();
      });
      arch::transpose(v);
      for (std::size_t l = 0; l < tile.lanes; ++l)
        v[l].storePartial(tile.maps[l] + first + FROM, SOME);
    });
  }
};

/// n outputs of a line or of two, n <= CONV_GROUPS_OUTPUTS in all. Without vectors they are
/// computed one after another: see MatMulTileShape.
template <class Tag, bool SHARED, class TOut>
void convGroupsSums(const ConvGroupsTile<TOut> &tile, unsigned n, bool two, const float *in,
                    std::size_t output) {
  if constexpr (simd<float, Tag>::width == 1) {
    const std::size_t each = SHARED ? 1 : tile.channels;
    for (; n != 0; --n, in += each, output += tile.stepX)
      if (two)
        ConvGroupsSums<Tag, TOut, SHARED, 1, 2>::run(tile, in, output);
      else
        ConvGroupsSums<Tag, TOut, SHARED, 1, 1>::run(tile, in, output);
  } else {
    unroll<CONV_GROUPS_OUTPUTS>([&](auto k) POP_SIMD_LAMBDA {
      constexpr unsigned N = static_cast<unsigned>(decltype(k)::value) + 1;
      if (n != N)
        return;
      if constexpr (2 * N <= CONV_GROUPS_OUTPUTS)
        if (two)
          return ConvGroupsSums<Tag, TOut, SHARED, N, 2>::run(tile, in, output);
      ConvGroupsSums<Tag, TOut, SHARED, N, 1>::run(tile, in, output);
    });
  }
}

} // namespace cottonwood::kernels::detail
