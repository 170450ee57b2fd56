#pragma once

#include <poplin/impl/ConvOptions.hpp>
#include <poputil/OptionParsing.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>

namespace cottonwood::poplin {

namespace detail {

/// Plan constraints as text: the partition becomes fields of a plan; what our plans do not have
/// (methods, transforms, groups of channels) is checked and left out.
class ConvConstraintsReader {
public:
  std::string read(std::string const &text) {
    if (text.empty())
      return {};
    try {
      object(nlohmann::json::parse(text), "planConstraints",
             [this](std::string const &key, auto const &value) { topLevel(key, value); });
    } catch (nlohmann::json::exception const &error) {
      throw ::poplar::invalid_option(base::textOf("planConstraints: ", error.what()));
    }
    std::string fields;
    for (auto const &[field, value] : splits_)
      fields += (fields.empty() ? "" : ",") + field + "=" + std::to_string(value);
    return fields;
  }

private:
  using Json = nlohmann::json;

  template <class... A> [[noreturn]] static void fail(A const &...parts) {
    throw ::poplar::invalid_option(base::textOf("planConstraints: ", parts...));
  }
  [[noreturn]] static void unknown(std::string const &key, char const *in) {
    fail("'", key, "' is not a key of ", in);
  }

  template <class F> static void object(Json const &value, char const *name, F const &f) {
    if (!value.is_object())
      fail("'", name, "' is ", value.dump(), "; it must be an object");
    for (auto const &[key, member] : value.items())
      f(key, member);
  }

  static bool isIndex(std::string const &key) {
    return !key.empty() && std::all_of(key.begin(), key.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
  }

  static std::uint64_t number(std::string const &key, Json const &value) {
    if (!value.is_number_unsigned())
      fail("'", key, "' is ", value.dump(), "; it must be an integer from 0");
    return value.get<std::uint64_t>();
  }

  static void flag(std::string const &key, Json const &value) {
    if (!value.is_boolean())
      fail("'", key, "' is ", value.dump(), "; it must be true or false");
  }

  static void numbers(std::string const &key, Json const &value) {
    if (!value.is_array())
      fail("'", key, "' is ", value.dump(), "; it must be a list of integers from 0");
    for (Json const &element : value)
      number(key, element);
  }

  static bool isOneOf(std::string const &key, std::initializer_list<char const *> keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }

  void topLevel(std::string const &key, Json const &value) {
    if (key == "method")
      object(value, "method", [](std::string const &k, Json const &v) { method(k, v); });
    else if (isOneOf(key, {"convGroupsPerGroup", "inChansPerGroup", "partialChansPerGroup"}))
      number(key, value);
    else if (isIndex(key))
      object(value, "a level", [this](std::string const &k, Json const &v) { level(k, v); });
    else
      unknown(key, "plan constraints");
  }

  static void method(std::string const &key, Json const &value) {
    if (key == "useLimitedVersion")
      return flag(key, value);
    if (isOneOf(key, {"convUnits", "convUnitChainsRequired", "windowWidth"})) {
      number(key, value);
      return;
    }
    if (key != "type")
      unknown(key, "a method");
    if (!value.is_string() ||
        !isOneOf(value.get<std::string>(), {"AMP", "SLIC", "HMAC", "VMAC", "OUTER_PRODUCT"}))
      fail("the type of a method is ", value.dump(),
           "; it must be AMP, SLIC, HMAC, VMAC or OUTER_PRODUCT");
  }

  void level(std::string const &key, Json const &value) {
    if (key == "transform")
      object(value, "transform", [](std::string const &k, Json const &v) {
        if (k == "swapOperands")
          flag(k, v);
        else if (isOneOf(k, {"expandDims", "outChanFlattenDims", "combineConvGroupsFactor"}))
          numbers(k, v);
        else
          unknown(k, "a transform");
      });
    else if (key == "partition")
      object(value, "partition", [this](std::string const &k, Json const &v) { partition(k, v); });
    else
      unknown(key, "a level");
  }

  void partition(std::string const &key, Json const &value) {
    if (key == "convGroupSplit")
      add("splitG", number(key, value));
    else if (key == "batchSplit")
      add("splitB", number(key, value));
    else if (key == "fieldSplit" || key == "kernelSplit")
      object(value, key.c_str(), [&](std::string const &dim, Json const &v) {
        if (!isIndex(dim))
          unknown(dim, key.c_str());
        add((key == "fieldSplit" ? "splitY" : "splitK") + dim, number(dim, v));
      });
    else if (key == "inChanSplit" || key == "outChanSplit")
      object(value, key.c_str(), [&](std::string const &k, Json const &v) {
        if (k == "parallel")
          add(key == "inChanSplit" ? "splitI" : "splitN", number(k, v));
        else if (k == "serial")
          add("serial", number(k, v));
        else
          unknown(k, key.c_str());
      });
    else
      unknown(key, "a partition");
  }

  /// Our plans have one level: a split of it is the product of those of all levels. Splits that no
  /// plan has may be 1.
  void add(std::string const &field, std::uint64_t value) {
    bool const known =
        isOneOf(field, {"splitG", "splitB", "splitY0", "splitY1", "splitN", "splitI", "splitK0"});
    std::uint64_t &split = splits_.emplace(known ? field : "otherSplits", 1).first->second;
    split *= value;
  }

  std::map<std::string, std::uint64_t> splits_;
};

POP_INLINE std::map<std::string, std::string> convPasses() {
  std::map<std::string, std::string> passes;
  for (char const *pass :
       {"NONE", "NONE_MATMUL", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU",
        "FC_INFERENCE_FWD", "FC_TRAINING_FWD", "FC_TRAINING_BWD", "FC_TRAINING_WU"})
    passes.emplace(pass, pass);
  return passes;
}

} // namespace detail

POP_INLINE ConvOptions readConvOptions(::poplar::OptionFlags const &options) {
  ConvOptions result;
  if (options.size() == 0)
    return result;
  using ::poplibs::OptionHandler;
  std::map<std::string, planner::MatMulType> const types{{"float", planner::MatMulType::FLOAT},
                                                         {"half", planner::MatMulType::HALF}};
  ::poplibs::OptionSpec const spec{
      {"availableMemoryProportion", OptionHandler::createWithDouble(result.memoryProportion, 0.0)},
      {"pass", OptionHandler::createWithEnum(result.pass, detail::convPasses())},
      {"partialsType", OptionHandler::createWithEnum(result.partials, types)},
      {"partialsType.interTile", OptionHandler::createWithEnum(result.interTile, types)},
      {"partialsType.interIPU", OptionHandler::createWithEnum(result.interIPU, types)},
      {"planConstraints", OptionHandler([&result](::poplar::StringRef value) {
         result.constraints = detail::ConvConstraintsReader().read(value);
       })},
      {"winograd",
       OptionHandler::createWithEnum(
           result.winograd, std::map<std::string, unsigned>{{"none", 0}, {"2x2", 2}, {"4x4", 4}})},
      {"planConstraintsOutputFilename", OptionHandler([&result](::poplar::StringRef value) {
         result.constraintsOutputFilename = value;
       })},
      {"use128BitConvUnitLoad", OptionHandler::createWithBool(result.use128BitConvUnitLoad)},
      {"enableMultiStageReduce", OptionHandler::createWithBool(result.enableMultiStageReduce)},
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
  for (auto const &option : options)
    spec.parse(option.first, option.second);
  for (auto const &option : options)
    if (option.first == "partialsType.interTile")
      return result;
  result.interTile = result.partials;
  return result;
}

} // namespace cottonwood::poplin
