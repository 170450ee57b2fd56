/// \file ConvTile.hpp
/// The register tiles of convolutions: some outputs by some channels, held in registers while taps
/// stream by.
///
/// Every element is one chain of fused multiply-adds over its own taps in ascending order, with
/// taps that fall into padding left out. Sums that are stored and loaded again are not rounded, so
/// no way of cutting a convolution into tiles changes a bit.
#pragma once

#include <codelets/poplin/ConvCost.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels {

/// A run of taps: where it begins relative to a row of the input, and in the weights.
struct ConvSegment {
  std::ptrdiff_t in, weights;
};

/// sums[i][j] (+)= sum over segments s and p < length of
/// rows[i][s.in + p * inStep (+ j for channel tiles)] * weights[s.weights + p * weightsStep + j].
template <class TIn, class TWeights> struct ConvTileArgs {
  const TIn *const *rows;
  const ConvSegment *segments;
  std::size_t numSegments, length;
  std::ptrdiff_t inStep;
  const TWeights *weights;
  std::ptrdiff_t weightsStep;
  std::ptrdiff_t weightsPair; ///< from vectors 0 and 1 of a wide tile to vectors 2 and 3
  float *const *sums;
  bool load; ///< continue the sums that are there
  unsigned columns;
};

namespace detail {

/// The sums of a tile in registers; the last vector of a row may be partial.
template <class Tag, unsigned ROWS, unsigned VECTORS> struct ConvSums {
  using V = simd<float, Tag>;
  static constexpr std::ptrdiff_t W = V::width;
  V at[ROWS][VECTORS];

  template <class Args> POP_SIMD_INLINE void begin(const Args &args, std::size_t tail) {
    if (!args.load)
      forEach([&](auto i, auto j) POP_SIMD_LAMBDA {
        __builtin_prefetch(args.sums[i] + j * W, 1);
        at[i][j] = V::zero();
      });
    else if (isWholeVector<V>(tail))
      forEach([&](auto i, auto j) POP_SIMD_LAMBDA { at[i][j] = V::load(args.sums[i] + j * W); });
    else
      forEach([&](auto i, auto j) POP_SIMD_LAMBDA {
        const float *p = args.sums[i] + j * W;
        at[i][j] = j + 1 < VECTORS ? V::load(p) : V::loadPartial(p, tail);
      });
  }

  template <class Args> POP_SIMD_INLINE void end(const Args &args, std::size_t tail) const {
    if (isWholeVector<V>(tail))
      forEach([&](auto i, auto j) POP_SIMD_LAMBDA { at[i][j].store(args.sums[i] + j * W); });
    else
      forEach([&](auto i, auto j) POP_SIMD_LAMBDA {
        float *p = args.sums[i] + j * W;
        if (j + 1 < VECTORS)
          at[i][j].store(p);
        else
          at[i][j].storePartial(p, tail);
      });
  }

private:
  template <class F> POP_SIMD_INLINE static void forEach(F &&f) {
    repeat<ROWS>(
        [&](auto i) POP_SIMD_LAMBDA { unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { f(i, j); }); });
  }
};

} // namespace detail

/// All columns share the inputs: a block of a matrix product whose rows lie anywhere. Weights are
/// whole vectors.
/// \tparam UNIT  inputs of a run lie side by side
template <class Tag, unsigned ROWS, unsigned VECTORS, bool UNIT>
void convTile(const ConvTileArgs<float, float> &args) {
  using detail::repeat;
  using detail::unroll;
  using V = simd<float, Tag>;
  constexpr std::ptrdiff_t W = V::width;
  const std::size_t tail = args.columns - (VECTORS - 1) * static_cast<std::size_t>(W);
  detail::ConvSums<Tag, ROWS, VECTORS> sum;
  sum.begin(args, tail);
  const std::ptrdiff_t inStep = UNIT ? 1 : args.inStep, weightsStep = args.weightsStep;
  const float *const *const rows = args.rows;
  for (std::size_t s = 0; s < args.numSegments; ++s) {
    const float *w = args.weights + args.segments[s].weights;
    std::ptrdiff_t at = args.segments[s].in;
    std::size_t k = args.length;
    // Two taps for each load of a row's address: there are more rows than registers for them. Sums
    // and the weights of two taps need more than sixteen registers.
    for (; W >= 16 && k >= 2; k -= 2, w += 2 * weightsStep, at += 2 * inStep) {
      V first[VECTORS], second[VECTORS];
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
        first[j] = V::load(w + j * W);
        second[j] = V::load(w + weightsStep + j * W);
      });
      repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
        const float *row = rows[i] + at;
        detail::accumulateAll(sum.at[i], row, first);
        detail::accumulateAll(sum.at[i], row + inStep, second);
      });
    }
    const auto step = [&](auto) POP_SIMD_LAMBDA {
      V tap[VECTORS];
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { tap[j] = V::load(w + j * W); });
      repeat<ROWS>([&](auto i)
                       POP_SIMD_LAMBDA { detail::accumulateAll(sum.at[i], rows[i] + at, tap); });
      arch::stepBy(w, weightsStep);
      at += inStep;
    };
    constexpr std::size_t STEPS = MatMulTileShape<Tag>::STEPS;
    if constexpr (STEPS > 1)
      for (; k >= STEPS; k -= STEPS)
        repeat<STEPS>(step);
    for (; k != 0; --k)
      step(0);
  }
  sum.end(args, tail);
}

/// The same for wide strips: four whole vectors and few rows, whose addresses stay in registers.
template <class Tag, unsigned ROWS, bool UNIT>
void convWideTile(const ConvTileArgs<float, float> &args) {
  using detail::repeat;
  using detail::unroll;
  using V = simd<float, Tag>;
  constexpr std::ptrdiff_t W = V::width;
  constexpr unsigned VECTORS = MatMulTileShape<Tag>::WIDE_VECTORS;
  detail::ConvSums<Tag, ROWS, VECTORS> sum;
  sum.begin(args, static_cast<std::size_t>(W));
  const std::ptrdiff_t inStep = UNIT ? 1 : args.inStep, weightsStep = args.weightsStep;
  const std::ptrdiff_t pair = args.weightsPair;
  const float *rows[ROWS];
  repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA { rows[i] = args.rows[i]; });
  for (std::size_t s = 0; s < args.numSegments; ++s) {
    const float *w = args.weights + args.segments[s].weights;
    std::ptrdiff_t at = args.segments[s].in;
    for (std::size_t k = args.length; k != 0; --k, at += inStep) {
      V tap[VECTORS];
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
        tap[j] = V::load(w + (j < 2 ? j * W : pair + (j - 2) * W));
      });
      repeat<ROWS>([&](auto i)
                       POP_SIMD_LAMBDA { detail::accumulateAll(sum.at[i], rows[i] + at, tap); });
      arch::stepBy(w, weightsStep);
    }
  }
  sum.end(args, static_cast<std::size_t>(W));
}

/// Each column has an input of its own: one channel in and out a group, groups side by side.
template <class Tag, unsigned ROWS, unsigned VECTORS, class TIn, class TWeights>
void convChannelTile(const ConvTileArgs<TIn, TWeights> &args) {
  using detail::repeat;
  using detail::unroll;
  using V = simd<float, Tag>;
  constexpr std::ptrdiff_t W = V::width;
  const std::size_t tail = args.columns - (VECTORS - 1) * static_cast<std::size_t>(W);
  const bool whole = detail::isWholeVector<V>(tail);
  detail::ConvSums<Tag, ROWS, VECTORS> sum;
  sum.begin(args, tail);
  const auto run = [&](auto load) POP_SIMD_LAMBDA {
    for (std::size_t s = 0; s < args.numSegments; ++s) {
      const TWeights *w = args.weights + args.segments[s].weights;
      std::ptrdiff_t at = args.segments[s].in;
      for (std::size_t k = args.length; k != 0; --k, w += args.weightsStep, at += args.inStep) {
        V tap[VECTORS];
        unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { tap[j] = load(w, j); });
        repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
          unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
            sum.at[i][j] = V::fma(load(args.rows[i] + at, j), tap[j], sum.at[i][j]);
          });
        });
      }
    }
  };
  if (whole)
    run([](const auto *p, auto j) POP_SIMD_LAMBDA { return V::load(p + j * W); });
  else
    run([&](const auto *p, auto j) POP_SIMD_LAMBDA {
      return j + 1 < VECTORS ? V::load(p + j * W) : V::loadPartial(p + j * W, tail);
    });
  sum.end(args, tail);
}

namespace detail {

/// Rows and vectors of the largest tile: as for matrix products, and for channels fewer, since
/// every product there has a load of its own.
template <class Tag> struct ConvTileShape : MatMulTileShape<Tag> {
  using MatMulTileShape<Tag>::VECTORS;
  using MatMulTileShape<Tag>::WIDE_VECTORS;
  static constexpr bool HAS_WIDE = WIDE_VECTORS > VECTORS;
};
template <class Tag> struct ConvChannelTileShape {
  static constexpr unsigned WIDTH = MatMulTileShape<Tag>::WIDTH;
  static constexpr unsigned ROWS = WIDTH > 1 ? 6 : 2;
  static constexpr unsigned VECTORS = 2;
  static constexpr unsigned COLUMNS = VECTORS * WIDTH;
  static constexpr bool HAS_WIDE = false;
};

template <class Tag, bool UNIT, std::size_t... I>
POP_SIMD_INLINE void pickConvTile(std::size_t index, const ConvTileArgs<float, float> &args,
                                  std::index_sequence<I...>) {
  constexpr unsigned V = ConvTileShape<Tag>::VECTORS;
  using Function = void (*)(const ConvTileArgs<float, float> &);
  constexpr Function all[] = {&convTile<Tag, I / V + 1, I % V + 1, UNIT>...};
  all[index](args);
}

template <class Tag, std::size_t... I>
POP_SIMD_INLINE void pickConvWideTile(unsigned rows, const ConvTileArgs<float, float> &args,
                                      std::index_sequence<I...>) {
  using Function = void (*)(const ConvTileArgs<float, float> &);
  constexpr Function all[][2] = {
      {&convWideTile<Tag, I + 1, false>, &convWideTile<Tag, I + 1, true>}...};
  all[rows - 1][args.inStep == 1](args);
}

template <class Tag, class TIn, class TWeights, std::size_t... I>
POP_SIMD_INLINE void pickConvChannelTile(std::size_t index, const ConvTileArgs<TIn, TWeights> &args,
                                         std::index_sequence<I...>) {
  constexpr unsigned V = ConvChannelTileShape<Tag>::VECTORS;
  using Function = void (*)(const ConvTileArgs<TIn, TWeights> &);
  constexpr Function all[] = {&convChannelTile<Tag, I / V + 1, I % V + 1, TIn, TWeights>...};
  all[index](args);
}

} // namespace detail

/// Runs the tile of `rows` rows (from 1) and args.columns columns (from 1; a wide strip is whole).
template <class Tag>
POP_SIMD_INLINE void runConvTile(unsigned rows, const ConvTileArgs<float, float> &args) {
  using Shape = detail::ConvTileShape<Tag>;
  if constexpr (Shape::HAS_WIDE)
    if (args.columns > Shape::COLUMNS)
      return detail::pickConvWideTile<Tag>(rows, args,
                                           std::make_index_sequence<Shape::WIDE_ROWS>{});
  const unsigned vectors = (args.columns + Shape::WIDTH - 1) / Shape::WIDTH;
  const std::size_t index = (rows - 1) * Shape::VECTORS + (vectors - 1);
  constexpr auto all = std::make_index_sequence<Shape::ROWS * Shape::VECTORS>{};
  if (args.inStep == 1)
    detail::pickConvTile<Tag, true>(index, args, all);
  else
    detail::pickConvTile<Tag, false>(index, args, all);
}
template <class Tag, class TIn, class TWeights>
POP_SIMD_INLINE void runConvChannelTile(unsigned rows, const ConvTileArgs<TIn, TWeights> &args) {
  using Shape = detail::ConvChannelTileShape<Tag>;
  const unsigned vectors = (args.columns + Shape::WIDTH - 1) / Shape::WIDTH;
  detail::pickConvChannelTile<Tag>((rows - 1) * Shape::VECTORS + (vectors - 1), args,
                                   std::make_index_sequence<Shape::ROWS * Shape::VECTORS>{});
}

} // namespace cottonwood::kernels
