/// \file AmpCost.hpp
/// What the vertices of the matrix unit of an IPU's tile (AMP) cost, and the vertices that add
/// partial results up: tile cycles, six workers included. Standard library only.
///
/// Source: cycle counts that were published for these vertices, as formulas; for the first kind
/// they agree with measurements on hardware within 2%, and within 0.6% from 64 positions up.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cottonwood::kernels {

/// The matrix unit of a tile as it works on operands and sums of some types.
struct AmpUnit {
  std::uint64_t workers = 6;
  std::uint64_t units = 16;          ///< convolution units for the types of the product
  std::uint64_t inputsPerGroup = 16; ///< values of K that the units hold: 32 bytes, or 8 float
  std::uint64_t inputsPerCycle = 4;  ///< of these: 1 float, 4 half, 8 quarter
  std::uint64_t weightBytesPerCycle = 8;
  bool halfInput = true, halfPartials = true; ///< quarter is priced as half

  /// Cycles that the supervisor takes to fill the units with weights, 32 bytes each.
  constexpr std::uint64_t loadCycles() const { return units * 32 / weightBytesPerCycle; }
  /// Half operands, half sums, and half of the units of later generations.
  constexpr bool isNarrow() const { return halfInput && halfPartials && units < 16; }
  constexpr std::uint64_t macsPerCycle() const { return units * inputsPerCycle; }
};

/// The block of a convolution that one vertex computes, in whole groups of channels.
struct AmpBlock {
  std::uint64_t convGroups = 1;
  std::uint64_t inGroups = 1;  ///< of AmpUnit::inputsPerGroup channels, or fewer for filters
  std::uint64_t outGroups = 1; ///< of `outPerGroup` channels
  std::uint64_t outPerGroup = 16;
};

namespace detail {

constexpr std::uint64_t divideUp(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Worker cycles of one pass of 1 x 1 filters over `n` positions; the first passes start from zero
/// sums.
constexpr std::uint64_t ampWorkerCycles(const AmpUnit &amp, std::uint64_t n, bool first) {
  const std::uint64_t more = n < 3 ? 0 : n - 3, at = std::min<std::uint64_t>(n, 3);
  if (!amp.halfInput) {
    const std::uint64_t base[] = {24, 47, 46, 46 + 8 * more};
    return base[at] + (first ? 2 + (amp.units >= 16 ? 8 : 4) * n : 0);
  }
  if (amp.isNarrow()) {
    const std::uint64_t base[] = {24, 39, 40, 41 + 4 * more};
    return base[at] + (first ? 2 + 2 * n : 0);
  }
  const std::uint64_t z = first ? 1 : 2;
  const std::uint64_t base[] = {20 + z, 31 + z, 40 + z, 36 + z + 4 * more};
  return base[at] - 7;
}

/// Tile cycles of one pass: the slowest worker, or the quickest and the start of the next pass.
constexpr std::uint64_t ampPassCycles(const AmpUnit &amp, std::uint64_t positions, bool first) {
  const std::uint64_t w = amp.workers, least = positions / w, most = divideUp(positions, w);
  const std::uint64_t a = ampWorkerCycles(amp, least, first);
  const std::uint64_t b = ampWorkerCycles(amp, most, first);
  return std::max(w * std::max(a, b), (least == 0 ? 0 : w * std::min(a, b)) + 14);
}

/// Worker cycles of one row of `n` outputs in a pass of general filters.
constexpr std::uint64_t ampRowCycles(const AmpUnit &amp, std::uint64_t n) {
  const std::uint64_t more = n < 3 ? 0 : n - 3, at = std::min<std::uint64_t>(n, 3);
  const std::uint64_t half[] = {17, 29, 34, 34 + 4 * more};
  const std::uint64_t single[] = {17, 33, 44, 45 + 8 * more};
  return 3 + (amp.halfInput ? half[at] : single[at]) - 9;
}

/// Tile cycles of one pass of general filters over `rows` rows of `width` outputs. Worker i takes
/// the positions [i N / w, (i + 1) N / w) of all N, cut at the ends of rows.
constexpr std::uint64_t ampRowsPassCycles(const AmpUnit &amp, std::uint64_t rows,
                                          std::uint64_t width) {
  const std::uint64_t w = amp.workers, positions = rows * width;
  std::uint64_t slowest = 0, quickest = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i != w; ++i) {
    std::uint64_t begin = i * positions / w;
    const std::uint64_t end = (i + 1) * positions / w;
    std::uint64_t cycles = 17 + (amp.halfPartials ? 1 : 0);
    if (begin < end && begin % width != 0) {
      const std::uint64_t n = std::min(width - begin % width, end - begin);
      cycles += ampRowCycles(amp, n);
      begin += n;
    }
    cycles += (end - begin) / width * ampRowCycles(amp, width);
    if ((end - begin) % width != 0)
      cycles += ampRowCycles(amp, (end - begin) % width);
    slowest = std::max(slowest, cycles);
    quickest = std::min(quickest, cycles);
  }
  return std::max(w * slowest, w * quickest + 9);
}

} // namespace detail

/// A vertex of 1 x 1 filters, which matrix products are: `positions` rows of channels.
constexpr std::uint64_t amp1x1Cycles(const AmpUnit &amp, std::uint64_t positions,
                                     const AmpBlock &block) {
  const std::uint64_t load = amp.loadCycles();
  const std::uint64_t passes = detail::divideUp(block.outPerGroup, amp.units);
  const bool narrow = amp.isNarrow();
  const std::uint64_t retention =
      amp.halfInput && !narrow ? amp.workers * (7 + 3 * (block.inGroups * block.convGroups - 1))
                               : 0;
  const std::uint64_t later = detail::ampPassCycles(amp, positions, false);
  const std::uint64_t first = detail::ampPassCycles(amp, positions, true);
  return 50 + retention +
         block.convGroups *
             ((narrow ? 12 : 13) +
              (block.inGroups - 1) *
                  (15 + block.outGroups * ((narrow ? 16 : 19) + passes * (6 + load + later))) +
              11 + block.outGroups * ((narrow ? 19 : 18) + passes * (7 + load + first)));
}

/// A vertex of general filters: `rows` rows (of all batch elements) of `width` outputs, filters of
/// `taps0` x `tapsRest`, of which `filterHeight` (1, 2 or 4) in the first dimension are held at a
/// time with inputsPerGroup / filterHeight channels each.
constexpr std::uint64_t ampNx1Cycles(const AmpUnit &amp, std::uint64_t rows, std::uint64_t width,
                                     std::uint64_t taps0, std::uint64_t tapsRest,
                                     std::uint64_t filterHeight, const AmpBlock &block) {
  const std::uint64_t w = amp.workers, cg = block.convGroups, og = block.outGroups;
  const std::uint64_t passes = detail::divideUp(block.outPerGroup, amp.units);
  const std::uint64_t outer = detail::divideUp(taps0, filterHeight);
  const std::uint64_t setUp = filterHeight == 1 ? 15 : filterHeight == 2 ? 46 : 60;
  const std::uint64_t load =
      filterHeight >= 4 ? amp.units * 32 / 8 : amp.loadCycles(); // 4 rows: never 16 bytes a cycle
  const std::uint64_t inner =
      outer * (14 + tapsRest * (12 + passes * (load + setUp + 3))) +
      outer * tapsRest * passes * detail::ampRowsPassCycles(amp, rows, width);
  const std::uint64_t vector = amp.halfPartials ? 4 : 2;
  const std::uint64_t each = detail::divideUp(rows * width * block.outPerGroup, w);
  const std::uint64_t zero =
      w * cg * og * (detail::divideUp(each, vector) + (amp.halfInput ? 15 - 10 : 14 - 9));
  return zero + 109 + 9 * w + (amp.halfInput ? 10 : 9) * w + cg * (17 * og + 6 * (og - 1) + 1) +
         6 * (cg - 1) + 1 + cg * (16 + block.inGroups * (14 + og * (14 + inner)));
}

namespace detail {

/// Worker cycles of one row of `n` outputs in one pass of a window of four taps.
constexpr std::uint64_t slicRowCycles(std::uint64_t n, std::uint64_t stride) {
  if (stride > 1)
    return 15 + 2 * (n < 3 ? 0 : n - 3);
  return n >= 5 ? 15 + (n - 5) : 6 + 2 * n;
}

} // namespace detail

/// A vertex of filters that slide along rows (SLIC): windows of four taps, for `groups` groups of
/// conv groups of few channels, all of whose channels are computed at a time. Sums of half take two
/// passes. \param subKernels  windows of four taps that the filters consist of
constexpr std::uint64_t slicCycles(const AmpUnit &amp, std::uint64_t rows, std::uint64_t width,
                                   std::uint64_t stride, std::uint64_t subKernels,
                                   std::uint64_t convGroups, std::uint64_t groups) {
  const std::uint64_t w = amp.workers, positions = rows * width;
  const bool half = amp.halfPartials, wide = convGroups >= 8;
  const std::uint64_t load = convGroups == 1   ? 34
                             : convGroups == 2 ? 37 + 12 * w
                                               : 37 + 10 * w + (wide ? w : 0);
  std::uint64_t first = 0, rest = 0;
  for (std::uint64_t i = 0; i != w; ++i) {
    std::uint64_t begin = i * positions / w;
    const std::uint64_t end = (i + 1) * positions / w;
    std::uint64_t cycles = 17 + (wide ? 4 : 0), pieces = 0;
    while (begin < end) {
      const std::uint64_t left = width - begin % width;
      const std::uint64_t n = left < end - begin ? left : end - begin;
      cycles += (half ? 9 : 10 + 3) +
                (half ? 2 : 1) * (detail::slicRowCycles(n, stride) - (half ? 0 : 1));
      begin += n;
      ++pieces;
    }
    first = std::max(first, cycles + pieces);
    rest = std::max(rest, cycles);
  }
  const std::uint64_t merge = half ? w * (2 + 2 * detail::divideUp(positions * 4, w)) : 0;
  const std::uint64_t start = half ? 25 : 28, loop = half ? 12 : 15, each = half ? 16 : 20;
  return start + loop * groups + 6 * (groups - 1) + 1 +
         groups * (subKernels * (load + each) + 6 * (subKernels - 1) + 1 + w * first +
                   (subKernels - 1) * w * rest + merge);
}

/// Adding `depth` partial results for each of `outputs` elements of a tile. Workers take loops of 8
/// (half) or 4 (float) elements in turn, and then the powers of two that the elements left over
/// consist of.
constexpr std::uint64_t addPartialsCycles(std::uint64_t workers, std::uint64_t depth,
                                          std::uint64_t outputs, bool halfPartials,
                                          bool halfOutput) {
  const std::uint64_t width = halfPartials ? 8 : 4, perLoad = halfPartials ? 4 : 2;
  const std::uint64_t store = halfPartials ? (halfOutput ? 8 : 6) : (halfOutput ? 6 : 7);
  const std::uint64_t loop = (width / perLoad + 1) * depth + store;
  const std::uint64_t loops = outputs / width, left = outputs % width;
  if (left == 0)
    return workers * (32 + loop * detail::divideUp(loops, workers));
  const std::uint64_t turns = loops + (left & 1) + (left >> 1 & 1) + (left >> 2 & 1);
  const std::uint64_t tail = turns % workers == 0 ? 0 : 2 * depth + (halfPartials ? 11 : 13);
  return workers * (32 + loop * (turns / workers) + tail);
}

/// Sums of one type that become results of another, by all workers.
constexpr std::uint64_t castPartialsCycles(std::uint64_t workers, std::uint64_t elements,
                                           bool halfIn, bool halfOut) {
  const std::uint64_t each = detail::divideUp(elements, workers);
  const std::uint64_t vector = halfIn && halfOut ? 4 : 2; // the wider type sets the pace
  return workers * (26 + detail::divideUp(each, vector));
}

/// Tile cycles of one matrix vertex [m, k] x [k, n]. Either operand may be the one held in the
/// units, since a plan lays both out to its liking.
constexpr std::uint64_t matMulTileCycles(const AmpUnit &amp, std::uint64_t m, std::uint64_t n,
                                         std::uint64_t k) {
  if (m == 0 || n == 0 || k == 0)
    return 50;
  const auto groups = [](std::uint64_t size, std::uint64_t group) {
    return (size + group - 1) / group;
  };
  const std::uint64_t depth = groups(k, amp.inputsPerGroup);
  return std::min(amp1x1Cycles(amp, m, {1, depth, groups(n, 16), 16}),
                  amp1x1Cycles(amp, n, {1, depth, groups(m, 16), 16}));
}

/// Tile cycles of one convolution vertex: as many passes of the matrix unit as the taps have
/// groups of input channels.
constexpr std::uint64_t convTileCycles(const AmpUnit &tile, std::uint64_t pixels,
                                       std::uint64_t outChannels, std::uint64_t inChannels,
                                       std::uint64_t taps) {
  const std::uint64_t groups = (inChannels + tile.inputsPerGroup - 1) / tile.inputsPerGroup;
  // Few channels and many taps: a plan may lay taps out as channels.
  const std::uint64_t depth = std::min(groups * tile.inputsPerGroup * taps,
                                       (inChannels * taps + tile.inputsPerGroup - 1) /
                                               tile.inputsPerGroup * tile.inputsPerGroup +
                                           inChannels * taps);
  return matMulTileCycles(tile, pixels, outChannels, depth);
}

} // namespace cottonwood::kernels
