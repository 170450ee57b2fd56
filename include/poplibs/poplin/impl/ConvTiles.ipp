#pragma once

#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/TileFlatten.hpp>
#include <poplin/impl/TilePlanning.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

namespace cottonwood::poplin {

POP_INLINE void emitConvTiles(::poplar::Graph &graph, ConvJob const &job,
                              ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  Tensor in = job.in, weights = job.weights;
  poputil::readBeforeWrites(graph, {&in, &weights}, job.out, prog, {debugContext, "operand"});
  planner::TileChoice const choice =
      planConv(job.where, graph.getTarget(), job.check, job.options, job.cache).tiles;
  planner::TilePlan const &plan = choice.plan;
  planner::TileProblem const whole = tileProblem(job.check, job.options);
  notePlan(graph, debugContext, whole, choice);
  TileJob const tiles =
      tileJob(graph.getTarget(), whole, plan, TileOptions(job.options),
              tileOperands(job.check, in, weights, job.out, plan), &job.check.params);
  if (job.steps)
    emitTiles(graph, tiles, *job.steps, debugContext);
  else
    emitTiles(graph, tiles, prog, debugContext);
}

POP_INLINE void mapForPlan(::poplar::Graph &graph, Tensor const &t, ConvSide side,
                           ConvCheck const &check, ConvOptions const &options,
                           planner::TilePlan const &plan) {
  graph.setTileMapping(t, 0); // what no block uses
  Tensor const none;
  bool const isIn = side == ConvSide::INPUT, isOut = side == ConvSide::OUTPUT;
  auto const problem = tileProblem(check, options);
  TileOperands const operands =
      tileOperands(check, isIn ? t : none, isIn || isOut ? none : t, isOut ? t : none, plan);
  if (plan.flatten != 0 && !isIn && !isOut)
    return mapFlattenedWeights(graph, operands.weights, FlattenedDims(check.params, plan.flatten),
                               TileBlocks(planner::detail::seenBy(problem, plan), plan), plan);
  if (isIn)
    mapTileOperand(graph, operands.in, TileSide::INPUT, problem, plan);
  else if (isOut)
    mapTileOperand(graph, operands.out, TileSide::OUTPUT, problem, plan);
  else
    mapTileOperand(graph, operands.weights, TileSide::WEIGHTS, problem, plan);
}

// The layout is that of the groups of channels; windows that lie side by side are not, so that
// blocks of such a plan consist of more pieces.
POP_INLINE Tensor convTileVariable(::poplar::Graph &graph, ConvCheck const &check, ConvSide side,
                                   ConvOptions const &options, planner::TilePlan const &plan,
                                   ::poplar::Type const &type,
                                   ::poplar::DebugContext const &debugContext) {
  ::poplin::ConvParams const &params = check.params;
  auto const shape = [](std::vector<std::size_t> first, std::vector<std::size_t> const &field,
                        std::size_t channels) {
    first.insert(first.end(), field.begin(), field.end());
    first.push_back(channels);
    return first;
  };
  std::size_t const groups = params.numConvGroups, batch = params.batchSize;
  std::size_t const in = params.inputChannelsPerConvGroup, out = params.outputChannelsPerConvGroup;
  auto const variable = [&](TileSide tileSide, std::vector<std::size_t> const &of) {
    return layoutVariable(graph, type, tileSide, of, plan, debugContext);
  };
  // Places of some dimensions may be channels.
  FlattenedDims const dims(params, plan.flatten);
  auto const activations = [&](TileSide tileSide, std::vector<std::size_t> const &field,
                               std::size_t channels) {
    if (plan.flatten == 0 || (tileSide == TileSide::INPUT && dims.truncatesInputs()))
      return variable(tileSide, shape({groups, batch}, field, channels));
    std::vector<std::size_t> left = field;
    for (unsigned d = 0; d != left.size(); ++d)
      if (dims.has(d))
        channels *= left[d], left[d] = 1;
    return dims.toField(variable(tileSide, shape({groups, batch}, left, channels)), field);
  };
  Tensor t;
  if (side == ConvSide::INPUT)
    t = activations(TileSide::INPUT, params.inputFieldShape, in);
  else if (side == ConvSide::WEIGHTS)
    t = variable(TileSide::WEIGHTS, shape({groups, out}, params.kernelShape, in));
  else
    t = activations(TileSide::OUTPUT, params.getOutputFieldShape(), out)
            .dimRoll(0, static_cast<unsigned>(params.getNumFieldDims()) + 1);
  mapForPlan(graph, t, side, check, options, plan);
  return t;
}

} // namespace cottonwood::poplin
