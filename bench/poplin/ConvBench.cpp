// The families conv and conv-half: our public API against other libraries' convolutions.
#include <bench/Family.hpp>
#include <bench/poplin/ConvCases.hpp>
#include <bench/poplin/Ours.hpp>
#include <bench/race/RaceFamily.hpp>

namespace cottonwood::bench {

int runConv(Arguments const &arguments) {
  Ours ours(arguments.workers);
  return runRace(arguments, convCases(), ours);
}

int runConvHalf(Arguments const &arguments) {
  Ours ours(arguments.workers);
  return runRace(arguments, convHalfCases(), ours);
}

} // namespace cottonwood::bench
