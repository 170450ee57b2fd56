#pragma once

#include <poplin/impl/RawPlan.hpp>
#include <poplin/impl/WisdomStore.hpp>

#include <poplar/impl/base/Error.hpp>

#include <chrono>
#include <limits>
#include <memory>

namespace cottonwood::poplin {

namespace detail {

/// Memory that measuring may take for operands and result.
inline constexpr double MEASURE_BYTES = 1024.0 * 1024 * 1024;
/// A plan is run until this much time has passed, and at least twice after a first run.
inline constexpr std::chrono::nanoseconds MEASURE_TIME{3000000};

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
    using Clock = std::chrono::steady_clock;
    auto best = Clock::duration::max();
    Clock::duration total{};
    run(plan, threads);
    for (int i = 0; i < 2 || total < MEASURE_TIME; ++i) {
      auto const begin = Clock::now();
      run(plan, threads);
      auto const once = Clock::now() - begin;
      best = std::min(best, once);
      total += once;
    }
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(best).count());
  }

private:
  void run(planner::MatMulPlan const &plan, unsigned threads) const {
    runRawPlan(problem_, plan, threads, &runRawPart, nullptr);
  }

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

POP_INLINE std::optional<MeasuredMatMul> measureMatMul(planner::MatMulProblem const &problem,
                                                       planner::MatMulCpu const &cpu,
                                                       planner::MatMulPlan const &estimated) {
  if (detail::ScratchProduct::bytes(problem) > detail::MEASURE_BYTES)
    return std::nullopt;
  detail::ScratchProduct const scratch(problem);
  MeasuredMatMul best{estimated, std::numeric_limits<std::uint64_t>::max(), 0};
  auto const tryAll = [&](std::vector<planner::MatMulPlan> const &plans) {
    for (planner::MatMulPlan const &plan : plans) {
      std::uint64_t const time = scratch.time(plan, cpu.threads);
      ++best.tried;
      if (time < best.nanoseconds)
        best.plan = plan, best.nanoseconds = time;
    }
  };
  tryAll(planner::matMulSplitsToMeasure(problem, cpu, estimated));
  for (unsigned round = 0; round != planner::MATMUL_MEASURE_ROUNDS; ++round)
    tryAll(planner::matMulVariations(problem, estimated, best.plan, round));
  return best;
}

POP_INLINE void improvePlan(planner::MatMulProblem const &problem, planner::MatMulCpu const &cpu,
                            bool measure, planner::MatMulChoice &choice) {
  std::string const key = planner::wisdomKey(problem, cpu.threads);
  if (auto const known = knownPlan(key)) {
    auto const plan = planner::fromText<planner::MatMulPlan>(known->plan);
    if (auto const reason = planner::matMulRefusal(plan, problem, choice.plan); !reason.empty())
      throw planner::PlanError("wisdom: the plan '" + known->plan + "' cannot be that of '" + key +
                               "': " + reason);
    choice.plan = plan;
    choice.explanation += base::textOf("wisdom: ", known->nanoseconds, " ns: ", known->plan, "\n");
    return;
  }
  if (!measure)
    return;
  auto const measured = measureMatMul(problem, cpu, choice.plan);
  if (!measured) {
    choice.explanation += "not measured: the operands are too large\n";
    return;
  }
  choice.plan = measured->plan;
  std::string const text = toText(measured->plan);
  learnPlan(key, {text, measured->nanoseconds});
  choice.explanation += base::textOf("measured: ", measured->nanoseconds, " ns, the best of ",
                                     measured->tried, " plans: ", text, "\n");
}

} // namespace cottonwood::poplin
