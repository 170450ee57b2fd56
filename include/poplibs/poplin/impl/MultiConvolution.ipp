#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/impl/ConvOptions.hpp>
#include <poplin/impl/ConvWeights.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <map>

namespace cottonwood::poplin::detail {

/// The options of the whole.
struct MultiConvOptions {
  bool parallel = true;
  planner::SideBySideOptions tiles;
};

/// Checks the options of the whole, and those of its parts against one another.
template <class Args>
MultiConvOptions checkMultiConv(char const *where, std::vector<Args> const &args,
                                ::poplar::OptionFlags const &options) {
  using ::poplibs::OptionHandler;
  MultiConvOptions result;
  unsigned reservedTiles = 50;
  std::map<std::string, bool> const types{{"parallel", true}, {"serial", false}};
  ::poplibs::OptionSpec const spec{
      {"planType", OptionHandler::createWithEnum(result.parallel, types)},
      {"perConvReservedTiles", OptionHandler::createWithInteger(reservedTiles)},
      {"cycleBackOff", poputil::numberOption(result.tiles.backOff, 0.0)}};
  poputil::readOptions(where, spec, options);
  for (std::size_t i = 0; i != args.size(); ++i)
    if (readConvOptions(where, args[i].options).insertTransformsCycleCountProgs !=
        readConvOptions(where, args[0].options).insertTransformsCycleCountProgs)
      base::fail<::poputil::poplibs_error>(
          where, "option insertTransformsCycleCountProgs of convolutions 0 and ", i,
          " differs; it must be the same for all");
  result.tiles.reservedTiles = reservedTiles;
  return result;
}

/// Several convolutions on tiles: their plans side by side, if that pays.
class MultiConv {
public:
  /// \param params  params(args): of the convolution that is run
  template <class Args, class Params>
  MultiConv(char const *where, ::poplar::Graph &graph, ::poplar::DebugContext const &debugContext,
            std::vector<Args> const &args, ::poplar::OptionFlags const &options,
            ::poplin::PlanningCache *cache, Params const &params)
      : where_(where), graph_(graph), debugContext_(debugContext), steps_(graph, debugContext),
        cache_(cache) {
    MultiConvOptions const read = checkMultiConv(where, args, options);
    if (!read.parallel || args.size() < 2 || plansForCpu(graph.getTarget()))
      return;
    std::vector<std::pair<ConvCheck, ConvOptions>> convs;
    for (Args const &one : args)
      convs.emplace_back(checkConv(where, params(one), graph.getTarget()),
                         readConvOptions(where, one.options));
    for (auto const &conv : convs)
      checks_.push_back(conv.first);
    choices_ = planConvGroup(where, graph.getTarget(), convs, read.tiles, cache);
  }

  bool isParallel() const { return !choices_.empty(); }

  /// f(call) with a call that runs convolution `index`.
  template <class Args, class F> Tensor call(std::size_t index, Args const &one, F const &f) {
    ConvCall call(where_, graph_, debugContext_, one.options, cache_);
    if (isParallel())
      call.sideBySide(checks_[index], choices_[index], &steps_);
    return f(call);
  }
  /// Runs them all, if they are side by side.
  void addTo(::poplar::program::Sequence &prog) const {
    if (isParallel())
      steps_.addTo(prog);
  }

private:
  char const *where_;
  ::poplar::Graph &graph_;
  ::poplar::DebugContext const &debugContext_;
  TileSteps steps_;
  ::poplin::PlanningCache *cache_;
  std::vector<ConvCheck> checks_;
  std::vector<planner::TileChoice> choices_;
};

/// A variable for one side of args[index] of a forward convolution.
template <class Args>
Tensor createForMultiConv(char const *where, ::poplar::Graph &graph, std::vector<Args> const &args,
                          std::size_t index, ConvSide side,
                          ::poplar::DebugContext const &debugContext,
                          ::poplar::OptionFlags const &options, ::poplin::PlanningCache *cache) {
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::create");
  ::poplar::DebugContext const context(di);
  MultiConv multi(where, graph, context, args, options, cache,
                  [](Args const &one) { return one.params; });
  return multi.call(index, args[index],
                    [&](ConvCall &call) { return call.create(args[index].params, side); });
}

template <class Args>
Args const &multiConvAt(char const *where, std::vector<Args> const &args, unsigned index) {
  if (index >= args.size())
    base::fail<::poputil::poplibs_error>(where, "there is no convolution ", index, " among ",
                                         args.size());
  return args[index];
}

template <class Args>
void updateMultiConv(::poplar::Graph &graph, std::vector<Args> const &args,
                     ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext,
                     ::poplar::OptionFlags const &options, ::poplin::PlanningCache *cache) {
  char const *const where = "poplin::multiconv::convolutionWeightUpdate";
  checkMultiConv(where, args, options);
  for (Args const &one : args) {
    if (one.params.inputType != one.params.outputType)
      base::fail<::poputil::poplibs_error>(where, "the type of the input is ", one.params.inputType,
                                           ", that of the output ", one.params.outputType,
                                           "; they must be equal");
    checkConvScale(where, one.scale);
  }
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::convolutionWeightUpdate");
  ::poplar::DebugContext const context(di);
  MultiConv multi(where, graph, context, args, options, cache,
                  [](Args const &one) { return ::poplin::getWeightUpdateParams(one.params); });
  if (!multi.isParallel()) {
    for (Args const &one : args)
      updateConvWeights(where, graph, one.zDeltas, one.weights, one.activations, one.params,
                        one.scale, prog, {di}, one.options, cache);
    return;
  }
  std::vector<Tensor> deltas;
  for (std::size_t i = 0; i != args.size(); ++i) {
    ConvCheck const check = checkConv(where, args[i].params, graph.getTarget());
    checkConvTensor(where, args[i].weights, "weights", args[i].params.inputType,
                    check.weightsShape(false),
                    "[groups, output channels, input channels, ...kernel]", &args[i].activations);
    checkWritten(where, args[i].weights, "weights");
    deltas.push_back(multi.call(i, args[i], [&](ConvCall &call) {
      return call.weightDeltas(args[i].zDeltas, args[i].activations, args[i].params, prog);
    }));
  }
  multi.addTo(prog);
  for (std::size_t i = 0; i != args.size(); ++i)
    ::popops::scaledAddTo(graph, args[i].weights, deltas[i], args[i].scale, prog,
                          {context, "update"});
}

} // namespace cottonwood::poplin::detail

namespace poplin {
namespace multiconv {

POP_INLINE poplar::Tensor createWeights(poplar::Graph &graph,
                                        std::vector<CreateTensorArgs> const &args,
                                        unsigned weightsIndex, poplar::OptionFlags const &options,
                                        poplin::PlanningCache *cache) {
  using namespace cottonwood::poplin::detail;
  char const *const where = "poplin::multiconv::createWeights";
  checkMultiConv(where, args, options);
  CreateTensorArgs const &one = multiConvAt(where, args, weightsIndex);
  return createForMultiConv(where, graph, args, weightsIndex, cottonwood::poplin::ConvSide::WEIGHTS,
                            one.name, options, cache);
}

POP_INLINE poplar::Tensor createInput(poplar::Graph &graph,
                                      std::vector<CreateTensorArgs> const &args,
                                      unsigned inputIndex, poplar::OptionFlags const &options,
                                      poplin::PlanningCache *cache) {
  using namespace cottonwood::poplin::detail;
  char const *const where = "poplin::multiconv::createInput";
  checkMultiConv(where, args, options);
  CreateTensorArgs const &one = multiConvAt(where, args, inputIndex);
  return createForMultiConv(where, graph, args, inputIndex, cottonwood::poplin::ConvSide::INPUT,
                            one.name, options, cache);
}

POP_INLINE void weightsTransposeChansFlipXY(poplar::Graph &graph,
                                            std::vector<ConvolutionArgs> &args,
                                            std::vector<poplar::Tensor> const &weightsIn,
                                            poplar::program::Sequence &prog,
                                            poplar::OptionFlags const &options,
                                            poplar::DebugContext const &debugContext,
                                            poplin::PlanningCache *cache) {
  using namespace cottonwood::poplin::detail;
  char const *const where = "poplin::multiconv::weightsTransposeChansFlipXY";
  checkMultiConv(where, args, options);
  if (weightsIn.size() != args.size())
    cottonwood::base::fail<poputil::poplibs_error>(where, "'weightsIn' has ", weightsIn.size(),
                                                   " tensors, 'args' ", args.size(),
                                                   " convolutions; they must be as many");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::weightsTransposeChansFlipXY");
  for (std::size_t i = 0; i != args.size(); ++i) {
    args[i].weights =
        createForMultiConv(where, graph, args, i, cottonwood::poplin::ConvSide::WEIGHTS,
                           poplar::DebugContext(di), options, cache);
    flipConvWeights(where, graph, weightsIn[i], args[i].weights, prog, {di}, args[i].options);
  }
}

POP_INLINE std::vector<poplar::Tensor>
convolution(poplar::Graph &graph, std::vector<ConvolutionArgs> const &args,
            bool transposeAndFlipWeights, poplar::program::Sequence &prog,
            poplar::DebugContext const &debugContext, poplar::OptionFlags const &options,
            poplin::PlanningCache *cache) {
  using cottonwood::poplin::ConvCall;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::convolution");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MultiConv multi(
      "poplin::multiconv::convolution", graph, context, args, options, cache,
      [](ConvolutionArgs const &one) { return one.params; });
  std::vector<poplar::Tensor> results;
  for (std::size_t i = 0; i != args.size(); ++i)
    results.push_back(multi.call(i, args[i], [&](ConvCall &call) {
      return call.run(args[i].inputs, args[i].weights, args[i].params, transposeAndFlipWeights,
                      prog);
    }));
  multi.addTo(prog);
  return results;
}

POP_INLINE std::vector<poplar::Tensor>
calculateWeightDeltas(poplar::Graph &graph, std::vector<CalculateWeightDeltasArgs> const &args,
                      poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                      poplar::OptionFlags const &options, poplin::PlanningCache *cache) {
  using cottonwood::poplin::ConvCall;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::calculateWeightDeltas");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MultiConv multi(
      "poplin::multiconv::calculateWeightDeltas", graph, context, args, options, cache,
      [](CalculateWeightDeltasArgs const &one) { return getWeightUpdateParams(one.params); });
  std::vector<poplar::Tensor> results;
  for (std::size_t i = 0; i != args.size(); ++i)
    results.push_back(multi.call(i, args[i], [&](ConvCall &call) {
      return call.weightDeltas(args[i].zDeltas, args[i].activations, args[i].params, prog);
    }));
  multi.addTo(prog);
  return results;
}

POP_INLINE void
convolutionWeightUpdate(poplar::Graph &graph, std::vector<ConvWeightUpdateArgs> const &args,
                        poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &options, poplin::PlanningCache *cache) {
  cottonwood::poplin::detail::updateMultiConv(graph, args, prog, debugContext, options, cache);
}

POP_INLINE void
convolutionWeightUpdate(poplar::Graph &graph, std::vector<ConvWeightUpdateArgsScalar> const &args,
                        poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &options, poplin::PlanningCache *cache) {
  cottonwood::poplin::detail::updateMultiConv(graph, args, prog, debugContext, options, cache);
}

} // namespace multiconv
} // namespace poplin
