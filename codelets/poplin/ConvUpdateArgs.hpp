/// \file ConvUpdateArgs.hpp
/// What kernels of gradients of the weights of groups of few channels are given.
#pragma once

#include <codelets/poplin/ConvUpdateCost.hpp>

namespace cottonwood::kernels {

/// A convolution of inputs with deltas as weights, whose outputs are the weights' gradient and
/// whose taps are the deltas. Channel c of group g at (y, x) of image b of the input is
/// in[b * inImage + y * inRow + x * inColumn + g * inChannels + c], and so for the deltas. The
/// gradient for input channel c at (i, j) goes to out[(c * outputsY + i) * outputsX + j]: the
/// output channels of all groups.
template <class TIn, class TOut> struct ConvUpdateArgs {
  ConvPlanesShape shape; ///< its strides and steps of taps are positive
  std::size_t images, groups, inChannels, outChannels;
  const TIn *in;
  std::ptrdiff_t inImage, inRow, inColumn;
  const TIn *deltas;
  std::ptrdiff_t deltasImage, deltasRow, deltasColumn;
  TOut *const *out;
  float *workspace; ///< convUpdateWorkspace() floats
};

} // namespace cottonwood::kernels
