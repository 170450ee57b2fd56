// Planning of reductions on a CPU: whether the reduced dimension is cut into parts that are reduced
// first. ReduceTiles.hpp plans for tiles.
//
// The number of parts decides in which order floating point numbers are added. It must therefore be
// the same on every CPU: the model assumes a nominal machine, never the one at hand.
#pragma once

#include <planners/core/Choice.hpp>

#include <algorithm>
#include <cstdint>

namespace cottonwood::planner {

/// out[outer, inner] = op over reduced of in[outer, reduced, inner].
struct ReduceProblem {
  static constexpr std::string_view NAME = "reduce-problem";
  std::uint64_t outer = 1, reduced = 1, inner = 1;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("outer", self.outer);
    visit("reduced", self.reduced);
    visit("inner", self.inner);
  }
};

struct ReducePlan {
  static constexpr std::string_view NAME = "reduce";
  std::uint64_t parts =
      1; ///< of the reduced dimension; above 1: a second stage combines their results
  std::uint64_t partSize = 0; ///< elements of the reduced dimension in each part but the last

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("parts", self.parts);
    visit("partSize", self.partSize);
  }
  friend bool operator==(ReducePlan const &, ReducePlan const &) = default;
};

namespace detail {

/// Parts are whole multiples of this: the kernels keep 64 partial results of a row.
inline constexpr std::uint64_t PART_GRAIN = 64;
/// Neighbouring outputs that one worker context takes.
inline constexpr std::uint64_t OUTPUT_GRAIN = 16;

/// A nominal machine: threads, cycles of an element on one, and of waking them once more.
inline constexpr double REDUCE_PLACES = 12, REDUCE_ELEMENT = 0.25, REDUCE_STAGE = 20000;
/// Columns that a place reads of one row cost as much as so many more: memory is read in long runs.
inline constexpr double REDUCE_RUN = 256;

inline double reduceCycles(ReduceProblem const &problem, std::uint64_t parts) {
  double const outputs = static_cast<double>(problem.outer * problem.inner);
  double const units =
      static_cast<double>(problem.outer * ((problem.inner + OUTPUT_GRAIN - 1) / OUTPUT_GRAIN));
  double const splits = static_cast<double>(parts);
  double const places = std::min(REDUCE_PLACES, units * splits);
  double const run = outputs * splits / places; // a place's outputs, neighbours
  double const apart = run < static_cast<double>(problem.inner) ? 1 + REDUCE_RUN / run : 1;
  double const first = outputs * static_cast<double>(problem.reduced) * apart / places;
  double const second = parts == 1 ? 0 : outputs * splits / std::min(REDUCE_PLACES, units);
  return (first + second) * REDUCE_ELEMENT + (parts == 1 ? 0 : REDUCE_STAGE);
}

} // namespace detail

inline ReducePlan planReduce(ReduceProblem const &problem, Constraints const &constraints = {}) {
  Choice<ReducePlan> choice(toText(problem), constraints);
  std::uint64_t const grains = problem.reduced / detail::PART_GRAIN;
  std::uint64_t const most = std::max<std::uint64_t>(1, std::min<std::uint64_t>(grains, 64));
  ReducePlan plan;
  for (std::uint64_t wanted = 1; wanted <= most; wanted *= 2) {
    std::uint64_t const grain = wanted == 1 ? 1 : detail::PART_GRAIN;
    std::uint64_t const partSize =
        ((problem.reduced + wanted - 1) / wanted + grain - 1) / grain * grain;
    if (wanted != 1 && partSize == plan.partSize)
      continue;
    plan.partSize = partSize;
    plan.parts = partSize == 0 ? 1 : (problem.reduced + partSize - 1) / partSize;
    choice.consider(
        Candidate<ReducePlan>::at(plan, {detail::reduceCycles(problem, plan.parts), 0}));
  }
  return choice.best().plan;
}

} // namespace cottonwood::planner
