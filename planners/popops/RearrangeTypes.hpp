// Transposed matrices on tiles as their planner sees them: the problem, and in which blocks they
// are transposed.
#pragma once

#include <planners/core/Choice.hpp>
#include <planners/core/Intervals.hpp>
#include <planners/core/Steps.hpp>

#include <cstdint>
#include <vector>

namespace cottonwood::planner {

/// out[m, c, r] = in[m, r, c]; all sizes above 0.
struct TransposeProblem {
  static constexpr std::string_view NAME = "transpose-problem";
  std::uint64_t matrices = 1, rows = 1, columns = 1;
  unsigned tiles = 1, workers = 6;
  unsigned tilesPerBus = 1;
  unsigned elementBytes = 4;
  std::uint64_t bytesPerTile = ~std::uint64_t{0};

  std::uint64_t elements() const { return matrices * rows * columns; }

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("matrices", self.matrices);
    visit("rows", self.rows);
    visit("columns", self.columns);
    visit("tiles", self.tiles);
    visit("workers", self.workers);
    visit("elementBytes", self.elementBytes);
    visit("bytesPerTile", self.bytesPerTile);
  }
};

/// Where and in which pieces vertices transpose; the results are placed there.
struct TransposePlan {
  static constexpr std::string_view NAME = "transpose";
  bool home = true; ///< whole matrices on the tiles on which they begin
  /// Otherwise so many on a tile, in blocks: of several matrices, whole ones.
  std::uint64_t matrices = 0, rows = 0, columns = 0;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("home", self.home);
    visit("matrices", self.matrices);
    visit("rows", self.rows);
    visit("columns", self.columns);
  }
  friend bool operator==(TransposePlan const &, TransposePlan const &) = default;
};

/// Cycles of a plan's parts, syncs included.
struct TransposeTerms {
  std::uint64_t exchange = 0, compute = 0;
  std::uint64_t total() const { return exchange + compute; }
};

/// A plan with its reasons.
struct TransposeChoice {
  TransposePlan plan;
  Cost cost;
  TransposeTerms terms;
  std::uint64_t considered = 0;
  bool exceedsMemory = false;
  std::vector<Candidate<TransposePlan>> others; ///< the best of the other kind
};

} // namespace cottonwood::planner
