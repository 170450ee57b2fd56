#pragma once

#include <planners/poplin/MatMulTypes.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/exceptions.hpp>
#include <poplin/impl/PlanConstraints.hpp>

#include <poplar/impl/base/Error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <optional>

namespace cottonwood::poplin {

namespace detail {

/// Dimensions that the field of a convolution has at the most.
inline constexpr int MOST_FIELD_DIMS = 8;

/// The product of two splits.
POP_INLINE std::uint64_t splitTimes(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b)
    throw ::poplar::invalid_option(base::textOf("planConstraints: splits that are multiplied, by ",
                                                a, " and ", b, ", must stay below 2^64"));
  return a * b;
}

/// Fields of a plan and what they are forced to.
class PlanConstraintsReader {
public:
  void read(std::string const &text) {
    try {
      object(nlohmann::json::parse(text), "planConstraints",
             [this](std::string const &key, auto const &value) { topLevel(key, value); });
    } catch (nlohmann::json::exception const &error) {
      throw ::poplar::invalid_option(base::textOf("planConstraints: ", error.what()));
    }
  }

  /// Splits alone; serial ones, and those of further dimensions, count as others.
  std::map<std::string, std::uint64_t> const &splits() const { return splits_; }
  /// Of all splits and traits.
  std::string forTiles() const {
    std::string text;
    for (auto const &[key, value] : splits_)
      text += (text.empty() ? "" : ",") + key + "=" + std::to_string(value);
    for (auto const &[key, value] : traits_)
      text += (text.empty() ? "" : ",") + key + "=" + value;
    return text;
  }

private:
  using Json = nlohmann::json;

  template <class... A> [[noreturn]] static void fail(A const &...parts) {
    throw ::poplar::invalid_option(base::textOf("planConstraints: ", parts...));
  }
  [[noreturn]] static void unknown(std::string const &key, char const *in, char const *keys) {
    fail("'", key, "' is not a key of ", in, "; allowed: ", keys);
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

  static std::uint64_t count(std::string const &key, Json const &value) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0)
      fail("'", key, "' is ", value.dump(), "; it must be an integer from 1");
    return value.get<std::uint64_t>();
  }

  static bool flag(std::string const &key, Json const &value) {
    if (!value.is_boolean())
      fail("'", key, "' is ", value.dump(), "; it must be true or false");
    return value.get<bool>();
  }

  static Json const &list(std::string const &key, Json const &value) {
    if (!value.is_array())
      fail("'", key, "' is ", value.dump(), "; it must be a list of integers");
    return value;
  }

  static bool isOneOf(std::string const &key, std::initializer_list<char const *> keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }

  void topLevel(std::string const &key, Json const &value) {
    if (key == "method")
      object(value, "method", [this](std::string const &k, Json const &v) { method(k, v); });
    else if (isOneOf(key, {"convGroupsPerGroup", "inChansPerGroup", "partialChansPerGroup"}))
      traits_[key] = std::to_string(count(key, value));
    else if (isIndex(key))
      object(value, "a level", [this](std::string const &k, Json const &v) { level(k, v); });
    else
      unknown(
          key, "plan constraints",
          "method, convGroupsPerGroup, inChansPerGroup, partialChansPerGroup and levels, \"0\"");
  }

  void method(std::string const &key, Json const &value) {
    if (key == "useLimitedVersion") { // vertices have one version, which has no such limits
      flag(key, value);
      return;
    }
    if (isOneOf(key, {"convUnits", "convUnitChainsRequired", "windowWidth"})) {
      traits_[key == "convUnits"     ? key
              : key == "windowWidth" ? "window"
                                     : "chains"] = std::to_string(count(key, value));
      return;
    }
    if (key != "type")
      unknown(key, "a method",
              "type, convUnits, convUnitChainsRequired, windowWidth, useLimitedVersion");
    if (!value.is_string() ||
        !isOneOf(value.get<std::string>(), {"AMP", "SLIC", "HMAC", "VMAC", "OUTER_PRODUCT"}))
      fail("the type of a method is ", value.dump(),
           "; it must be AMP, SLIC, HMAC, VMAC or OUTER_PRODUCT");
    std::string type = value.get<std::string>();
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    traits_["unit"] = type;
  }

  void level(std::string const &key, Json const &value) {
    if (key == "transform")
      object(value, "transform", [this](std::string const &k, Json const &v) { transform(k, v); });
    else if (key == "partition")
      object(value, "partition", [this](std::string const &k, Json const &v) { partition(k, v); });
    else
      unknown(key, "a level", "transform, partition");
  }

  static std::uint64_t bitsOf(std::string const &key, Json const &value) {
    std::uint64_t bits = 0;
    for (Json const &dim : list(key, value)) {
      if (!dim.is_number_unsigned() || dim.get<std::uint64_t>() >= MOST_FIELD_DIMS)
        fail("'", key, "' has ", dim.dump(), "; dimensions of the field are 0 to ",
             MOST_FIELD_DIMS - 1);
      bits |= std::uint64_t{1} << dim.get<std::uint64_t>();
    }
    return bits;
  }

  void transform(std::string const &key, Json const &value) {
    if (key == "swapOperands") {
      std::string const swap = flag(key, value) ? "true" : "false";
      if (auto const [known, isNew] = traits_.emplace("swap", swap);
          !isNew && known->second != swap)
        fail("'swapOperands' differs between levels; plans have one level");
    } else if (key == "expandDims") {
      expand_ |= bitsOf(key, value);
      traits_["expand"] = std::to_string(expand_);
    } else if (key == "outChanFlattenDims") {
      flatten_ |= bitsOf(key, value);
      traits_["flatten"] = std::to_string(flatten_);
    } else if (key == "combineConvGroupsFactor") {
      std::string factors;
      for (Json const &factor : list(key, value))
        factors += (factors.empty() ? "" : "|") + std::to_string(count(key, factor));
      if (!factors.empty())
        traits_["combine"] = factors;
    } else {
      unknown(key, "a transform",
              "swapOperands, expandDims, outChanFlattenDims, combineConvGroupsFactor");
    }
  }

  void partition(std::string const &key, Json const &value) {
    if (key == "convGroupSplit")
      add("splitG", number(key, value));
    else if (key == "batchSplit")
      add("splitB", number(key, value));
    else if (key == "fieldSplit" || key == "kernelSplit")
      object(value, key.c_str(), [&](std::string const &dim, Json const &v) {
        if (dim.size() != 1 || dim[0] < '0' || dim[0] >= '0' + MOST_FIELD_DIMS)
          fail("'", dim, "' is not a key of ", key, "; dimensions of the field are \"0\" to \"",
               MOST_FIELD_DIMS - 1, "\"");
        add((key == "fieldSplit" ? "splitY" : "splitK") + dim, number(dim, v));
      });
    else if (key == "inChanSplit" || key == "outChanSplit")
      object(value, key.c_str(), [&](std::string const &k, Json const &v) {
        if (k != "parallel" && k != "serial")
          unknown(k, key.c_str(), "parallel, serial");
        std::string const channels = key == "inChanSplit" ? "I" : "N";
        add((k == "parallel" ? "split" : "serial") + channels, number(k, v));
      });
    else
      unknown(key, "a partition",
              "convGroupSplit, batchSplit, fieldSplit, kernelSplit, inChanSplit, outChanSplit");
  }

  /// Splits that no plan has may be 1.
  void add(std::string const &field, std::uint64_t value) {
    bool const known =
        isOneOf(field, {"splitG", "splitB", "splitY0", "splitY1", "splitY2", "splitN", "splitI",
                        "splitK0", "splitK1", "splitK2", "serialN", "serialI"});
    std::uint64_t &split = splits_.emplace(known ? field : "otherSplits", 1).first->second;
    split = splitTimes(split, value);
  }

  std::map<std::string, std::uint64_t> splits_;
  std::map<std::string, std::string> traits_; ///< and fields that are no splits
  std::uint64_t expand_ = 0, flatten_ = 0;
};

POP_INLINE void addConstraint(std::string &text, std::string const &key, std::uint64_t value) {
  text += (text.empty() ? "" : ",") + key + "=" + std::to_string(value);
}

/// {"splitM": 4, "splitN": 2}
POP_INLINE PlanConstraints readNamedSplits(::poplar::OptionFlags const &fields) {
  PlanConstraints result;
  for (auto const &field : fields)
    result.cpu += (result.cpu.empty() ? "" : ",") + field.first + "=" + field.second;
  auto const all = planner::Constraints::parse(result.cpu);
  all.check<planner::MatMulPlan>();
  result.tiles = "swap=false";
  for (auto const &[key, to] : {std::pair("splitG", "splitG"), std::pair("splitM", "splitY0"),
                                std::pair("splitN", "splitN"), std::pair("splitK", "splitI")})
    if (auto const value = all.value(key))
      result.tiles += std::string(",") + to + "=" + *value;
  return result;
}

} // namespace detail

POP_INLINE PlanConstraints readPlanConstraints(std::string const &json) {
  PlanConstraints result;
  if (json.empty())
    return result;
  detail::PlanConstraintsReader reader;
  reader.read(json);
  result.tiles = reader.forTiles();
  std::uint64_t others = 1;
  for (auto const &[key, value] : reader.splits())
    if (key == "serialN" || key == "serialI" || key == "splitY2" || key == "splitK1" ||
        key == "splitK2")
      others = detail::splitTimes(others, value);
    else if (key == "otherSplits")
      others = detail::splitTimes(others, value);
    else
      detail::addConstraint(result.cpu, key, value);
  if (others != 1)
    detail::addConstraint(result.cpu, "otherSplits", others);
  return result;
}

POP_INLINE PlanConstraints readMatMulConstraints(std::string const &json) {
  if (json.empty())
    return {};
  ::poplar::OptionFlags fields;
  bool named = true;
  try {
    auto const parsed = nlohmann::json::parse(json);
    for (auto const &[key, value] : parsed.items())
      named = named && !value.is_object();
    if (named && !parsed.contains("inChansPerGroup") && !parsed.contains("partialChansPerGroup") &&
        !parsed.contains("convGroupsPerGroup")) {
      ::poplar::readJSON(json, fields);
      return fields.size() == 0 ? PlanConstraints{} : detail::readNamedSplits(fields);
    }
  } catch (nlohmann::json::exception const &error) {
    throw ::poplar::invalid_option(base::textOf("planConstraints: ", error.what()));
  } catch (planner::PlanError const &error) {
    throw ::poplar::invalid_option(error.what());
  } catch (::poplar::poplar_error const &error) {
    throw ::poplar::invalid_option(error.what());
  }
  // Of a convolution of one dimension whose batch are rows: both are positions.
  detail::PlanConstraintsReader reader;
  reader.read(json);
  PlanConstraints result;
  std::optional<std::uint64_t> rows;
  for (auto const &[key, value] : reader.splits())
    if (key == "splitB" || key == "splitY0" || key == "splitY1")
      rows = detail::splitTimes(rows.value_or(1), value);
    else if (key == "splitG" || key == "splitN" || key == "splitI")
      detail::addConstraint(result.cpu, key == "splitI" ? "splitK" : key, value);
    else if (key != "serialN" && key != "serialI" && value != 1)
      throw ::poplar::invalid_option(base::textOf(
          "planConstraints: a product has no kernel and a field of one dimension; splits of others "
          "are by ",
          value, "; allowed: 1"));
  if (rows)
    detail::addConstraint(result.cpu, "splitM", *rows);
  result.tiles = reader.forTiles();
  if (rows) { // as positions, without those of the dimensions
    auto const all = planner::Constraints::parse(result.tiles);
    result.tiles = all.without({"splitB", "splitY0", "splitY1"}).toText();
    detail::addConstraint(result.tiles, "splitY0", *rows);
  }
  return result;
}

POP_INLINE std::string planConstraintsOf(planner::TilePlan const &plan, bool halfPartials) {
  planner::TileTraits const traits = traitsOf(plan, halfPartials);
  std::string type = traits.unit;
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  nlohmann::ordered_json json;
  json["method"]["type"] = type;
  if (traits.convUnits != 0)
    json["method"]["convUnits"] = traits.convUnits;
  if (traits.window != 0)
    json["method"]["convUnitChainsRequired"] = traits.chains,
    json["method"]["windowWidth"] = traits.window;
  json["convGroupsPerGroup"] = traits.convGroupsPerGroup;
  json["inChansPerGroup"] = traits.inChansPerGroup;
  json["partialChansPerGroup"] = traits.partialChansPerGroup;
  auto &transform = json["0"]["transform"];
  transform["swapOperands"] = plan.swap;
  for (auto const &[key, bits] :
       {std::pair("expandDims", plan.expand), std::pair("outChanFlattenDims", plan.flatten)}) {
    transform[key] = nlohmann::ordered_json::array();
    for (unsigned d = 0; d != 3; ++d)
      if (bits >> d & 1U)
        transform[key].push_back(d);
  }
  transform["combineConvGroupsFactor"] = {traits.combine};
  auto &partition = json["0"]["partition"];
  partition["convGroupSplit"] = plan.splitG;
  partition["batchSplit"] = plan.splitB;
  partition["fieldSplit"] = {{"0", plan.splitY0}, {"1", plan.splitY1}, {"2", plan.splitY2}};
  partition["kernelSplit"] = {{"0", plan.splitK0}, {"1", plan.splitK1}, {"2", plan.splitK2}};
  partition["inChanSplit"] = {{"parallel", plan.splitI}, {"serial", plan.serialI}};
  partition["outChanSplit"] = {{"parallel", plan.splitN}, {"serial", plan.serialN}};
  return json.dump(2) + "\n";
}

} // namespace cottonwood::poplin
