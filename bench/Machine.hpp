// What the figures were measured on and with.
#pragma once

#include <string>
#include <vector>

namespace cottonwood::bench {

struct Machine {
  std::string cpu{}; ///< its name, as /proc/cpuinfo has it
  unsigned cores = 0;
  std::string version{}; ///< of ours
  std::string tag{};     ///< of our kernels
  unsigned threads = 0;
  std::vector<std::string> peers{}; ///< library, version, kernels
};

/// This machine, with the tag in force.
/// \param threads  of every contender
Machine thisMachine(unsigned threads);

/// "AMD EPYC, 2 cores; ours 0.1.0 avx512; 1 thread each; peers: onednn 2.6.3"
std::string textOf(Machine const &machine);

/// The value of a key of /proc/cpuinfo's text; empty if it is not there.
std::string valueIn(std::string const &cpuinfo, std::string const &key);

} // namespace cottonwood::bench
