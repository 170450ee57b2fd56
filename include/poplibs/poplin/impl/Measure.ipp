#pragma once

#include <poplin/impl/RawPlan.hpp>
#include <poplin/impl/WisdomStore.hpp>

#include <poplar/impl/base/Error.hpp>

#include <memory>

namespace cottonwood::poplin {

namespace detail {

/// Operands and result of a problem, with numbers of no importance.
class ScratchProduct {
public:
  static double bytes(planner::MatMulProblem const &p) {
    double const perStep = 2.0 * 4; // strided operands have gaps
    double const m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    double const k = static_cast<double>(p.k);
    return static_cast<double>(p.g) * perStep * (m * k + k * n + m * n);
  }

  explicit ScratchProduct(planner::MatMulProblem const &p) {
    RawMatMul product;
    product.batches = p.g;
    product.a = matrix(memory_[0], p.g, p.m, p.k, p.a, p.input);
    product.b = matrix(memory_[1], p.g, p.k, p.n, p.b, p.input);
    product.c = matrix(memory_[2], p.g, p.m, p.n, planner::MatMulLayout::ROWS, p.output);
    product.out = memory_[2].get();
    problem_ = rawProblem("poplin::measure", product);
    problem_.problem = p;
  }

  /// Nanoseconds of one run.
  std::uint64_t time(planner::MatMulPlan const &plan, unsigned threads) const {
    return quickest([&] { runRawPlan(problem_, plan, threads, &runRawPart, nullptr); });
  }

private:
  static RawMatrix matrix(std::unique_ptr<std::uint32_t[]> &memory, std::uint64_t groups,
                          std::uint64_t rows, std::uint64_t columns, planner::MatMulLayout layout,
                          planner::MatMulType type) {
    using planner::MatMulLayout;
    auto const at = [](std::uint64_t x) { return static_cast<std::ptrdiff_t>(x); };
    bool const isHalf = type == planner::MatMulType::HALF;
    constexpr std::uint64_t PANEL = kernels::MATMUL_PANEL;
    std::uint64_t const panels = (columns + PANEL - 1) / PANEL;
    std::uint64_t const elements = layout == MatMulLayout::PANELS    ? panels * PANEL * rows
                                   : layout == MatMulLayout::STRIDED ? 2 * rows * columns
                                                                     : rows * columns;
    std::size_t const words = (groups * elements + 1) / (isHalf ? 2 : 1) + 1;
    memory = std::make_unique<std::uint32_t[]>(words);
    std::fill_n(memory.get(), words, isHalf ? 0x38003800U : 0x3f000000U); // 0.5
    RawMatrix m{memory.get(), rows, columns, at(columns), 1, at(elements), 0, isHalf};
    if (layout == MatMulLayout::COLUMNS)
      m.row = 1, m.column = at(rows);
    if (layout == MatMulLayout::STRIDED)
      m.row = at(2 * columns), m.column = 2;
    if (layout == MatMulLayout::PANELS)
      m.row = at(PANEL), m.panel = at(PANEL * rows);
    return m;
  }

  std::unique_ptr<std::uint32_t[]> memory_[3];
  RawProblem problem_;
};

} // namespace detail

POP_INLINE std::optional<Measured<planner::MatMulPlan>>
measureMatMul(planner::MatMulProblem const &problem, planner::MatMulCpu const &cpu,
              planner::MatMulPlan const &estimated) {
  if (detail::ScratchProduct::bytes(problem) > MEASURE_BYTES)
    return std::nullopt;
  detail::ScratchProduct const scratch(problem);
  auto const time = [&](planner::MatMulPlan const &plan) {
    return scratch.time(plan, cpu.threads);
  };
  Measured<planner::MatMulPlan> best{estimated};
  best.tryAll(planner::matMulSplitsToMeasure(problem, cpu, estimated), time);
  for (unsigned round = 0; round != planner::MATMUL_MEASURE_ROUNDS; ++round)
    best.tryAll(planner::matMulVariations(problem, estimated, best.plan, round), time);
  return best;
}

} // namespace cottonwood::poplin
