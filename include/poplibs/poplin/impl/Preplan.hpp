// Planning ahead: what the functions that fill a cache have in common.
#pragma once

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <set>

namespace cottonwood::poplin {

/// \param where  the function called, which errors begin with
/// \throws poputil::poplibs_error  a null pointer, or a problem that is refused
/// \throws poplar::invalid_option  as readConvOptions()
POP_API void preplanConvs(char const *where, std::set<::poplin::ConvPlanParams> const &convs,
                          ::poplin::PlanningCache &cache);
POP_API void preplanProducts(char const *where, std::set<::poplin::MatMulPlanParams> const &matmuls,
                             ::poplin::PlanningCache &cache);

} // namespace cottonwood::poplin
