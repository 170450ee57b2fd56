// What no plan of some blocks takes less than: cheap to compute, so that most plans need no price.
#pragma once

#include "TileCost.hpp"

namespace cottonwood::planner::detail {

class TileBounds {
public:
  explicit TileBounds(TileMachine const &machine)
      : machine_(machine), published_(machine.charges.published) {}

  static double resultsOf(TileProblem const &seen, TileBlock const &block, TilePlan const &plan) {
    return static_cast<double>(block.positions() * block.units *
                               std::min(block.outGroups * plan.outGroup, seen.n));
  }

  /// No block of so many positions needs fewer inputs of a channel.
  static double leastInputs(TileProblem const &seen, TilePlan const &plan, double positions) {
    if (plan.flat)
      return positions;
    for (TileField const &f : seen.field)
      positions *= std::min(1 / static_cast<double>(f.inputStep),
                            static_cast<double>(f.inputs) / static_cast<double>(f.outputs));
    return positions;
  }

  /// No plan of such blocks takes fewer bytes.
  double leastBytes(TileProblem const &seen, TileBlock const &block, TilePlan const &plan,
                    double results) const {
    if (published_)
      return 0;
    std::uint64_t const in = std::min(block.inGroups * plan.inGroup, seen.i);
    std::uint64_t const out = std::min(block.outGroups * plan.outGroup, seen.n);
    std::uint64_t const sums = plan.sums() * plan.serialI > 1 ? bytesOf(seen.partials) : 0;
    auto const units = static_cast<double>(block.units);
    // Where outputs are channels several products may have the same weight.
    double across = static_cast<double>(seen.flattenedN != 0 ? 0 : out * block.allTaps()) +
                    leastInputs(seen, plan, static_cast<double>(block.positions()));
    if (plan.flat) // of a rectangle with so many results a square has the shortest sides
      across = std::max(across, 2 * std::sqrt(results / units));
    return units * static_cast<double>(in * bytesOf(seen.input)) * across +
           results * static_cast<double>(sums);
  }

  /// No plan of such blocks is cheaper: for each group of channels and each tap that is held at a
  /// time weights are loaded, workers started (at least 16 cycles each) and positions passed.
  /// \param fixed  0 leaves out what a block costs besides its positions
  double leastCycles(TileProblem const &seen, TileBlock const &block, TilePlan const &plan,
                     std::uint64_t fixed = 1) const {
    kernels::AmpUnit const amp = unitsOf(machine_.amp, plan);
    std::uint64_t const positions = block.positions(), turns = plan.serialParts();
    std::uint64_t const sums = block.units * block.inGroups * block.outGroups;
    std::uint64_t each = 0, passes = sums * block.allTaps();
    switch (plan.method) {
    case TileMethod::SLIC: // a cycle or two a position and window of four taps
      passes = block.units * ceilDiv(block.allTaps(), 4);
      each = fixed * (50 + 17 * amp.workers) + positions * (amp.halfPartials ? 2 : 1);
      break;
    case TileMethod::HMAC:
      each = positions *
             (2 + plan.outGroup / kernels::hmacOutputs(amp.halfInput, amp.halfPartials) *
                      kernels::hmacDotCycles(plan.inGroup, amp.halfInput, amp.halfPartials));
      break;
    case TileMethod::VMAC:
      passes = block.units * block.allTaps();
      each = positions * 2;
      break;
    case TileMethod::OUTER:
      each = positions * 6;
      break;
    default:
      passes = sums * ceilDiv(block.taps[0], plan.filterHeight) * block.taps[1] * block.taps[2] *
               ceilDiv(plan.outGroup, amp.units);
      each = fixed * (amp.loadCycles() + 16 * amp.workers) +
             positions * amp.inputsPerGroup / amp.inputsPerCycle;
    }
    double zeros = 0;
    if (plan.method == TileMethod::AMP_NX1) { // which also clears sums, and goes row by row
      std::uint64_t const width = seen.field[TileVertices::rowsAlong(seen)].outputs;
      std::uint64_t const setUp = plan.filterHeight == 1 ? 18 : plan.filterHeight == 2 ? 49 : 63;
      each += fixed * (setUp + amp.workers) + positions / width * 15;
      zeros = static_cast<double>(turns * block.units * block.outGroups * positions) *
              static_cast<double>(plan.outGroup) / (amp.halfPartials ? 4 : 2);
    }
    double const fields = static_cast<double>(turns) * static_cast<double>(passes);
    return zeros + fields * static_cast<double>(each) +
           static_cast<double>(published_ ? 0 : fixed * turns * machine_.charges.syncCycles);
  }

  /// Nor are its exchanges: a tile receives what it does not hold itself of the inputs of a block,
  /// and all partial sums but its own, which it adds up.
  double leastTraffic(TileProblem const &seen, TileBlock const &block, TilePlan const &plan,
                      double results) const {
    if (published_)
      return 0;
    auto const part = [](std::uint64_t users) { return 1 - 1 / static_cast<double>(users); };
    auto const exchanged = static_cast<double>(machine_.exchangeBytesPerCycle);
    auto const turns = static_cast<double>(plan.serialParts());
    std::uint64_t const channels = std::min(block.inGroups * plan.inGroup, seen.i);
    auto const inputs =
        static_cast<double>(block.positions() * block.units * channels * bytesOf(seen.input));
    double cycles = 0;
    if (seen.gatheredI == 0)
      cycles += turns * leastInputs(seen, plan, inputs) * part(plan.splitN) / (2 * exchanged);
    if (seen.gatheredI != 0) {
      std::uint64_t const together = TileVertices::together(seen, plan) * bytesOf(seen.input);
      cycles += turns * inputs * layOutCyclesPerByte(together);
    }
    std::uint64_t const sums = plan.sums();
    if (sums > 1) {
      auto const bytes = static_cast<double>(bytesOf(seen.partials));
      // Three cycles add 8 half or 4 float elements to others.
      cycles += static_cast<double>(plan.serialI * plan.serialN) * results * bytes *
                (part(sums) / exchanged + 3.0 / 16);
    }
    return cycles;
  }

private:
  TileMachine const &machine_;
  bool published_;
};

} // namespace cottonwood::planner::detail
