// The products of the families matmul and matmul-half.
#pragma once

#include <bench/Cases.hpp>

namespace cottonwood::bench {

/// Groups: squares (256 to 2048), small (64, 128), skinny, gemv (one row), odd, batched,
/// transposed, constant (B may be arranged beforehand, by all).
std::vector<Case> matMulCases();

/// The same with operands and result of half and sums in float, and the group partials, where sums
/// may be kept in half.
std::vector<Case> matMulHalfCases();

} // namespace cottonwood::bench
