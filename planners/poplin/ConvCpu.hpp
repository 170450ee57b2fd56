// Planning a convolution for the threads of a CPU.
//
// Vertices differ in the outputs and channels they compute, never in the order of sums, so that the
// number of threads changes no bit. Input channels and taps are not split.
#pragma once

#include "ConvTypes.hpp"
#include "MatMulCpu.hpp"

namespace cottonwood::planner {

namespace detail {

/// Of the largest part, for each of its groups.
inline double convCpuWinogradOperations(ConvPlan const &plan, ConvProblem const &p) {
  auto const blocks = [&](std::uint64_t size, std::uint64_t split) {
    return static_cast<double>(ceilDiv(ceilDiv(size, split), plan.winograd));
  };
  double const all = static_cast<double>(ceilDiv(p.b, plan.splitB)) *
                     blocks(p.field[0].outputs, plan.splitY0) *
                     blocks(p.field[1].outputs, plan.splitY1);
  return kernels::winogradOperations(plan.winograd, all, static_cast<double>(p.i),
                                     static_cast<double>(ceilDiv(p.n, plan.splitN)));
}

/// Cycles of the slowest thread.
inline double convCpuCycles(ConvPlan const &plan, ConvProblem const &p, MatMulCpu const &cpu) {
  auto const part = [](std::uint64_t size, std::uint64_t split) {
    return static_cast<double>(ceilDiv(size, split));
  };
  double const pixels = part(p.b, plan.splitB) * part(p.field[0].outputs, plan.splitY0) *
                        part(p.field[1].outputs, plan.splitY1) *
                        static_cast<double>(p.rest.outputs);
  double const groups = part(p.g, plan.splitG), columns = part(p.n, plan.splitN);
  double const depth = static_cast<double>(p.i * p.taps());
  // Groups of one channel are vectors of groups; other columns fill whole vectors.
  double const vectors = p.n == 1 ? groups : groups * std::ceil(columns / 16) * 16;
  double const arithmetic =
      plan.winograd != 0 ? groups * convCpuWinogradOperations(plan, p) / MATMUL_RATE
      : kernels::onMatMulTiles(plan.method)
          ? groups * cpuMatrixTileCycles(
                         plan.method, pixels, columns,
                         static_cast<double>(kernels::convTileDepth(p.i, p.taps(), p.lastTaps)))
      : plan.method == kernels::MatMulMethod::FP16 ? groups * cpuFp16Cycles(pixels, columns, depth)
                                                   : pixels * vectors * depth / MATMUL_RATE;
  double const fetch =
      (pixels * (groups * columns + groups * static_cast<double>(p.i)) + groups * columns * depth) *
      MATMUL_FETCH;
  // Outputs whose channels are divided are connected one by one.
  bool const rows = plan.splitG > 1 || plan.splitN > 1;
  double const perVertex = arithmetic + fetch + 1000 + (rows ? 40 * pixels : 0);
  return std::ceil(static_cast<double>(plan.parts()) / cpu.threads) * perVertex;
}

inline Candidate<ConvPlan> convCpuCandidate(ConvPlan const &plan, ConvProblem const &p,
                                            MatMulCpu const &cpu) {
  if (plan.splitI != 1 || plan.splitK0 != 1)
    return Candidate<ConvPlan>::refused(plan,
                                        "a CPU keeps sums whole, so that threads change no bit");
  if (plan.splitG > p.g || plan.splitB > p.b || plan.splitN > p.n ||
      plan.splitY0 > p.field[0].outputs || plan.splitY1 > p.field[1].outputs)
    return Candidate<ConvPlan>::refused(plan, "more parts than elements");
  return Candidate<ConvPlan>::at(plan, {convCpuCycles(plan, p, cpu), 0});
}

/// Blocks of the whole convolution, from the problem alone: they change how sums are rounded.
inline std::uint32_t convCpuWinograd(ConvProblem const &p) {
  double const products = static_cast<double>(p.b * p.n * p.i) * static_cast<double>(p.products());
  return kernels::chooseWinograd(p.winograd, p.b, p.field[0].outputs, p.field[1].outputs,
                                 static_cast<double>(p.i), static_cast<double>(p.n), products);
}

/// The method of the whole convolution: parts have the same.
inline kernels::MatMulMethod convCpuMethod(ConvProblem const &p, MatMulCpu const &cpu) {
  if (p.n == 1 && p.i == 1) // groups are columns
    return kernels::MatMulMethod::BLOCKED;
  double const products =
      static_cast<double>(p.products()) / static_cast<double>(p.outputs() * p.taps());
  bool const half = p.input == MatMulType::HALF;
  bool const halfPartials = p.partials == MatMulType::HALF && p.output == MatMulType::HALF;
  auto const onTiles =
      kernels::convTileMethod(cpu.tiles, p.b * p.outputs(), p.n, p.i, p.taps(), p.lastOutputs,
                              p.lastTaps, products, half, halfPartials);
  return kernels::onMatMulTiles(onTiles)
             ? onTiles
             : kernels::convFp16Method(cpu.halfArithmetic, p.b * p.outputs(), p.n, p.i, p.taps(),
                                       products, half, halfPartials);
}

} // namespace detail

/// The cheapest way to cut a convolution into vertices for the threads of a CPU.
/// \throws PlanError  the constraints admit no plan; the text says which and what is allowed, or
/// lists why each was refused.
inline ConvChoice planConvCpu(ConvProblem const &problem, MatMulCpu const &cpu,
                              Constraints const &constraints = {}) {
  Choice<ConvPlan> choice(toText(problem), constraints);
  std::string_view const keptWhole = "as a CPU keeps sums whole";
  detail::checkCpuSplits(constraints, {{"splitG", problem.g},
                                       {"splitB", problem.b},
                                       {"splitN", problem.n},
                                       {"splitY0", problem.field[0].outputs},
                                       {"splitY1", problem.field[1].outputs},
                                       {"splitI", 1, keptWhole},
                                       {"splitK0", 1, keptWhole},
                                       {"otherSplits", 1}});
  ConvPlan whole;
  whole.method = detail::convCpuMethod(problem, cpu);
  whole.winograd = detail::convCpuWinograd(problem);
  if (whole.winograd != 0)
    whole.method = kernels::MatMulMethod::BLOCKED;
  else if (problem.winograd != 0) {
    ConvPlan blocks = whole;
    blocks.winograd = problem.winograd;
    choice.consider(Candidate<ConvPlan>::refused(
        blocks, "the transforms take more operations than blocks save"));
  }
  double const worth =
      std::max(1.0, detail::convCpuCycles(whole, problem, cpu) / detail::MATMUL_VERTEX_CYCLES);
  auto const most = static_cast<std::uint64_t>(std::min<double>(cpu.threads, worth));
  // A split that is forced is the only one tried.
  auto const splits = [&](std::string_view key, std::uint64_t size, std::uint64_t grain,
                          std::uint64_t taken) -> std::vector<std::uint64_t> {
    if (auto const forced = constraints.value(key))
      return {std::max<std::uint64_t>(std::stoull(*forced), 1)};
    return detail::cpuSplits(size, grain, std::min(size, std::max<std::uint64_t>(most / taken, 1)));
  };
  kernels::ConvBlocking const blocking = kernels::chooseConvBlocking(cpu.caches);
  bool const packIn = whole.method == kernels::MatMulMethod::BLOCKED && whole.winograd == 0 &&
                      kernels::convPacksInput(problem.i, problem.taps(), problem.n, cpu.caches);
  std::uint64_t const strip = kernels::MATMUL_MAX_TILE_COLUMNS;
  std::uint64_t const groupGrain = problem.n == 1 ? strip : 1;
  for (std::uint64_t b : splits("splitB", problem.b, 1, 1))
    for (std::uint64_t y :
         splits("splitY0", problem.field[0].outputs, std::max<std::uint64_t>(whole.winograd, 1), b))
      for (std::uint64_t y1 : splits("splitY1", 1, 1, 1))
        for (std::uint64_t g : splits("splitG", problem.g, groupGrain, b * y * y1))
          for (std::uint64_t n : splits("splitN", problem.n, strip, b * y * y1 * g)) {
            ConvPlan plan;
            plan.splitB = b, plan.splitY0 = y, plan.splitY1 = y1, plan.splitG = g, plan.splitN = n;
            plan.depth = blocking.depth, plan.enough = blocking.enough;
            plan.pixels = blocking.pixels, plan.method = whole.method;
            plan.setRows = blocking.setRows, plan.copyBytes = blocking.copyBytes;
            plan.columns = blocking.columns;
            plan.packIn = packIn ? 1 : 0;
            plan.winograd = whole.winograd;
            if (plan.winograd != 0) {
              plan.depth = plan.enough = 0;
              plan.pixels = kernels::winogradBlocks(plan.winograd, problem.i, cpu.caches);
            }
            choice.consider(detail::convCpuCandidate(plan, problem, cpu));
          }
  return {choice.best().plan, choice.best().cost, choice.explanation()};
}

} // namespace cottonwood::planner
