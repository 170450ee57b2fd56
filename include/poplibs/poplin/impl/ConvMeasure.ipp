#pragma once

#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/RawConv.hpp>
#include <poplin/impl/WisdomStore.hpp>

#include <memory>

namespace cottonwood::poplin {

namespace detail {

/// Operands in the layouts that kernels read best, and a result, with numbers of no importance.
class ScratchConv {
public:
  explicit ScratchConv(ConvCheck const &check)
      : check_(check), halfIn_(check.params.inputType == ::poplar::HALF),
        halfOut_(check.params.outputType == ::poplar::HALF),
        in_(memory(elementsOf(check.inShape()))),
        weights_(memory(elementsOf(check.weightsShape(false)))),
        out_(memory(elementsOf(check.outShape()))) {}

  static double bytes(ConvCheck const &check) {
    double const elements = static_cast<double>(elementsOf(check.inShape())) +
                            static_cast<double>(elementsOf(check.weightsShape(false))) +
                            static_cast<double>(elementsOf(check.outShape()));
    return 4 * elements;
  }

  /// Nanoseconds of one run.
  std::uint64_t time(planner::ConvPlan const &plan, unsigned threads) const {
    RawConv const conv(check_, threads, plan, RawWeights::BLOCKS);
    // Groups of several channels read floats, into which a graph casts them before.
    RawArray const in{in_.get(), halfIn_ && conv.channels()};
    RawArray const weights{weights_.get(), halfIn_};
    return quickest([&] { runRawConv(conv, in, weights, halfOut_, out_.get()); });
  }

private:
  using Memory = std::unique_ptr<std::uint32_t[]>;

  /// Room for floats; two halves of 0.5 each, and floats a little above that.
  static Memory memory(std::size_t elements) {
    Memory result = std::make_unique<std::uint32_t[]>(elements + 1);
    std::fill_n(result.get(), elements + 1, 0x38003800U);
    return result;
  }

  ConvCheck const &check_;
  bool const halfIn_, halfOut_;
  Memory in_, weights_, out_;
};

} // namespace detail

POP_INLINE std::optional<Measured<planner::ConvPlan>>
measureConv(ConvCheck const &check, planner::ConvProblem const &problem,
            planner::MatMulCpu const &cpu, planner::ConvPlan const &estimated) {
  if (detail::ScratchConv::bytes(check) > MEASURE_BYTES)
    return std::nullopt;
  detail::ScratchConv const scratch(check);
  auto const time = [&](planner::ConvPlan const &plan) { return scratch.time(plan, cpu.threads); };
  Measured<planner::ConvPlan> best{estimated};
  best.tryAll(planner::convSplitsToMeasure(problem, cpu, estimated), time);
  for (unsigned round = 0; round != planner::CONV_MEASURE_ROUNDS; ++round)
    best.tryAll(planner::convVariations(problem, estimated, best.plan, round), time);
  return best;
}

} // namespace cottonwood::poplin
