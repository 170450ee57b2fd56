// Checks of the arguments of the two spline functions.
#pragma once

#include <poputil/exceptions.hpp>

#include <poplar/Tensor.hpp>
#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

inline void checkSplineTensor(char const *where, char const *what, ::poplar::Tensor const &t,
                              ::poplar::Type const &type, unsigned rank) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is an invalid tensor");
  if (t.elementType() != type)
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is of type ", t.elementType(),
                                         "; it must be ", type);
  if (t.rank() != rank)
    base::fail<::poputil::poplibs_error>(where, "'", what, "' of shape ",
                                         base::shapeText(t.shape()), " has rank ", t.rank(),
                                         "; it must be ", rank);
}

/// The first tensor, whose type the others of floating type must have.
inline void checkSplineFloating(char const *where, char const *what, ::poplar::Tensor const &t,
                                unsigned rank) {
  if (t.valid() && t.elementType() != ::poplar::FLOAT && t.elementType() != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is of type ", t.elementType(),
                                         "; allowed: float, half");
  checkSplineTensor(where, what, t, t.valid() ? t.elementType() : ::poplar::FLOAT, rank);
}

inline void checkSplineShape(char const *where, char const *what, ::poplar::Tensor const &t,
                             std::vector<std::size_t> const &shape) {
  if (t.shape() != shape)
    base::fail<::poputil::poplibs_error>(where, "'", what, "' has shape ",
                                         base::shapeText(t.shape()), "; it must be ",
                                         base::shapeText(shape));
}

} // namespace cottonwood::popops::detail
