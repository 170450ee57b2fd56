// A convolution, known to the driver and to the peers' processes alike.
#pragma once

#include <bench/race/Values.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace cottonwood::bench {

/// A square image and a square kernel, padded by (kernel - 1) / 2 on every side. Activations are
/// [batch, channels, height, width], weights [groups * out, in, kernel, kernel].
///
///     pass             a                b                result
///     FORWARD          input            weights          output
///     DATA_GRADIENT    output gradient  weights          input gradient
///     WEIGHT_GRADIENT  input            output gradient  weight gradient
struct Conv {
  enum class Pass { FORWARD, DATA_GRADIENT, WEIGHT_GRADIENT };
  /// How activations lie in memory. OWN: as the contender likes best, put so beforehand, in time
  /// that does not count. PLAIN: row-major as above. Weights that are operands may always be
  /// arranged beforehand; a gradient of weights lies as activations do.
  enum class Layout { OWN, PLAIN };

  bool half = false;         ///< elements of ours; peers compute the same convolution in float
  bool halfValues = false;   ///< elements of float with values that half holds
  bool halfPartials = false; ///< of ours, if half: sums may be kept in half on the way
  Pass pass = Pass::FORWARD;
  Layout layout = Layout::OWN;
  std::size_t batch = 1, groups = 1;
  std::size_t in = 1, out = 1; ///< channels of a group
  std::size_t size = 1;        ///< height and width of the input
  std::size_t kernel = 1, stride = 1;

  std::size_t padding() const { return (kernel - 1) / 2; }
  std::size_t outSize() const { return (size + 2 * padding() - kernel) / stride + 1; }
  std::size_t sizeInput() const { return batch * groups * in * size * size; }
  std::size_t sizeOutput() const { return batch * groups * out * outSize() * outSize(); }
  std::size_t sizeWeights() const { return groups * out * in * kernel * kernel; }

  std::size_t sizeA() const { return pass == Pass::DATA_GRADIENT ? sizeOutput() : sizeInput(); }
  std::size_t sizeB() const { return pass == Pass::WEIGHT_GRADIENT ? sizeOutput() : sizeWeights(); }
  std::size_t sizeC() const;
  double bytes() const; ///< of operands and result
  /// Products with the padding count, as in other libraries' figures; nobody computes them.
  double flops() const;
};

/// "float/3x3s2/128-128@56/b1/own", "half/dw3x3/32@112/b1/plain", "half-partials/...",
/// "float/1x1/64-256@56/b4/weight-gradient/own": kernel, stride, channels in and out, size.
std::string nameOf(Conv const &conv);

/// One line that parseConv reads back.
std::string textOf(Conv const &conv);
/// \throws std::invalid_argument  the text is not one of textOf.
Conv parseConv(std::string const &text);

/// Elements of the result at samplePositions, from operands that lie row-major.
Reference referenceOf(Conv const &conv, std::span<float const> a, std::span<float const> b);
/// What rounding may do to worstError.
double allowedError(Conv const &conv, bool halfResult);

} // namespace cottonwood::bench
