#include <bench/Arguments.hpp>
#include <bench/Machine.hpp>

#include <codelets/arch/CpuFeatures.hpp>

#include <fstream>
#include <sstream>
#include <thread>

namespace cottonwood::bench {

std::string valueIn(std::string const &cpuinfo, std::string const &key) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    std::size_t const colon = line.find(": ");
    if (colon != std::string::npos && line.starts_with(key) &&
        line.find_first_not_of(" \t", key.size()) == colon)
      return line.substr(colon + 2);
  }
  return {};
}

Machine thisMachine(unsigned threads) {
  std::ifstream file("/proc/cpuinfo");
  std::stringstream text;
  text << file.rdbuf();
  std::string const name = valueIn(text.str(), "model name");
  Machine machine;
  machine.cpu = name.empty() ? "unknown CPU" : name;
  if (!name.empty())
    machine.cpu += " (family " + valueIn(text.str(), "cpu family") + " model " +
                   valueIn(text.str(), "model") + ")";
  machine.cores = std::thread::hardware_concurrency();
  machine.version = POP_BENCH_VERSION;
  machine.tag = isa::name(isa::activeIsa());
  machine.threads = threads;
  return machine;
}

std::string textOf(Machine const &machine) {
  std::vector<std::string_view> const peers(machine.peers.begin(), machine.peers.end());
  return machine.cpu + ", " + std::to_string(machine.cores) + " cores; ours " + machine.version +
         ' ' + machine.tag + "; " + std::to_string(machine.threads) +
         (machine.threads == 1 ? " thread" : " threads") +
         " each; peers: " + (peers.empty() ? "none" : listed(peers));
}

} // namespace cottonwood::bench
