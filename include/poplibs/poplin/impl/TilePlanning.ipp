#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/MatMulMachine.hpp>
#include <poplin/impl/TileFlatten.hpp>
#include <poplin/impl/TileGather.hpp>
#include <poplin/impl/TileOrders.hpp>
#include <poplin/impl/TilePlanning.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include <algorithm>

namespace cottonwood::poplin {

POP_INLINE planner::TileMachine tileMachine(model::Machine const &machine,
                                            planner::TileProblem const &problem,
                                            TileOptions const &options) {
  planner::TileMachine tiles;
  tiles.tiles = machine.tiles;
  tiles.bytesPerTile = machine.bytesPerTile;
  tiles.memoryProportion = options.memoryProportion;
  tiles.multiStage = options.multiStage;
  tiles.exchangeBytesPerCycle = std::max(machine.exchangeBytesPerCycle, 1U);
  tiles.sharedExchangeBus = machine.tilesPerSharedExchangeBus > 1;
  if (machine.ipus > 1) {
    tiles.tilesPerIPU = machine.tilesPerIPU;
    tiles.globalSyncCycles = machine.globalSyncCycles;
    for (auto const &constraint : machine.links) {
      planner::TileLink link{constraint.bandwidth / 8 / machine.clock, {}};
      for (auto const &flow : constraint.flows)
        link.flows.emplace_back(flow.src, flow.dst);
      tiles.links.push_back(std::move(link));
    }
  }
  tiles.amp = ampUnit(machine, problem.input, problem.partials);
  if (options.wideLoads)
    tiles.amp.weightBytesPerCycle *= 2;
  return tiles;
}

POP_INLINE planner::TileProblem tileProblem(planner::MatMulProblem const &problem) {
  planner::TileProblem p;
  p.g = problem.g, p.n = problem.n, p.i = problem.k;
  p.field[0].outputs = p.field[0].inputs = problem.m;
  p.input = problem.input, p.output = problem.output, p.partials = problem.partials;
  p.isMatMul = p.flattens = true;
  return p;
}

namespace detail {

/// True if output o of a dimension meets input first + o * stride and nothing else.
POP_INLINE bool isPlainDim(::poplin::ConvParams const &params, unsigned d) {
  auto const &in = params.inputTransform;
  return params.getTruncatedKernelSize(d) == 1 && in.dilation[d] == 1 && !in.flip[d] &&
         ::poplin::getInputIndex(d, 0, params.kernelTransform.truncationLower[d], params) != ~0U &&
         ::poplin::getInputIndex(d, static_cast<unsigned>(params.getOutputSize(d)) - 1,
                                 params.kernelTransform.truncationLower[d], params) != ~0U &&
         params.outputTransform.paddingLower[d] == 0 && params.outputTransform.paddingUpper[d] == 0;
}

/// True if the windows of a dimension lie side by side and cover the input.
POP_INLINE bool isTiledDim(::poplin::ConvParams const &params, unsigned d) {
  auto const &in = params.inputTransform;
  auto const &kernel = params.kernelTransform;
  auto const &out = params.outputTransform;
  auto const none = [d](auto const &...values) { return ((values[d] == 0) && ...); };
  return in.dilation[d] == 1 && kernel.dilation[d] == 1 && !in.flip[d] && !kernel.flip[d] &&
         none(in.truncationLower, in.truncationUpper, in.paddingLower, in.paddingUpper,
              kernel.truncationLower, kernel.truncationUpper, kernel.paddingLower,
              kernel.paddingUpper, out.truncationLower, out.truncationUpper, out.paddingLower,
              out.paddingUpper) &&
         out.stride[d] == params.kernelShape[d] &&
         params.inputFieldShape[d] == params.getOutputSize(d) * params.kernelShape[d];
}

/// True if every output of a dimension meets every input.
POP_INLINE bool meetsAll(::poplin::ConvParams const &params, unsigned d) {
  unsigned const inputs = params.getTruncatedInputSize(d);
  if (inputs > params.getTruncatedKernelSize(d))
    return false;
  ConvMeeting const meeting(params, d);
  for (unsigned o = 0; o != meeting.outputs(); ++o) // no two taps meet the same input
    if (meeting.taps(o, {0, ConvMeeting::NONE}).count != inputs)
      return false;
  return true;
}

/// Whether some tap meets a place of some output without an input.
POP_INLINE bool meetsPadding(::poplin::ConvParams const &params, unsigned d) {
  auto const &in = params.inputTransform;
  return in.paddingLower[d] != 0 || in.paddingUpper[d] != 0 || in.dilation[d] != 1 ||
         params.outputTransform.paddingLower[d] != 0 || params.outputTransform.paddingUpper[d] != 0;
}

} // namespace detail

POP_INLINE planner::TileProblem tileProblem(ConvCheck const &check, ConvOptions const &options) {
  ::poplin::ConvParams const &params = check.params;
  planner::TileProblem p;
  p.g = check.problem.g, p.b = check.problem.b, p.n = check.problem.n, p.i = check.problem.i;
  p.input = check.problem.input, p.output = check.problem.output;
  p.partials = planner::partialsFor(p, options.interTile);
  auto const dims = static_cast<unsigned>(params.getNumFieldDims());
  bool plain = true, tiled = true;
  for (unsigned d = 0; d != dims; ++d) {
    planner::TileField dim;
    dim.outputs = params.getOutputSize(d);
    dim.taps = params.getTruncatedKernelSize(d);
    dim.inputs = params.getTruncatedInputSize(d);
    dim.stride = params.outputTransform.stride[d];
    dim.tapStep = params.kernelTransform.dilation[d];
    dim.inputStep = params.inputTransform.dilation[d];
    plain = plain && detail::isPlainDim(params, d);
    tiled = tiled && detail::isTiledDim(params, d);
    dim.padded = detail::meetsPadding(params, d);
    dim.meetsAll = detail::meetsAll(params, d);
    planner::TileField &to = p.field[std::min(d, 2U)];
    if (d < 3) {
      to = dim;
      continue;
    }
    // Dimensions that are not split are as good as one.
    to.outputs *= dim.outputs, to.taps *= dim.taps, to.inputs *= dim.inputs;
    to.stride = to.inputs, to.inputStep = 1;
    to.padded = to.padded || dim.padded;
  }
  p.flattens = plain;
  p.expands = tiled && !plain;
  p.lastIsMany = dims > 3;
  return p;
}

POP_INLINE TileOperands tileOperands(Tensor const &a, Tensor const &b, Tensor const &out,
                                     planner::TilePlan const &plan) {
  auto const transposed = [](Tensor const &t) { return t.dimShuffle({0, 2, 1}); };
  if (plan.swap)
    return {transposed(b), a, transposed(out)};
  return {a, transposed(b), out};
}

namespace detail {

/// [G, B, ...field, I] as [G, positions, I]: the one input of each output.
POP_INLINE Tensor plainPositions(ConvCheck const &check, Tensor in) {
  ::poplin::ConvParams const &params = check.params;
  auto const dims = static_cast<unsigned>(params.getNumFieldDims());
  for (unsigned d = 0; d != dims; ++d) {
    unsigned const tap = params.kernelTransform.truncationLower[d];
    unsigned const first = ::poplin::getInputIndex(d, 0, tap, params);
    unsigned const stride = params.outputTransform.stride[d];
    auto const outputs = static_cast<unsigned>(params.getOutputSize(d));
    in = in.slice(first, first + (outputs - 1) * stride + 1, 2 + d);
    if (stride > 1)
      in = in.subSample(stride, 2 + d);
  }
  return in.flatten(1, in.rank() - 1);
}

/// [G, B, ...(outputs * taps), I] as [G, B * outputs, taps * I].
POP_INLINE Tensor tiledPositions(ConvCheck const &check, Tensor in) {
  ::poplin::ConvParams const &params = check.params;
  auto const dims = static_cast<unsigned>(params.getNumFieldDims());
  for (unsigned d = dims; d-- != 0;)
    in = in.reshapePartial(2 + d, 3 + d, {params.getOutputSize(d), params.kernelShape[d]});
  std::vector<unsigned> order{0, 1};
  for (unsigned d = 0; d != dims; ++d)
    order.push_back(2 + 2 * d);
  for (unsigned d = 0; d != dims; ++d)
    order.push_back(3 + 2 * d);
  order.push_back(2 + 2 * dims);
  in = in.dimShuffle(order);
  return in.flatten(2 + dims, in.rank()).flatten(1, 2 + dims);
}

} // namespace detail

POP_INLINE TileOperands tileOperands(ConvCheck const &check, Tensor const &in,
                                     Tensor const &weights, Tensor const &out,
                                     planner::TilePlan const &plan) {
  TileOperands operands;
  // [B, ...field, G, N] as [G, B, ...field, N]
  if (out.valid())
    operands.out = out.dimRoll(out.rank() - 2, 0);
  if (plan.flatten != 0) {
    FlattenedDims const dims(check.params, plan.flatten);
    if (out.valid())
      operands.out = dims.outputs(operands.out);
    if (in.valid())
      operands.in = dims.inputs(in);
    if (weights.valid())
      operands.weights = keptTaps(weights, check.params, plan.flatten);
    return operands;
  }
  if (weights.valid())
    operands.weights = keptTaps(weights, check.params);
  if (!plan.flat) {
    operands.in = in;
    if (weights.valid() && plan.expand != 0)
      operands.weights = tapsAsChannels(operands.weights, plan.expand);
    return operands;
  }
  if (out.valid())
    operands.out = operands.out.flatten(1, operands.out.rank() - 1);
  if (in.valid())
    operands.in =
        plan.expand ? detail::tiledPositions(check, in) : detail::plainPositions(check, in);
  if (weights.valid())
    operands.weights = operands.weights.flatten(2, weights.rank());
  return operands;
}

POP_INLINE void notePlan(::poplar::Graph &graph, ::poplar::DebugContext const &debugContext,
                         planner::TileProblem const &problem, planner::TileChoice const &choice) {
  planner::TileTerms const &terms = choice.terms;
  std::string text = "plan: " + toText(choice.plan) + "\n";
  text += base::textOf("predicted: ", terms.total(), " cycles (exchange ", terms.exchange,
                       ", compute ", terms.compute, ", reduction ", terms.reduction, "), ",
                       choice.cost.temporaryBytes, " bytes of a tile, ", choice.plan.parts(),
                       " tiles\n");
  text += choice.explanation;
  for (auto const &other : choice.others)
    text += base::textOf("instead: ", static_cast<std::uint64_t>(other.cost.cycles), " cycles, ",
                         other.cost.temporaryBytes, " bytes: ", toText(other.plan), "\n");
  text += "problem: " + toText(problem);
  graph::HandleAccess::data(graph)->addNote(debugContext.getPathName(), std::move(text));
}

POP_INLINE void mapTileOperand(::poplar::Graph &graph, Tensor const &t, TileSide side,
                               planner::TileProblem const &problem, planner::TilePlan const &plan) {
  planner::TileProblem const seen = planner::detail::seenBy(problem, plan);
  TileBlocks const blocks(seen, plan);
  if (side == TileSide::INPUT)
    mapTileInput(graph, t, blocks, seen, plan);
  else if (side == TileSide::WEIGHTS)
    mapTileWeights(graph, t, blocks, plan);
  else
    mapTileOutput(graph, t, blocks, seen, plan);
}

POP_INLINE TileJob tileJob(::poplar::Target const &target, planner::TileProblem const &problem,
                           planner::TilePlan const &plan, TileOptions const &options,
                           TileOperands const &operands, ::poplin::ConvParams const *params) {
  return {planner::detail::seenBy(problem, plan),
          plan,
          tileMachine(model::machineOf(target), problem, options).amp,
          operands,
          params,
          options.wideLoads};
}

POP_INLINE Tensor layoutVariable(::poplar::Graph &graph, ::poplar::Type const &type, TileSide side,
                                 std::vector<std::size_t> const &shape,
                                 planner::TilePlan const &plan,
                                 ::poplar::DebugContext const &debugContext) {
  if (side == TileSide::WEIGHTS)
    return weightVariable(graph, type, shape, plan.outGroup, plan.inGroup, debugContext);
  std::size_t const group = side == TileSide::INPUT ? plan.inGroup : plan.outGroup;
  return channelVariable(graph, type, shape, group, plan.convGroup, debugContext);
}

POP_INLINE Tensor tileVariable(::poplar::Graph &graph, ::poplar::Type const &type, TileSide side,
                               std::vector<std::size_t> const &shape,
                               planner::TileProblem const &problem, planner::TilePlan const &plan,
                               ::poplar::DebugContext const &debugContext) {
  Tensor const t = layoutVariable(graph, type, side, shape, plan, debugContext);
  graph.setTileMapping(t, 0); // what no block uses
  mapTileOperand(graph, t, side, problem, plan);
  return t;
}

} // namespace cottonwood::poplin
