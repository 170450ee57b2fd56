// What a peer program implements; race/PeerMain.cpp has its main().
#pragma once

#include <bench/race/Contender.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cottonwood::bench {

/// The environment variable with the name of the only way that may compete; absent: all may.
inline constexpr char const *WAY = "POPLAR_BENCH_WAY";

/// Operands, row-major, in memory aligned to 64 bytes that is readable for 64 bytes behind the
/// end. `c` begins as a copy of a where an operation works in place. Pointers stay valid as long as
/// the ways are used.
struct Operands {
  float const *a;
  float const *b;
  float *c;
  unsigned threads;
};

/// One entry point of the library with which it could compute the problem.
struct Way {
  std::string name; ///< as rows show it
  std::function<void()> run;
  /// Brings the result to `c`, if `run` leaves it elsewhere or in another layout.
  std::function<void()> fetch = [] {};
  /// Brings back operand a, if the operation works in place and not in `c`.
  std::function<void()> reset = [] {};
  Result result = Result::FLOAT; ///< what values of the result are rounded to
};

/// Library, version, kernels in use.
std::string describePeer();

/// All ways that may be fast for this problem, everything prepared that need not be timed; none if
/// the library cannot compute it. The fastest one competes.
std::vector<Way> waysOfPeer(Product const &product, Operands const &operands);
std::vector<Way> waysOfPeer(Conv const &conv, Operands const &operands);
std::vector<Way> waysOfPeer(ArrayOp const &op, Operands const &operands);

} // namespace cottonwood::bench
