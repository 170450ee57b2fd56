/// \file ConvGroupsCost.hpp
/// Sizes of convolutions of groups of few channels (ConvGroupsKernel.hpp) that their callers need.
/// Standard library only.
#pragma once

#include <codelets/poplin/ConvPlanesCost.hpp>

namespace cottonwood::kernels {

/// Most lanes of a vector.
inline constexpr std::size_t CONV_GROUPS_LANES = 16;

/// Input channels that the lanes of a vector of output channels read, at most.
constexpr std::size_t convGroupsSpan(std::size_t inChannels, std::size_t outChannels,
                                     std::size_t lanes) {
  // A vector begins where another one ends: within a group, but where groups divide it.
  const std::size_t most = outChannels % lanes == 0   ? 1
                           : lanes % outChannels == 0 ? lanes / outChannels
                                                      : (lanes - 2) / outChannels + 2;
  return most * inChannels;
}

/// Most input channels of a group: with more of them spreading takes longer than products do.
inline constexpr std::size_t CONV_GROUPS_CHANNELS = 16;
/// Output lines that are computed together, at most.
inline constexpr int CONV_GROUPS_LINES = 2;
/// Outputs of a line that are computed together, at most: their sums, a weight and an input are in
/// registers.
inline constexpr int CONV_GROUPS_OUTPUTS = 14;
/// Bytes of spread inputs that L1 keeps.
inline constexpr std::size_t CONV_GROUPS_BYTES = 40 * 1024;

/// How many are: pieces of a line are equal.
constexpr int convGroupsPiece(const ConvPlanesShape &shape) {
  const int pieces = (shape.outputsX + CONV_GROUPS_OUTPUTS - 1) / CONV_GROUPS_OUTPUTS;
  return (shape.outputsX + pieces - 1) / pieces;
}

/// A strip of the output: CONV_GROUPS_LINES lines of so many pieces that L1 keeps their inputs, or
/// of one. Strips are equal but for the rounding to pieces.
constexpr ConvPlanesShape convGroupsStrip(ConvPlanesShape shape, std::size_t channels) {
  const int piece = convGroupsPiece(shape), pieces = (shape.outputsX + piece - 1) / piece;
  shape.outputsY = std::min(shape.outputsY, CONV_GROUPS_LINES);
  for (int strips = 1; strips <= pieces; ++strips) {
    shape.outputsX = (pieces + strips - 1) / strips * piece;
    if (ConvPlanesSpace(shape).plane * channels * CONV_GROUPS_LANES * sizeof(float) <=
        CONV_GROUPS_BYTES)
      break;
  }
  return shape;
}

/// Floats of scratch: of a strip's spread inputs, which begin on a cache line, and of the weights
/// to a vector of output channels.
/// \param taps  of the weights: those of all phases
constexpr std::size_t convGroupsWorkspace(const ConvPlanesShape &shape, std::size_t channels,
                                          std::size_t taps) {
  const ConvPlanesSpace space(convGroupsStrip(shape, channels));
  return (space.plane + taps) * channels * CONV_GROUPS_LANES + 16;
}

} // namespace cottonwood::kernels
