/// \file ConvGroupsArgs.hpp
/// Operands of convolutions of groups of few channels (ConvGroupsKernel.hpp), and their vectors of
/// output channels.
#pragma once

#include <codelets/poplin/ConvGroupsCost.hpp>

#include <cstdint>

namespace cottonwood::kernels {

/// Channel c of group g at (y, x) of image b of the input is in[b * inImage + y * inY + x * inX +
/// (g * inChannels + c) * inChannel], where inX or inChannel is 1; its weight to output channel n
/// of the group, at tap (y, x), weights[g * weightsGroup + n * weightsOut + c * weightsIn + y *
/// weightsY + x * weightsX]. The output is one array an image, [y, x, groups, outChannels], or, if
/// outMaps is set and x has one phase, one an image and channel, [y, x].
template <class TIn, class TOut> struct ConvGroupsArgs {
  ConvPlanesShape shape;    ///< of the most outputs that a phase has, and the taps of all phases
  ConvGroupsCut cut;        ///< convGroupsCut()
  std::size_t lines, width; ///< of the output: those of all phases
  std::size_t phasesY, phasesX;
  const ConvPhase *phases; ///< of y, then of x
  std::size_t images, groups, inChannels, outChannels;
  const TIn *in;
  std::ptrdiff_t inImage, inY, inX, inChannel;
  const TIn *weights;
  std::ptrdiff_t weightsGroup, weightsOut, weightsIn, weightsY, weightsX;
  TOut *const *out;
  bool outMaps;
  float *workspace; ///< convGroupsWorkspace() floats

  constexpr ConvGroupsPhases allPhases() const {
    return convGroupsPhases(shape, phases, phasesY, phasesX, width);
  }
};

namespace detail {

/// Output channels [column, column + lanes) of all groups, which are the lanes of a vector, and
/// which inputs they read.
template <std::size_t W> struct ConvGroupsLanes {
  std::size_t column = 0, lanes = 0;
  std::size_t channel = 0, span = 0; ///< the first input channel of all groups, and how many
  std::int32_t offset[W] = {};       ///< channel 0 of a lane's group, from the first one

  ConvGroupsLanes() = default;
  /// \param end  of the columns that may be lanes
  ConvGroupsLanes(std::size_t first, std::size_t end, std::size_t in, std::size_t out)
      : column(first), lanes(end - first < W ? end - first : W), channel(first / out * in) {
    for (std::size_t l = 0; l < lanes; ++l)
      offset[l] = static_cast<std::int32_t>((first + l) / out * in - channel);
    span = static_cast<std::size_t>(offset[lanes - 1]) + in;
  }
};

} // namespace detail
} // namespace cottonwood::kernels
