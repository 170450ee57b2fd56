// Planning of the sums of normalisations: into which boxes a block of memory is cut.
//
// Boxes that share a statistic decide in which order floating point numbers are added. Their number
// must therefore be the same on every CPU: the model assumes a nominal machine.
#pragma once

#include <planners/core/PlanText.hpp>
#include <planners/core/Steps.hpp>

#include <codelets/poplin/NormCost.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace cottonwood::planner {

/// Activations in the order of memory as [k1, r1, k2, r2]: statistics are kept over k1 and k2.
struct NormProblem {
  static constexpr std::string_view NAME = "norm-problem";
  std::uint64_t k1 = 1, r1 = 1, k2 = 1, r2 = 1;
  unsigned tiles = 0; ///< 0: a CPU
  unsigned bytes = 4; ///< of an element

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("k1", self.k1);
    visit("r1", self.r1);
    visit("k2", self.k2);
    visit("r2", self.r2);
    visit("tiles", self.tiles);
    visit("bytes", self.bytes);
  }
};

/// Extents of a box in each dimension. On a CPU every box is one run of memory: dimensions are cut
/// from the outermost, and the next one only when pieces of the ones before have size 1.
struct NormPlan {
  static constexpr std::string_view NAME = "norm";
  std::uint64_t k1 = 1, r1 = 1, k2 = 1, r2 = 1;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("k1", self.k1);
    visit("r1", self.r1);
    visit("k2", self.k2);
    visit("r2", self.r2);
  }
  friend bool operator==(NormPlan const &, NormPlan const &) = default;
};

namespace detail {
/// Boxes for a CPU: enough for the threads of common machines, with six contexts each.
inline constexpr std::uint64_t NORM_CPU_BOXES = 24;
/// Fewer elements are not worth a box of their own.
inline constexpr std::uint64_t NORM_CPU_ELEMENTS = 1U << 14U, NORM_TILE_ELEMENTS = 128;
/// Bytes of a box of whole statistics on a CPU: what a pass over the same elements finds in the
/// caches, and so few that the boxes of 10^5 floats are enough for two threads. And the most such
/// boxes.
inline constexpr std::uint64_t NORM_CPU_STRAND_BYTES = 1U << 15U, NORM_CPU_STRANDS = 8192;
/// From so many elements on, which come from memory, bytes of such a box: so few that reading one
/// box and writing the one before go on at the same time. Norms that pass through a box twice reach
/// 0.92 of the bandwidth of a Zen 4 class core with 32 KB for 50 MB, and 0.75 with the others; on
/// Zen 5 0.95 of it with 24 KB, and 0.9 with 32. Those that go row by row do not mind.
inline constexpr std::uint64_t NORM_CPU_LARGE = 1U << 21U, NORM_CPU_LARGE_BYTES = 24U << 10U;
/// Elements from which passes over them are cut as their sums are.
inline constexpr std::uint64_t NORM_CPU_FOLLOWED = 1U << 15U;
/// Columns are cut at multiples of this.
inline constexpr std::uint64_t NORM_GRAIN = 64, NORM_TILE_GRAIN = 8;
/// The most rows of a block of a matrix on a tile.
inline constexpr std::uint64_t NORM_TILE_ROWS = 512;
} // namespace detail

/// Boxes that are runs of memory.
inline NormPlan planNormRuns(NormProblem const &problem) {
  std::array<std::uint64_t, 4> const sizes{problem.k1, problem.r1, problem.k2, problem.r2};
  std::uint64_t const elements = sizes[0] * sizes[1] * sizes[2] * sizes[3];
  std::uint64_t const least =
      problem.tiles == 0 ? detail::NORM_CPU_ELEMENTS : detail::NORM_TILE_ELEMENTS;
  std::uint64_t const most = problem.tiles == 0 ? detail::NORM_CPU_BOXES : problem.tiles;
  std::uint64_t places = std::clamp<std::uint64_t>(elements / least, 1, most);
  // Boxes of whole statistics share none: their number changes no bit.
  if (problem.tiles == 0 && sizes[0] >= places) {
    std::uint64_t const bytes = elements < detail::NORM_CPU_LARGE ? detail::NORM_CPU_STRAND_BYTES
                                                                  : detail::NORM_CPU_LARGE_BYTES;
    places = std::max(
        places, std::min({sizes[0], elements / (bytes / problem.bytes), detail::NORM_CPU_STRANDS}));
  }
  std::array<std::uint64_t, 4> box = sizes;
  for (unsigned d = 0; d != 4 && places > 1; ++d) {
    std::uint64_t const parts = std::min(places, sizes[d]);
    box[d] = (sizes[d] + parts - 1) / parts;
    // The innermost dimension that has more than one element: whole groups of partial results.
    if (d == 3 || (d == 2 && sizes[3] == 1))
      box[d] = std::min(sizes[d], (box[d] + detail::NORM_GRAIN - 1) / detail::NORM_GRAIN *
                                      detail::NORM_GRAIN);
    if (box[d] != 1)
      break;
    places /= parts;
  }
  return {box[0], box[1], box[2], box[3]};
}

/// Sums on tiles, as they are priced.
struct NormTileSums {
  std::uint64_t elements = 0, outputs = 0; ///< of the largest box
  std::uint64_t moved = 0;                 ///< elements that a tile receives for its boxes
  std::uint64_t messages = 0;              ///< in which they come
  std::uint64_t parts = 1;                 ///< boxes that share statistics
};

/// Cycles, about: of two sums over two HALF tensors, and of adding up those of parts.
inline std::uint64_t normTileCycles(NormProblem const &problem, NormTileSums const &sums) {
  constexpr unsigned WORKERS = 6, BYTES = 2, OPERATIONS = 2, TENSORS = 2;
  StepCharges const charges;
  std::uint64_t cycles = charges.compute(vertices::normSumsCycles(sums.elements, sums.outputs,
                                                                  BYTES, OPERATIONS, WORKERS)) +
                         charges.exchange(TENSORS * BYTES * sums.moved, TENSORS * sums.messages);
  if (sums.parts > 1) {
    constexpr std::uint64_t SUM_BYTES = 2 * sizeof(float), REDUCTION = 300;
    std::uint64_t const each =
        detail::ceilQuotient(problem.k1 * problem.k2 * sums.parts, problem.tiles);
    cycles += charges.exchange(SUM_BYTES * each, 1) + REDUCTION + each;
  }
  return cycles;
}

/// Boxes of [r1, k2] on tiles: runs, or blocks of rows and columns, which have fewer sums each but
/// have to be brought together.
inline NormPlan planNorm(NormProblem const &problem) {
  NormPlan best = planNormRuns(problem);
  if (problem.tiles == 0 || problem.k1 != 1 || problem.r2 != 1 || problem.k2 == 1)
    return best;
  auto const sumsOf = [&](NormPlan const &plan, bool moves) {
    std::uint64_t const elements = plan.r1 * plan.k2;
    return NormTileSums{elements, plan.k2, moves ? elements : 0, moves ? plan.r1 : 0,
                        detail::ceilQuotient(problem.r1, plan.r1)};
  };
  std::uint64_t least = normTileCycles(problem, sumsOf(best, false)) * 3 / 4; // clearly cheaper
  forEachPartSize(problem.r1, problem.tiles, [&](std::uint64_t rows) {
    if (rows > detail::NORM_TILE_ROWS)
      return;
    std::uint64_t const across = problem.tiles / detail::ceilQuotient(problem.r1, rows);
    std::uint64_t const columns =
        detail::ceilQuotient(detail::ceilQuotient(problem.k2, across), detail::NORM_TILE_GRAIN) *
        detail::NORM_TILE_GRAIN;
    NormPlan const plan{1, rows, std::min(columns, problem.k2), 1};
    std::uint64_t const cycles = normTileCycles(problem, sumsOf(plan, true));
    if (cycles < least) {
      least = cycles;
      best = plan;
    }
  });
  return best;
}

/// Whether passes over all elements are cut into the boxes of the sums, so that a thread may go
/// through a box several times while it is in the cache.
inline bool passesFollowSums(NormProblem const &problem) {
  return problem.tiles == 0 && problem.r1 == 1 && problem.k2 == 1 &&
         problem.k1 * problem.r2 >= detail::NORM_CPU_FOLLOWED && planNorm(problem).r2 == problem.r2;
}

} // namespace cottonwood::planner
