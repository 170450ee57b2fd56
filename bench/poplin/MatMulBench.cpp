// The families matmul and matmul-half: our public API against other libraries' GEMM.
#include <bench/Family.hpp>
#include <bench/poplin/MatMulCases.hpp>
#include <bench/poplin/Ours.hpp>
#include <bench/race/RaceFamily.hpp>

namespace cottonwood::bench {

int runMatMul(Arguments const &arguments) {
  Ours ours(arguments.workers);
  return runRace(arguments, matMulCases(), ours);
}

int runMatMulHalf(Arguments const &arguments) {
  Ours ours(arguments.workers);
  return runRace(arguments, matMulHalfCases(), ours);
}

} // namespace cottonwood::bench
