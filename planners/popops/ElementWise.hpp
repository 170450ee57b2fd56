// Planning of everything that treats elements one by one: maps, casts, scaled additions, fills.
//
// Elements are independent, so no choice made here changes a bit of the result.
#pragma once

#include <planners/core/Choice.hpp>

#include <algorithm>
#include <cstdint>

namespace cottonwood::planner {

/// What runs the vertices of one tile (or of the CPU).
struct Crew {
  unsigned threads = 1; ///< that run worker contexts at the same time
  unsigned workers = 6; ///< contexts that share one MultiVertex
  bool oneTile = true; ///< all data in one memory: ranges are cut freely. Otherwise vertices follow
                       ///< the mapping
};

struct ElementWiseProblem {
  static constexpr std::string_view NAME = "elementwise-problem";
  std::uint64_t elements = 0;
  unsigned cyclesPer8 = 8; ///< arithmetic for 8 elements
  unsigned bytesPer8 = 64; ///< memory traffic for 8 elements

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("elements", self.elements);
    visit("cyclesPer8", self.cyclesPer8);
    visit("bytesPer8", self.bytesPer8);
  }
};

struct ElementWisePlan {
  static constexpr std::string_view NAME = "elementwise";
  unsigned parts = 1; ///< vertices that share the elements, where all are on one tile
  unsigned gatherAbove =
      8; ///< a tile with more intervals than this gets one vertex for all of them

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("parts", self.parts);
    visit("gatherAbove", self.gatherAbove);
  }
  friend bool operator==(ElementWisePlan const &, ElementWisePlan const &) = default;
};

namespace detail {

/// Pattern fields of map programs have 32 bits; this keeps offsets of elements well inside them.
inline constexpr std::uint64_t MAX_ELEMENTS_OF_VERTEX = 1ULL << 30U;
/// What a vertex costs to start; measured on the engine's dispatch, in cycles, to the next power of
/// two.
inline constexpr double VERTEX_CYCLES = 256;

inline double elementWiseCycles(ElementWiseProblem const &problem, Crew const &crew,
                                unsigned parts) {
  double const contexts = static_cast<double>(parts) * crew.workers;
  double const rounds = std::ceil(contexts / crew.threads);
  double const perContext = static_cast<double>(problem.elements) / contexts / 8;
  double const work = std::max(static_cast<double>(problem.cyclesPer8),
                               static_cast<double>(problem.bytesPer8) / 16);
  return rounds * perContext * work + parts * VERTEX_CYCLES;
}

} // namespace detail

/// Chooses how many vertices share elements that lie on one tile: as many as let the threads' loads
/// come out even.
inline ElementWisePlan planElementWise(ElementWiseProblem const &problem, Crew const &crew,
                                       Constraints const &constraints = {}) {
  Choice<ElementWisePlan> choice(toText(problem), constraints);
  auto const fewest = static_cast<unsigned>(problem.elements / detail::MAX_ELEMENTS_OF_VERTEX + 1);
  unsigned const most = crew.oneTile ? fewest + crew.threads : fewest;
  for (unsigned parts = fewest; parts <= most; ++parts) {
    ElementWisePlan plan;
    plan.parts = parts;
    choice.consider(
        Candidate<ElementWisePlan>::at(plan, {detail::elementWiseCycles(problem, crew, parts), 0}));
  }
  return choice.best().plan;
}

} // namespace cottonwood::planner
