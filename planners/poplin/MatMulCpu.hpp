// Planning a matrix product for the threads of a CPU.
//
// Vertices differ in the rows, columns and groups they compute, never in the order of sums, so that
// the number of threads changes no bit. Small results of long sums have these cut into parts, by a
// rule that looks at the problem alone.
#pragma once

#include "MatMulTypes.hpp"

namespace cottonwood::planner {

/// Columns of all parts but the last, if C is cut into `splitN` parts of columns: whole panels of
/// B, or whole vectors where that leaves no part empty.
inline std::uint64_t cpuColumns(MatMulProblem const &p, std::uint64_t splitN) {
  constexpr std::uint64_t GRAIN = 16; // floats of the longest vector
  std::uint64_t const part = detail::ceilDiv(p.n, splitN);
  if (p.b == MatMulLayout::PANELS)
    return detail::ceilDiv(part, kernels::MATMUL_PANEL) * kernels::MATMUL_PANEL;
  std::uint64_t const vectors = detail::ceilDiv(part, GRAIN) * GRAIN;
  return splitN > 1 && detail::ceilDiv(p.n, vectors) == splitN ? vectors : part;
}

/// Values of K in all parts of a sum but the last; K where sums are whole. Results of few elements
/// do not occupy many threads; so that threads change no bit, sums of at least 16384 values are cut
/// into up to 16 parts for those of at most 64 x 64 elements, however many threads there are.
/// Adding up the parts costs less than 3% of reading the operands.
inline std::uint64_t cpuDepth(MatMulProblem const &p) {
  constexpr std::uint64_t MOST_ELEMENTS = 64 * 64, LONG = 16384, PART = 4096, MOST_PARTS = 16;
  if (p.k < LONG || p.g > MOST_ELEMENTS || p.m > MOST_ELEMENTS || p.n > MOST_ELEMENTS ||
      p.g * p.m * p.n > MOST_ELEMENTS)
    return p.k;
  std::uint64_t const parts = std::min(p.k / PART, MOST_PARTS);
  constexpr std::uint64_t GRAIN = 64; // steps of all kernels
  return detail::ceilDiv(detail::ceilDiv(p.k, parts), GRAIN) * GRAIN;
}
inline std::uint64_t cpuDepthParts(MatMulProblem const &p) {
  return detail::ceilDiv(p.k, cpuDepth(p));
}

namespace detail {

/// What a vertex must be worth to be handed to another thread: about 1 us.
inline constexpr double MATMUL_VERTEX_CYCLES = 4000;
/// Multiply-adds a cycle of one core; only the ratio to the cost of memory matters.
inline constexpr double MATMUL_RATE = 28;
/// Cycles to bring one element of an operand to the core, from a cache further out.
inline constexpr double MATMUL_FETCH = 0.25;

inline kernels::MatMulOperand operandOf(MatMulType type, MatMulLayout layout, std::uint64_t rows,
                                        std::uint64_t columns) {
  kernels::MatMulOperand operand;
  operand.isHalf = type == MatMulType::HALF;
  operand.panels = layout == MatMulLayout::PANELS;
  if (operand.panels) {
    operand.row = kernels::MATMUL_PANEL, operand.column = 1;
    return operand;
  }
  operand.row = layout == MatMulLayout::ROWS      ? static_cast<std::int64_t>(columns)
                : layout == MatMulLayout::COLUMNS ? 1
                                                  : 2;
  operand.column = layout == MatMulLayout::ROWS      ? 1
                   : layout == MatMulLayout::COLUMNS ? static_cast<std::int64_t>(rows)
                                                     : 3;
  // A single row that happens to lie with unit distance is still a row of its own.
  if (layout == MatMulLayout::ROWS && operand.row == 1)
    operand.row = 2;
  if (layout == MatMulLayout::COLUMNS && operand.column == 1)
    operand.column = 2;
  return operand;
}

/// The kernel of the largest part of a plan.
inline void chooseKernel(MatMulPlan &plan, MatMulProblem const &p, MatMulCpu const &cpu) {
  std::uint64_t const m = ceilDiv(p.m, plan.splitM);
  std::uint64_t const k = plan.splitK == 1 ? p.k : cpuDepth(p);
  auto const a = operandOf(p.input, p.a, p.m, p.k);
  auto b = operandOf(p.input, p.b, p.k, p.n);
  b.passing = p.g > 1;
  bool const dot = kernels::matMulUsesDot(p.m, p.n, k, a, b);
  bool const half = p.input == MatMulType::HALF;
  bool const halfPartials = p.partials == MatMulType::HALF && p.output == MatMulType::HALF;
  auto const onTiles = kernels::matMulTileMethod(cpu.tiles, p.m, p.n, k, half, halfPartials);
  auto const fp16 = kernels::matMulFp16Method(cpu.halfArithmetic, p.m, p.n, k, half, halfPartials);
  auto const blocking =
      kernels::onMatMulTiles(onTiles) ? kernels::matMulTileBlocking(onTiles)
      : fp16 == kernels::MatMulMethod::FP16
          ? kernels::matMulFp16Blocking()
          : kernels::chooseMatMulBlocking(m, cpuColumns(p, plan.splitN), k, a, b, dot, cpu.caches);
  plan.method = blocking.method;
  plan.rows = blocking.rows;
  plan.depth = blocking.depth;
  plan.packA = blocking.packA != 0;
  plan.packB = blocking.packB != 0;
  plan.columns = blocking.columns;
  plan.panelsA = blocking.panelsA != 0;
}

/// Cycles of the arithmetic of one product on one core, for vectors of 16 floats: two multiply-adds
/// a cycle, if their number in a register tile covers their latency and their operands can be
/// loaded.
inline double cpuTileCycles(double m, std::uint64_t n, double k) {
  double const panels = std::ceil(m / kernels::MATMUL_MAX_TILE_ROWS);
  auto const strip = [&](double vectors) {
    return std::max({m * vectors, panels * 8, m + panels * vectors}) / 2;
  };
  std::uint64_t const rest = n % kernels::MATMUL_MAX_TILE_COLUMNS;
  double const whole = static_cast<double>(n / kernels::MATMUL_MAX_TILE_COLUMNS) * strip(2);
  // A few columns have their rows in lanes.
  double const last = rest == 0              ? 0
                      : rest <= 3 && m >= 16 ? 3.5 * std::ceil(m / 16)
                      : rest <= 16           ? strip(1)
                                             : strip(2);
  return (whole + last) * k;
}

/// The same on matrix tiles, which take 16 cycles for 16 x 16 x 32 multiply-adds of one product of
/// pieces, with the packing of both operands.
inline double cpuMatrixTileCycles(kernels::MatMulMethod method, double m, double n, double k) {
  auto const products = static_cast<double>(kernels::matMulTileProducts(method));
  double const dots = std::ceil(m / 16) * std::ceil(n / 16) * std::ceil(k / 32) * products;
  double const timesA = std::ceil(n / static_cast<double>(kernels::MATMUL_TILE_COLUMNS));
  double const pieces = static_cast<double>(kernels::matMulTilePieces(method));
  return 16 * dots + 0.3 * pieces * k * (m * timesA + n);
}

/// The same by half arithmetic: 64 multiply-adds a cycle, less a tenth for bringing chains to
/// floats; packing takes some .06 cycles a number of B, A is copied for every 512 columns.
inline double cpuFp16Cycles(double m, double n, double k) {
  double const arithmetic = std::ceil(m / 2) * 2 * std::ceil(n / 16) * 16 * k / 58;
  double const timesA = std::ceil(n / static_cast<double>(kernels::MATMUL_FP16_COLUMNS));
  return arithmetic + 0.06 * k * (m * timesA + n);
}

/// Cycles of the slowest thread.
inline double cpuCycles(MatMulPlan const &plan, MatMulProblem const &p, MatMulCpu const &cpu) {
  double const m = static_cast<double>(ceilDiv(p.m, plan.splitM));
  std::uint64_t const columns = std::min(p.n, cpuColumns(p, plan.splitN));
  double const n = static_cast<double>(columns);
  double const k = static_cast<double>(plan.splitK == 1 ? p.k : cpuDepth(p));
  double const g = static_cast<double>(ceilDiv(p.g, plan.splitG));
  double const arithmetic =
      kernels::onMatMulTiles(plan.method) ? cpuMatrixTileCycles(plan.method, m, n, k)
      : plan.method == kernels::MatMulMethod::FP16
          ? cpuFp16Cycles(m, n, k)
          : std::min(cpuTileCycles(m, columns, k), 2 * m * n * k / MATMUL_RATE);
  double const fetch = (m * k + k * n + m * n) * MATMUL_FETCH;
  // Parts of columns have no contiguous block of C: rows are connected and copied one by one.
  double const rowTable = plan.splitN > 1 && p.m > 1 ? g * (40 * m + 0.1 * m * n) : 0;
  double const perVertex = g * (arithmetic + fetch) + 400 + rowTable;
  double const vertices =
      static_cast<double>(plan.splitG * plan.splitM * plan.splitN * plan.splitK);
  return std::ceil(vertices / cpu.threads) * perVertex;
}

inline Candidate<MatMulPlan> cpuCandidate(MatMulPlan plan, MatMulProblem const &p,
                                          MatMulCpu const &cpu) {
  plan.splitK = cpu.wholeDepth ? 1 : cpuDepthParts(p);
  chooseKernel(plan, p, cpu);
  if (plan.splitN > 1 && ceilDiv(p.n, cpuColumns(p, plan.splitN)) != plan.splitN)
    return Candidate<MatMulPlan>::refused(plan, "more parts than columns, or empty ones");
  std::uint64_t const workspace =
      kernels::matMulWorkspace(plan.blocking(), ceilDiv(p.m, plan.splitM),
                               ceilDiv(p.k, plan.splitK), cpuColumns(p, plan.splitN),
                               p.output == MatMulType::FLOAT || plan.splitK != 1) *
      sizeof(float);
  std::uint64_t const vertices = plan.splitG * plan.splitM * plan.splitN * plan.splitK;
  std::uint64_t const partial =
      plan.splitK == 1 ? 0 : plan.splitK * p.g * p.m * p.n * sizeof(float);
  return Candidate<MatMulPlan>::at(plan, {cpuCycles(plan, p, cpu), workspace * vertices + partial});
}

/// Splits of `size` into at most `most` parts whose sizes are multiples of `grain`.
inline std::vector<std::uint64_t> cpuSplits(std::uint64_t size, std::uint64_t grain,
                                            std::uint64_t most) {
  std::vector<std::uint64_t> splits{1};
  for (std::uint64_t parts = 2; parts <= most; ++parts) {
    std::uint64_t const part = ceilDiv(ceilDiv(size, parts), grain) * grain;
    std::uint64_t const real = ceilDiv(size, part);
    // Parts are ceil(size / parts) long when emitted: keep only counts that give this length.
    if (real > splits.back() && ceilDiv(size, real) <= part)
      splits.push_back(real);
  }
  return splits;
}

} // namespace detail

/// The cheapest way to cut a product into vertices for the threads of a CPU.
/// \throws PlanError  the constraints admit no plan; the text says which and what is allowed, or
/// lists why each was refused.
inline MatMulChoice planMatMulCpu(MatMulProblem const &problem, MatMulCpu const &cpu,
                                  Constraints const &constraints = {}) {
  Choice<MatMulPlan> choice(toText(problem), constraints);
  detail::checkCpuSplits(constraints,
                         {{"splitG", problem.g}, {"splitM", problem.m}, {"splitN", problem.n}});
  MatMulPlan const whole = detail::cpuCandidate({}, problem, cpu).plan;
  double const worth =
      std::max(1.0, detail::cpuCycles(whole, problem, cpu) / detail::MATMUL_VERTEX_CYCLES);
  bool const forced = !constraints.empty();
  std::uint64_t const most =
      forced ? 4096 : static_cast<std::uint64_t>(std::min<double>(cpu.threads, worth));
  auto const consider = [&](std::uint64_t g, std::uint64_t m, std::uint64_t n) {
    MatMulPlan plan;
    plan.splitG = g, plan.splitM = m, plan.splitN = n;
    choice.consider(detail::cpuCandidate(plan, problem, cpu));
  };
  auto const splits = [&](std::uint64_t size) {
    return detail::cpuSplits(size, 1, std::min<std::uint64_t>(most, forced ? 256 : most));
  };
  for (std::uint64_t g : splits(problem.g))
    for (std::uint64_t m : splits(problem.m)) {
      if (g * m > most)
        break;
      for (std::uint64_t n : splits(problem.n)) {
        if (g * m * n > most)
          break;
        consider(g, m, n);
      }
    }
  return {choice.best().plan, choice.best().cost, choice.explanation()};
}

} // namespace cottonwood::planner
