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

/// Most input channels of a group: with more of them spreading takes longer than products do, or,
/// where a vector has one group, blocks of more columns are quicker.
inline constexpr std::size_t CONV_GROUPS_CHANNELS = 16, CONV_GROUP_CHANNELS = 32;
/// Whether vectors have output channels of several groups; else of one that fills most of them.
constexpr bool convGroupsShare(std::size_t outChannels, std::size_t lanes) {
  return 2 * outChannels <= lanes || outChannels > lanes;
}
/// Output lines that are computed together, at most.
inline constexpr int CONV_GROUPS_LINES = 2;
/// Outputs of a line that are computed together, at most: their sums, a weight and an input are in
/// registers.
inline constexpr int CONV_GROUPS_OUTPUTS = 14;
/// Fewer outputs than these take as long, whose sums do not fill the units for multiply-adds.
inline constexpr int CONV_GROUPS_FEW = 7;
/// Bytes of spread inputs that L1 keeps.
inline constexpr std::size_t CONV_GROUPS_BYTES = 40 * 1024;

/// Places of the inputs of one channel (ConvPlanesCost.hpp), of vectors: an odd number, so that
/// channels lie in different sets of a cache.
constexpr std::size_t convGroupsPlane(const ConvPlanesShape &shape) {
  const ConvPlanesSpace space(shape);
  const int phases = shape.strideY * shape.strideX;
  return space.rows * space.pitch * static_cast<std::size_t>(phases) | 1;
}
/// Floats of scratch of all inputs: where groups share vectors of those, whole cache lines.
constexpr std::size_t convGroupsInputs(const ConvPlanesShape &shape, std::size_t channels,
                                       bool share) {
  const std::size_t places = convGroupsPlane(shape) * channels;
  return share ? places * CONV_GROUPS_LANES
               : (places + CONV_GROUPS_LANES - 1) / CONV_GROUPS_LANES * CONV_GROUPS_LANES;
}

/// How an image is cut: strips of its columns, whose inputs are spread line by line, and pieces of
/// so many outputs of each of one line or of CONV_GROUPS_LINES, which are computed together.
struct ConvGroupsCut {
  int strip, outputs, lines;

  /// Of a strip's lines that are computed together.
  constexpr ConvPlanesShape of(ConvPlanesShape shape) const {
    shape.outputsX = strip, shape.outputsY = lines;
    return shape;
  }
};

/// Pieces of a line are equal: the largest whose inputs L1 keeps, if there are such of
/// CONV_GROUPS_FEW or more. So are strips, but for the rounding to pieces: the widest whose inputs
/// L1 keeps, or pieces.
/// \param share  convGroupsShare()
constexpr ConvGroupsCut convGroupsCut(const ConvPlanesShape &shape, std::size_t channels,
                                      bool share) {
  const int width = shape.outputsX;
  const auto partOf = [](int all, int parts) { return (all + parts - 1) / parts; };
  const auto isKept = [&](int outputs, int lines) {
    const ConvPlanesShape part = ConvGroupsCut{outputs, outputs, lines}.of(shape);
    return convGroupsInputs(part, channels, share) * sizeof(float) <= CONV_GROUPS_BYTES;
  };
  const auto linesOf = [&](int outputs) {
    return CONV_GROUPS_LINES * outputs <= CONV_GROUPS_OUTPUTS
               ? std::min(CONV_GROUPS_LINES, shape.outputsY)
               : 1;
  };
  const int fewest = partOf(width, CONV_GROUPS_OUTPUTS), largest = partOf(width, fewest);
  int piece = largest, lines = linesOf(largest);
  for (int pieces = fewest; !isKept(piece, lines);) {
    if (lines > 1) {
      --lines;
      continue;
    }
    piece = partOf(width, ++pieces), lines = linesOf(piece);
    if (piece < CONV_GROUPS_FEW) {
      piece = largest, lines = linesOf(largest);
      break;
    }
  }
  const int pieces = partOf(width, piece);
  int strips = 1;
  while (strips < pieces && !isKept(partOf(pieces, strips) * piece, lines))
    ++strips;
  return {partOf(pieces, strips) * piece, piece, lines};
}

/// Floats of scratch: of a strip's spread inputs, which begin on a cache line, and of the weights
/// to a vector of output channels.
/// \param taps  of the weights: those of all phases
constexpr std::size_t convGroupsWorkspace(const ConvPlanesShape &shape, std::size_t channels,
                                          bool share, std::size_t taps) {
  const ConvPlanesShape part = convGroupsCut(shape, channels, share).of(shape);
  return convGroupsInputs(part, channels, share) + taps * channels * CONV_GROUPS_LANES + 16;
}

} // namespace cottonwood::kernels
