// What the two functions on one element a row have in common.
#pragma once

#include <poputil/exceptions.hpp>

#include <poplar/Tensor.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

inline void checkScalarInRows(char const *where, ::poplar::Tensor const &params,
                              ::poplar::Tensor const &indices) {
  if (!params.valid() || !indices.valid())
    base::fail<::poputil::poplibs_error>(where, "'", params.valid() ? "indices" : "params",
                                         "' is an invalid tensor");
  if (params.elementType() != ::poplar::FLOAT && params.elementType() != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(where, "'params' is of type ", params.elementType(),
                                         "; allowed: float, half");
  if (indices.elementType() != ::poplar::UNSIGNED_INT)
    base::fail<::poputil::poplibs_error>(where, "'indices' is of type ", indices.elementType(),
                                         "; it must be unsigned int");
  if (params.rank() != 2 || indices.rank() != 1 || indices.dim(0) != params.dim(0))
    base::fail<::poputil::poplibs_error>(
        where, "'params' has shape ", base::shapeText(params.shape()), " and 'indices' ",
        base::shapeText(indices.shape()), "; they must be [N, C] and [N]");
}

} // namespace cottonwood::popops::detail
