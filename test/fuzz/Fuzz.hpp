// What the fuzzers share: rounds of random cases until the time is over.
//
//     fuzz-NAME SECONDS [SEED]
//
// prints the seed, and for a finding the seed of its round; `fuzz-NAME 0 SEED` repeats that round.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>

namespace fuzz {

using Random = std::mt19937_64;

inline std::size_t below(Random &random, std::size_t limit) {
  return limit == 0 ? 0 : static_cast<std::size_t>(random() % limit);
}
/// True once in `n` times.
inline bool oneIn(Random &random, std::size_t n) { return below(random, n) == 0; }

/// Ends the round with a finding.
[[noreturn]] inline void finding(std::string const &text) { throw std::logic_error(text); }

inline void expect(bool good, std::string const &text) {
  if (!good)
    finding(text);
}

/// Calls round(random) again and again; any exception that comes out is a finding.
template <class F> int run(char const *name, int argc, char **argv, F &&round) {
  double const seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 3;
  std::uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::printf("%s: seed %llu\n", name, static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  auto const end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::uint64_t rounds = 0;
  do {
    Random random(seed + rounds);
    try {
      round(random);
    } catch (std::exception const &error) {
      std::printf("%s: round with seed %llu: %s\n", name,
                  static_cast<unsigned long long>(seed + rounds), error.what());
      return 1;
    }
    ++rounds;
  } while (std::chrono::steady_clock::now() < end);
  std::printf("%s: %llu rounds\n", name, static_cast<unsigned long long>(rounds));
  return 0;
}

} // namespace fuzz
