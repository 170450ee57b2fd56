// Into how many pieces rows are cut to find their extreme elements: pieces first, then what was
// found in them, in as many stages as are worth their steps. Results do not depend on it.
#pragma once

#include <codelets/popops/RowExtremesCost.hpp>
#include <planners/popops/ElementWise.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace cottonwood::planner {

struct RowExtremesProblem {
  std::size_t rows = 1, columns = 1;
};

namespace detail {

/// What there is to look at pieces: `contexts` of all tiles, `workers` of one in turn.
struct ExtremesMachine {
  std::size_t contexts, workers;
};

/// On tiles: cycles of a stage that cuts rows into pieces, each for one worker context.
inline std::uint64_t extremesStageCycles(RowExtremesProblem const &problem, std::size_t pieces,
                                         ExtremesMachine const &machine) {
  constexpr std::uint64_t STEP = 150; // a sync and the start of a compute set
  std::uint64_t const vertices = std::uint64_t{problem.rows} * pieces;
  std::uint64_t const each = (problem.columns + pieces - 1) / pieces;
  std::uint64_t const rounds = (vertices + machine.contexts - 1) / machine.contexts;
  return STEP + rounds * machine.workers * vertices::rowExtremesCycles(1, each);
}

/// Two words a piece, 4 bytes a cycle, come to where pieces are compared.
inline std::uint64_t extremesExchangeCycles(std::size_t pieces) {
  return 2 * std::uint64_t{pieces};
}

inline std::size_t extremesPiecesOnTiles(RowExtremesProblem const &problem,
                                         ExtremesMachine const &machine) {
  // cheapest[k]: all stages that follow after 2^k pieces a row.
  std::array<std::uint64_t, 33> cheapest{};
  std::size_t best = 1;
  std::uint64_t least = extremesStageCycles(problem, 1, machine);
  for (unsigned k = 1; k < cheapest.size(); ++k) {
    std::size_t const pieces = std::size_t{1} << k;
    if (pieces > problem.columns / 2 || problem.rows * pieces > machine.contexts)
      break;
    RowExtremesProblem const rest{problem.rows, pieces};
    cheapest[k] = extremesStageCycles(rest, 1, machine);
    for (unsigned j = 1; j < k; ++j)
      cheapest[k] = std::min(cheapest[k],
                             extremesStageCycles(rest, std::size_t{1} << j, machine) + cheapest[j]);
    cheapest[k] += extremesExchangeCycles(pieces);
    std::uint64_t const all = extremesStageCycles(problem, pieces, machine) + cheapest[k];
    if (all < least) {
      least = all;
      best = pieces;
    }
  }
  return best;
}

} // namespace detail

/// Pieces of the first stage, at most one an element; the next has so many elements a row. 1: rows
/// are looked at whole.
inline std::size_t planRowExtremes(RowExtremesProblem const &problem, Crew const &crew,
                                   std::size_t tiles) {
  if (problem.rows == 0)
    return 1;
  if (!crew.oneTile)
    return detail::extremesPiecesOnTiles(problem, {tiles * crew.workers, crew.workers});
  constexpr std::size_t SHORTEST = std::size_t{1} << 15;
  std::size_t pieces = 1;
  while (problem.rows * pieces < 4 * crew.threads && problem.rows * pieces % crew.threads != 0 &&
         problem.columns / (2 * pieces) >= SHORTEST)
    pieces *= 2;
  return pieces;
}

} // namespace cottonwood::planner
