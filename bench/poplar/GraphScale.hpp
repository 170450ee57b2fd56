// Graphs and programs of the sizes that compilers of large models make.
#pragma once

#include <bench/Limits.hpp>

#include <vector>

namespace cottonwood::bench {

std::vector<LimitCase> scaleCases();

} // namespace cottonwood::bench
