#pragma once

#include <poplin/impl/MatMulOptions.hpp>
#include <poputil/OptionParsing.hpp>

#include <poplar/exceptions.hpp>

#include <map>

namespace cottonwood::poplin {

namespace detail {

/// {"splitM": 4, "splitN": 2} becomes "splitM=4,splitN=2".
POP_INLINE std::string constraintsFromJson(std::string const &json) {
  if (json.empty())
    return {};
  ::poplar::OptionFlags fields;
  std::string text;
  try {
    ::poplar::readJSON(json, fields);
    for (auto const &field : fields)
      text += (text.empty() ? "" : ",") + field.first + "=" + field.second;
    planner::Constraints::parse(text).check<planner::MatMulPlan>();
  } catch (planner::PlanError const &error) {
    throw ::poplar::invalid_option(error.what());
  } catch (::poplar::poplar_error const &error) {
    throw ::poplar::invalid_option(error.what());
  }
  return text;
}

} // namespace detail

POP_INLINE MatMulOptions readMatMulOptions(::poplar::OptionFlags const &options) {
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
      {"availableMemoryProportion", OptionHandler::createWithDouble(result.memoryProportion, 0.0)},
      {"partialsType", OptionHandler::createWithEnum(result.partials, types)},
      {"planConstraints", OptionHandler([&result](::poplar::StringRef value) {
         result.constraints = detail::constraintsFromJson(value);
       })},
      {"fullyConnectedPass", OptionHandler::createWithEnum(result.fullyConnectedPass, passes)},
      {"planning", OptionHandler::createWithEnum(result.measure, planning)},
      {"inputRHSIsPreArranged", OptionHandler::createWithBool(result.inputRHSIsPreArranged)},
      {"use128BitConvUnitLoad", OptionHandler::createWithBool(result.use128BitConvUnitLoad)},
      {"enableMultiStageReduce", OptionHandler::createWithBool(result.enableMultiStageReduce)},
      {"enableFastReduce", OptionHandler::createWithBool(result.enableFastReduce)},
      {"remapOutputTensor", OptionHandler::createWithBool(result.remapOutputTensor)},
      {"gatherOutput", OptionHandler::createWithBool(result.gatherOutput)},
      {"disableSRForAMPVertices", OptionHandler::createWithBool(result.disableSRForAMPVertices)}};
  for (auto const &option : options)
    spec.parse(option.first, option.second);
  return result;
}

} // namespace cottonwood::poplin
