#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/ConvCall.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

namespace cottonwood::poplin {

POP_INLINE Tensor convFromRows(Tensor const &rows) {
  unsigned const rank = rows.rank();
  std::vector<unsigned> order{0, rank - 2, rank - 1};
  for (unsigned d = 1; d + 2 < rank; ++d)
    order.push_back(d);
  return rows.dimShuffle(order).flatten(1, 3);
}

namespace detail {

/// [groups, N, ...field, C] as [N, groups * C, ...field].
POP_INLINE Tensor convFromGroups(Tensor const &t) {
  std::vector<unsigned> order;
  for (unsigned d = 1; d + 1 < t.rank(); ++d)
    order.push_back(d);
  order.push_back(0);
  order.push_back(t.rank() - 1);
  return convFromRows(t.dimShuffle(order));
}

/// [groups, O, ...kernel, I] as [groups, O, I, ...kernel].
POP_INLINE Tensor convFromWeights(Tensor const &t) {
  std::vector<unsigned> order{0, 1, t.rank() - 1};
  for (unsigned d = 2; d + 1 < t.rank(); ++d)
    order.push_back(d);
  return t.dimShuffle(order);
}

} // namespace detail

POP_INLINE ConvCall &ConvCall::sideBySide(ConvCheck const &check, planner::TileChoice const &choice,
                                          TileSteps *steps) {
  options_.sideBySide = toText(choice.plan);
  cache_ = &ownCache_;
  rememberPlan(graph_.getTarget(), check, options_, choice, ownCache_);
  steps_ = steps;
  return *this;
}

POP_INLINE void ConvCall::countMapping(ConvCheck const &check, Tensor const &in,
                                       Tensor const &weights) {
  if (!options_.useOperandMapping || !options_.sideBySide.empty() || check.isTrivial() ||
      check.params.getNumFieldDims() > 3 || plansForCpu(graph_.getTarget()) ||
      options_.pass.find("TRAINING") != std::string::npos)
    return;
  cache_ = &ownCache_;
  planForMapping(where_, graph_, check, options_, in, weights, ownCache_);
}

POP_INLINE void ConvCall::map(Tensor const &t, ConvSide side, ConvCheck const &check) {
  if (t.numElements() == 0)
    return;
  if (check.isTrivial())
    ::poputil::mapTensorLinearly(graph_, t);
  else if (plansForCpu(graph_.getTarget()))
    graph_.setTileMapping(t, 0);
  else
    mapForPlan(graph_, t, side, check, options_,
               planConv(where_, graph_.getTarget(), check, options_, cache_).tiles.plan);
}

// Variables have the layout that kernels for CPUs read best, or that of the plan for tiles.
POP_INLINE Tensor ConvCall::variable(ConvCheck const &check, ConvSide side) {
  ::poplar::Type const &type =
      side == ConvSide::OUTPUT ? check.params.outputType : check.params.inputType;
  if (!check.isTrivial() && !plansForCpu(graph_.getTarget()))
    return convTileVariable(
        graph_, check, side, options_,
        planConv(where_, graph_.getTarget(), check, options_, cache_).tiles.plan, type,
        debugContext_);
  Tensor const t = side == ConvSide::INPUT ? convInputVariable(graph_, check, type, debugContext_)
                   : side == ConvSide::WEIGHTS ? convWeightsVariable(graph_, check, debugContext_)
                                               : convOutputVariable(graph_, check, debugContext_);
  map(t, side, check);
  return t;
}

POP_INLINE Tensor ConvCall::create(::poplin::ConvParams const &params, ConvSide side) {
  Tensor const t = variable(checkConv(where_, params, graph_.getTarget()), side);
  return side == ConvSide::INPUT     ? detail::convFromGroups(t)
         : side == ConvSide::WEIGHTS ? detail::convFromWeights(t)
                                     : convFromRows(t);
}

POP_INLINE void ConvCall::emit(ConvCheck const &check, Tensor const &in, Tensor const &weights,
                               Tensor const &rows, bool transposeAndFlip,
                               ::poplar::program::Sequence &prog) {
  EpilogueViews operands;
  if (epilogue_)
    operands = convOperands(where_, *epilogue_, check.outShape());
  if (check.isEmpty())
    return;
  ConvJob job;
  job.where = where_, job.check = check;
  job.in = convActivations(in, check.params.numConvGroups);
  job.weights = convWeights(weights, transposeAndFlip);
  job.out = rows;
  job.options = options_, job.cache = cache_, job.steps = steps_;
  // Blocks of outputs and vertices for tiles leave their sums to an epilogue that comes afterwards.
  bool const fused =
      epilogue_ && plansForCpu(graph_.getTarget()) && !check.isTrivial() &&
      planConv(where_, graph_.getTarget(), check, options_, cache_).plan.winograd == 0;
  if (fused)
    job.epilogue = epilogue_, job.operands = operands;
  if (!epilogue_ || fused)
    return emitSums(job, prog);
  // Sums are not rounded to half before the epilogue, unless partial results are.
  bool const half =
      rows.elementType() == ::poplar::HALF && options_.interTile == planner::MatMulType::HALF;
  job.out = graph_.addVariable(half ? ::poplar::HALF : ::poplar::FLOAT, rows.shape(),
                               {debugContext_, "sums"});
  graph_.setTileMapping(job.out, graph_.getTileMapping(rows));
  job.check.problem.output = half ? planner::MatMulType::HALF : planner::MatMulType::FLOAT;
  emitSums(job, prog);
  auto const whole = [&](Tensor const &t) {
    std::size_t const channels = check.params.getNumOutputChans();
    return t.reshape({1, t.numElements() / channels, channels});
  };
  emitFinish(graph_, *epilogue_, operands, whole(job.out), whole(rows), prog, debugContext_);
}

POP_INLINE void ConvCall::emitSums(ConvJob const &job, ::poplar::program::Sequence &prog) {
  if (job.check.isTrivial())
    ::popops::zero(graph_, job.out, prog, debugContext_);
  else
    emitConv(graph_, job, prog, debugContext_);
}

POP_INLINE Tensor convolutionWithEpilogue(::poplar::Graph &graph, EpilogueConvolution const &conv,
                                          EpilogueJob const &epilogue,
                                          ::poplar::program::Sequence &prog,
                                          ::poplar::DebugContext const &debugContext,
                                          ::poplar::OptionFlags const &options,
                                          ::poplin::PlanningCache *cache) {
  ConvCall call(conv.where, graph, debugContext, options, cache);
  call.with(epilogue);
  bool const flip = conv.transposeAndFlipWeights;
  if (!conv.out.valid())
    return call.run(conv.in, conv.weights, conv.params, flip, prog);
  call.runInto(conv.in, conv.weights, conv.out, conv.params, flip, prog);
  return conv.out;
}

POP_INLINE Tensor ConvCall::run(Tensor const &in, Tensor const &weights,
                                ::poplin::ConvParams const &params, bool transposeAndFlip,
                                ::poplar::program::Sequence &prog) {
  ConvCheck const check = checkConv(where_, params, graph_.getTarget());
  checkConvOperands(where_, check, in, weights, transposeAndFlip);
  std::size_t const groups = params.numConvGroups;
  countMapping(check, convActivations(in, groups), convWeights(weights, transposeAndFlip));
  Tensor const rows = variable(check, ConvSide::OUTPUT);
  emit(check, in, weights, rows, transposeAndFlip, prog);
  return convFromRows(rows);
}

POP_INLINE void ConvCall::runInto(Tensor const &in, Tensor const &weights, Tensor const &out,
                                  ::poplin::ConvParams const &params, bool transposeAndFlip,
                                  ::poplar::program::Sequence &prog) {
  ConvCheck const check = checkConv(where_, params, graph_.getTarget());
  checkConvOperands(where_, check, in, weights, transposeAndFlip);
  checkConvOutput(where_, check, out);
  if (check.isEmpty())
    return;
  std::size_t const groups = params.numConvGroups;
  countMapping(check, convActivations(in, groups), convWeights(weights, transposeAndFlip));
  Tensor const rows = convRows(out, groups);
  bool complete = true;
  auto const mapping = graph_.getTileMapping(out, &complete);
  if (!complete) {
    map(rows, ConvSide::OUTPUT, check);
    graph_.setTileMapping(out, mapping);
  }
  emit(check, in, weights, rows, transposeAndFlip, prog);
}

// Of pointwise weights: sums over batch and field are the depth of a product of channels.
POP_INLINE void ConvCall::emitPointwiseGradient(Tensor const &activations, Tensor const &zDeltas,
                                                ::poplin::ConvParams const &params,
                                                Tensor const &rows,
                                                ::poplar::program::Sequence &prog) {
  std::size_t const groups = params.numConvGroups;
  Tensor const in = pointwiseInputs(params, convActivations(activations, groups));
  MatMulJob job;
  job.where = where_;
  job.a = fieldMatrices(in, 1).dimShuffle({0, 2, 1});
  job.b = fieldMatrices(convActivations(zDeltas, groups), 1);
  job.out = rows.reshape({rows.dim(0), groups, rows.dim(rows.rank() - 1)}).dimShuffle({1, 0, 2});
  job.options = productOptions(options_), job.cache = cache_;
  emitMatMul(graph_, job, prog, debugContext_);
}

// The update's batch are the forward input channels and its input channels the forward batch; its
// kernel is the output's gradient.
POP_INLINE Tensor ConvCall::weightDeltas(Tensor const &zDeltas, Tensor const &activations,
                                         ::poplin::ConvParams const &params,
                                         ::poplar::program::Sequence &prog) {
  ConvCheck const forward = checkConv(where_, params, graph_.getTarget());
  checkConvTensor(where_, activations, "activations", params.inputType, forward.inShape(),
                  "[batch, input channels, ...field]");
  checkConvTensor(where_, zDeltas, "zDeltas", params.inputType, forward.outShape(),
                  "[batch, output channels, ...field]", &activations);
  ConvCheck const check =
      checkConv(where_, ::poplin::getWeightUpdateParams(params), graph_.getTarget());
  std::size_t const groups = params.numConvGroups;
  // [groups, N, ...field, C], where batch and channels change places
  auto const exchanged = [](Tensor const &t) {
    return t.dimRoll(t.rank() - 1, 1).dimRoll(2, t.rank() - 1);
  };
  Tensor const in = exchanged(convActivations(activations, groups));
  Tensor const kernel = exchanged(convActivations(zDeltas, groups));
  countMapping(check, in, kernel);
  Tensor const rows = variable(check, ConvSide::OUTPUT);
  if (check.isTrivial()) {
    if (!check.isEmpty())
      ::popops::zero(graph_, rows, prog, debugContext_);
  } else if (gradientIsProduct(graph_.getTarget(), forward, options_)) {
    emitPointwiseGradient(activations, zDeltas, forward.params, rows, prog);
  } else {
    ConvJob job;
    job.where = where_, job.check = check;
    job.in = in, job.weights = kernel;
    job.out = rows;
    job.options = options_, job.cache = cache_, job.steps = steps_;
    emitConv(graph_, job, prog, debugContext_);
  }
  // [I, ...kernel, groups, O] as [groups, O, I, ...kernel]
  unsigned const rank = rows.rank();
  std::vector<unsigned> order{rank - 2, rank - 1, 0};
  for (unsigned d = 1; d + 2 < rank; ++d)
    order.push_back(d);
  return rows.dimShuffle(order);
}

} // namespace cottonwood::poplin
