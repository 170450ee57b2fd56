/// \file ConvUpdateArgs.hpp
/// What kernels of gradients of the weights of groups of few channels are given.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/poplin/ConvUpdateCost.hpp>

namespace cottonwood::kernels {

/// A convolution of inputs with deltas as weights, whose outputs are the weights' gradient and
/// whose taps are the deltas. Channel c of group g at (y, x) of image b of the input is
/// in[b * inImage + y * inRow + x * inColumn + (g * inChannels + c) * inChannel], and so for the
/// deltas; of each, channels or the columns of a line lie side by side. The gradient for input
/// channel c at (i, j) goes to out[(c * outputsY + i) * outputsX + j]: the output channels of all
/// groups.
template <class TIn, class TOut> struct ConvUpdateArgs {
  ConvPlanesShape shape; ///< its strides and steps of taps are positive
  std::size_t images, groups, inChannels, outChannels;
  const TIn *in;
  std::ptrdiff_t inImage, inRow, inColumn, inChannel;
  const TIn *deltas;
  std::ptrdiff_t deltasImage, deltasRow, deltasColumn, deltasChannel;
  TOut *const *out;
  float *workspace; ///< convUpdateWorkspace() floats
};

namespace detail {

struct ConvUpdateRange {
  int from, to;
  POP_SIMD_INLINE bool empty() const { return from >= to; }
  POP_SIMD_INLINE ConvUpdateRange within(ConvUpdateRange all) const {
    const auto clamp = [&](int n) POP_SIMD_LAMBDA {
      return n < all.from ? all.from : n < all.to ? n : all.to;
    };
    return {clamp(from), clamp(to)};
  }
};

POP_SIMD_INLINE int floorQuotient(int a, int b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The first of n things that are cut into equal parts of at most `most`.
POP_SIMD_INLINE int firstPart(int n, int most) {
  const int parts = (n + most - 1) / most;
  return (n + parts - 1) / parts;
}

/// The indices of a range whose inputs, the first at `first` for index 0 and `step` apart, are in
/// [0, inputs).
POP_SIMD_INLINE ConvUpdateRange meeting(int first, int step, int inputs, ConvUpdateRange all) {
  return ConvUpdateRange{-floorQuotient(first, step), -floorQuotient(first - inputs, step)}.within(
      all);
}

/// Lines of inputs that some lines of deltas meet, for any tap in y.
POP_SIMD_INLINE ConvUpdateRange inputLines(const ConvPlanesShape &shape, ConvUpdateRange deltas) {
  const int low = shape.inputY(0, 0) + deltas.from * shape.tapStepY,
            high = shape.inputY(shape.outputsY - 1, 0) + (deltas.to - 1) * shape.tapStepY;
  return {low < 0 ? 0 : low, high < shape.inputsY ? high + 1 : shape.inputsY};
}

} // namespace detail

} // namespace cottonwood::kernels
