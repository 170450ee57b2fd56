// The largest block of a plan, and the problem as a plan sees it.
#pragma once

#include "TileTypes.hpp"

namespace cottonwood::planner {

/// Units that a plan cuts: largest parts of everything.
struct TileBlock {
  std::uint64_t g = 1, b = 1, n = 1, i = 1; ///< channels without padding
  std::uint64_t inGroups = 1, outGroups = 1;
  std::uint64_t units = 1; ///< groups of TilePlan::convGroup groups
  std::array<std::uint64_t, 3> outputs{1, 1, 1}, taps{1, 1, 1};

  std::uint64_t positions() const { return b * outputs[0] * outputs[1] * outputs[2]; }
  std::uint64_t allTaps() const { return taps[0] * taps[1] * taps[2]; }
};

namespace detail {

inline std::uint64_t bytesOf(MatMulType type) {
  return type == MatMulType::FLOAT ? 4 : type == MatMulType::HALF ? 2 : 1;
}

/// The problem as a plan sees it: operands swapped, taps laid out as channels. Where windows lie
/// side by side that is a matter of order; elsewhere tiles lay out what they receive. Or outputs
/// and inputs of some dimensions are channels: a matter of order, but for weights.
inline TileProblem seenBy(TileProblem problem, TilePlan const &plan) {
  if (plan.swap)
    std::swap(problem.n, problem.field[0].outputs);
  if (plan.swap)
    problem.field[0].inputs = problem.field[0].outputs;
  if (plan.expand != 0) {
    if (!problem.expands || plan.expand != problem.windows())
      problem.gatheredI = problem.i, problem.gathered = problem.field;
    for (std::uint32_t d = 0; d != 3; ++d)
      if (plan.expand >> d & 1U) {
        TileField &f = problem.field[d];
        problem.i *= f.taps;
        f = {f.outputs, 1, f.outputs};
      }
  }
  if (plan.flatten != 0) {
    problem.flattenedI = problem.i, problem.flattenedN = problem.n;
    for (std::uint32_t d = 0; d != 3; ++d)
      if (plan.flatten >> d & 1U) {
        TileField &f = problem.field[d];
        problem.i *= f.inputs, problem.n *= f.outputs;
        problem.flattenedTaps *= f.taps;
        f = {};
      }
  }
  return problem;
}

/// The groups of a block, and those of its channels. Groups at a time are like one with the
/// channels of all.
inline TileBlock channelsOf(TileProblem const &seen, TilePlan const &plan) {
  TileBlock block;
  block.units = ceilDiv(ceilDiv(seen.g, plan.convGroup), plan.splitG);
  block.inGroups =
      ceilDiv(ceilDiv(seen.i * plan.convGroup, plan.inGroup), plan.splitI * plan.serialI);
  block.outGroups =
      ceilDiv(ceilDiv(seen.n * plan.convGroup, plan.outGroup), plan.splitN * plan.serialN);
  return block;
}

/// The matrix unit as a plan uses it.
inline kernels::AmpUnit unitsOf(kernels::AmpUnit amp, TilePlan const &plan) {
  if (plan.units != 0)
    amp.units = plan.units;
  return amp;
}

} // namespace detail

} // namespace cottonwood::planner
