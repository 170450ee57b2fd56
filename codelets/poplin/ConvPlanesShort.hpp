/// \file ConvPlanesShort.hpp
/// Convolutions of planes with short lines and 3 x 3 taps, in vectors of 16 lanes. A line of inputs
/// is a vector, which goes to the lanes of its outputs without scratch; where lines have up to half
/// as many outputs as lanes, two planes are computed side by side.
#pragma once

#include <codelets/arch/SimdPairs.hpp>
#include <codelets/poplin/ConvPlanesArgs.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels::detail {

/// \tparam PLANES  1 or 2
template <class Tag, class TIn, class TOut, int PLANES> class ShortConvPlanes {
public:
  using Args = ConvPlanesArgs<TIn, TOut>;

  explicit ShortConvPlanes(const Args &args) : args_(args), shape_(args.shape) {
    for (int j = 0; j < SIDE; ++j)
      chooseLanes(j);
    ofFirst_ = I::iota() < I::splat(LANES);
    second_ = I::iota() + I::splat(LANES);
  }

  void run() { shape_.strideY == 1 ? runPlanes<1>() : runPlanes<2>(); }

private:
  using V = simd<float, Tag>;
  using I = typename V::Int;
  using Mask = typename V::Mask;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr int SIDE = CONV_SHORT_TAPS;
  /// Of one plane.
  static constexpr int LANES = CONV_SHORT_LANES / PLANES;
  /// Lines of outputs that are computed together: those of the smallest fields of networks.
  static constexpr int LINES = 7;
  static_assert(W == CONV_SHORT_LANES && CONV_PLANES_CHUNK % PLANES == 0);

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// Where tap j of a line finds its inputs in those of the planes.
  void chooseLanes(int j) {
    std::int32_t from[W], keep[W];
    for (int i = 0; i < static_cast<int>(W); ++i) {
      const int x = i % LANES, at = x * shape_.strideX + shape_.firstX + j * shape_.tapStepX;
      const bool isInput = x < shape_.outputsX && at >= 0 && at < shape_.inputsX;
      from[i] = isInput ? at + i / LANES * static_cast<int>(W) : 0;
      keep[i] = isInput;
    }
    from_[j] = I::load(from), keep_[j] = I::load(keep) > I::zero();
  }

  template <int STRIDE> void runPlanes() const {
    const std::size_t outputs = size(shape_.outputsY) * size(shape_.outputsX);
    ConvPlanesWeights<Tag, TIn> weights(args_);
    Part part{args_.in, nullptr, args_.out, nullptr, {}};
    for (std::size_t p = 0; p < args_.planes; p += PLANES) {
      const bool both = PLANES == 2 && p + 1 < args_.planes;
      const float *const first = weights.of(p), *const second = both ? weights.of(p + 1) : first;
      part.other = both ? part.in + args_.inPlane : part.in;
      part.otherOut = both ? part.out + outputs : nullptr;
      for (std::size_t t = 0; t < SIDE * SIDE; ++t)
        part.weights[t] = V::select(ofFirst_, V::broadcast(first + t * CONV_PLANES_CHUNK),
                                    V::broadcast(second + t * CONV_PLANES_CHUNK));
      int y = 0;
      for (; y + LINES <= shape_.outputsY; y += LINES)
        computeLines<LINES, STRIDE>(part, y);
      for (; y < shape_.outputsY; ++y)
        computeLines<1, STRIDE>(part, y);
      if (!weights.areFinite(p))
        convolvePlaneWithoutPadding<Tag>(args_, part.in, first, part.out);
      if (both && !weights.areFinite(p + 1))
        convolvePlaneWithoutPadding<Tag>(args_, part.other, second, part.otherOut);
      part.in += PLANES * args_.inPlane, part.out += PLANES * outputs;
    }
  }

  struct Part {
    const TIn *in, *other;
    TOut *out, *otherOut; ///< the second is null where there is one plane
    V weights[SIDE * SIDE];
  };

  /// N lines of outputs, which are STRIDE lines of inputs apart, from the y-th on.
  template <int N, int STRIDE> [[gnu::noinline]] void computeLines(const Part &part, int y) const {
    V weight[SIDE * SIDE];
    unroll<SIDE * SIDE>([&](auto t) POP_SIMD_LAMBDA { weight[t] = part.weights[t]; });
    I from[SIDE];
    Mask keep[SIDE];
    unroll<SIDE>([&](auto j) POP_SIMD_LAMBDA { from[j] = from_[j], keep[j] = keep_[j]; });
    V sum[static_cast<std::size_t>(N)];
    unroll<N>([&](auto i) POP_SIMD_LAMBDA { sum[i] = V::zero(); });
    const int low = y * STRIDE + shape_.firstY, inputsY = shape_.inputsY;
    const std::size_t inputs = size(shape_.inputsX), width = size(shape_.outputsX);
    const std::ptrdiff_t row = args_.inRow;
    const TIn *const a = part.in + low * row, *const b = part.other + low * row;
    unroll<(N - 1) * STRIDE + SIDE>([&](auto r) POP_SIMD_LAMBDA {
      if (static_cast<unsigned>(low + static_cast<int>(r)) >= static_cast<unsigned>(inputsY))
        return; // padding
      const V one = V::loadPartial(a + r * row, inputs);
      const V two = PLANES == 1 ? one : V::loadPartial(b + r * row, inputs);
      unroll<SIDE>([&](auto j) POP_SIMD_LAMBDA {
        const V input = arch::lanesOfBoth(one, two, from[j], keep[j]);
        addToLines<SIDE, STRIDE>(sum, weight, input, r, j);
      });
    });
    TOut *out = part.out + size(y) * width;
    unroll<N>([&](auto i) POP_SIMD_LAMBDA {
      sum[i].storePartial(out, width);
      out += width;
    });
    if (PLANES == 1 || !part.otherOut)
      return;
    out = part.otherOut + size(y) * width;
    unroll<N>([&](auto i) POP_SIMD_LAMBDA {
      arch::lanesOfBoth(sum[i], sum[i], second_, ofFirst_).storePartial(out, width);
      out += width;
    });
  }

  const Args &args_;
  const ConvPlanesShape &shape_;
  I from_[SIDE], second_;     ///< lanes of the inputs of a tap; of the second plane
  Mask keep_[SIDE], ofFirst_; ///< which lanes have an input; which are the first plane's
};

} // namespace cottonwood::kernels::detail
