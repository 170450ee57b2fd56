#pragma once

#include <poplin/MultiConvolution.hpp>
#include <poplin/impl/ConvOptions.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <map>

namespace cottonwood::poplin::detail {

/// Checks the options of the whole, and those of its parts against one another.
template <class Args>
void checkMultiConv(char const *where, std::vector<Args> const &args,
                    ::poplar::OptionFlags const &options) {
  using ::poplibs::OptionHandler;
  std::string planType;
  unsigned reservedTiles = 0;
  double cycleBackOff = 0;
  std::map<std::string, std::string> const types{{"parallel", "parallel"}, {"serial", "serial"}};
  ::poplibs::OptionSpec const spec{
      {"planType", OptionHandler::createWithEnum(planType, types)},
      {"perConvReservedTiles", OptionHandler::createWithInteger(reservedTiles)},
      {"cycleBackOff", OptionHandler::createWithDouble(cycleBackOff, 0.0)}};
  for (auto const &option : options)
    spec.parse(option.first, option.second);
  for (std::size_t i = 0; i != args.size(); ++i)
    if (readConvOptions(args[i].options).insertTransformsCycleCountProgs !=
        readConvOptions(args[0].options).insertTransformsCycleCountProgs)
      base::fail<::poputil::poplibs_error>(
          where, "option insertTransformsCycleCountProgs of convolutions 0 and ", i,
          " differs; it must be the same for all");
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
  for (Args const &one : args)
    if (one.params.inputType != one.params.outputType)
      base::fail<::poputil::poplibs_error>(where, "the type of the input is ", one.params.inputType,
                                           ", that of the output ", one.params.outputType,
                                           "; they must be equal");
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::convolutionWeightUpdate");
  for (Args const &one : args)
    ::poplin::convolutionWeightUpdate(graph, one.zDeltas, one.weights, one.activations, one.params,
                                      one.scale, prog, {di}, one.options, cache);
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
  return poplin::createWeights(graph, one.params, one.name, one.options, cache);
}

POP_INLINE poplar::Tensor createInput(poplar::Graph &graph,
                                      std::vector<CreateTensorArgs> const &args,
                                      unsigned inputIndex, poplar::OptionFlags const &options,
                                      poplin::PlanningCache *cache) {
  using namespace cottonwood::poplin::detail;
  char const *const where = "poplin::multiconv::createInput";
  checkMultiConv(where, args, options);
  CreateTensorArgs const &one = multiConvAt(where, args, inputIndex);
  return poplin::createInput(graph, one.params, one.name, one.options, cache);
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
    args[i].weights = poplin::createWeights(graph, args[i].params, {di}, args[i].options, cache);
    poplin::weightsTransposeChansFlipXY(graph, weightsIn[i], args[i].weights, prog, {di},
                                        args[i].options);
  }
}

POP_INLINE std::vector<poplar::Tensor>
convolution(poplar::Graph &graph, std::vector<ConvolutionArgs> const &args,
            bool transposeAndFlipWeights, poplar::program::Sequence &prog,
            poplar::DebugContext const &debugContext, poplar::OptionFlags const &options,
            poplin::PlanningCache *cache) {
  cottonwood::poplin::detail::checkMultiConv("poplin::multiconv::convolution", args, options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::convolution");
  std::vector<poplar::Tensor> results;
  for (ConvolutionArgs const &one : args)
    results.push_back(poplin::convolution(graph, one.inputs, one.weights, one.params,
                                          transposeAndFlipWeights, prog, {di}, one.options, cache));
  return results;
}

POP_INLINE std::vector<poplar::Tensor>
calculateWeightDeltas(poplar::Graph &graph, std::vector<CalculateWeightDeltasArgs> const &args,
                      poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                      poplar::OptionFlags const &options, poplin::PlanningCache *cache) {
  cottonwood::poplin::detail::checkMultiConv("poplin::multiconv::calculateWeightDeltas", args,
                                             options);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "multiconv::calculateWeightDeltas");
  std::vector<poplar::Tensor> results;
  for (CalculateWeightDeltasArgs const &one : args)
    results.push_back(poplin::calculateWeightDeltas(graph, one.zDeltas, one.activations, one.params,
                                                    prog, {di}, one.options, cache));
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
