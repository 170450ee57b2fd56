// What the families of operations over arrays measure.
#pragma once

#include <bench/Cases.hpp>

namespace cottonwood::bench {

std::vector<Case> elementwiseCases();
std::vector<Case> elementwiseHalfCases();
std::vector<Case> reduceCases();
std::vector<Case> normCases();
std::vector<Case> copyCases();

} // namespace cottonwood::bench
