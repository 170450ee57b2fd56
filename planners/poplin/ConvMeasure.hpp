// Which plans of a convolution are worth measuring, and which plans from elsewhere may be used:
// those that leave the bits of the result as the estimated plan has them.
#pragma once

#include "ConvCpu.hpp"
#include "MatMulMeasure.hpp"

namespace cottonwood::planner {

namespace detail {

inline std::string convSplitRefusal(ConvPlan const &plan, ConvProblem const &p) {
  if (plan.splitI != 1 || plan.splitK0 != 1 || plan.otherSplits != 1)
    return "a CPU keeps sums whole";
  auto const fits = [](std::uint64_t parts, std::uint64_t size) {
    return parts >= 1 && parts <= size;
  };
  if (!fits(plan.splitG, p.g) || !fits(plan.splitB, p.b) || !fits(plan.splitN, p.n) ||
      !fits(plan.splitY0, p.field[0].outputs) || !fits(plan.splitY1, p.field[1].outputs))
    return "more parts than elements, or none";
  return {};
}

} // namespace detail

/// Why a plan cannot stand for `estimated`, the plan that planConvCpu() made; empty if it can.
inline std::string convRefusal(ConvPlan const &plan, ConvProblem const &problem,
                               ConvPlan const &estimated) {
  if (auto reason = detail::convSplitRefusal(plan, problem); !reason.empty())
    return reason;
  if (plan.winograd != estimated.winograd)
    return "blocks of " + std::to_string(plan.winograd) + " instead of " +
           std::to_string(estimated.winograd) + " change the result";
  if (plan.winograd != 0)
    return plan == estimated ? std::string() : "the borders of blocks change the result";
  if (plan.method != estimated.method)
    return "another method than '" + detail::fieldText(estimated.method) + "' changes the result";
  if (plan.method != kernels::MatMulMethod::BLOCKED)
    return plan.blocking() == estimated.blocking()
               ? std::string()
               : "the method '" + detail::fieldText(plan.method) + "' has fixed blocks";
  constexpr std::uint32_t MOST = 1U << 16U;
  if (plan.depth < 1 || plan.enough < 1 || plan.pixels < 1 ||
      plan.depth > kernels::CONV_MAX_SEGMENTS || plan.enough > MOST || plan.pixels > MOST ||
      plan.setRows < 1)
    return "blocks without elements, or too large ones";
  if (plan.columns != kernels::MATMUL_MAX_TILE_COLUMNS &&
      plan.columns != kernels::MATMUL_WIDE_COLUMNS)
    return "strips have 32 or 64 columns";
  if (plan.packIn > 1)
    return "packIn is 0 or 1";
  return {};
}

/// `estimated` cut in all other ways into at most as many parts as there are threads.
inline std::vector<ConvPlan> convSplitsToMeasure(ConvProblem const &problem, MatMulCpu const &cpu,
                                                 ConvPlan const &estimated) {
  std::vector<ConvPlan> plans{estimated};
  std::uint64_t const strip = kernels::MATMUL_MAX_TILE_COLUMNS;
  auto const splits = [&](std::uint64_t size, std::uint64_t grain, std::uint64_t taken) {
    return detail::cpuSplits(size, grain, std::min<std::uint64_t>(size, cpu.threads / taken));
  };
  for (std::uint64_t b : splits(problem.b, 1, 1))
    for (std::uint64_t y : splits(problem.field[0].outputs, 1, b))
      for (std::uint64_t x : splits(problem.field[1].outputs, 1, b * y))
        for (std::uint64_t g : splits(problem.g, problem.n == 1 ? strip : 1, b * y * x))
          for (std::uint64_t n : splits(problem.n, strip, b * y * x * g)) {
            ConvPlan plan = estimated;
            plan.splitB = b, plan.splitY0 = y, plan.splitY1 = x;
            plan.splitG = g, plan.splitN = n;
            if (!(plan == estimated) && convRefusal(plan, problem, estimated).empty())
              plans.push_back(plan);
          }
  return plans;
}

/// Rounds of variations; each starts from the best plan so far.
inline constexpr unsigned CONV_MEASURE_ROUNDS = 3;

/// Plans that differ from `best` in one thing: taps of a pass, outputs between passes, the width of
/// strips, or from how many taps on a pass is long enough.
inline std::vector<ConvPlan> convVariations(ConvProblem const &problem, ConvPlan const &estimated,
                                            ConvPlan const &best, unsigned round) {
  std::vector<ConvPlan> plans;
  auto const add = [&](std::uint32_t ConvPlan::*field, std::uint32_t value) {
    ConvPlan plan = best;
    plan.*field = value;
    if (!(plan == best) && convRefusal(plan, problem, estimated).empty())
      plans.push_back(plan);
  };
  std::uint64_t const taps = problem.taps() * problem.i;
  if (round == 0) {
    for (std::uint32_t depth : {96U, 128U, 192U, 256U, 384U, 512U, 768U, 1152U})
      if (depth < 2 * taps)
        add(&ConvPlan::depth, depth);
  } else if (round == 1) {
    for (std::uint32_t pixels : {96U, 192U, 384U, 768U, 1536U, 4096U})
      if (pixels < 2 * problem.b * problem.outputs())
        add(&ConvPlan::pixels, pixels);
    if (problem.n >= kernels::MATMUL_WIDE_COLUMNS)
      for (std::uint32_t columns : {kernels::MATMUL_MAX_TILE_COLUMNS, kernels::MATMUL_WIDE_COLUMNS})
        add(&ConvPlan::columns, columns);
  } else {
    for (std::uint32_t enough : {32U, 64U, 128U, 256U, 512U, 1152U})
      if (enough < 2 * taps)
        add(&ConvPlan::enough, enough);
  }
  return plans;
}

} // namespace cottonwood::planner
