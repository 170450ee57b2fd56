#pragma once
// Which addresses a strided box reaches: bounded linear Diophantine problems, decided exactly.

#include <cstdint>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/graph/ViewBox.hpp>

namespace cottonwood::graph {

/// True if there are digits 0 <= z_k < size_k with sum z_k * stride_k = target. All strides are
/// positive; order is free.
POP_API bool reaches(FactorSpan terms, std::int64_t target);

/// True if two elements have one address that differ in the last factor's digit. Strides are
/// positive and ascending; `lowerReach` is the sum of the reaches of all factors but the last, and
/// at least the last stride.
bool collidesBelow(FactorSpan ascending, std::int64_t lowerReach);

/// True if two boxes with positive strides and the first addresses `offsetA` and `offsetB` share an
/// address.
POP_API bool boxesMeet(std::int64_t offsetA, FactorSpan a, std::int64_t offsetB, FactorSpan b);

} // namespace cottonwood::graph
