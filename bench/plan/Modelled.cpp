#include <bench/plan/Modelled.hpp>

#include <planners/poplin/TilePlanner.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>
#include <poplin/codelets.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/TilePlanning.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace cottonwood::plan {

namespace {

using ::poplar::Tensor;

planner::MatMulProblem productOf(Product const &p, Request const &request) {
  planner::MatMulProblem problem;
  problem.g = p.g, problem.m = p.m, problem.k = p.k, problem.n = p.n;
  problem.input = poplin::plannerType(request.inputType);
  problem.output = poplin::plannerType(request.outputType);
  problem.partials =
      poplin::partialsFor(problem, poplin::readMatMulOptions("plan", request.options));
  return problem;
}

poplin::ConvCheck convOf(Convolution const &c, Request const &request) {
  auto const narrow = [](std::vector<std::uint64_t> const &values) {
    return std::vector<unsigned>(values.begin(), values.end());
  };
  auto const wide = [](std::vector<std::uint64_t> const &values) {
    return std::vector<std::size_t>(values.begin(), values.end());
  };
  std::vector<unsigned> const none(c.field.size(), 0), one(c.field.size(), 1);
  std::vector<bool> const no(c.field.size(), false);
  std::vector<unsigned> const padding = narrow(c.padding);
  ::poplin::ConvParams const params(
      request.inputType, request.outputType, c.batch, wide(c.field), wide(c.kernel),
      c.inChannels / c.groups, c.outChannels / c.groups, c.groups,
      {none, none, one, padding, padding, no}, {none, none, narrow(c.dilation), none, none, no},
      {none, none, narrow(c.stride), none, none});
  return poplin::checkConv("plan", params);
}

planner::TileProblem problemOf(Shape const &shape, Request const &request) {
  if (shape.product)
    return poplin::tileProblem(productOf(*shape.product, request));
  return poplin::tileProblem(convOf(*shape.conv, request),
                             poplin::readConvOptions("plan", request.options));
}

poplin::TileOptions optionsOf(Shape const &shape, Request const &request) {
  return shape.product ? poplin::TileOptions(poplin::readMatMulOptions("plan", request.options))
                       : poplin::TileOptions(poplin::readConvOptions("plan", request.options));
}

/// Operands and result of a plan in new variables.
poplin::TileOperands operandsOf(poplar::Graph &graph, Shape const &shape, Request const &request,
                                planner::TilePlan const &plan) {
  if (shape.product) {
    auto const problem = productOf(*shape.product, request);
    auto const options = poplin::readMatMulOptions("plan", request.options);
    auto const side = [&](poplin::MatMulSide which, poplar::Type const &type, char const *name) {
      return poplin::matMulTileVariable(graph, type, which, problem, options, plan, name);
    };
    return poplin::tileOperands(side(poplin::MatMulSide::LEFT, request.inputType, "a"),
                                side(poplin::MatMulSide::RIGHT, request.inputType, "b"),
                                side(poplin::MatMulSide::OUTPUT, request.outputType, "out"), plan);
  }
  auto const check = convOf(*shape.conv, request);
  auto const options = poplin::readConvOptions("plan", request.options);
  auto const side = [&](poplin::ConvSide which, poplar::Type const &type, char const *name) {
    return poplin::convTileVariable(graph, check, which, options, plan, type, name);
  };
  return poplin::tileOperands(check, side(poplin::ConvSide::INPUT, request.inputType, "in"),
                              side(poplin::ConvSide::WEIGHTS, request.inputType, "weights"),
                              side(poplin::ConvSide::OUTPUT, request.outputType, "out"), plan);
}

} // namespace

Steps stepsOf(lower::ExecutableData const &data) {
  using lower::StepKind;
  Steps steps;
  std::uint64_t slowest = 0;
  for (lower::BspStep const &step : data.bsp.steps) {
    if (step.kind == StepKind::Control)
      continue;
    steps.cycles += step.maxCycles;
    std::uint64_t &kind = step.kind == StepKind::Compute    ? steps.compute
                          : step.kind == StepKind::Exchange ? steps.exchange
                                                            : steps.other;
    kind += step.maxCycles;
    if (step.kind != StepKind::Compute || step.maxCycles <= slowest)
      continue;
    slowest = step.maxCycles;
    double sum = 0, most = 0;
    for (std::uint64_t c = step.firstCost; c != step.firstCost + step.numCosts; ++c) {
      sum += data.bsp.costs[c].cycles;
      most = std::max(most, static_cast<double>(data.bsp.costs[c].cycles));
    }
    steps.averageCompute = most > 0 ? sum / (most * data.target.getNumTiles()) : 0;
  }
  for (lower::TileMemory const &tile : data.tileMemory)
    steps.temporaryBytes = std::max(steps.temporaryBytes, tile.notAlwaysLive);
  return steps;
}

poplar::Target modelTarget(std::string const &name) {
  if (name != "ipu1" && name != "ipu2" && name != "ipu21" && name != "bow")
    throw std::invalid_argument("there is no target '" + name +
                                "'; there are ipu1, ipu2, ipu21 and bow");
  poplar::IPUModel model(name == "bow" ? "ipu2" : name.c_str());
  if (name == "bow")
    model.tileClockFrequency = 1.85e9;
  return model.createDevice().getTarget();
}

Figures planned(Shape const &shape, Request const &request, bool published, std::size_t keep) {
  Figures figures;
  figures.problem = problemOf(shape, request);
  poplin::TileOptions const options = optionsOf(shape, request);
  figures.machine = poplin::tileMachine(model::machineOf(request.target), figures.problem, options);
  figures.machine.charges.published = published;
  // The published figures of partial sums of float leave padding out.
  figures.machine.charges.paddingMoves = figures.problem.partials == planner::MatMulType::HALF;
  auto const begin = std::chrono::steady_clock::now();
  figures.choice = planner::planTiles(figures.problem, figures.machine,
                                      planner::Constraints::parse(options.constraints), keep);
  figures.planSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return figures;
}

Steps modelled(Shape const &shape, Request const &request, planner::TilePlan const *plan) {
  poplar::Graph graph(request.target);
  ::popops::addCodelets(graph);
  ::poplin::addCodelets(graph);
  planner::TileProblem const problem = problemOf(shape, request);
  poplin::TileOptions const options = optionsOf(shape, request);
  auto const machine = poplin::tileMachine(model::machineOf(request.target), problem, options);
  planner::TilePlan const chosen = plan ? *plan : planner::planTiles(problem, machine).plan;
  poplin::ConvCheck const check = shape.conv ? convOf(*shape.conv, request) : poplin::ConvCheck{};
  poplin::TileJob const job =
      poplin::tileJob(request.target, problem, chosen, options,
                      operandsOf(graph, shape, request, chosen), &check.params);
  poplar::program::Sequence prog;
  poplin::emitTiles(graph, job, prog, "plan");
  graph.createHostRead("out", job.tensors.out, true);
  poplar::Executable const executable =
      poplar::compileGraph(graph, {prog}, {{"debug.allowOutOfMemory", "true"}});
  return stepsOf(*executable.data());
}

Steps modelledChain(std::vector<Shape> const &products, Request const &request,
                    std::vector<planner::TilePlan> const &plans) {
  poplar::Graph graph(request.target);
  ::popops::addCodelets(graph);
  ::poplin::addCodelets(graph);
  poplar::program::Sequence prog;
  auto const options = poplin::readMatMulOptions("plan", request.options);
  Tensor result;
  for (std::size_t s = 0; s != products.size(); ++s) {
    auto const problem = productOf(*products[s].product, request);
    auto const side = [&](poplin::MatMulSide which, poplar::Type const &type, char const *name) {
      return poplin::matMulTileVariable(graph, type, which, problem, options, plans[s], name);
    };
    Tensor const left = s == 0 ? side(poplin::MatMulSide::LEFT, request.inputType, "a") : result;
    Tensor const right = side(poplin::MatMulSide::RIGHT, request.inputType, "b");
    result = side(poplin::MatMulSide::OUTPUT, request.outputType, "out");
    poplin::emitTiles(graph,
                      poplin::tileJob(request.target, poplin::tileProblem(problem), plans[s],
                                      poplin::TileOptions(options),
                                      poplin::tileOperands(left, right, result, plans[s])),
                      prog, "step");
  }
  graph.createHostRead("out", result, true);
  poplar::Executable const executable =
      poplar::compileGraph(graph, {prog}, {{"debug.allowOutOfMemory", "true"}});
  return stepsOf(*executable.data());
}

} // namespace cottonwood::plan
