#pragma once

#include <poplin/impl/ConvOptions.hpp>
#include <poplin/impl/PlanConstraints.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <map>

namespace cottonwood::poplin {

namespace detail {

POP_INLINE std::map<std::string, std::string> convPasses() {
  std::map<std::string, std::string> passes;
  for (char const *pass :
       {"NONE", "NONE_MATMUL", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU",
        "FC_INFERENCE_FWD", "FC_TRAINING_FWD", "FC_TRAINING_BWD", "FC_TRAINING_WU"})
    passes.emplace(pass, pass);
  return passes;
}

} // namespace detail

POP_INLINE ConvOptions readConvOptions(char const *where, ::poplar::OptionFlags const &options) {
  ConvOptions result;
  if (options.size() == 0)
    return result;
  using ::poplibs::OptionHandler;
  std::map<std::string, planner::MatMulType> const types{{"float", planner::MatMulType::FLOAT},
                                                         {"half", planner::MatMulType::HALF}};
  ::poplibs::OptionSpec const spec{
      {"availableMemoryProportion", poputil::numberOption(result.memoryProportion, 0.0)},
      {"pass", OptionHandler::createWithEnum(result.pass, detail::convPasses())},
      {"partialsType", OptionHandler::createWithEnum(result.partials, types)},
      {"partialsType.interTile", OptionHandler::createWithEnum(result.interTile, types)},
      {"partialsType.interIPU", OptionHandler::createWithEnum(result.interIPU, types)},
      {"planConstraints", OptionHandler([&result](::poplar::StringRef value) {
         PlanConstraints const constraints = readPlanConstraints(value);
         result.constraints = constraints.cpu, result.tileConstraints = constraints.tiles;
       })},
      {"planning",
       OptionHandler::createWithEnum(
           result.measure, std::map<std::string, bool>{{"estimate", false}, {"measure", true}})},
      {"winograd",
       OptionHandler::createWithEnum(
           result.winograd, std::map<std::string, unsigned>{{"none", 0}, {"2x2", 2}, {"4x4", 4}})},
      {"planConstraintsOutputFilename", OptionHandler([&result](::poplar::StringRef value) {
         result.constraintsOutputFilename = value;
       })},
      {"use128BitConvUnitLoad", OptionHandler::createWithBool(result.use128BitConvUnitLoad)},
      {"enableMultiStageReduce", OptionHandler::createWithBool(result.enableMultiStageReduce)},
      {"useOperandMapping", OptionHandler::createWithBool(result.useOperandMapping)},
      {"enableFastReduce", OptionHandler::createWithBool(result.enableFastReduce)},
      {"remapOutputTensor", OptionHandler::createWithBool(result.remapOutputTensor)},
      {"enableConvDithering", OptionHandler::createWithBool(result.enableConvDithering)},
      {"disableTransformations", OptionHandler::createWithBool(result.disableTransformations)},
      {"insertTransformsCycleCountProgs",
       OptionHandler::createWithBool(result.insertTransformsCycleCountProgs)},
      {"experimental.convTransformsEstimates",
       OptionHandler::createWithBool(result.convTransformsEstimates)},
      {"gatherConvOutput", OptionHandler::createWithBool(result.gatherConvOutput)},
      {"experimental.slicVmac16", OptionHandler::createWithBool(result.slicVmac16)},
      {"disableSRForAMPVertices", OptionHandler::createWithBool(result.disableSRForAMPVertices)},
      {"enableTileLevelExpandDims",
       OptionHandler::createWithBool(result.enableTileLevelExpandDims)}};
  poputil::readOptions(where, spec, options);
  for (auto const &option : options)
    if (option.first == "partialsType.interTile")
      return result;
  result.interTile = result.partials;
  return result;
}

} // namespace cottonwood::poplin
