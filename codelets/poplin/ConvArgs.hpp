/// \file ConvArgs.hpp
/// The arguments of convolution kernels: plain pointers and strides, no instructions.
#pragma once

#include <codelets/poplin/ConvCost.hpp>
#include <codelets/poplin/ConvGeometry.hpp>

namespace cottonwood::kernels {

/// What the kernels work on. Element (group g, input place x) of the input is at
/// in + g * inGroup + the sum over dimensions of x[d] * inStride[d]; a weight is at
/// weights + g * weightsGroup + the sum of tap[d] * tapStride[d] + its column's offset.
template <class TIn, class TWeights, class TOut> struct ConvArgs {
  ConvGeometry geometry;
  std::size_t groups, columns; ///< output channels are the columns of a group
  const TIn *in;
  std::ptrdiff_t inGroup;
  const TWeights *weights;
  std::ptrdiff_t weightsGroup;
  /// Column j is (j / block) * blockStride + (j % block) * column from the first one.
  std::ptrdiff_t weightsColumn, weightsBlockStride;
  std::size_t weightsBlock;
  TOut *out; ///< output p starts at out + p * outPixel ...
  std::size_t outPixel;
  TOut *const *outRows; ///< ... or, if this is not null, at outRows[p]
  ConvBlocking blocking;
  float *workspace; ///< convWorkspace() floats

  /// The channels of output `pixel`.
  POP_SIMD_INLINE TOut *outAt(std::size_t pixel) const {
    return outRows ? outRows[pixel] : out + pixel * outPixel;
  }
};

} // namespace cottonwood::kernels
