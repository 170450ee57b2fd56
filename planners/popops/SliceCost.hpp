// What lookups and updates cost on tiles.
#pragma once

#include "SliceTypes.hpp"

#include <codelets/popops/MultiSliceCost.hpp>

#include <algorithm>
#include <string>

namespace cottonwood::planner {

namespace detail {

/// Answers that one step of combining takes in.
inline constexpr std::uint64_t SLICE_FAN_IN = 16;
/// Elements of answers that stay together when tiles share them.
inline constexpr std::uint64_t SLICE_ANSWER_GRAIN = 32;
/// Lookups that lie together: what linear mappings put on a tile at least.
inline constexpr std::uint64_t SLICE_INDEX_GRAIN = 32;

struct SliceShares {
  std::uint64_t rows, columns; ///< of a cell
  std::uint64_t lookups;       ///< of one step
  std::uint64_t ofVertex;      ///< of these, those of one vertex
  std::uint64_t groups;        ///< on the same tiles
};

inline SliceShares sliceShares(SliceProblem const &p, SlicePlan const &plan) {
  SliceShares s{};
  s.rows = ceilQuotient(p.numEntries, plan.slicedDimSplit);
  s.columns =
      std::min(p.outputSize, ceilQuotient(ceilQuotient(p.outputSize, plan.unslicedGrainSize),
                                          plan.unslicedDimSplit) *
                                 plan.unslicedGrainSize);
  s.lookups = ceilQuotient(p.numLookups, plan.lookupSerialSplit);
  s.ofVertex = ceilQuotient(s.lookups, plan.lookupParallelSplit);
  s.groups = ceilQuotient(p.groupSize, plan.groupSplit);
  return s;
}

/// Elements of answers that one of `tiles` tiles combines.
inline std::uint64_t answersOfTile(std::uint64_t elements, std::uint64_t tiles) {
  return ceilQuotient(ceilQuotient(elements, tiles), SLICE_ANSWER_GRAIN) * SLICE_ANSWER_GRAIN;
}

/// Temporary bytes on a tile.
inline std::uint64_t sliceBytes(SliceProblem const &p, SlicePlan const &plan) {
  SliceShares const s = sliceShares(p, plan);
  std::uint64_t const rowBytes = s.columns * p.elementBytes;
  std::uint64_t lookup = s.groups * s.ofVertex * (rowBytes + 4);
  if (plan.lookupParallelSplit > 1)
    lookup += s.groups * s.rows * rowBytes;
  if (plan.slicedDimSplit > 1)
    lookup += s.groups * answersOfTile(s.lookups * s.columns, plan.slicedDimSplit) *
              p.elementBytes * (std::min<std::uint64_t>(SLICE_FAN_IN, plan.slicedDimSplit) + 1);
  std::uint64_t const update = s.groups * s.lookups * (rowBytes + 4);
  return std::max(p.usedForSlice ? lookup : 0, p.usedForUpdate ? update : 0);
}

/// Prices plans of one problem.
class SliceCost {
public:
  explicit SliceCost(SliceProblem const &problem) : p_(problem) {
    charges_.exchangeBytesPerCycle = problem.exchangeBytesPerCycle;
  }

  SliceTerms terms(SlicePlan const &plan) const {
    SliceShares const s = sliceShares(p_, plan);
    SliceTerms terms;
    if (p_.usedForSlice) {
      terms.lookup = plan.lookupSerialSplit * lookup(plan, s);
      if (plan.slicedDimSplit > 1)
        terms.combine = plan.lookupSerialSplit * combine(plan, s);
    }
    if (p_.usedForUpdate)
      terms.update = plan.lookupSerialSplit * update(plan, s);
    return terms;
  }

  /// No plan with these splits costs less: the vertices that look up or update.
  double leastCycles(SlicePlan const &plan) const {
    SliceShares const s = sliceShares(p_, plan);
    std::uint64_t cycles = 0;
    if (p_.usedForSlice)
      cycles += vertices::multiSliceCycles(vertex(s, s.ofVertex), true, p_.workers);
    if (p_.usedForUpdate)
      cycles += updateVertex(s);
    return static_cast<double>(plan.lookupSerialSplit * s.groups * cycles);
  }

private:
  std::uint64_t updateVertex(SliceShares const &s) const {
    vertices::SliceCostProblem problem = vertex(s, s.lookups);
    if (p_.onePoint)
      problem.size = problem.rows; // the busiest tile holds all rows that are updated
    return p_.operation == SliceUpdate::NONE
               ? vertices::multiSliceCycles(problem, false, p_.workers)
               : vertices::multiUpdateOpCycles(problem, p_.workers);
  }
  vertices::SliceCostProblem vertex(SliceShares const &s, std::uint64_t offsets) const {
    vertices::SliceCostProblem problem;
    problem.offsets = offsets;
    problem.rows = s.rows;
    problem.size = p_.numEntries;
    problem.inner = s.columns;
    problem.elementBytes = p_.elementBytes;
    return problem;
  }

  /// Whether neighbours on a bus look up the same, and so receive it at twice the rate.
  bool isPaired(SlicePlan const &plan) const {
    return plan.lookupParallelSplit == 1 &&
           std::uint64_t{plan.slicedDimSplit} * plan.unslicedDimSplit % 2 == 0;
  }
  static std::uint64_t indexRuns(std::uint64_t lookups, unsigned tiles) {
    return ceilQuotient(lookups,
                        std::max(SLICE_INDEX_GRAIN, ceilQuotient(lookups, std::max(1U, tiles))));
  }

  std::uint64_t lookup(SlicePlan const &plan, SliceShares const &s) const {
    std::uint64_t const rowBytes = s.columns * p_.elementBytes;
    std::uint64_t in = 4 * s.ofVertex, messages = indexRuns(s.ofVertex, p_.tiles);
    if (isPaired(plan)) // one of the two has some of the lookups itself
      in = 2 * (s.ofVertex + std::min(s.ofVertex, SLICE_INDEX_GRAIN));
    if (plan.lookupParallelSplit > 1)
      in += s.rows * rowBytes, ++messages;
    std::uint64_t cycles =
        charges_.exchange(s.groups * in, s.groups * messages) +
        charges_.compute(s.groups *
                         vertices::multiSliceCycles(vertex(s, s.ofVertex), true, p_.workers));
    if (plan.slicedDimSplit == 1 && plan.lookupParallelSplit > 1)
      cycles += charges_.exchange(s.groups * (s.lookups - s.ofVertex) * rowBytes,
                                  s.groups * (plan.lookupParallelSplit - 1));
    return cycles;
  }

  std::uint64_t combine(SlicePlan const &plan, SliceShares const &s) const {
    std::uint64_t const elements = s.lookups * s.columns;
    std::uint64_t cycles = 0, answers = plan.slicedDimSplit, holders = 1;
    for (bool last = false; !last; holders *= SLICE_FAN_IN) {
      last = answers <= SLICE_FAN_IN;
      std::uint64_t const sums = last ? 1 : ceilQuotient(answers, SLICE_FAN_IN);
      std::uint64_t const members = ceilQuotient(answers, sums);
      std::uint64_t const piece = std::min(
          elements,
          answersOfTile(elements, std::min<std::uint64_t>(members * holders, plan.slicedDimSplit)));
      // Of each member's answer what this tile adds up, in the pieces of its holders.
      std::uint64_t const pieces =
          plan.lookupParallelSplit > 1 || holders > 1
              ? ceilQuotient(
                    piece, std::max<std::uint64_t>(1, holders > 1 ? answersOfTile(elements, holders)
                                                                  : s.ofVertex * s.columns))
              : 1;
      std::uint64_t const others = holders == 1 ? members - 1 : members;
      cycles += charges_.exchange(s.groups * others * piece * p_.elementBytes,
                                  s.groups * others * pieces) +
                charges_.compute(s.groups * vertices::combineSlicesCycles(
                                                members, piece * p_.elementBytes, p_.workers));
      answers = sums;
    }
    // Steps have their answers elsewhere than the whole has.
    if (plan.lookupSerialSplit > 1)
      cycles += charges_.exchange(
          s.groups * answersOfTile(elements, plan.slicedDimSplit) * p_.elementBytes, s.groups);
    return cycles;
  }

  std::uint64_t update(SlicePlan const &plan, SliceShares const &s) const {
    std::uint64_t in = 4 * s.lookups, messages = indexRuns(s.lookups, p_.tiles);
    bool const paired = std::uint64_t{plan.slicedDimSplit} * plan.unslicedDimSplit % 2 == 0;
    if (paired)
      in = 2 * (s.lookups + std::min(s.lookups, SLICE_INDEX_GRAIN));
    // With one part of the rows slices lie where they are used.
    if (plan.slicedDimSplit > 1) {
      std::uint64_t const bytes = s.lookups * s.columns * p_.elementBytes;
      std::uint64_t const held =
          answersOfTile(p_.numLookups * p_.outputSize, std::max(1U, p_.tiles));
      in += paired && plan.unslicedDimSplit == 1 ? bytes / 2 : bytes;
      messages += plan.unslicedDimSplit == 1
                      ? ceilQuotient(s.lookups * s.columns, std::max<std::uint64_t>(1, held))
                      : s.lookups;
    }
    return charges_.exchange(s.groups * in, s.groups * messages) +
           charges_.compute(s.groups * updateVertex(s));
  }

  SliceProblem const &p_;
  StepCharges charges_;
};

/// The tiles of a plan, or, where it has more than 2^32, as many.
inline std::uint64_t sliceTiles(SlicePlan const &plan) {
  std::uint64_t tiles = 1;
  for (std::uint64_t const split :
       {plan.groupSplit, plan.lookupParallelSplit, plan.slicedDimSplit, plan.unslicedDimSplit})
    tiles = std::min(tiles * split, std::uint64_t{1} << 32);
  return tiles;
}
inline bool hasSliceTiles(SliceProblem const &p, SlicePlan const &plan) {
  return p.tiles == 0 || sliceTiles(plan) <= p.tiles;
}

/// Whether a plan works: see sliceRefusal().
inline bool sliceFits(SliceProblem const &p, SlicePlan const &plan) {
  if (!hasSliceTiles(p, plan) || sliceBytes(p, plan) > p.bytesPerTile)
    return false;
  if (p.usedForUpdate && p.operation == SliceUpdate::NONE && plan.lookupSerialSplit > 1)
    return false;
  SliceShares const s = sliceShares(p, plan);
  return s.rows * s.columns * p.elementBytes * s.groups <= p.bytesPerTile ||
         p.groupSize * p.numEntries * p.outputSize * p.elementBytes > p.bytesPerTile * p.tiles;
}

/// What keeps a plan from working, or nothing.
inline std::string sliceRefusal(SliceProblem const &p, SlicePlan const &plan) {
  if (!hasSliceTiles(p, plan))
    return "it needs " + std::to_string(sliceTiles(plan)) + " tiles of " + std::to_string(p.tiles);
  if (p.usedForUpdate && p.operation == SliceUpdate::NONE && plan.lookupSerialSplit > 1)
    return "overwriting takes all lookups in one step";
  std::uint64_t const table = p.groupSize * p.numEntries * p.outputSize * p.elementBytes;
  SliceShares const s = sliceShares(p, plan);
  std::uint64_t const cell = s.rows * s.columns * p.elementBytes * s.groups;
  std::uint64_t const need = sliceBytes(p, plan);
  if (need > p.bytesPerTile)
    return "it needs " + std::to_string(need) + " temporary bytes on a tile of " +
           std::to_string(p.bytesPerTile);
  // A table that would fit if it were spread evenly must not overflow the tiles it is on.
  if (cell > p.bytesPerTile && table <= p.bytesPerTile * p.tiles)
    return "its cells of the table have " + std::to_string(cell) + " bytes";
  return {};
}

} // namespace detail

} // namespace cottonwood::planner
