/// \file WinogradCost.hpp
/// Facts about convolutions by Winograd's minimal filtering that planners and profiles need.
/// Standard library only.
#pragma once

#include <algorithm>
#include <codelets/poplin/MatMulBlocking.hpp>
#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels {

/// Columns of transformed weights that lie side by side.
inline constexpr std::size_t WINOGRAD_STRIP = 32;

/// Columns whose products are held at a time, before they become outputs.
inline constexpr std::size_t WINOGRAD_COLUMNS = 64;

/// Numbers of a block of inputs, of weights, or of products, for blocks of M x M outputs.
constexpr std::size_t winogradPlanes(unsigned m) { return std::size_t{m + 2} * (m + 2); }

/// Strips of so many columns.
constexpr std::size_t winogradStrips(std::size_t columns) {
  return (columns + WINOGRAD_STRIP - 1) / WINOGRAD_STRIP;
}

/// Floats from a plane of transformed weights of a strip to the next: one line more than their
/// number, so that not all planes share sets of a cache.
constexpr std::size_t winogradWeightsPlane(std::size_t channels) {
  return channels * WINOGRAD_STRIP + 16;
}

/// Floats of the transformed weights of a strip. Strips of a group, and groups, lie one after
/// another.
constexpr std::size_t winogradWeights(unsigned m, std::size_t channels) {
  return winogradPlanes(m) * winogradWeightsPlane(channels);
}

/// Floats from a plane of transformed inputs, or of products, to the next.
constexpr std::size_t winogradPlane(std::size_t blocks, std::size_t width) {
  return (blocks * width + 15) / 16 * 16 + 16;
}

/// Blocks of outputs that are computed at a time: what they hold of inputs and products takes half
/// of L2, and their number is a multiple of the rows of register tiles.
constexpr std::uint32_t winogradBlocks(unsigned m, std::size_t channels,
                                       const MatMulCaches &caches = {}) {
  const std::size_t each =
      winogradPlanes(m) * (std::max<std::size_t>(channels, 1) + WINOGRAD_COLUMNS) * sizeof(float);
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(caches.l2 / 2 / each / 12 * 12, 12, 192));
}

/// Floats of scratch of the kernel; parts begin on cache lines.
constexpr std::size_t winogradWorkspace(unsigned m, std::size_t channels, std::size_t blocks) {
  return winogradPlanes(m) *
             (winogradPlane(blocks, channels) + winogradPlane(blocks, WINOGRAD_COLUMNS)) +
         (channels + 15) / 16 * 16 + 3 * 16;
}

/// Multiply-adds that take as long as a convolution with blocks of M x M outputs, transforms
/// included: for comparing with those of the direct kernels.
///
/// A number of a block of inputs or outputs takes a few operations; one of the weights takes as
/// long as 24 multiply-adds, because it goes to a cache beyond L2 and back (measured on a Zen 4
/// core). \param blocks  of M x M outputs in all batches
constexpr double winogradOperations(unsigned m, double blocks, double channels, double columns) {
  const auto planes = static_cast<double>(winogradPlanes(m));
  const double each = m == 2 ? 3 : 5, weights = 24;
  return planes * (blocks * (channels * columns + each * (channels + columns)) +
                   weights * channels * columns);
}

/// The largest allowed number of outputs in each dimension of a block with which a group of a
/// convolution with 3 x 3 taps takes fewest operations, or 0: directly.
/// \param most      2 or 4, or 0
/// \param products  of the direct kernels
constexpr unsigned chooseWinograd(unsigned most, std::size_t batch, std::size_t outputsY,
                                  std::size_t outputsX, double channels, double columns,
                                  double products) {
  unsigned best = 0;
  double least = products;
  for (unsigned m : {2U, 4U}) {
    if (m > most)
      continue;
    const double blocks = static_cast<double>(batch * ((outputsY + m - 1) / m)) *
                          static_cast<double>((outputsX + m - 1) / m);
    const double operations = winogradOperations(m, blocks, channels, columns);
    if (operations < least)
      best = m, least = operations;
  }
  return best;
}

} // namespace cottonwood::kernels
