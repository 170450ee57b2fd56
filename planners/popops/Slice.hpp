// Planning of lookups in tables, and of their updates: over how many parts rows, columns and
// lookups are split among the tiles.
//
// A cell of the table, one part of its rows and one of its columns, is on one tile. A lookup asks
// all parts of the rows; their answers are combined. The updates of a row happen on the tile that
// holds it, in the order of the lookups, so that no choice made here changes a result.
#pragma once

#include <planners/core/Choice.hpp>

#include <algorithm>
#include <cstdint>

namespace cottonwood::planner {

enum class SliceUpdate { NONE, ADD, MAX, MUL };
template <> struct EnumNames<SliceUpdate> {
  static constexpr std::string_view names[] = {"none", "add", "max", "mul"};
};

/// slices[group, lookup, outputSize] of table[group, numEntries, outputSize].
struct SliceProblem {
  static constexpr std::string_view NAME = "slice-problem";
  std::uint64_t groupSize = 1, numEntries = 0, outputSize = 0, numLookups = 1;
  unsigned elementBytes = 4;
  bool usedForSlice = true, usedForUpdate = true;
  SliceUpdate operation = SliceUpdate::ADD;
  bool onePoint = false; ///< all lookups may be of one row; else they are spread over all rows
  unsigned tiles = 0;    ///< 0: a CPU
  unsigned workers = 6;
  std::uint64_t bytesPerTile = 0; ///< for temporary data
  unsigned exchangeBytesPerCycle = 4;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("groupSize", self.groupSize);
    visit("numEntries", self.numEntries);
    visit("outputSize", self.outputSize);
    visit("numLookups", self.numLookups);
    visit("elementBytes", self.elementBytes);
    visit("usedForSlice", self.usedForSlice);
    visit("usedForUpdate", self.usedForUpdate);
    visit("operation", self.operation);
    visit("onePoint", self.onePoint);
    visit("tiles", self.tiles);
    visit("workers", self.workers);
    visit("bytesPerTile", self.bytesPerTile);
    visit("exchangeBytesPerCycle", self.exchangeBytesPerCycle);
  }
};

struct SlicePlan {
  static constexpr std::string_view NAME = "slice";
  unsigned groupSplit = 1;                 ///< groups that are on different tiles
  unsigned lookupSerialSplit = 1;          ///< steps, each of which takes its share of the lookups
  unsigned lookupParallelSplit = 1;        ///< tiles that share the lookups in one cell
  unsigned slicedDimSplit = 1;             ///< parts of the rows
  unsigned unslicedDimSplit = 1;           ///< parts of the columns
  unsigned unslicedGrainSize = 1;          ///< columns that stay together
  unsigned precopyBaseWhenSerialSlice = 0; ///< kept; a table is rearranged once for all steps
  bool useOrderingInfo = false; ///< kept; a cell is sent all lookups, in whatever order they are

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("groupSplit", self.groupSplit);
    visit("lookupSerialSplit", self.lookupSerialSplit);
    visit("lookupParallelSplit", self.lookupParallelSplit);
    visit("slicedDimSplit", self.slicedDimSplit);
    visit("unslicedDimSplit", self.unslicedDimSplit);
    visit("unslicedGrainSize", self.unslicedGrainSize);
    visit("precopyBaseWhenSerialSlice", self.precopyBaseWhenSerialSlice);
    visit("useOrderingInfo", self.useOrderingInfo);
  }
  friend bool operator==(SlicePlan const &, SlicePlan const &) = default;
};

namespace detail {

constexpr std::uint64_t ceilQuotient(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Answers that one step of combining takes in.
inline constexpr std::uint64_t SLICE_FAN_IN = 16;

struct SliceShares {
  std::uint64_t rows, columns, lookups; ///< of one tile in one step
  std::uint64_t answers;                ///< elements of a lookup's answers that one tile combines
};

inline SliceShares sliceShares(SliceProblem const &p, SlicePlan const &plan) {
  SliceShares s{};
  s.rows = ceilQuotient(p.numEntries, plan.slicedDimSplit);
  s.columns =
      ceilQuotient(ceilQuotient(p.outputSize, plan.unslicedGrainSize), plan.unslicedDimSplit) *
      plan.unslicedGrainSize;
  s.lookups = ceilQuotient(p.numLookups, plan.lookupSerialSplit);
  s.answers = ceilQuotient(s.lookups * p.outputSize * p.groupSize, std::max(1U, p.tiles));
  return s;
}

/// Temporary bytes on a tile.
inline std::uint64_t sliceBytes(SliceProblem const &p, SlicePlan const &plan) {
  SliceShares const s = sliceShares(p, plan);
  std::uint64_t const lookups = ceilQuotient(s.lookups, plan.lookupParallelSplit);
  std::uint64_t lookup = lookups * (s.columns * p.elementBytes + 4);
  if (plan.lookupParallelSplit > 1)
    lookup += s.rows * s.columns * p.elementBytes;
  if (plan.slicedDimSplit > 1)
    lookup +=
        s.answers * p.elementBytes * std::min<std::uint64_t>(SLICE_FAN_IN, plan.slicedDimSplit);
  std::uint64_t const update = s.lookups * (s.columns * p.elementBytes + 4);
  return std::max(p.usedForSlice ? lookup : 0, p.usedForUpdate ? update : 0);
}

inline double sliceCycles(SliceProblem const &p, SlicePlan const &plan) {
  SliceShares const s = sliceShares(p, plan);
  constexpr double STEP = 400; // a sync and the start of an exchange
  double const exchange = 1.0 / p.exchangeBytesPerCycle;
  double const rowBytes = static_cast<double>(s.columns * p.elementBytes);
  double cycles = 0;
  if (p.usedForSlice) {
    auto const lookups = static_cast<double>(ceilQuotient(s.lookups, plan.lookupParallelSplit));
    cycles += STEP + lookups * (8 + rowBytes / 4 + 4 * exchange);
    if (plan.lookupParallelSplit > 1)
      cycles += static_cast<double>(s.rows) * rowBytes * exchange;
    if (plan.slicedDimSplit > 1)
      cycles += STEP + static_cast<double>(s.answers * p.elementBytes) * plan.slicedDimSplit *
                           (exchange + 1.0 / 8);
  }
  if (p.usedForUpdate) {
    auto const lookups = static_cast<double>(s.lookups);
    cycles += STEP + lookups * (8 + 4 * exchange + rowBytes * exchange) +
              lookups / (p.onePoint ? 1 : plan.slicedDimSplit) * (16 + rowBytes / 2);
  }
  return cycles * plan.lookupSerialSplit;
}

/// What keeps a plan from working, or nothing.
inline std::string sliceRefusal(SliceProblem const &p, SlicePlan const &plan) {
  std::uint64_t const tiles = std::uint64_t(plan.groupSplit) * plan.lookupParallelSplit *
                              plan.slicedDimSplit * plan.unslicedDimSplit;
  if (p.tiles != 0 && tiles > p.tiles)
    return "it needs " + std::to_string(tiles) + " tiles of " + std::to_string(p.tiles);
  std::uint64_t const table = p.groupSize * p.numEntries * p.outputSize * p.elementBytes;
  std::uint64_t const cell = sliceShares(p, plan).rows * sliceShares(p, plan).columns *
                             p.elementBytes * ceilQuotient(p.groupSize, plan.groupSplit);
  std::uint64_t const need = sliceBytes(p, plan);
  if (need > p.bytesPerTile)
    return "it needs " + std::to_string(need) + " temporary bytes on a tile of " +
           std::to_string(p.bytesPerTile);
  // A table that would fit if it were spread evenly must not overflow the tiles it is on.
  if (cell > p.bytesPerTile && table <= p.bytesPerTile * p.tiles)
    return "its cells of the table have " + std::to_string(cell) + " bytes";
  return {};
}

/// 1, 2, 4, ... below `most`, and `most`; or the value that a constraint asks for.
inline std::vector<unsigned> sliceSplits(std::uint64_t most,
                                         std::optional<std::string> const &forced) {
  std::vector<unsigned> list;
  if (forced) {
    unsigned value = 1;
    parseField("split", *forced, value);
    return {std::max(1U, value)};
  }
  for (std::uint64_t n = 1; n < most; n *= 2)
    list.push_back(static_cast<unsigned>(n));
  list.push_back(static_cast<unsigned>(std::max<std::uint64_t>(1, most)));
  return list;
}

} // namespace detail

/// The plan of a table. \throws PlanError  constraints that no plan obeys.
inline SlicePlan planSlice(SliceProblem const &p, Constraints const &constraints = {}) {
  // On a CPU the table is whole; threads share lookups and rows when the vertices are made.
  if (p.tiles == 0 && constraints.empty())
    return {};
  constraints.check<SlicePlan>();
  auto const forced = [&](char const *key, std::uint64_t most) {
    return detail::sliceSplits(std::min<std::uint64_t>(most, std::max(1U, p.tiles)),
                               constraints.value(key));
  };
  SlicePlan plan;
  if (auto const grain = constraints.value("unslicedGrainSize"))
    detail::parseField("unslicedGrainSize", *grain, plan.unslicedGrainSize);
  else
    plan.unslicedGrainSize = std::max(1U, 8U / std::max(1U, p.elementBytes));
  plan.unslicedGrainSize = std::max(1U, plan.unslicedGrainSize);
  if (auto const precopy = constraints.value("precopyBaseWhenSerialSlice"))
    detail::parseField("precopyBaseWhenSerialSlice", *precopy, plan.precopyBaseWhenSerialSlice);
  if (auto const ordering = constraints.value("useOrderingInfo"))
    detail::parseField("useOrderingInfo", *ordering, plan.useOrderingInfo);
  std::uint64_t const grains = detail::ceilQuotient(p.outputSize, plan.unslicedGrainSize);
  Choice<SlicePlan> choice(toText(p), constraints);
  SlicePlan least; // where nothing fits, what needs least
  std::uint64_t leastBytes = ~std::uint64_t(0);
  for (unsigned groups : forced("groupSplit", p.groupSize))
    for (unsigned rows : forced("slicedDimSplit", p.numEntries))
      for (unsigned columns : forced("unslicedDimSplit", grains))
        for (unsigned parallel : forced("lookupParallelSplit", p.usedForSlice ? p.numLookups : 1))
          for (unsigned serial : detail::sliceSplits(std::min<std::uint64_t>(p.numLookups, 64),
                                                     constraints.value("lookupSerialSplit"))) {
            plan.groupSplit = groups;
            plan.slicedDimSplit = rows;
            plan.unslicedDimSplit = columns;
            plan.lookupParallelSplit = parallel;
            plan.lookupSerialSplit = serial;
            bool const overwrites = p.usedForUpdate && p.operation == SliceUpdate::NONE;
            std::string refusal = detail::sliceRefusal(p, plan);
            if (overwrites && serial > 1 && refusal.empty())
              refusal = "overwriting takes all lookups in one step";
            std::uint64_t const bytes = detail::sliceBytes(p, plan);
            if (!(overwrites && serial > 1) && bytes < leastBytes) {
              least = plan;
              leastBytes = bytes;
            }
            choice.consider(
                refusal.empty()
                    ? Candidate<SlicePlan>::at(
                          plan, {detail::sliceCycles(p, plan) *
                                     static_cast<double>(detail::ceilQuotient(p.groupSize, groups)),
                                 bytes})
                    : Candidate<SlicePlan>::refused(plan, std::move(refusal)));
          }
  return choice.found() || leastBytes == ~std::uint64_t(0) ? choice.best().plan : least;
}

} // namespace cottonwood::planner
