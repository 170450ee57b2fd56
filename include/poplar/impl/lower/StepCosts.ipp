// Body of StepCosts.hpp.
#pragma once

#include <poplar/impl/base/Mix.hpp>
#include <poplar/impl/lower/StepCosts.hpp>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>

namespace cottonwood::lower::detail {

/// What the busiest links need: the flows that share a constraint's bandwidth, one after another.
POP_INLINE std::uint64_t StepCosts::linkCycles(poplar::Target const &target) const {
  double seconds = 0;
  for (poplar::GlobalExchangeConstraint const &constraint : target.getGlobalExchangeConstraints()) {
    std::uint64_t bytes = 0;
    for (poplar::GlobalExchangeFlow const &flow : constraint.flows)
      if (auto const found = crossing_.find({flow.src, flow.dst}); found != crossing_.end())
        bytes += found->second;
    if (constraint.bandwidth > 0)
      seconds = std::max(seconds, 8 * static_cast<double>(bytes) / constraint.bandwidth);
  }
  return static_cast<std::uint64_t>(std::ceil(seconds * target.getTileClockFrequency()));
}

POP_INLINE std::uint32_t clamp32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffffffffu));
}

/// Steps that cost all tiles the same share a list.
POP_INLINE void shareCosts(Context &context, BspStep &step) {
  std::vector<TileCost> &costs = context.out.bsp.costs;
  auto const listOf = [&](std::uint64_t first) {
    return std::span<TileCost const>(costs).subspan(first, step.numCosts);
  };
  std::uint64_t hash = step.numCosts;
  for (TileCost const &cost : listOf(step.firstCost))
    for (std::uint32_t const word :
         {cost.tile, cost.cycles, cost.bytesOut, cost.bytesIn, cost.runsOut, cost.runsIn})
      hash = base::scrambleBits(hash + word);
  auto const [first, last] = context.costLists.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    auto const &[at, count] = known->second;
    if (count != step.numCosts || !std::ranges::equal(listOf(at), listOf(step.firstCost)))
      continue;
    costs.resize(step.firstCost);
    step.firstCost = at;
    return;
  }
  context.costLists.emplace(hash, std::pair(step.firstCost, step.numCosts));
}

POP_INLINE std::uint32_t StepCosts::finish(Context &context, BspStep step, std::uint64_t start,
                                           std::uint64_t bytesPerCycle, std::uint64_t syncCycles) {
  BspProgram &bsp = context.out.bsp;
  std::sort(tiles_.begin(), tiles_.end());
  step.firstCost = bsp.costs.size();
  step.numCosts = tiles_.size();
  std::uint64_t longest = 0;
  for (std::uint32_t tile : tiles_) {
    Entry &entry = cost_[tile];
    std::uint64_t const received = entry.in - entry.shared / 2;
    std::uint64_t const transfer =
        (std::max(entry.out, received) + bytesPerCycle - 1) / bytesPerCycle;
    std::uint64_t const cycles = transfer + entry.messages * cost::MESSAGE +
                                 static_cast<std::uint64_t>(std::llround(entry.cycles));
    longest = std::max(longest, cycles);
    bsp.costs.push_back({tile, clamp32(cycles), clamp32(entry.out), clamp32(entry.in),
                         clamp32(entry.sends), clamp32(entry.messages)});
    entry = {};
  }
  tiles_.clear();
  if (!crossing_.empty()) {
    poplar::Target const &target = context.out.target;
    step.kind = StepKind::GlobalExchange;
    start += target.getGlobalSyncCycles() + linkCycles(target);
    crossing_.clear();
  }
  shareCosts(context, step);
  step.syncCycles = syncCycles;
  step.maxCycles = step.syncCycles + start + longest;
  bsp.steps.push_back(std::move(step));
  return static_cast<std::uint32_t>(bsp.steps.size() - 1);
}

} // namespace cottonwood::lower::detail
