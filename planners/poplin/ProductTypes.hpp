// What the planners of products and convolutions have in common.
#pragma once

#include <planners/core/Choice.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace cottonwood::planner {

/// QUARTER: operands of tiles with units for 8-bit floats; elsewhere these are cast to FLOAT first.
enum class MatMulType : std::uint32_t { FLOAT, HALF, QUARTER };
template <> struct EnumNames<MatMulType> {
  static constexpr std::string_view names[] = {"float", "half", "quarter"};
};

/// The type of partial results: what is asked for, or the result's if that is larger; half where
/// 8-bit floats are multiplied.
template <class Problem> MatMulType partialsFor(Problem const &problem, MatMulType asked) {
  if (problem.input == MatMulType::QUARTER)
    return MatMulType::HALF;
  return problem.output == MatMulType::FLOAT ? problem.output : asked;
}

namespace detail {

constexpr std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// The number of parts that are not empty when `size` is cut into parts of ceil(size / parts).
constexpr std::uint64_t realParts(std::uint64_t size, std::uint64_t parts) {
  return ceilDiv(size, ceilDiv(size, parts));
}

/// What a split can be forced to on a CPU.
struct CpuSplitRange {
  std::string_view key;
  std::uint64_t most;           ///< from 1
  std::string_view reason = {}; ///< why not more, if that is not the problem's size
};

/// \throws PlanError  a split is forced to parts that there cannot be.
inline void checkCpuSplits(Constraints const &constraints,
                           std::initializer_list<CpuSplitRange> ranges) {
  std::string text;
  for (CpuSplitRange const &range : ranges) {
    auto const forced = constraints.numbers(range.key);
    if (!forced || std::any_of(forced->begin(), forced->end(), [&](std::uint64_t parts) {
          return parts != 0 && parts <= range.most;
        }))
      continue;
    std::string const key(range.key);
    text += " (" + key + " = " + *constraints.value(key) + " is not possible; allowed: 1";
    text += range.most > 1 ? " to " + std::to_string(range.most) : "";
    text += (range.reason.empty() ? "" : ", ") + std::string(range.reason) + ")";
  }
  if (!text.empty())
    throw PlanError("the constraints admit no plan" + text);
}

} // namespace detail

} // namespace cottonwood::planner
