/// \file ConvPlanesCost.hpp
/// Sizes of convolutions plane by plane (ConvPlanesKernel.hpp) that their callers need. Standard
/// library only.
#pragma once

#include <algorithm>
#include <cstddef>

namespace cottonwood::kernels {

/// Most taps of a plane.
inline constexpr std::size_t CONV_PLANES_MAX_TAPS = 256;
/// Least outputs of a line: half a vector of the largest instruction sets; where they are strides
/// apart, which costs shuffles besides; and of single vectors (convPlanesShort()).
inline constexpr int CONV_PLANES_LINE = 8, CONV_PLANES_STRIDED_LINE = 16, CONV_SHORT_LINE = 6;
/// Output (y, x) and tap (i, j) meet input (y * strideY + firstY + i * tapStepY, and so for x) if
/// there is such a one. All sizes and strides are positive.
struct ConvPlanesShape {
  int inputsY, inputsX, outputsY, outputsX;
  int tapsY, tapsX, strideY, strideX;
  int firstY, firstX, tapStepY, tapStepX;

  constexpr std::size_t taps() const {
    return static_cast<std::size_t>(tapsY) * static_cast<std::size_t>(tapsX);
  }
  constexpr std::size_t outputs() const {
    return static_cast<std::size_t>(outputsY) * static_cast<std::size_t>(outputsX);
  }
  constexpr int inputY(int y, std::size_t tap) const {
    return y * strideY + firstY + static_cast<int>(tap) / tapsX * tapStepY;
  }
  constexpr int inputX(int x, std::size_t tap) const {
    return x * strideX + firstX + static_cast<int>(tap) % tapsX * tapStepX;
  }
};
/// Numbers of a shape in a table.
inline constexpr std::size_t CONV_PLANES_INTS = sizeof(ConvPlanesShape) / sizeof(int);

/// Outputs of a dimension that have the same taps. If an input is dilated by s, there are s such
/// phases: output i * s + n, of phase n, meets taps [first, first + taps) of output i of a shape
/// without dilation, and their weights are weight, weight + s, ... Else there is one, of all taps.
struct ConvPhase {
  int first, taps, weight;
};
/// Numbers of a phase in a table.
inline constexpr std::size_t CONV_PHASE_INTS = sizeof(ConvPhase) / sizeof(int);

/// A plane in scratch: strideY x strideX phases of `rows` lines of `pitch` floats. Where there are
/// several, there is room behind each for a vector that begins in the last line.
struct ConvPlanesSpace {
  int lowY, lowX; ///< the first inputs, in the padding maybe
  std::size_t rows, pitch;
  std::size_t phase; ///< floats from one to the next
  std::size_t plane; ///< floats of all phases, and of a vector that begins in the last line

  constexpr explicit ConvPlanesSpace(const ConvPlanesShape &s)
      : lowY(s.firstY + std::min((s.tapsY - 1) * s.tapStepY, 0)),
        lowX(s.firstX + std::min((s.tapsX - 1) * s.tapStepX, 0)),
        rows(extent(s.tapsY, s.tapStepY, s.strideY, s.outputsY)),
        pitch(extent(s.tapsX, s.tapStepX, s.strideX, s.outputsX)),
        phase(rows * pitch + (s.strideX == 1 && s.strideY == 1 ? 0 : 16)),
        plane((phase * static_cast<std::size_t>(s.strideY) * static_cast<std::size_t>(s.strideX) +
               31) /
              16 * 16) {}

  /// Where output (0, 0) finds the inputs of a tap.
  constexpr std::size_t placeOf(const ConvPlanesShape &s, std::size_t tap) const {
    const auto y = static_cast<std::size_t>(s.inputY(0, tap) - lowY),
               x = static_cast<std::size_t>(s.inputX(0, tap) - lowX);
    const auto strideY = static_cast<std::size_t>(s.strideY),
               strideX = static_cast<std::size_t>(s.strideX);
    return (y % strideY * strideX + x % strideX) * phase + y / strideY * pitch + x / strideX;
  }

private:
  /// Places of a phase that some output and tap meet.
  static constexpr std::size_t extent(int taps, int step, int stride, int outputs) {
    const int reach = (taps - 1) * (step < 0 ? -step : step);
    return static_cast<std::size_t>(reach / stride + outputs);
  }
};

/// Planes with 3 x 3 taps whose lines are single vectors of 16 lanes, on instruction sets that have
/// such.
inline constexpr int CONV_SHORT_LANES = 16, CONV_SHORT_TAPS = 3;
inline constexpr int CONV_SHORT_BYTES = CONV_SHORT_LANES * static_cast<int>(sizeof(float));
constexpr bool convPlanesShort(const ConvPlanesShape &s) {
  return s.inputsX <= CONV_SHORT_LANES && s.outputsX <= CONV_SHORT_LANES &&
         s.tapsX == CONV_SHORT_TAPS && s.tapsY == CONV_SHORT_TAPS && s.tapStepY == 1 &&
         s.strideY <= 2;
}

/// Planes with 3 x 3 taps whose outputs are two inputs apart and fill vectors of 16 lanes, on
/// instruction sets that have such.
constexpr bool convPlanesStrided(const ConvPlanesShape &s) {
  return s.outputsX >= CONV_SHORT_LANES && s.tapsX == CONV_SHORT_TAPS &&
         s.tapsY == CONV_SHORT_TAPS && s.tapStepX == 1 && s.tapStepY == 1 && s.strideX == 2 &&
         s.strideY == 2 && (s.firstX == -1 || s.firstX == 0);
}

/// Floats of scratch, which begins on a cache line.
constexpr std::size_t convPlanesWorkspace(const ConvPlanesShape &shape) {
  return ConvPlanesSpace(shape).plane + 16;
}

} // namespace cottonwood::kernels
