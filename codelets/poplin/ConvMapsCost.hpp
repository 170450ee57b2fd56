/// \file ConvMapsCost.hpp
/// Sizes of convolutions from maps to maps (ConvMapsKernel.hpp) that their callers need. Standard
/// library only.
#pragma once

#include <codelets/poplin/ConvPlanesCost.hpp>

namespace cottonwood::kernels {

/// Least outputs of a line, a vector of the largest instruction sets; and most input channels:
/// transposing more of them takes little beside their products.
inline constexpr int CONV_MAPS_LINE = 16;
inline constexpr std::size_t CONV_MAPS_CHANNELS = 16;
/// Output channels up to this are computed together whatever their number. Fewer are so from any
/// number of input channels: lanes of vectors of channels would be idle. Least products of an input
/// and all of them, which pay for copying it.
inline constexpr std::size_t CONV_MAPS_FEW = 4, CONV_MAPS_PRODUCTS = 8;
/// Bytes of padded inputs that are held at a time, which L2 keeps.
inline constexpr std::size_t CONV_MAPS_BYTES = 192 * 1024;
/// Most output channels that are computed together, on any instruction set: the weights of so many
/// lie side by side in scratch.
inline constexpr std::size_t CONV_MAPS_COLUMNS = 8;

/// Floats of padded inputs of a band of so many lines, which begin on a cache line.
constexpr std::size_t convMapsInputs(ConvPlanesShape shape, std::size_t channels, int lines) {
  shape.outputsY = lines;
  return ConvPlanesSpace(shape).plane * channels;
}

/// Lines of the output in a band, whose padded inputs are held at a time: bands are equal but for
/// the last.
constexpr int convMapsBand(const ConvPlanesShape &shape, std::size_t channels) {
  const auto bytes = [&](int lines) {
    return convMapsInputs(shape, channels, lines) * sizeof(float);
  };
  const std::size_t first = bytes(1), both = bytes(2);
  std::size_t most = 1;
  if (first < CONV_MAPS_BYTES) // planes are whole vectors
    most += (CONV_MAPS_BYTES - first) / std::max<std::size_t>(both - first, sizeof(float));
  const auto lines = static_cast<std::size_t>(shape.outputsY), bands = (lines + most - 1) / most;
  return static_cast<int>((lines + bands - 1) / bands);
}

/// Floats of scratch: of padded inputs and of packed weights.
constexpr std::size_t convMapsWorkspace(const ConvPlanesShape &shape, std::size_t channels,
                                        std::size_t columns) {
  const std::size_t whole =
      (columns + CONV_MAPS_COLUMNS - 1) / CONV_MAPS_COLUMNS * CONV_MAPS_COLUMNS;
  return convMapsInputs(shape, channels, convMapsBand(shape, channels)) +
         whole * shape.taps() * channels + 16;
}

} // namespace cottonwood::kernels
