// A family of benchmarks: what `poplar-bench NAME` runs.
#pragma once

#include <bench/Arguments.hpp>

#include <span>
#include <string_view>

namespace cottonwood::bench {

struct Family {
  std::string_view name;
  std::string_view summary;
  /// Prints one row a case; 0 if all is as it should be. `workers` is set, `isa` is in force.
  int (*run)(Arguments const &arguments);
};

int runEngine(Arguments const &arguments); // poplar/EngineBench.cpp
int runGraph(Arguments const &arguments);  // poplar/GraphBench.cpp
int runMatMul(Arguments const &arguments); // poplin/MatMulBench.cpp

inline constexpr Family FAMILIES[] = {
    {"engine", "what the engine costs beside the vertices: loops, dispatch, copies, streams",
     runEngine},
    {"graph", "building and compiling graphs, the view algebra", runGraph},
#ifdef POP_BENCH_MATMUL
    {"matmul", "poplin::matMul against other libraries on the same shapes", runMatMul},
#endif
};

} // namespace cottonwood::bench
