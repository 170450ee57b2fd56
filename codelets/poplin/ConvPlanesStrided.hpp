/// \file ConvPlanesStrided.hpp
/// Convolutions of planes with 3 x 3 taps whose outputs are two inputs apart, in vectors of 16
/// lanes. Inputs are taken apart into those of even and of odd places on the way, without scratch:
/// vectors of a copy would begin anywhere, and each cross two cache lines.
#pragma once

#include <codelets/arch/SimdPairs.hpp>
#include <codelets/poplin/ConvPlanesArgs.hpp>
#include <codelets/poplin/MatMulTile.hpp>

#include <cstdint>
#include <type_traits>

namespace cottonwood::kernels::detail {

/// \tparam FIRST  firstX of the shape: -1 or 0
template <class Tag, class TIn, class TOut, int FIRST> class StridedConvPlanes {
public:
  using Args = ConvPlanesArgs<TIn, TOut>;

  explicit StridedConvPlanes(const Args &args) : args_(args), shape_(args.shape) {
    std::int32_t from[W];
    for (int i = 0; i < static_cast<int>(W); ++i)
      from[i] = FIRST < 0 ? (i == 0 ? static_cast<int>(W) : i - 1) : i + 1;
    beside_ = I::load(from);
  }

  void run() const {
    const std::size_t width = size(shape_.outputsX), outputs = size(shape_.outputsY) * width;
    ConvPlanesWeights<Tag, TIn> weights(args_);
    const TIn *in = args_.in;
    TOut *out = args_.out;
    for (std::size_t p = 0; p < args_.planes; ++p, in += args_.inPlane, out += outputs) {
      const float *const weight = weights.of(p);
      if (!weights.areFinite(p)) {
        convolvePlaneWithoutPadding<Tag>(args_, in, weight, out);
        continue;
      }
      int y = 0;
      for (; y + LINES <= shape_.outputsY; y += LINES)
        computeLines<LINES>(in, weight, y, out + size(y) * width);
      for (; y < shape_.outputsY; ++y)
        computeLines<1>(in, weight, y, out + size(y) * width);
    }
  }

private:
  using V = simd<float, Tag>;
  using I = typename V::Int;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr int SIDE = 3, STRIDE = 2, LINES = 4;
  static constexpr std::ptrdiff_t LANES = static_cast<std::ptrdiff_t>(W);
  /// The input before those of two vectors, or the one behind them.
  static constexpr std::ptrdiff_t EDGE = FIRST < 0 ? -1 : STRIDE * LANES;
  static_assert(W == CONV_SHORT_LANES);

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// n of a vector's lanes, or as many as there are.
  static std::size_t lanes(std::ptrdiff_t n) {
    return n < 0 ? 0 : n < static_cast<std::ptrdiff_t>(W) ? static_cast<std::size_t>(n) : W;
  }

  /// N lines of outputs from the y-th on, to `out`.
  template <int N>
  [[gnu::noinline]] void computeLines(const TIn *in, const float *weights, int y, TOut *out) const {
    constexpr int ROWS = (N - 1) * STRIDE + SIDE;
    V weight[SIDE * SIDE];
    unroll<SIDE * SIDE>(
        [&](auto t) POP_SIMD_LAMBDA { weight[t] = V::broadcast(weights + t * CONV_PLANES_CHUNK); });
    const I beside = beside_;
    const int low = y * STRIDE + shape_.firstY;
    const std::ptrdiff_t row = args_.inRow, inputsX = shape_.inputsX;
    const std::size_t width = size(shape_.outputsX);
    const TIn *const from = in + low * row;
    // Outputs from the x-th on; `inside` if all inputs of these are there.
    const auto compute = [&](std::size_t x, auto inside) POP_SIMD_LAMBDA {
      const auto at = static_cast<std::ptrdiff_t>(STRIDE * x), left = inputsX - at;
      const bool edgeIsInput = EDGE < left && at + EDGE >= 0;
      V sum[static_cast<std::size_t>(N)];
      unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[i] = V::zero(); });
      unroll<ROWS>([&](auto r) POP_SIMD_LAMBDA {
        const TIn *const line = from + r * row + at;
        V first, second, edge;
        if constexpr (inside) {
          first = V::load(line), second = V::load(line + W), edge = V::broadcast(line + EDGE);
        } else {
          const bool isLine = low + static_cast<int>(r) >= 0 && low + r < shape_.inputsY;
          first = V::loadPartial(line, isLine ? lanes(left) : 0);
          second = V::loadPartial(line + W, isLine ? lanes(left - LANES) : 0);
          edge = isLine && edgeIsInput ? V::broadcast(line + EDGE) : V::zero();
        }
        V even, odd;
        arch::splitPairs(first, second, even, odd);
        const V third = arch::lanesOfBoth(FIRST < 0 ? odd : even, edge, beside, all_);
        const V input[SIDE] = {FIRST < 0 ? third : even, FIRST < 0 ? even : odd,
                               FIRST < 0 ? odd : third};
        unroll<SIDE>(
            [&](auto j) POP_SIMD_LAMBDA { addToLines<SIDE, STRIDE>(sum, weight, input[j], r, j); });
      });
      unroll<N>([&](auto i) POP_SIMD_LAMBDA {
        sum[i].store(out + static_cast<std::size_t>(i) * width + x);
      });
    };
    const bool areLines = low >= 0 && low + ROWS <= shape_.inputsY;
    forVectors(width, W, [&](std::size_t x) POP_SIMD_LAMBDA {
      const auto at = static_cast<std::ptrdiff_t>(STRIDE * x);
      if (areLines && at + EDGE >= 0 && at + STRIDE * LANES + (FIRST < 0 ? 0 : 1) <= inputsX)
        compute(x, std::true_type{});
      else
        compute(x, std::false_type{});
    });
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  I beside_; ///< lanes of the third tap: those of its neighbour, one further, and the edge
  typename V::Mask all_ = I::zero() < I::splat(1);
};

} // namespace cottonwood::kernels::detail
