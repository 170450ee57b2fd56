// The families of operations over arrays: our public API against other libraries.
#include <bench/Family.hpp>
#include <bench/poplin/Ours.hpp>
#include <bench/popops/ArrayCases.hpp>
#include <bench/race/RaceFamily.hpp>

namespace cottonwood::bench {
namespace {

int race(Arguments const &arguments, std::vector<Case> const &cases) {
  Ours ours(arguments.workers);
  return runRace(arguments, cases, ours);
}

} // namespace

int runElementwise(Arguments const &arguments) { return race(arguments, elementwiseCases()); }
int runElementwiseHalf(Arguments const &arguments) {
  return race(arguments, elementwiseHalfCases());
}
int runReduce(Arguments const &arguments) { return race(arguments, reduceCases()); }
int runNorm(Arguments const &arguments) { return race(arguments, normCases()); }
int runCopy(Arguments const &arguments) { return race(arguments, copyCases()); }

} // namespace cottonwood::bench
