// A reduction as the planner for tiles sees it: the problem, where its input lies, and the plan.
#pragma once

#include <planners/core/Choice.hpp>
#include <planners/core/Intervals.hpp>
#include <planners/core/Steps.hpp>

#include <codelets/popops/ReduceCost.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cottonwood::planner {

/// out[outer, inner] = op over reduced of in[outer, reduced, inner]; all sizes above 0.
struct TileReduceProblem {
  static constexpr std::string_view NAME = "tile-reduce-problem";
  std::uint64_t outer = 1, reduced = 1, inner = 1;
  unsigned tiles = 1, workers = 6;
  unsigned inputBytes = 4, partialBytes = 4; ///< of an element of `in`, of a result between stages
  bool logAdd = false, update = false;
  std::uint64_t bytesPerTile = ~std::uint64_t{0}; ///< that operands and results of a stage may take
  /// Results on the fullest tile where they have a place already; 0: the plan places them.
  std::uint64_t outputsOnTile = 0;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("outer", self.outer);
    visit("reduced", self.reduced);
    visit("inner", self.inner);
    visit("tiles", self.tiles);
    visit("workers", self.workers);
    visit("inputBytes", self.inputBytes);
    visit("partialBytes", self.partialBytes);
    visit("logAdd", self.logAdd);
    visit("update", self.update);
    visit("bytesPerTile", self.bytesPerTile);
    visit("outputsOnTile", self.outputsOnTile);
  }
};

/// How the first stage finds its operands.
enum class ReduceFirst : std::uint32_t {
  DIRECT, ///< there is one stage, where the results are placed
  WHOLE,  ///< one stage: results are placed where their operands begin
  HOME,   ///< tiles reduce the rows that begin on them
  BLOCKS  ///< rows and columns in blocks, a tile for each
};
template <> struct EnumNames<ReduceFirst> {
  static constexpr std::string_view names[] = {"direct", "whole", "home", "blocks"};
};

/// The blocks of a stage, one a tile: `parts` partial results of `part` elements each, for outer x
/// inner outputs.
struct ReduceBlocks {
  std::uint64_t outer = 0, inner = 0;
  std::uint64_t part = 0, parts = 0; ///< 0: there is no such stage
  friend bool operator==(ReduceBlocks const &, ReduceBlocks const &) = default;
};

/// A first stage (or none), one in the middle (or none), and a last one.
struct TileReducePlan {
  static constexpr std::string_view NAME = "tile-reduce";
  ReduceFirst first = ReduceFirst::DIRECT;
  ReduceBlocks blocks; ///< of BLOCKS
  ReduceBlocks middle;
  std::uint64_t outputs = 0; ///< results that the plan places on a tile; 0: they have their place

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("first", self.first);
    visit("outer", self.blocks.outer);
    visit("inner", self.blocks.inner);
    visit("part", self.blocks.part);
    visit("parts", self.blocks.parts);
    visit("middleOuter", self.middle.outer);
    visit("middleInner", self.middle.inner);
    visit("middlePart", self.middle.part);
    visit("middleParts", self.middle.parts);
    visit("outputs", self.outputs);
  }
  friend bool operator==(TileReducePlan const &, TileReducePlan const &) = default;
};

/// Cycles of the stages of a plan, exchange and sync included.
struct TileReduceTerms {
  std::uint64_t first = 0, middle = 0, last = 0;
  std::uint64_t total() const { return first + middle + last; }
};

/// A plan with its reasons.
struct TileReduceChoice {
  TileReducePlan plan;
  Cost cost;
  TileReduceTerms terms;
  std::uint64_t considered = 0;                  ///< plans whose cost was computed
  bool exceedsMemory = false;                    ///< no plan fits: this one needs least
  std::vector<Candidate<TileReducePlan>> others; ///< the best of each kind that lost
};

} // namespace cottonwood::planner
