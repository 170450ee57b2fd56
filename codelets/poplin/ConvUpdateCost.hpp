/// \file ConvUpdateCost.hpp
/// Sizes of gradients of the weights of groups of few channels (ConvUpdateKernel.hpp) that their
/// callers need. Standard library only.
#pragma once

#include <codelets/poplin/ConvPlanesCost.hpp>

#include <algorithm>
#include <cstddef>

namespace cottonwood::kernels {

/// Most taps of a line of weights, and channels of a group.
inline constexpr int CONV_UPDATE_TAPS = 16;
inline constexpr std::size_t CONV_UPDATE_CHANNELS = 16;
/// Bytes of operands of a vector that are copied at a time: L1 keeps most, L2 those of all vectors.
inline constexpr std::size_t CONV_UPDATE_BYTES = 48 * 1024;
/// Vectors whose operands are copied together: neighbours, since single ones lie far apart.
inline constexpr std::size_t CONV_UPDATE_VECTORS = 8;

/// How groups are cut into vectors of `width` lanes: some groups' output channels are one, and
/// their input channels, too; or the channels of one group are several.
struct ConvUpdateLanes {
  std::size_t in, out; ///< channels of a group
  std::size_t width;
  std::size_t groups, lanes; ///< of a vector
  std::size_t parts;         ///< vectors of the output channels of a group, if there are several
  std::size_t inputs;        ///< input channels of a group in a vector

  constexpr ConvUpdateLanes(std::size_t inChannels, std::size_t outChannels, std::size_t w)
      : in(inChannels), out(outChannels), width(w),
        groups(std::max<std::size_t>(std::min(w / out, w / in), 1)),
        lanes(std::min(groups * out, w)), parts((out + w - 1) / w), inputs(std::min(in, w)) {}

  /// Vectors of the output channels of so many groups.
  constexpr std::size_t vectors(std::size_t allGroups) const {
    return parts > 1 ? allGroups * parts : (allGroups + groups - 1) / groups;
  }
  /// The first channel of vector v.
  constexpr std::size_t channelOf(std::size_t v) const {
    return parts > 1 ? v / parts * out + v % parts * width : v * lanes;
  }
};

/// Lines of inputs that so many lines of deltas meet, at most.
constexpr std::size_t convUpdateInputs(const ConvPlanesShape &shape, std::size_t lines) {
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  return std::min((lines - 1) * size(shape.tapStepY) +
                      size(shape.outputsY - 1) * size(shape.strideY) + 1,
                  size(shape.inputsY));
}

/// Floats of copies of so many lines of deltas, and of the inputs that they meet.
constexpr std::size_t convUpdateCopy(const ConvPlanesShape &shape, std::size_t lines,
                                     std::size_t width) {
  return (convUpdateInputs(shape, lines) * static_cast<std::size_t>(shape.inputsX) +
          lines * static_cast<std::size_t>(shape.tapsX)) *
         width;
}

/// Lines of deltas that are copied at a time.
constexpr std::size_t convUpdateLines(const ConvPlanesShape &shape, std::size_t width) {
  const auto all = static_cast<std::size_t>(shape.tapsY);
  std::size_t lines = 1;
  while (lines < all &&
         convUpdateCopy(shape, lines + 1, width) * sizeof(float) <= CONV_UPDATE_BYTES)
    ++lines;
  const std::size_t parts = (all + lines - 1) / lines;
  return (all + parts - 1) / parts;
}

/// Floats of sums of a vector.
constexpr std::size_t convUpdateSums(const ConvPlanesShape &shape, const ConvUpdateLanes &lanes) {
  return shape.outputs() * lanes.in * lanes.width;
}

/// Floats of scratch, whatever the width: sums of so many groups, and copies.
constexpr std::size_t convUpdateWorkspace(const ConvPlanesShape &shape, std::size_t groups,
                                          std::size_t in, std::size_t out) {
  std::size_t most = 0;
  for (std::size_t width : {1U, 8U, 16U}) {
    const ConvUpdateLanes lanes(in, out, width);
    most = std::max(most, lanes.vectors(groups) * convUpdateSums(shape, lanes) +
                              CONV_UPDATE_VECTORS *
                                  convUpdateCopy(shape, convUpdateLines(shape, width), width));
  }
  return most + 16;
}

} // namespace cottonwood::kernels
