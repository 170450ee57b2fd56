#include <poplin/impl/Config.hpp>
#ifndef POPLIN_CONV_PREPLAN_HPP
#define POPLIN_CONV_PREPLAN_HPP

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <set>

namespace poplin {

/// Plans convolutions and products in advance. cache.size() grows by the number of different ones
/// that were not in the cache; a product and the convolution that matMulGetConvPlanParams makes of
/// it have plans of their own.
POP_API void preplan(std::set<ConvPlanParams> const &convs,
                     std::set<MatMulPlanParams> const &matmuls, PlanningCache &cache);

} // namespace poplin

#endif
