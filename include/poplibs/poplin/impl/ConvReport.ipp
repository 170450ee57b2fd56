#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/TilePlanning.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

#include <nlohmann/json.hpp>

#include <istream>
#include <ostream>

namespace cottonwood::poplin::detail {

template <class Problem, class Choice>
void writeReport(std::ostream &out, Problem const &problem, Choice const &choice, bool onCpu) {
  out << "problem: " << toText(problem) << "\nplan: " << planText(choice, onCpu)
      << "\nestimate: " << static_cast<std::uint64_t>(choice.cost.cycles) << " cycles, "
      << choice.cost.temporaryBytes << " bytes of temporaries\ncandidates:\n"
      << choice.explanation;
}

POP_INLINE void reportProduct(std::ostream &out, char const *where, ::poplar::Target const &target,
                              planner::MatMulProblem problem, ConvOptions const &options,
                              ::poplin::PlanningCache *cache) {
  MatMulOptions const product = productOptions(options);
  problem.partials = partialsFor(problem, product);
  writeReport(out, problem, planMatMul(where, target, problem, product, cache), true);
}

POP_INLINE void reportConvPlan(std::ostream &out, char const *where, ::poplar::Graph const &graph,
                               ::poplin::ConvParams const &params, ConvOptions const &options,
                               ::poplin::PlanningCache *cache) {
  ConvCheck const check = checkConv(where, params, graph.getTarget());
  if (check.isTrivial()) {
    out << "nothing to multiply: " << toText(check.problem) << "\n";
    return;
  }
  bool const shares = sharesVectors(graph.getTarget(), check, options);
  if (!shares && isProduct(graph.getTarget(), check, options))
    return reportProduct(out, where, graph.getTarget(), pointwiseProduct(check), options, cache);
  auto const choice = planConv(where, graph.getTarget(), check, options, cache);
  writeReport(out, convProblem(check, options), choice, plansForCpu(graph.getTarget()));
  if (shares && usesVectors(choice.plan))
    out << "kernel: groups of few channels (poplin::ConvGroups), or fields that lie side by side "
           "are maps (poplin::ConvMaps)\n";
}

POP_INLINE ::poplin::internal::DetailedPlanCosts
planCosts(char const *where, ::poplar::Graph const &graph, ::poplin::ConvParams const &params,
          ::poplar::OptionFlags const &options, ::poplin::PlanningCache *cache) {
  ::poplin::internal::DetailedPlanCosts costs;
  ConvCheck const check = checkConv(where, params, graph.getTarget());
  ConvOptions const convOptions = readConvOptions(where, options);
  if (check.isTrivial())
    return costs;
  auto const choice = planConv(where, graph.getTarget(), check, convOptions, cache);
  bool const onCpu = plansForCpu(graph.getTarget());
  costs.parallelSplit = onCpu ? choice.plan.parts() : choice.tiles.plan.parts();
  costs.serialSplit = onCpu ? 1 : choice.tiles.plan.serialParts();
  auto const cycles = [](double value) { return static_cast<std::size_t>(value); };
  costs.total = {cycles(choice.cost.cycles), choice.cost.temporaryBytes};
  costs.compute = costs.total;
  if (onCpu)
    return costs;
  costs.exchange.cycles = choice.tiles.terms.exchange;
  costs.compute.cycles = choice.tiles.terms.compute;
  costs.reduction.cycles = choice.tiles.terms.reduction;
  return costs;
}

/// f(name, value) for every cost, in the order of the members.
template <class Costs, class F> void visitConvCosts(Costs &c, F const &f) {
  f("broadcast", c.broadcast);
  f("rearrangement", c.rearrangement);
  f("dynamicSlice", c.dynamicSlice);
  f("transform", c.transform);
  f("exchange", c.exchange);
  f("tileLevelTransform", c.tileLevelTransform);
  f("inputsCast", c.inputsCast);
  f("compute", c.compute);
  f("reduction", c.reduction);
  f("dynamicUpdate", c.dynamicUpdate);
  f("addInPlace", c.addInPlace);
  f("outputCast", c.outputCast);
  f("total", c.total);
}

POP_INLINE nlohmann::ordered_json costToJson(std::size_t value) {
  if (value == ::poplin::PlanCosts::unknown)
    return nullptr;
  return value;
}
POP_INLINE std::size_t costFromJson(nlohmann::json const &value) {
  return value.is_null() ? ::poplin::PlanCosts::unknown : value.get<std::size_t>();
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE void reportPlanInfo(std::ostream &out, poplar::Graph const &graph,
                               ConvParams const &params, poplar::OptionFlags const &options,
                               PlanningCache *cache) {
  using namespace cottonwood::poplin;
  char const *const where = "poplin::reportPlanInfo";
  detail::reportConvPlan(out, where, graph, params, readConvOptions(where, options), cache);
}

POP_INLINE void reportWeightUpdatePlanInfo(std::ostream &out, poplar::Graph const &graph,
                                           ConvParams const &fwdParams,
                                           poplar::OptionFlags const &fwdOptions,
                                           PlanningCache *cache) {
  using namespace cottonwood::poplin;
  char const *const where = "poplin::reportWeightUpdatePlanInfo";
  ConvOptions options = readConvOptions(where, fwdOptions);
  if (options.pass == "TRAINING_FWD" || options.pass == "FC_TRAINING_FWD") // of the same layer
    options.pass.replace(options.pass.size() - 3, 3, "WU");
  ConvCheck const forward = checkConv(where, fwdParams, graph.getTarget());
  if (!forward.isTrivial() && gradientIsProduct(graph.getTarget(), forward, options))
    return detail::reportProduct(out, where, graph.getTarget(), gradientProduct(forward), options,
                                 cache);
  detail::reportConvPlan(out, where, graph, getWeightUpdateParams(fwdParams), options, cache);
}

POP_INLINE PlanCosts reportPlanEstimatedCosts(poplar::Graph const &graph, ConvParams const &params,
                                              poplar::OptionFlags const &options,
                                              PlanningCache *cache) {
  return cottonwood::poplin::detail::planCosts("poplin::reportPlanEstimatedCosts", graph, params,
                                               options, cache)
      .total;
}

namespace internal {

POP_INLINE DetailedPlanCosts reportDetailedPlanEstimatedCosts(poplar::Graph const &graph,
                                                              ConvParams const &params,
                                                              poplar::OptionFlags const &options,
                                                              PlanningCache *cache) {
  return cottonwood::poplin::detail::planCosts("poplin::internal::reportDetailedPlanEstimatedCosts",
                                               graph, params, options, cache);
}

POP_INLINE std::ostream &operator<<(std::ostream &os, DetailedPlanCosts const &c) {
  using namespace cottonwood::poplin::detail;
  nlohmann::ordered_json json;
  json["parallelSplit"] = c.parallelSplit;
  json["serialSplit"] = c.serialSplit;
  visitConvCosts(c, [&](char const *name, PlanCosts const &cost) {
    json[name]["cycles"] = costToJson(cost.cycles);
    json[name]["memory"] = costToJson(cost.memory);
  });
  return os << json.dump();
}

POP_INLINE std::istream &operator>>(std::istream &is, DetailedPlanCosts &c) {
  using namespace cottonwood::poplin::detail;
  try {
    nlohmann::json json;
    is >> json;
    c.parallelSplit = json.at("parallelSplit").get<std::size_t>();
    c.serialSplit = json.at("serialSplit").get<std::size_t>();
    visitConvCosts(c, [&](char const *name, PlanCosts &cost) {
      cost.cycles = costFromJson(json.at(name).at("cycles"));
      cost.memory = costFromJson(json.at(name).at("memory"));
    });
  } catch (nlohmann::json::exception const &error) {
    cottonwood::base::fail<poputil::poplibs_error>("poplin::DetailedPlanCosts", error.what());
  }
  return is;
}

} // namespace internal

} // namespace poplin
