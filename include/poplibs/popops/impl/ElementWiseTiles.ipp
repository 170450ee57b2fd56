#pragma once

#include <popops/impl/ElementWiseTiles.hpp>

#include <poplar/impl/graph/HandleAccess.hpp>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace cottonwood::popops {

namespace detail {

/// The slowest link between two IPUs, in bytes a cycle of tiles.
POP_INLINE double linkBytesPerCycle(::poplar::Target const &target) {
  double slowest = 0;
  for (auto const &constraint : target.getGlobalExchangeConstraints())
    if (constraint.bandwidth > 0 && (slowest == 0 || constraint.bandwidth < slowest))
      slowest = constraint.bandwidth;
  return slowest / 8 / target.getTileClockFrequency();
}

POP_INLINE std::string tileMapNote(planner::TileMapChoice const &choice) {
  planner::TileMapTerms const &terms = choice.terms;
  return planner::toText(choice.plan) + ": " + std::to_string(terms.total()) + " cycles (" +
         std::to_string(terms.exchange) + " exchange, " + std::to_string(terms.gather) +
         " gather, " + std::to_string(terms.compute) + " compute, " + std::to_string(terms.home) +
         " home), " + std::to_string(choice.cost.temporaryBytes) + " bytes of temporaries" +
         (choice.exceedsMemory ? "; no plan fits" : "");
}

/// Plans of the last jobs that took a search: layers of a model ask for the same ones again.
class TileMapMemory {
public:
  static TileMapMemory &instance() {
    static auto *const memory = new TileMapMemory; // never destroyed, as the pool is not
    return *memory;
  }
  planner::TileMapChoice plan(TileMapJob const &job) {
    if (!job.constraints.empty())
      return planner::planTileMap(job.problem, job.operands, job.result, job.constraints);
    {
      std::lock_guard const lock(mutex_);
      for (auto const &[known, choice] : known_)
        if (known.problem == job.problem && known.operands == job.operands &&
            known.result == job.result)
          return choice;
    }
    planner::TileMapChoice choice = planner::planTileMap(job.problem, job.operands, job.result);
    if (choice.considered > 1) {
      std::lock_guard const lock(mutex_);
      known_.emplace_front(job, choice);
      known_.resize(std::min(known_.size(), MOST));
    }
    return choice;
  }

private:
  static constexpr std::size_t MOST = 16;
  std::mutex mutex_;
  std::deque<std::pair<TileMapJob, planner::TileMapChoice>> known_;
};

} // namespace detail

POP_INLINE std::optional<TileMapJob> tileMapJob(::poplar::Graph const &graph, Tensor const &flat,
                                                bool places) {
  ::poplar::Target const &target = graph.getTarget();
  if (target.getNumTiles() == 1 || flat.numElements() == 0)
    return std::nullopt;
  TileMapJob job;
  job.result = intervalLayout(graph, flat);
  if (job.result.empty())
    return std::nullopt;
  planner::TileMapProblem &problem = job.problem;
  problem.elements = flat.numElements();
  problem.tiles = target.getNumTiles();
  problem.workers = target.getNumWorkerContexts();
  problem.tilesPerBus =
      target.supportsExchangeBusSharing() ? target.getTilesPerSharedExchangeBus() : 1;
  if (target.getNumIPUs() > 1) {
    problem.tilesPerIPU = target.getTilesPerIPU();
    problem.globalSyncCycles = target.getGlobalSyncCycles();
    problem.linkBytesPerCycle = detail::linkBytesPerCycle(target);
  }
  problem.resultBytes = static_cast<unsigned>(target.getTypeSize(flat.elementType()));
  problem.resultRun = runLength(flat, job.result.size());
  problem.places = places;
  problem.bytesPerTile = target.getBytesPerTile();
  return job;
}

POP_INLINE planner::TileMapOperand tileMapOperand(::poplar::Graph const &graph,
                                                  Tensor const &flat) {
  planner::TileMapOperand operand;
  operand.bytes = static_cast<unsigned>(graph.getTarget().getTypeSize(flat.elementType()));
  operand.layout = intervalLayout(graph, flat, false);
  operand.run = runLength(flat, operand.layout.size());
  return operand;
}

POP_INLINE std::vector<Share> plannedShares(::poplar::Graph &graph, TileMapJob const &job,
                                            Tensor const &flat,
                                            ::poplar::DebugContext const &debugContext,
                                            planner::TileMapPlan &plan) {
  planner::TileMapChoice const choice = detail::TileMapMemory::instance().plan(job);
  plan = choice.plan;
  graph::HandleAccess::data(graph)->addNote(debugContext.getPathName(),
                                            detail::tileMapNote(choice));
  bool const moves = job.problem.places && plan.place != planner::MapPlace::RESULT;
  std::vector<Share> shares;
  for (planner::TileMapShare const &part :
       planner::TileMapCost(job.problem, job.operands, job.result).shares(plan)) {
    Share all{part.tile, {}};
    for (auto const &[begin, end] : part.intervals) {
      if (moves)
        graph.setTileMapping(flat.slice(begin, end), part.tile);
      if (plan.together)
        all.intervals.emplace_back(begin, end);
      else
        shares.push_back({part.tile, {Interval(begin, end)}});
    }
    if (plan.together)
      shares.push_back(std::move(all));
  }
  return shares;
}

} // namespace cottonwood::popops
