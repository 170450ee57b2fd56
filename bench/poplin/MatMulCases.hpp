// The products of the matmul family.
#pragma once

#include <bench/Arguments.hpp>
#include <bench/race/Product.hpp>

#include <vector>

namespace cottonwood::bench {

/// The cases of a set: a larger one includes the smaller ones.
std::vector<Product> matMulCases(Set set);

} // namespace cottonwood::bench
