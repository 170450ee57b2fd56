// Which plans of a matrix product are worth measuring, and which plans from elsewhere may be used:
// those that leave the bits of the result as the estimated plan has them.
#pragma once

#include "MatMulCpu.hpp"

#include <planners/core/Wisdom.hpp>

namespace cottonwood::planner {

/// Raised whenever the kernels of products or convolutions change what plans cost or mean: wisdom
/// of other versions is refused.
inline constexpr unsigned KERNELS_VERSION = 15;

/// What wisdom for kernels of an instruction set begins with.
inline std::string wisdomKernels(std::string const &isa) {
  return "isa=" + isa + " version=" + std::to_string(KERNELS_VERSION);
}

/// A problem on so many threads, as wisdom names it.
template <PlanLike P> std::string wisdomKey(P const &problem, unsigned threads) {
  return toText(problem) + " threads=" + std::to_string(threads);
}

namespace detail {

inline std::string splitRefusal(MatMulPlan const &plan, MatMulProblem const &p) {
  if (plan.splitG < 1 || plan.splitM < 1 || plan.splitN < 1 || plan.splitG > p.g ||
      plan.splitM > p.m || plan.splitN > p.n)
    return "more parts than elements, or none";
  if (plan.splitN > 1 && ceilDiv(p.n, cpuColumns(p, plan.splitN)) != plan.splitN)
    return "empty parts";
  return {};
}

inline std::string methodRefusal(MatMulPlan const &plan, MatMulProblem const &p) {
  using kernels::MatMulMethod;
  if (plan.method == MatMulMethod::ROWS &&
      (p.b != MatMulLayout::ROWS || ceilDiv(p.m, plan.splitM) > kernels::MATMUL_MAX_STREAMED_ROWS))
    return "the method 'rows' needs few rows and an operand that lies row by row";
  if (plan.method == MatMulMethod::COLUMN && (p.n != 1 || p.a != MatMulLayout::COLUMNS))
    return "the method 'column' needs one column and an operand that lies column by column";
  constexpr std::uint32_t MOST = 1U << 16U;
  if (plan.method == MatMulMethod::BLOCKED &&
      (plan.rows < 1 || plan.depth < 1 || plan.rows > MOST || plan.depth > MOST))
    return "blocks without elements, or too large ones";
  if (plan.columns != 0 && plan.columns != kernels::MATMUL_MAX_TILE_COLUMNS &&
      plan.columns != kernels::MATMUL_WIDE_COLUMNS)
    return "strips have 32 or 64 columns";
  if (plan.method == MatMulMethod::BLOCKED && p.input == MatMulType::HALF && !plan.packA &&
      !plan.panelsA)
    return "operands of half must be packed";
  return {};
}

} // namespace detail

/// Why a plan cannot stand for `estimated`, the plan that planMatMulCpu() made; empty if it can.
inline std::string matMulRefusal(MatMulPlan const &plan, MatMulProblem const &problem,
                                 MatMulPlan const &estimated) {
  if (plan.splitK != estimated.splitK)
    return "sums in " + std::to_string(plan.splitK) + " parts instead of " +
           std::to_string(estimated.splitK) + " change the result";
  if (auto reason = detail::splitRefusal(plan, problem); !reason.empty())
    return reason;
  if (plan.method != estimated.method &&
      !(kernels::isMatMulChain(plan.method) && kernels::isMatMulChain(estimated.method)))
    return "another method than '" + detail::fieldText(estimated.method) + "' changes the result";
  if (!kernels::isMatMulChain(plan.method) && !(plan.blocking() == estimated.blocking()))
    return "the method '" + detail::fieldText(plan.method) + "' has fixed blocks";
  return detail::methodRefusal(plan, problem);
}

/// `estimated` cut in all other ways into at most as many parts as there are threads.
inline std::vector<MatMulPlan> matMulSplitsToMeasure(MatMulProblem const &problem,
                                                     MatMulCpu const &cpu,
                                                     MatMulPlan const &estimated) {
  std::vector<MatMulPlan> plans{estimated};
  for (std::uint64_t g : detail::cpuSplits(problem.g, 1, cpu.threads))
    for (std::uint64_t m : detail::cpuSplits(problem.m, 1, cpu.threads / g))
      for (std::uint64_t n : detail::cpuSplits(problem.n, 1, cpu.threads / (g * m))) {
        MatMulPlan plan =
            detail::cpuCandidate({.splitG = g, .splitM = m, .splitN = n}, problem, cpu).plan;
        if (!(plan == estimated) && matMulRefusal(plan, problem, estimated).empty())
          plans.push_back(plan);
      }
  return plans;
}

/// Rounds of variations; each starts from the best plan so far.
inline constexpr unsigned MATMUL_MEASURE_ROUNDS = 3;

/// Plans that differ from `best` in one thing: what is packed, the width of strips, the depth or
/// the rows of blocks.
inline std::vector<MatMulPlan> matMulVariations(MatMulProblem const &problem,
                                                MatMulPlan const &estimated, MatMulPlan const &best,
                                                unsigned round) {
  std::vector<MatMulPlan> plans;
  if (best.method != kernels::MatMulMethod::BLOCKED)
    return plans;
  auto const add = [&](auto const &change) {
    MatMulPlan plan = best;
    change(plan);
    if (!(plan == best) && matMulRefusal(plan, problem, estimated).empty())
      plans.push_back(plan);
  };
  if (round == 0) {
    add([](MatMulPlan &plan) { plan.packA = !plan.packA; });
    add([](MatMulPlan &plan) { plan.panelsA = !plan.panelsA; });
    if (problem.b != MatMulLayout::PANELS)
      add([](MatMulPlan &plan) { plan.packB = !plan.packB; });
    if (problem.n > kernels::MATMUL_MAX_TILE_COLUMNS)
      add([](MatMulPlan &plan) {
        plan.columns = plan.columns == kernels::MATMUL_WIDE_COLUMNS
                           ? kernels::MATMUL_MAX_TILE_COLUMNS
                           : kernels::MATMUL_WIDE_COLUMNS;
      });
  } else if (round == 1) {
    for (std::uint32_t depth : {192U, 256U, 384U, 512U})
      if (depth < 2 * problem.k)
        add([&](MatMulPlan &plan) { plan.depth = depth; });
  } else {
    for (std::uint32_t rows : {96U, 192U, 480U, 1032U, 2016U})
      if (rows < 2 * problem.m)
        add([&](MatMulPlan &plan) { plan.rows = rows; });
  }
  return plans;
}

} // namespace cottonwood::planner
