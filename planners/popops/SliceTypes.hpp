// Lookups in tables, and their updates, as the planner sees them: over how many parts rows, columns
// and lookups are split among the tiles.
//
// A cell of the table, one part of its rows and one of its columns, is on one tile. A lookup asks
// all parts of the rows; their answers are combined. The updates of a row happen on the tile that
// holds it, in the order of the lookups, so that no choice made here changes a result.
#pragma once

#include <planners/core/Choice.hpp>
#include <planners/core/Steps.hpp>

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

/// Cycles of the parts of a plan, exchange and sync included.
struct SliceTerms {
  std::uint64_t lookup = 0;  ///< of all cells
  std::uint64_t combine = 0; ///< of what the parts of the rows answered
  std::uint64_t update = 0;
  std::uint64_t total() const { return lookup + combine + update; }
};

/// A plan with its reasons.
struct SliceChoice {
  SlicePlan plan;
  Cost cost;
  SliceTerms terms;
  std::uint64_t considered = 0;             ///< plans whose cost was computed
  bool exceedsMemory = false;               ///< no plan fits: this one needs least
  std::vector<Candidate<SlicePlan>> others; ///< the best ones that lost, cheapest first
};

} // namespace cottonwood::planner
