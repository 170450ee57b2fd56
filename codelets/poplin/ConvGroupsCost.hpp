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
/// Whether groups are quicker than maps (ConvMapsKernel.hpp) where the field lies side by side:
/// such of as many channels as a vector of 16 floats has lanes.
constexpr bool convGroupsBeforeMaps(std::size_t inChannels, std::size_t outChannels,
                                    std::size_t lanes) {
  return lanes == CONV_GROUPS_LANES && inChannels == lanes && outChannels == lanes;
}

/// Taps of a line that ConvGroupLines.hpp knows, and of how many lines of outputs it computes sums
/// together, at most: those of all taps and lines, weights and an input are in 32 registers.
inline constexpr int CONV_LINES_TAPS = 5;
constexpr int convLinesMost(int taps, int stride, bool share) {
  if (stride == 2)
    return taps == 3 ? 8 : 0;
  const int few = share ? 1 : 0; // one register more
  return taps == 2 ? 8 : taps == 3 ? 8 - few : taps == 4 ? 6 : 5 - few;
}
/// Fewer lines have too few sums to fill the units for multiply-adds.
inline constexpr int CONV_LINES_FEW = 4;
/// Outputs of a line, of all phases, at most: L2 keeps their inputs and sums.
inline constexpr int CONV_LINES_OUTPUTS = 64;

/// How groups are computed: a line or two of outputs together, several groups in a vector of
/// output channels or one; or CONV_LINES_FEW lines or more together.
enum class ConvGroupsWay { SHARED, SINGLE, SHARED_LINES, SINGLE_LINES };
constexpr bool isShared(ConvGroupsWay way) {
  return way == ConvGroupsWay::SHARED || way == ConvGroupsWay::SHARED_LINES;
}
constexpr bool isByLines(ConvGroupsWay way) {
  return way == ConvGroupsWay::SHARED_LINES || way == ConvGroupsWay::SINGLE_LINES;
}
/// Phases of a line, as far as ways differ.
struct ConvGroupsPhases {
  int x;
  int tapsX;  ///< of the weights: those of all phases
  bool meets; ///< each output meets an input
};
/// \param phases  of y, then of x
/// \param width  of the output
constexpr ConvGroupsPhases convGroupsPhases(const ConvPlanesShape &s, const ConvPhase *phases,
                                            std::size_t phasesY, std::size_t phasesX,
                                            std::size_t width) {
  ConvGroupsPhases all{static_cast<int>(phasesX), 0, true};
  for (int i = 0; i < all.x; ++i) {
    const auto [phase, taps, weight] = phases[phasesY + static_cast<std::size_t>(i)];
    const int first = s.firstX + phase, last = (static_cast<int>(width) - 1 - i) / all.x;
    all.tapsX += taps;
    all.meets &= first > -taps && last * s.strideX + first < s.inputsX;
  }
  return all;
}
constexpr ConvGroupsWay convGroupsWay(const ConvPlanesShape &s, const ConvGroupsPhases &phases,
                                      std::size_t inChannels, std::size_t outChannels,
                                      std::size_t lanes) {
  const bool share = convGroupsShare(outChannels, lanes);
  // A single channel has too few products for a sum that is loaded and stored.
  const bool vector =
      lanes == CONV_GROUPS_LANES && inChannels > 1 &&
      (share ? convGroupsSpan(inChannels, outChannels, lanes) : inChannels) <= lanes;
  const int taps = phases.tapsX;
  const bool plain = phases.x == 1 && s.strideX == 1 && taps > 1 && taps <= CONV_LINES_TAPS;
  const bool strided = phases.x == 1 && s.strideX == 2 && taps == 3;
  const bool dilated = phases.x == 2 && s.strideX == 1 && taps == 3;
  const bool neighbours =
      s.strideY == s.strideX && s.tapStepX == 1 && (plain || strided || dilated);
  const bool many = s.outputsY >= CONV_LINES_FEW && s.outputsX >= CONV_LINES_FEW;
  if (vector && neighbours && phases.meets && many)
    return share ? ConvGroupsWay::SHARED_LINES : ConvGroupsWay::SINGLE_LINES;
  return share ? ConvGroupsWay::SHARED : ConvGroupsWay::SINGLE;
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
                                       ConvGroupsWay way) {
  const std::size_t places = convGroupsPlane(shape) * channels;
  return isShared(way) ? places * CONV_GROUPS_LANES
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

/// Strips and blocks of lines are equal, but for the last. Both are of each phase.
constexpr ConvGroupsCut convLinesCut(const ConvPlanesShape &shape, const ConvGroupsPhases &phases,
                                     bool share) {
  const auto partOf = [](int all, int most) {
    const int parts = (all + most - 1) / most;
    return (all + parts - 1) / parts;
  };
  const int strip = partOf(shape.outputsX, CONV_LINES_OUTPUTS / phases.x);
  return {strip, strip, partOf(shape.outputsY, convLinesMost(phases.tapsX, shape.strideX, share))};
}
/// Scratch of ConvGroupLines.hpp, of vectors of CONV_GROUPS_LANES floats.
struct ConvLinesSpace {
  std::size_t reach;   ///< input lines behind the first that an output line meets
  std::size_t rows;    ///< input lines of a place
  std::size_t places;  ///< inputs of a line
  std::size_t outputs; ///< of a line, with those beside the strip that inputs meet
  std::size_t sums;

  constexpr ConvLinesSpace(const ConvPlanesShape &s, const ConvGroupsPhases &phases,
                           const ConvGroupsCut &cut)
      : reach(
            static_cast<std::size_t>((s.tapsY - 1) * (s.tapStepY < 0 ? -s.tapStepY : s.tapStepY))),
        rows(static_cast<std::size_t>((cut.lines - 1) * s.strideY + 1) + reach),
        places(static_cast<std::size_t>((cut.strip - 1) * s.strideX + s.tapsX)),
        outputs(
            static_cast<std::size_t>(cut.strip * phases.x + 2 * ((phases.tapsX - 1) / s.strideX))),
        sums(outputs * static_cast<std::size_t>(cut.lines)) {}
  constexpr std::size_t floats() const { return (places * rows + sums) * CONV_GROUPS_LANES; }
};

/// Pieces of a line are equal: the largest whose inputs L1 keeps, if there are such of
/// CONV_GROUPS_FEW or more. So are strips, but for the rounding to pieces: the widest whose inputs
/// L1 keeps, or pieces.
/// \param way  convGroupsWay()
constexpr ConvGroupsCut convGroupsCut(const ConvPlanesShape &shape, const ConvGroupsPhases &phases,
                                      std::size_t channels, ConvGroupsWay way) {
  if (isByLines(way))
    return convLinesCut(shape, phases, isShared(way));
  const int width = shape.outputsX;
  const auto partOf = [](int all, int parts) { return (all + parts - 1) / parts; };
  const auto isKept = [&](int outputs, int lines) {
    const ConvPlanesShape part = ConvGroupsCut{outputs, outputs, lines}.of(shape);
    return convGroupsInputs(part, channels, way) * sizeof(float) <= CONV_GROUPS_BYTES;
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

/// Floats of scratch: of a strip's inputs, which begin on a cache line, of sums, and of the weights
/// to a vector of output channels.
/// \param taps  of the weights: those of all phases
constexpr std::size_t convGroupsWorkspace(const ConvPlanesShape &shape,
                                          const ConvGroupsPhases &phases, std::size_t channels,
                                          ConvGroupsWay way, std::size_t taps) {
  const ConvGroupsCut cut = convGroupsCut(shape, phases, channels, way);
  return (isByLines(way) ? ConvLinesSpace(shape, phases, cut).floats()
                         : convGroupsInputs(cut.of(shape), channels, way)) +
         taps * channels * CONV_GROUPS_LANES + 16;
}

} // namespace cottonwood::kernels
