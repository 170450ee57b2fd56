#pragma once

#include <popops/impl/SliceOptions.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <map>

namespace cottonwood::popops {

namespace detail {

/// {"slicedDimSplit": 4} becomes "slicedDimSplit=4".
POP_INLINE std::string sliceConstraints(char const *where, ::poplar::StringRef value) {
  ::poplar::OptionFlags fields;
  try {
    ::poplar::readJSON(value, fields);
  } catch (::poplar::parse_error const &error) {
    throw ::poplar::invalid_option(error.what());
  }
  std::string text;
  planner::SlicePlan plan;
  for (auto const &field : fields) {
    if (!planner::hasKey<planner::SlicePlan>(field.first))
      base::fail<::poputil::poplibs_error>(where, "option 'planConstraints': unknown constraint '",
                                           field.first,
                                           "'; known: ", planner::planKeys<planner::SlicePlan>());
    try {
      planner::setField(plan, field.first, field.second);
    } catch (planner::PlanError const &error) {
      throw ::poplar::invalid_option(error.what());
    }
    bool const isSplit = field.first.ends_with("Split") || field.first == "unslicedGrainSize";
    if (isSplit && field.second == "0")
      throw ::poplar::invalid_option("'" + field.first + "' is 0; allowed: an integer from 1");
    text += (text.empty() ? "" : ",") + field.first + "=" + field.second;
  }
  return text;
}

} // namespace detail

POP_INLINE SliceOptions readSliceOptions(char const *where, ::poplar::OptionFlags const &options) {
  SliceOptions result;
  result.function = where;
  if (options.size() == 0)
    return result;
  using planner::SliceUpdate;
  using ::poplibs::OptionHandler;
  std::map<std::string, SliceUpdate> const operations{{"none", SliceUpdate::NONE},
                                                      {"add", SliceUpdate::ADD},
                                                      {"max", SliceUpdate::MAX},
                                                      {"mul", SliceUpdate::MUL}};
  std::map<std::string, SlicePartials> const partials{{"none", SlicePartials::NONE},
                                                      {"half", SlicePartials::HALF},
                                                      {"float", SlicePartials::FLOAT}};
  std::map<std::string, IndicesDistribution> const distributions{
      {"uniform", IndicesDistribution::UNIFORM}, {"onePoint", IndicesDistribution::ONE_POINT}};
  ::poplibs::OptionSpec const spec{
      {"usedForSlice", OptionHandler::createWithBool(result.usedForSlice)},
      {"usedForUpdate", OptionHandler::createWithBool(result.usedForUpdate)},
      {"operationForUpdate", OptionHandler::createWithEnum(result.operation, operations)},
      {"partialType", OptionHandler::createWithEnum(result.partials, partials)},
      {"availableMemoryProportion",
       poputil::numberOption(result.memoryProportion, 0.0, false, 1.0)},
      {"indicesDistribution", OptionHandler::createWithEnum(result.distribution, distributions)},
      {"indicesAreSorted", OptionHandler::createWithBool(result.sorted)},
      {"validateIndices", OptionHandler::createWithBool(result.validate)},
      {"remapOutOfBoundIndices", OptionHandler::createWithBool(result.remap)},
      {"paddingIndexUsed", OptionHandler::createWithBool(result.padding)},
      {"planConstraints", OptionHandler([&result, where](::poplar::StringRef value) {
         result.constraints = detail::sliceConstraints(where, value);
       })},
      {"internal.alwaysIncludeBaseRearrangementCost",
       OptionHandler::createWithBool(result.includeRearrangement)}};
  poputil::readOptions(where, spec, options);
  return result;
}

} // namespace cottonwood::popops
