#pragma once

#include <poplin/ConvPreplan.hpp>
#include <poplin/impl/ConvEmit.hpp>
#include <poplin/impl/MatMulCheck.hpp>
#include <poplin/impl/MatMulOptions.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/Preplan.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poplin::detail {

POP_INLINE void checkPointers(char const *where, ::poplar::Target const *target,
                              ::poplar::OptionFlags const *options) {
  if (!target || !options)
    base::fail<::poputil::poplibs_error>(where, "the pointer to the ",
                                         target ? "options" : "target", " is null");
}

POP_INLINE MatMulCheck checkPlanParams(char const *where,
                                       ::poplin::MatMulPlanParams const &planParams) {
  auto const &[target, params, options] = planParams;
  checkPointers(where, target, options);
  return checkMatMul(where, params.aShape.size() == 3, *target, params.inputType, params.outputType,
                     params.aShape, params.bShape);
}

/// The options of a product as those of its convolution.
POP_INLINE ::poplar::OptionFlags convOptionsOf(char const *where,
                                               ::poplar::OptionFlags const &options) {
  readMatMulOptions(where, options);
  ::poplar::OptionFlags result{{"pass", "NONE_MATMUL"}};
  for (auto const &[key, value] : options) {
    if (key == "fullyConnectedPass")
      result.set("pass", value == "NONE" ? "NONE_MATMUL" : "FC_" + value);
    else if (key == "gatherOutput")
      result.set("gatherConvOutput", value);
    else if (key != "inputRHSIsPreArranged" && key != "planConstraints" && key != "planning")
      result.set(key, value);
  }
  return result;
}

} // namespace cottonwood::poplin::detail

namespace cottonwood::poplin {

POP_INLINE void preplanConvs(char const *where, std::set<::poplin::ConvPlanParams> const &convs,
                             ::poplin::PlanningCache &cache) {
  for (auto const &[target, params, options] : convs) {
    detail::checkPointers(where, target, options);
    ConvCheck const check = checkConv(where, params, *target);
    if (!check.isTrivial())
      planConv(where, *target, check, readConvOptions(where, *options), &cache);
  }
}

POP_INLINE void preplanProducts(char const *where,
                                std::set<::poplin::MatMulPlanParams> const &matmuls,
                                ::poplin::PlanningCache &cache) {
  for (auto const &matmul : matmuls) {
    MatMulCheck const check = detail::checkPlanParams(where, matmul);
    auto const &[target, params, options] = matmul;
    if (!check.isTrivial())
      planMatMul(where, *target, check.problem, readMatMulOptions(where, *options), &cache);
  }
}

} // namespace cottonwood::poplin

namespace poplin {

POP_INLINE std::set<ConvPlanParams>
matMulGetConvPlanParams(std::set<MatMulPlanParams> const &matmuls,
                        MatMulToConvOptions &matmulToConvOpts) {
  using namespace cottonwood::poplin;
  char const *const where = "poplin::matMulGetConvPlanParams";
  std::set<ConvPlanParams> convs;
  for (auto const &matmul : matmuls) {
    auto const p = detail::checkPlanParams(where, matmul).problem;
    auto const &[target, params, options] = matmul;
    auto const known = matmulToConvOpts.find(options);
    poplar::OptionFlags const *convOptions =
        known != matmulToConvOpts.end()
            ? &known->second
            : &matmulToConvOpts.emplace(options, detail::convOptionsOf(where, *options))
                   .first->second;
    ConvParams const conv(params.inputType, params.outputType, p.m, {1}, {1}, p.k, p.n, p.g);
    convs.emplace(target, conv, convOptions);
  }
  return convs;
}

POP_INLINE void preplan(std::set<ConvPlanParams> const &convs,
                        std::set<MatMulPlanParams> const &matmuls, PlanningCache &cache) {
  using namespace cottonwood::poplin;
  char const *const where = "poplin::preplan";
  preplanConvs(where, convs, cache);
  preplanProducts(where, matmuls, cache);
}

} // namespace poplin
