#pragma once

#include <codelets/poplin/ConvGroupsCost.hpp>
#include <planners/poplin/TileConvJoint.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/ConvField.hpp>
#include <poplin/impl/MatMulMachine.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/PlanConstraints.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <poplin/impl/TileGiven.hpp>
#include <poplin/impl/TilePlanning.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

namespace cottonwood::poplin {

namespace detail {

/// Whether Winograd's minimal filtering computes a convolution: 3 x 3 taps, strides of 1, and
/// nothing but padding of the input.
POP_INLINE bool fitsWinograd(ConvCheck const &check) {
  auto const &p = check.params;
  if (p.getNumFieldDims() != 2 || convolvesChannels(check))
    return false;
  for (unsigned d = 0; d != 2; ++d) {
    auto const &in = p.inputTransform, &kernel = p.kernelTransform;
    auto const &out = p.outputTransform;
    auto const isPlain = [d](auto const &t) {
      return t.truncationLower[d] == 0 && t.truncationUpper[d] == 0 && t.dilation[d] == 1 &&
             !t.flip[d];
    };
    if (p.kernelShape[d] != 3 || !isPlain(in) || !isPlain(kernel) || kernel.paddingLower[d] != 0 ||
        kernel.paddingUpper[d] != 0 || out.truncationLower[d] != 0 || out.truncationUpper[d] != 0 ||
        out.stride[d] != 1 || out.paddingLower[d] != 0 || out.paddingUpper[d] != 0)
      return false;
  }
  return true;
}

POP_INLINE planner::ConvProblem convProblem(ConvCheck const &check, ConvOptions const &options) {
  planner::ConvProblem problem = check.problem;
  problem.partials = planner::partialsFor(problem, options.interTile);
  if (options.winograd != 0 && fitsWinograd(check))
    problem.winograd = options.winograd;
  return problem;
}

/// Option planConstraintsOutputFilename: what forces this plan, as a file.
POP_INLINE void writePlanConstraints(char const *where, ConvOptions const &options,
                                     planner::TilePlan const &plan, planner::MatMulType partials) {
  std::string const pass =
      options.pass.substr(0, 3) == "FC_" ? options.pass.substr(3) : options.pass;
  std::string const path = options.constraintsOutputFilename +
                           (pass == "TRAINING_FWD"   ? "_FWD"
                            : pass == "TRAINING_BWD" ? "_BWD"
                            : pass == "TRAINING_WU"  ? "_WU"
                                                     : "") +
                           ".json";
  std::ofstream file(path);
  file << planConstraintsOf(plan, partials == planner::MatMulType::HALF);
  file.close();
  if (!file)
    base::fail<::poputil::poplibs_error>(where, "planConstraintsOutputFilename: '", path,
                                         "' cannot be written");
}

/// The pass of a layer in training that options name, if they do.
POP_INLINE std::optional<planner::TilePass> trainingPass(ConvOptions const &options) {
  std::string const &name = options.pass;
  std::string const pass = name.starts_with("FC_") ? name.substr(3) : name;
  if (pass == "TRAINING_FWD")
    return planner::TilePass::FORWARD;
  if (pass == "TRAINING_BWD")
    return planner::TilePass::BACKWARD;
  if (pass == "TRAINING_WU")
    return planner::TilePass::UPDATE;
  return std::nullopt;
}

/// The passes of the layer of which a convolution is one, where they can be planned together: types
/// are equal, nothing is forced, and both gradients' gradient is the convolution itself.
POP_INLINE std::optional<planner::ConvPassProblems> passesOf(char const *where,
                                                             planner::TilePass pass,
                                                             ConvCheck const &check,
                                                             ConvOptions const &options) {
  ::poplin::ConvParams const &own = check.params;
  if (check.problem.input != check.problem.output || !options.tileConstraints.empty() ||
      !options.sideBySide.empty() || own.getNumFieldDims() > 3)
    return std::nullopt;
  ::poplin::ConvParams const forward = pass == planner::TilePass::FORWARD ? own
                                       : pass == planner::TilePass::BACKWARD
                                           ? ::poplin::getGradientParams(own)
                                           : ::poplin::getWeightUpdateParams(own);
  planner::ConvPassProblems problems;
  std::size_t at = 0;
  for (::poplin::ConvParams const &params :
       {forward, ::poplin::getGradientParams(forward), ::poplin::getWeightUpdateParams(forward)}) {
    ConvCheck const one = checkConv(where, params);
    if (one.isTrivial())
      return std::nullopt;
    problems[at++] = tileProblem(one, options);
  }
  if (problems[static_cast<std::size_t>(pass)] != tileProblem(check, options))
    return std::nullopt;
  return problems;
}

/// A plan for tiles: by itself, or one of the three of a layer in training.
POP_INLINE planner::ConvChoice convOnTiles(char const *where, model::Machine const &machine,
                                           ConvCheck const &check, ConvOptions const &options) {
  planner::TileProblem const problem = tileProblem(check, options);
  auto const pass = trainingPass(options);
  if (auto const passes = pass ? passesOf(where, *pass, check, options) : std::nullopt) {
    auto together = planner::planConvPasses(
        *passes, tileMachine(machine, problem, TileOptions(options)), REPORTED_PLANS);
    return choiceWith<planner::ConvChoice>(
        std::move(together.choices[static_cast<std::size_t>(*pass)]));
  }
  return choiceOnTiles<planner::ConvChoice>(machine, problem, TileOptions(options));
}

POP_INLINE planner::ConvChoice makeConvPlan(char const *where, model::Machine const &machine,
                                            ConvCheck const &check, ConvOptions const &options) {
  try {
    auto const constraints = planner::Constraints::parse(options.constraints);
    planner::ConvProblem const problem = convProblem(check, options);
    planner::ConvChoice choice = machine.isCpu
                                     ? planner::planConvCpu(problem, cpuOf(machine), constraints)
                                     : convOnTiles(where, machine, check, options);
    if (machine.isCpu && constraints.empty()) {
      planner::MatMulCpu const cpu = cpuOf(machine);
      planner::ConvPlan const estimated = choice.plan;
      improvePlan(
          problem, cpu.threads, options.measure && estimated.winograd == 0, choice,
          [&](auto const &plan) { return planner::convRefusal(plan, problem, estimated); },
          [&] { return measureConv(check, problem, cpu, estimated); });
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

POP_INLINE std::string paramsText(::poplin::ConvParams const &params) {
  std::ostringstream text;
  text << params;
  return text.str();
}

/// The options as caches know them: where a plan is written makes it no other one.
POP_INLINE ConvOptions keyOptions(ConvOptions options) {
  options.constraintsOutputFilename.clear();
  return options;
}

POP_INLINE planner::ConvChoice cachedConvPlan(char const *where, model::Machine const &machine,
                                              ConvCheck const &check, ConvOptions const &options,
                                              ::poplin::PlanningCache &cache) {
  std::lock_guard const lock(cache.impl->mutex);
  auto &plans = cache.impl->convPlans;
  ::poplin::PlanningCacheImpl::ConvKey const key(machine, paramsText(check.params),
                                                 keyOptions(options));
  if (auto const known = plans.find(key); known != plans.end())
    return known->second;
  // Before the entry is made: a problem without a plan is not counted.
  auto choice = makeConvPlan(where, machine, check, options);
  plans.emplace(key, choice);
  return choice;
}

} // namespace detail

POP_INLINE void rememberPlan(::poplar::Target const &target, ConvCheck const &check,
                             ConvOptions const &options, planner::TileChoice const &choice,
                             ::poplin::PlanningCache &cache) {
  ::poplin::PlanningCacheImpl::ConvKey const key(
      model::machineOf(target), detail::paramsText(check.params), detail::keyOptions(options));
  cache.impl->convPlans.insert_or_assign(key, choiceWith<planner::ConvChoice>(choice));
}

POP_INLINE void planForMapping(char const *where, ::poplar::Graph const &graph,
                               ConvCheck const &check, ConvOptions const &options, Tensor const &in,
                               Tensor const &weights, ::poplin::PlanningCache &cache) {
  planner::TileProblem const problem = tileProblem(check, options);
  try {
    rememberPlan(graph.getTarget(), check, options,
                 planner::planTiles(problem,
                                    tileMachine(model::machineOf(graph.getTarget()), problem,
                                                TileOptions(options)),
                                    planner::Constraints::parse(options.tileConstraints),
                                    REPORTED_PLANS,
                                    {{planner::TileMatrix::LEFT, givenLayout(graph, in)},
                                     {planner::TileMatrix::RIGHT, givenLayout(graph, weights)}}),
                 cache);
  } catch (planner::PlanError const &error) {
    base::fail<::poputil::poplibs_error>(where, error.what());
  }
}

POP_INLINE planner::ConvChoice planConv(char const *where, ::poplar::Target const &target,
                                        ConvCheck const &check, ConvOptions const &options,
                                        ::poplin::PlanningCache *cache) {
  model::Machine const machine = model::machineOf(target);
  auto choice = cache ? detail::cachedConvPlan(where, machine, check, options, *cache)
                      : detail::makeConvPlan(where, machine, check, options);
  if (!machine.isCpu && !options.constraintsOutputFilename.empty())
    detail::writePlanConstraints(where, options, choice.tiles.plan,
                                 detail::convProblem(check, options).partials);
  return choice;
}

POP_INLINE std::vector<planner::TileChoice>
planConvGroup(char const *where, ::poplar::Target const &target,
              std::vector<std::pair<ConvCheck, ConvOptions>> const &convs,
              planner::SideBySideOptions const &options, ::poplin::PlanningCache *cache) {
  model::Machine const machine = model::machineOf(target);
  std::vector<planner::TileTask> tasks;
  std::vector<std::pair<std::string, ConvOptions>> texts;
  for (auto const &[check, convOptions] : convs) {
    if (check.isTrivial())
      return {};
    planner::TileProblem const problem = tileProblem(check, convOptions);
    TileOptions const tiles(convOptions);
    tasks.push_back({problem, tileMachine(machine, problem, tiles),
                     planner::Constraints::parse(tiles.constraints)});
    texts.emplace_back(detail::paramsText(check.params), detail::keyOptions(convOptions));
  }
  ::poplin::PlanningCacheImpl::GroupKey const key(machine, texts, options.reservedTiles,
                                                  options.backOff);
  std::unique_lock<std::mutex> lock;
  if (cache) {
    lock = std::unique_lock(cache->impl->mutex);
    if (auto const known = cache->impl->groups.find(key); known != cache->impl->groups.end())
      return known->second;
  }
  try {
    auto choices = planner::planSideBySide(tasks, options).choices;
    if (cache)
      cache->impl->groups.emplace(key, choices);
    return choices;
  } catch (planner::PlanError const &error) {
    base::fail<::poputil::poplibs_error>(where, error.what());
  }
}

POP_INLINE void emitConv(::poplar::Graph &graph, ConvJob job, ::poplar::program::Sequence &prog,
                         ::poplar::DebugContext const &debugContext) {
  auto const operands = castForProduct(graph, {job.in, job.weights}, prog, debugContext);
  job.in = operands.left, job.weights = operands.right;
  job.check.params.inputType = job.in.elementType();
  if (!plansForCpu(graph.getTarget()))
    return emitConvTiles(graph, job, prog, debugContext);
  auto const &p = job.check.params;
  // The first one that knows the problem does it.
  std::array ways{&emitPointwise, &emitConvUpdate, &emitConvPlanes, &emitConvMaps, &emitConvGroups};
  if (job.check.problem.taps() == 1) // else a product of few columns, which takes longer
    std::rotate(ways.begin(), ways.end() - 1, ways.end());
  else if (kernels::convGroupsBeforeMaps(p.inputChannelsPerConvGroup, p.outputChannelsPerConvGroup,
                                         detail::vectorLanes()))
    std::swap(ways[3], ways[4]);
  if (std::none_of(ways.begin(), ways.end(),
                   [&](auto *emit) { return emit(graph, job, prog, debugContext); }))
    emitConvCpu(graph, job, prog, debugContext);
}

} // namespace cottonwood::poplin
