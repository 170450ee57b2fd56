#pragma once

#include <codelets/arch/Caches.hpp>
#include <codelets/arch/CpuFeatures.hpp>
#include <planners/poplin/TileJoint.hpp>
#include <poplin/impl/MatMulCalibration.hpp>
#include <poplin/impl/MatMulMachine.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/TileGiven.hpp>
#include <poplin/impl/TilePlanning.hpp>
#include <poplin/impl/WisdomStore.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>

namespace cottonwood::poplin {

namespace detail {

POP_INLINE planner::MatMulCpu cpuOf(model::Machine const &machine) {
  model::CpuFacts const &facts = machine.cpu;
  planner::MatMulCpu cpu;
  cpu.threads = std::max(facts.threads, 1U);
  cpu.tiles = isa::tilesOf(facts.isa);
  cpu.halfArithmetic = isa::hasHalfArithmetic(facts.isa) && cpu.tiles == isa::Tiles::None;
  // Caches in the hands of one thread while all of them work.
  auto const share = [&](std::uint64_t bytes, unsigned sharedBy) {
    return static_cast<std::size_t>(bytes / std::clamp(sharedBy, 1U, cpu.threads));
  };
  if (facts.l1Bytes != 0)
    cpu.caches.l1 = static_cast<std::size_t>(facts.l1Bytes);
  if (facts.l2Bytes != 0)
    cpu.caches.l2 = share(facts.l2Bytes, facts.l2SharedBy);
  cpu.caches.stripColumns = preferredStripColumns();
  cpu.caches.vectorFloats = static_cast<std::uint32_t>(isa::vectorBytes(facts.isa)) /
                            static_cast<std::uint32_t>(sizeof(float));
  cpu.caches.pinnedColumns = stripColumnsArePinned();
  cpu.caches.distant =
      cpu.caches.l2 >= arch::LARGE_L2 && !cpu.caches.pinnedColumns && cpu.caches.vectorFloats >= 16;
  cpu.caches.l3 = facts.l3Bytes != 0 ? share(facts.l3Bytes, facts.l3SharedBy) : cpu.caches.l2;
  return cpu;
}

/// A plan for tiles: by itself, or one of the three of a layer in training.
POP_INLINE planner::MatMulChoice planOnTiles(model::Machine const &machine,
                                             planner::MatMulProblem const &problem,
                                             MatMulOptions const &options) {
  planner::TileProblem const tiles = tileProblem(problem);
  std::string const &pass = options.fullyConnectedPass;
  if (!pass.starts_with("TRAINING") || !options.tileConstraints.empty() ||
      problem.input != problem.output)
    return choiceOnTiles<planner::MatMulChoice>(machine, tiles, TileOptions(options));
  planner::TilePass const which = pass == "TRAINING_FWD"   ? planner::TilePass::FORWARD
                                  : pass == "TRAINING_BWD" ? planner::TilePass::BACKWARD
                                                           : planner::TilePass::UPDATE;
  auto passes =
      planner::planPasses(planner::forwardOf(tiles, which),
                          tileMachine(machine, tiles, TileOptions(options)), REPORTED_PLANS);
  return choiceWith<planner::MatMulChoice>(
      std::move(passes.choices[static_cast<std::size_t>(which)]));
}

POP_INLINE planner::MatMulChoice makePlan(char const *where, model::Machine const &machine,
                                          planner::MatMulProblem const &problem,
                                          MatMulOptions const &options) {
  try {
    auto const constraints = planner::Constraints::parse(options.constraints);
    auto choice = machine.isCpu ? planner::planMatMulCpu(problem, cpuOf(machine), constraints)
                                : planOnTiles(machine, problem, options);
    if (machine.isCpu && constraints.empty()) {
      planner::MatMulCpu const cpu = cpuOf(machine);
      planner::MatMulPlan const estimated = choice.plan;
      improvePlan(
          problem, cpu.threads, options.measure && estimated.splitK == 1, choice,
          [&](auto const &plan) { return planner::matMulRefusal(plan, problem, estimated); },
          [&] { return measureMatMul(problem, cpu, estimated); });
    }
    if (base::logEnabled("POPLIN", base::LogLevel::Debug))
      base::logLine("POPLIN", base::LogLevel::Debug,
                    base::textOf(where, ": ", toText(problem), ": ",
                                 planText(choice, machine.isCpu), "\n", choice.explanation));
    return choice;
  } catch (planner::PlanError const &error) {
    base::fail<::poputil::poplibs_error>(where, error.what());
  }
}

} // namespace detail

POP_INLINE planner::MatMulChoice planMatMul(char const *where, ::poplar::Target const &target,
                                            planner::MatMulProblem problem,
                                            MatMulOptions const &options,
                                            ::poplin::PlanningCache *cache) {
  using planner::MatMulLayout;
  model::Machine const machine = model::machineOf(target);
  problem.partials = partialsFor(problem, options);
  if (problem.partials != options.partials && base::logEnabled("POPLIN", base::LogLevel::Warn))
    base::logLine("POPLIN", base::LogLevel::Warn,
                  base::textOf(where,
                               ": partialsType half is smaller than the result's type float, "
                               "which is used instead"));
  if (!machine.isCpu)
    problem.a = problem.b = MatMulLayout::ROWS;
  if (!cache)
    return detail::makePlan(where, machine, problem, options);
  std::pair const layouts(problem.a, problem.b);
  planner::MatMulProblem anyLayout = problem;
  anyLayout.a = anyLayout.b = MatMulLayout::ROWS;
  std::lock_guard const lock(cache->impl->mutex);
  auto &plans = cache->impl->plans;
  ::poplin::PlanningCacheImpl::Key const key(machine, toText(anyLayout), options);
  if (auto const known = plans.find(key); known != plans.end())
    if (auto const plan = known->second.find(layouts); plan != known->second.end())
      return plan->second;
  // Before the entry is made: a problem without a plan is not counted.
  auto choice = detail::makePlan(where, machine, problem, options);
  plans[key].emplace(layouts, choice);
  return choice;
}

POP_INLINE void planForMapping(char const *where, ::poplar::Graph const &graph,
                               planner::MatMulProblem problem, MatMulOptions const &options,
                               ::poplar::Tensor const &a, ::poplar::Tensor const &b,
                               ::poplin::PlanningCache &cache) {
  using planner::MatMulLayout;
  model::Machine const machine = model::machineOf(graph.getTarget());
  problem.partials = partialsFor(problem, options);
  problem.a = problem.b = MatMulLayout::ROWS;
  planner::TileProblem const tiles = tileProblem(problem);
  try {
    auto choice = choiceWith<planner::MatMulChoice>(
        planner::planTiles(tiles, tileMachine(machine, tiles, TileOptions(options)),
                           planner::Constraints::parse(options.tileConstraints), REPORTED_PLANS,
                           {{planner::TileMatrix::LEFT, givenLayout(graph, a)},
                            {planner::TileMatrix::RIGHT, givenLayout(graph, b)}}));
    ::poplin::PlanningCacheImpl::Key const key(machine, toText(problem), options);
    std::lock_guard const lock(cache.impl->mutex);
    cache.impl->plans[key].insert_or_assign(std::pair(problem.a, problem.b), std::move(choice));
  } catch (planner::PlanError const &error) {
    base::fail<::poputil::poplibs_error>(where, error.what());
  }
}

} // namespace cottonwood::poplin

namespace poplin {

POP_INLINE PlanningCache::PlanningCache() : impl(std::make_unique<PlanningCacheImpl>()) {}
POP_INLINE PlanningCache::~PlanningCache() = default;

POP_INLINE std::size_t PlanningCache::size() const {
  std::lock_guard const lock(impl->mutex);
  return impl->plans.size() + impl->convPlans.size();
}

} // namespace poplin
