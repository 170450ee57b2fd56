// A family of benchmarks: what `poplar-bench NAME` runs.
#pragma once

#include <bench/Arguments.hpp>

#include <string>
#include <string_view>

namespace cottonwood::bench {

/// What a family understands of the command line.
enum class Kind {
  LIMITS, ///< --set smoke|ci|all, --workers, --isa
  PLANS,  ///< these, groups and --only
  RACE    ///< everything
};

struct Family {
  std::string_view name;
  std::string_view summary;
  Kind kind;
  /// Prints one row a case; 0 if all is as it should be. `workers` is set, `isa` is in force.
  int (*run)(Arguments const &arguments);
};

int runEngine(Arguments const &arguments);      // poplar/EngineBench.cpp
int runGraph(Arguments const &arguments);       // poplar/GraphBench.cpp
int runPopc(Arguments const &arguments);        // poplar/PopcBench.cpp
int runMatMul(Arguments const &arguments);      // poplin/MatMulBench.cpp
int runMatMulHalf(Arguments const &arguments);  // poplin/MatMulBench.cpp
int runConv(Arguments const &arguments);        // poplin/ConvBench.cpp
int runConvHalf(Arguments const &arguments);    // poplin/ConvBench.cpp
int runElementwise(Arguments const &arguments); // popops/ArrayBench.cpp
int runElementwiseHalf(Arguments const &arguments);
int runReduce(Arguments const &arguments);
int runNorm(Arguments const &arguments);
int runCopy(Arguments const &arguments);
int runPlan(Arguments const &arguments);          // poplin/PlanBench.cpp
int runModel(Arguments const &arguments);         // poplin/ModelBench.cpp
int runResNet50Model(Arguments const &arguments); // poplin/ResNet50.cpp

/// Obeys another process of this program (race/Serve.hpp).
int serveOurs(unsigned threads); // poplin/ServeOurs.cpp
/// `poplar-bench add-codelets FILE`, a process that popc's family starts: prints the seconds that
/// adding the file takes for the first and for the second time.
inline constexpr char const *ADD_CODELETS = "add-codelets";
int timeAddCodelets(std::string const &file); // poplar/PopcBench.cpp

inline constexpr Family FAMILIES[] = {
    {"engine", "what the engine costs beside the vertices: loops, dispatch, copies, streams",
     Kind::LIMITS, runEngine},
    {"graph", "building and compiling graphs, the view algebra", Kind::LIMITS, runGraph},
    {"popc", "compiling codelets, and adding what was compiled before", Kind::LIMITS, runPopc},
#ifdef POP_BENCH_POPLIN
    {"matmul", "products of float matrices against other libraries", Kind::RACE, runMatMul},
    {"matmul-half", "the same with half operands and results", Kind::RACE, runMatMulHalf},
    {"conv", "float convolutions against other libraries", Kind::RACE, runConv},
    {"conv-half", "the same with half operands and results", Kind::RACE, runConvHalf},
    {"elementwise", "float maps, in place and fused too, against other libraries", Kind::RACE,
     runElementwise},
    {"elementwise-half", "the same on half", Kind::RACE, runElementwiseHalf},
    {"reduce", "sums and maxima of all elements, rows and columns", Kind::RACE, runReduce},
    {"norm", "softmax, its logarithm, layer norm", Kind::RACE, runNorm},
    {"copy", "copies, fills, casts, transposes", Kind::RACE, runCopy},
    {"plan", "chosen plans against others that are possible, and the cost model", Kind::PLANS,
     runPlan},
    {"model", "the IPU Model against published measurements", Kind::LIMITS, runModel},
    {"resnet50-model", "modelling the convolutions of ResNet-50: seconds and memory", Kind::LIMITS,
     runResNet50Model},
#endif
};

} // namespace cottonwood::bench
