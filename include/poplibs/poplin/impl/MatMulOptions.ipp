#pragma once

#include <poplin/impl/MatMulOptions.hpp>
#include <poplin/impl/PlanConstraints.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <map>

namespace cottonwood::poplin {

POP_INLINE MatMulOptions readMatMulOptions(char const *where,
                                           ::poplar::OptionFlags const &options) {
  MatMulOptions result;
  if (options.size() == 0)
    return result;
  using ::poplibs::OptionHandler;
  std::map<std::string, std::string> passes;
  for (char const *pass : {"NONE", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU"})
    passes.emplace(pass, pass);
  std::map<std::string, planner::MatMulType> const types{{"float", planner::MatMulType::FLOAT},
                                                         {"half", planner::MatMulType::HALF}};
  std::map<std::string, bool> const planning{{"estimate", false}, {"measure", true}};
  ::poplibs::OptionSpec const spec{
      {"availableMemoryProportion", poputil::numberOption(result.memoryProportion, 0.0)},
      {"partialsType", OptionHandler::createWithEnum(result.partials, types)},
      {"planConstraints", OptionHandler([&result](::poplar::StringRef value) {
         PlanConstraints const constraints = readMatMulConstraints(value);
         result.constraints = constraints.cpu, result.tileConstraints = constraints.tiles;
       })},
      {"fullyConnectedPass", OptionHandler::createWithEnum(result.fullyConnectedPass, passes)},
      {"planning", OptionHandler::createWithEnum(result.measure, planning)},
      {"inputRHSIsPreArranged", OptionHandler::createWithBool(result.inputRHSIsPreArranged)},
      {"use128BitConvUnitLoad", OptionHandler::createWithBool(result.use128BitConvUnitLoad)},
      {"enableMultiStageReduce", OptionHandler::createWithBool(result.enableMultiStageReduce)},
      {"useOperandMapping", OptionHandler::createWithBool(result.useOperandMapping)},
      {"enableFastReduce", OptionHandler::createWithBool(result.enableFastReduce)},
      {"remapOutputTensor", OptionHandler::createWithBool(result.remapOutputTensor)},
      {"gatherOutput", OptionHandler::createWithBool(result.gatherOutput)},
      {"disableSRForAMPVertices", OptionHandler::createWithBool(result.disableSRForAMPVertices)}};
  poputil::readOptions(where, spec, options);
  return result;
}

} // namespace cottonwood::poplin
