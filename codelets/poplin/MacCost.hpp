/// \file MacCost.hpp
/// What vertices cost that multiply without the matrix unit: sums along channels (HMAC), sums of
/// channel-wise products (VMAC), and outer products. Tile cycles, six workers included. Standard
/// library only.
///
/// Source: published cycle counts of these vertices, as formulas. Where these speak of a row, a
/// row of outputs for one tap is meant.
#pragma once

#include "AmpCost.hpp"

namespace cottonwood::kernels {

/// The block of a convolution that one such vertex computes.
struct MacBlock {
  std::uint64_t rows = 1, width = 1, taps = 1; ///< positions in rows; taps of each
  std::uint64_t convGroups = 1, inGroups = 1, outGroups = 1;
  std::uint64_t inPerGroup = 1, outPerGroup = 1;
  bool halfInput = true, halfPartials = true;
  std::uint64_t workers = 6;

  constexpr std::uint64_t positions() const { return rows * width; }
};

namespace detail {

/// The worker that has the most of rows[i] with cost(n) for each piece of n outputs: worker i of w
/// takes the positions [i N / w, (i + 1) N / w), cut at the ends of rows.
template <class Cost>
constexpr std::uint64_t slowestWorker(const MacBlock &block, const Cost &cost) {
  const std::uint64_t w = block.workers, n = block.positions();
  std::uint64_t slowest = 0;
  for (std::uint64_t i = 0; i != w; ++i) {
    std::uint64_t begin = i * n / w;
    const std::uint64_t end = (i + 1) * n / w;
    std::uint64_t cycles = 0;
    if (begin < end && begin % block.width != 0) {
      const std::uint64_t left = block.width - begin % block.width;
      const std::uint64_t piece = left < end - begin ? left : end - begin;
      cycles += cost(piece);
      begin += piece;
    }
    cycles += (end - begin) / block.width * cost(block.width);
    if ((end - begin) % block.width != 0)
      cycles += cost((end - begin) % block.width);
    slowest = std::max(slowest, cycles);
  }
  return slowest;
}

/// Zeroing of sums before the first tap adds to them.
constexpr std::uint64_t zeroSumsCycles(const MacBlock &block) {
  const std::uint64_t vector = block.halfPartials ? 4 : 2;
  const std::uint64_t each = divideUp(block.positions() * block.outPerGroup, block.workers);
  return block.workers * block.convGroups * block.outGroups * (divideUp(each, vector) + 5);
}

} // namespace detail

/// Worker cycles of the sum of `channels` products, or of two sums at once (half to half).
constexpr std::uint64_t hmacDotCycles(std::uint64_t channels, bool halfInput, bool halfPartials) {
  const std::uint64_t base = !halfInput ? 7 : halfPartials ? 10 : 6;
  const std::uint64_t widest = halfInput ? 4 : 2;
  std::uint64_t width = widest;
  while (channels % width != 0)
    width /= 2;
  return base + (width == widest ? channels / width : 2 * (channels / width) + 1);
}

/// Outputs that a vertex of sums along channels computes at once.
constexpr std::uint64_t hmacOutputs(bool halfInput, bool halfPartials) {
  return halfInput && halfPartials ? 2 : 1;
}

constexpr std::uint64_t hmacCycles(const MacBlock &block) {
  const bool single = block.taps == 1;
  const std::uint64_t w = block.workers, half = block.halfInput ? 1 : 0;
  const std::uint64_t dot = hmacDotCycles(block.inPerGroup, block.halfInput, block.halfPartials);
  const std::uint64_t outs =
      detail::divideUp(block.outPerGroup, hmacOutputs(block.halfInput, block.halfPartials));
  const std::uint64_t each = detail::slowestWorker(block, [&](std::uint64_t n) {
    return single && outs == 1 ? 14 + n * (2 + dot) : (single ? 13 : 19) + n * (7 + outs * dot);
  });
  const std::uint64_t shorter = single ? 15 : half * 6;
  const std::uint64_t inner = w * (16 + block.taps * (16 - shorter + each));
  return (half ? 65 : 58) - (single ? 10 : 0) + w * (9 + half + shorter) +
         block.convGroups * (23 + block.inGroups * (15 + block.outGroups * (10 + inner))) +
         (single ? 0 : detail::zeroSumsCycles(block));
}

/// `convGroups` groups of 4, 8 or 16 (`inPerGroup`) conv groups of one channel; half operands.
constexpr std::uint64_t vmacCycles(const MacBlock &block) {
  const std::uint64_t w = block.workers, groups = block.inPerGroup;
  const bool half = block.halfPartials;
  const std::uint64_t outs = block.positions() * groups;
  const std::uint64_t each = detail::slowestWorker(block, [&](std::uint64_t n) {
    if (groups == 4)
      return block.taps * ((half ? 13 : 15) + 2 * (n - 1));
    return (groups == 16 ? 2 : 1) * block.taps * (25 + 3 * (n - 1));
  });
  const std::uint64_t start = groups == 4 ? (half ? 18 : 19) : groups == 8 ? 13 : 25;
  return (half ? 100 : 101) +
         block.convGroups *
             (4 + detail::divideUp(outs, half ? 4 : 2) + 32 +
              block.inGroups * (24 + w * (start + each)) + (half ? 10 : 9) +
              ((half ? 7 : 9) + (w - 1) * (half ? 1 : 2)) * detail::divideUp(outs, w) / groups);
}

/// One input channel times `outPerGroup` weights of each of `outGroups` groups.
constexpr std::uint64_t outerProductCycles(const MacBlock &block) {
  const std::uint64_t width = detail::divideUp(block.positions(), block.workers);
  const std::uint64_t c = block.outPerGroup;
  std::uint64_t each = 0; // per position
  if (block.halfInput)
    each = c >= 12 && c % 4 == 0 ? 6 + (c - 12) / 4 : 10 + detail::divideUp(5 * c, 2);
  else
    each = c >= 6 && c % 2 == 0 ? 6 + (c - 6) / 2 : 10 + 2 * c;
  return block.workers *
         (25 + block.convGroups * block.outGroups * ((block.halfInput ? 10 : 11) + width * each));
}

} // namespace cottonwood::kernels
