// Planning several convolutions side by side, each on tiles of its own.
#pragma once

#include "TilePlanner.hpp"

#include <numeric>

namespace cottonwood::planner {

struct SideBySideOptions {
  std::uint64_t reservedTiles = 50; ///< that every other convolution is left at least
  double backOff = 0.1;             ///< cycles above the largest one's, for each other convolution
};

/// A problem with what its plan depends on besides the tiles.
struct TileTask {
  TileProblem problem;
  TileMachine machine;
  Constraints constraints;
};

/// Plans of tasks on tiles of their own, or nothing where one after another they take less.
struct TileGroup {
  std::vector<TileChoice> choices; ///< in the order of the tasks; empty: not side by side
  double together = 0;             ///< cycles side by side; 0: they do not fit
  double oneByOne = 0;             ///< cycles one after another, each on all tiles
};

namespace detail {

/// Of the plans of at most so many cycles one on the fewest tiles, or nothing.
inline std::optional<TileChoice> onFewestTiles(TileTask const &task, std::uint64_t tiles,
                                               double cycles) {
  auto const on = [&](std::uint64_t count) -> std::optional<TileChoice> {
    TileMachine machine = task.machine;
    machine.tiles = count;
    try {
      TileChoice choice = planTiles(task.problem, machine, task.constraints);
      if (choice.cost.cycles <= cycles &&
          static_cast<double>(choice.cost.temporaryBytes) <= machine.allowedBytes())
        return choice;
    } catch (PlanError const &) { // constraints that want more tiles
    }
    return std::nullopt;
  };
  if (tiles == 0)
    return std::nullopt;
  std::optional<TileChoice> best = on(tiles);
  if (!best)
    return best;
  // More tiles have all plans of fewer.
  std::uint64_t fewer = 0, enough = best->plan.parts();
  while (fewer + 1 < enough) {
    std::uint64_t const middle = (fewer + enough) / 2;
    if (auto choice = on(middle)) {
      enough = std::min(middle, choice->plan.parts());
      best = std::move(choice);
    } else {
      fewer = middle;
    }
  }
  return best;
}

} // namespace detail

/// The largest task is planned on what the others leave it; its cycles, and a little more, are what
/// every task may take on as few tiles as possible.
inline TileGroup planSideBySide(std::vector<TileTask> const &tasks,
                                SideBySideOptions const &options = {}) {
  TileGroup group;
  if (tasks.empty())
    return group;
  for (TileTask const &task : tasks)
    group.oneByOne += planTiles(task.problem, task.machine, task.constraints).cost.cycles;
  std::uint64_t const tiles = tasks[0].machine.tiles, others = tasks.size() - 1;
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tasks[a].problem.macs() > tasks[b].problem.macs();
  });
  if (others == 0 || tiles <= options.reservedTiles * others)
    return group;
  TileTask largest = tasks[order[0]];
  largest.machine.tiles = tiles - options.reservedTiles * others;
  double bound = 0;
  try {
    bound = planTiles(largest.problem, largest.machine, largest.constraints).cost.cycles *
            (1 + options.backOff * static_cast<double>(others));
  } catch (PlanError const &) {
    return group;
  }
  std::vector<TileChoice> choices(tasks.size());
  std::uint64_t first = 0;
  double exchange = 0, compute = 0, reduction = 0;
  for (std::size_t place = 0; place != order.size(); ++place) {
    std::uint64_t const later = options.reservedTiles * (others - place);
    if (first + later >= tiles)
      return group;
    auto choice = detail::onFewestTiles(tasks[order[place]], tiles - first - later, bound);
    if (!choice)
      return group;
    choice->plan.firstTile = first;
    first += (choice->plan.parts() + 1) / 2 * 2; // pairs of tiles share a bus
    exchange = std::max(exchange, static_cast<double>(choice->terms.exchange));
    compute = std::max(compute, static_cast<double>(choice->terms.compute));
    reduction = std::max(reduction, static_cast<double>(choice->terms.reduction));
    choices[order[place]] = std::move(*choice);
  }
  // Steps are as long as the longest of those side by side.
  group.together = exchange + compute + reduction;
  if (group.together >= group.oneByOne)
    return group;
  for (TileChoice &choice : choices)
    choice.explanation = "side by side with " + std::to_string(others) + " others from tile " +
                         std::to_string(choice.plan.firstTile) + ": " +
                         std::to_string(static_cast<std::uint64_t>(group.together)) +
                         " cycles in all, one after another " +
                         std::to_string(static_cast<std::uint64_t>(group.oneByOne)) + "\n" +
                         choice.explanation;
  group.choices = std::move(choices);
  return group;
}

} // namespace cottonwood::planner
