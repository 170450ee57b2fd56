// An operation element by element on tiles as its planner sees it: a map expression or a cast,
// where its operands and its result lie, and the plan.
#pragma once

#include <planners/core/Choice.hpp>
#include <planners/core/Intervals.hpp>
#include <planners/core/Steps.hpp>

#include <codelets/popops/CastCost.hpp>
#include <codelets/popops/MapCost.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cottonwood::planner {

/// Which vertices compute it.
enum class ElementVertex : std::uint32_t { MAP, CAST };
template <> struct EnumNames<ElementVertex> {
  static constexpr std::string_view names[] = {"map", "cast"};
};

/// result[i] = f(operands at i); all numbers but 0 elements.
struct TileMapProblem {
  static constexpr std::string_view NAME = "tile-map-problem";
  std::uint64_t elements = 1;
  unsigned tiles = 1, workers = 6;
  unsigned tilesPerBus = 1; ///< that receive what both want at twice the rate
  unsigned tilesPerIPU = 0; ///< 0: there is one IPU
  unsigned globalSyncCycles = 0;
  double linkBytesPerCycle = 0; ///< between two IPUs; 0: as fast as within one
  ElementVertex vertex = ElementVertex::MAP;
  unsigned cyclesPer8 = 8; ///< MAP: see mapCyclesPer8()
  vertices::CastKind cast = vertices::CastKind::OTHER;
  unsigned resultBytes = 4;
  std::uint64_t resultRun = 0; ///< as TileMapOperand::run
  bool inPlace = false;        ///< the result's elements are read as well
  bool places = false;         ///< the result may be placed elsewhere, if that clearly wins
  std::uint64_t bytesPerTile = ~std::uint64_t{0};

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("elements", self.elements);
    visit("tiles", self.tiles);
    visit("workers", self.workers);
    visit("vertex", self.vertex);
    visit("cyclesPer8", self.cyclesPer8);
    visit("resultBytes", self.resultBytes);
    visit("resultRun", self.resultRun);
    visit("inPlace", self.inPlace);
    visit("places", self.places);
    visit("bytesPerTile", self.bytesPerTile);
  }
  friend bool operator==(TileMapProblem const &, TileMapProblem const &) = default;
};

/// An operand: as many elements as the result, or fewer, which are repeated.
struct TileMapOperand {
  unsigned bytes = 4;
  /// Of a repeated one: `period` elements, `repeat` times, and then the next `period` elements.
  /// repeat 0: every element is used once. Period 1 and as many repeats as elements: a scalar.
  std::uint64_t period = 0, repeat = 0;
  /// Elements that lie side by side on a tile; 0: all that the tile has of an interval.
  std::uint64_t run = 0;
  IntervalLayout layout;      ///< of its own elements; empty: anywhere
  unsigned source = 0;        ///< operands of one number are the same tensor
  std::uint64_t distinct = 0; ///< `layout` repeats so many elements; 0: each is one of its own

  bool isFull() const { return repeat == 0; }
  bool isScalar(std::uint64_t elements) const { return period == 1 && repeat >= elements; }
  friend bool operator==(TileMapOperand const &, TileMapOperand const &) = default;
};

/// Where the vertices are, and the result if the plan places it.
enum class MapPlace : std::uint32_t {
  RESULT,  ///< where the result lies, or usually would
  OPERAND, ///< where an operand lies
  EVEN     ///< as many elements on each tile
};
template <> struct EnumNames<MapPlace> {
  static constexpr std::string_view names[] = {"result", "operand", "even"};
};

struct TileMapPlan {
  static constexpr std::string_view NAME = "tile-map";
  MapPlace place = MapPlace::RESULT;
  unsigned operand = 0;     ///< of OPERAND
  std::uint64_t onTile = 0; ///< of EVEN: elements on a tile
  bool together = false;    ///< one vertex for all that a tile computes, or one for each interval
  bool broadcasts = false;  ///< repeated operands are laid out, or the vertex steps through them

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("place", self.place);
    visit("operand", self.operand);
    visit("onTile", self.onTile);
    visit("together", self.together);
    visit("broadcasts", self.broadcasts);
  }
  friend bool operator==(TileMapPlan const &, TileMapPlan const &) = default;
};

/// What one tile computes: ascending intervals of the result.
struct TileMapShare {
  unsigned tile = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals;
};

/// Cycles of a plan's parts, syncs included.
struct TileMapTerms {
  std::uint64_t exchange = 0, gather = 0, compute = 0, home = 0; ///< home: of results
  std::uint64_t total() const { return exchange + gather + compute + home; }
};

/// A plan with its reasons.
struct TileMapChoice {
  TileMapPlan plan;
  Cost cost;
  TileMapTerms terms;
  std::uint64_t considered = 0;               ///< plans whose cost was computed
  bool exceedsMemory = false;                 ///< no plan fits: this one needs least
  std::vector<Candidate<TileMapPlan>> others; ///< the best of each place that lost
};

} // namespace cottonwood::planner
