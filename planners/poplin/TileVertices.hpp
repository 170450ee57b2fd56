// Cycles of what a tile does with a block: the vertices of a method, and laying out taps.
#pragma once

#include "TileBlock.hpp"

#include <codelets/poplin/MacCost.hpp>

#include <cmath>

namespace cottonwood::planner {

namespace detail {

/// Cycles a byte of laying out what a tile received, by the bytes that lie together: a regression
/// over copies on hardware.
constexpr double layOutCyclesPerByte(std::uint64_t together) {
  return together >= 64 ? 0.125 : together % 8 == 0 ? 0.4404 : together % 4 == 0 ? 3.125 : 5.1484;
}
inline constexpr std::uint64_t LAY_OUT_START = 83;

} // namespace detail

struct TileVertices {
  /// Elements that lie side by side where a tile lays taps out as channels.
  static std::uint64_t together(TileProblem const &seen, TilePlan const &plan) {
    std::uint64_t elements = seen.gatheredI;
    // Taps of the last dimension follow one another.
    std::size_t const last = rowsAlong(seen);
    if (plan.expand >> last & 1U && seen.gathered[last].tapStep == 1 &&
        seen.gathered[last].inputStep == 1)
      elements *= seen.gathered[last].taps;
    return elements;
  }
  static std::uint64_t layOutCycles(std::uint64_t elements, std::uint64_t together,
                                    std::uint64_t elementBytes) {
    if (elements == 0)
      return 0;
    double const cycles = static_cast<double>(elements * elementBytes) *
                          detail::layOutCyclesPerByte(together * elementBytes);
    return detail::LAY_OUT_START + static_cast<std::uint64_t>(std::ceil(cycles));
  }

  /// True if tiles lay out weights of outputs that are channels: unless groups of channels are
  /// those of one output and one input.
  static bool laysOutWeights(TileProblem const &seen, TilePlan const &plan) {
    return seen.flattenedN != 0 &&
           (seen.flattenedN % plan.outGroup != 0 ||
            (seen.flattenedI % plan.inGroup != 0 && seen.i != seen.flattenedI));
  }
  /// Weights that lie side by side then.
  static std::uint64_t weightsTogether(TileProblem const &seen, TilePlan const &plan) {
    return std::min<std::uint64_t>(seen.flattenedI, plan.inGroup);
  }

  /// Cycles of so many groups of a block: of a vertex each, or `together` of one for all, as
  /// published planners have it.
  static std::uint64_t vertexCycles(TileProblem const &seen, kernels::AmpUnit const &all,
                                    TilePlan const &plan, TileBlock const &block,
                                    std::uint64_t units, bool together = false) {
    kernels::AmpUnit const amp = detail::unitsOf(all, plan);
    kernels::AmpBlock const ampBlock{together ? units : 1, block.inGroups, block.outGroups,
                                     plan.outGroup};
    std::uint64_t const times = together ? 1 : units;
    if (plan.method == TileMethod::AMP_1X1)
      return times * kernels::amp1x1Cycles(amp, block.positions(), ampBlock);
    // The last dimension that is not of one output is the one along which rows run.
    std::size_t const along = plan.flat ? 0 : rowsAlong(seen);
    std::uint64_t const width = block.outputs[along], rows = block.positions() / width;
    if (plan.method == TileMethod::AMP_NX1)
      return times * kernels::ampNx1Cycles(amp, rows, width, block.taps[0],
                                           block.taps[1] * block.taps[2], plan.filterHeight,
                                           ampBlock);
    if (plan.method == TileMethod::SLIC) {
      std::uint64_t const windows =
          block.allTaps() / block.taps[along] * detail::ceilDiv(block.taps[along], 4);
      return kernels::slicCycles(amp, rows, width, seen.field[along].stride, windows,
                                 plan.convGroup, units);
    }
    kernels::MacBlock const mac{rows,
                                width,
                                block.allTaps(),
                                units,
                                block.inGroups,
                                block.outGroups,
                                plan.inGroup,
                                plan.outGroup,
                                amp.halfInput,
                                amp.halfPartials,
                                amp.workers};
    return plan.method == TileMethod::HMAC   ? kernels::hmacCycles(mac)
           : plan.method == TileMethod::VMAC ? kernels::vmacCycles(mac)
                                             : kernels::outerProductCycles(mac);
  }
  /// True if one vertex computes all groups of a block.
  static bool isForAllGroups(TilePlan const &plan) { return !plan.onAmp(); }
  static std::size_t rowsAlong(TileProblem const &seen) {
    return seen.field[2].outputs > 1 ? 2 : seen.field[1].outputs > 1 ? 1 : 0;
  }
};

} // namespace cottonwood::planner
