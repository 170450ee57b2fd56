// poplar-bench FAMILY [--set smoke|ci|all] [--workers N] [--isa TAG]
#include <bench/Family.hpp>

#include <codelets/arch/CpuFeatures.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace cottonwood::bench;

std::vector<std::string_view> familyNames() {
  std::vector<std::string_view> names;
  for (Family const &family : FAMILIES)
    names.push_back(family.name);
  return names;
}

void printUsage(std::FILE *out) {
  std::fputs("usage: poplar-bench FAMILY [--set smoke|ci|all] [--workers N] [--isa TAG]\n\n", out);
  for (Family const &family : FAMILIES)
    std::fprintf(out, "  %-8.*s %.*s\n", static_cast<int>(family.name.size()), family.name.data(),
                 static_cast<int>(family.summary.size()), family.summary.data());
  std::fputs("\n  --set      which cases run; default ci\n"
             "  --workers  threads of ours and of every peer; default one a core\n"
             "  --isa      instruction set of our kernels; default the best this machine has\n",
             out);
}

/// What the libraries read from the environment has to be there before they are first used.
void setEnvironment(Arguments &arguments) {
  if (arguments.workers == 0)
    arguments.workers = std::max(1u, std::thread::hardware_concurrency());
  setenv("POPLAR_NUM_THREADS", std::to_string(arguments.workers).c_str(), 1);
  if (!arguments.isa.empty())
    setenv("POPLAR_ISA", arguments.isa.c_str(), 1);
  cottonwood::isa::activeIsa(); // throws if the machine does not have it
}

int runFamily(Arguments const &arguments) {
  for (Family const &family : FAMILIES)
    if (family.name == arguments.family)
      return family.run(arguments);
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  std::span<char const *const> const words(argv + 1, static_cast<std::size_t>(argc - 1));
  if (words.size() == 1 &&
      (std::string_view(words[0]) == "--help" || std::string_view(words[0]) == "-h")) {
    printUsage(stdout);
    return 0;
  }
  Arguments arguments;
  try {
    arguments = parseArguments(words, familyNames());
    setEnvironment(arguments);
  } catch (std::exception const &error) {
    std::fprintf(stderr, "poplar-bench: %s\n", error.what());
    if (words.empty())
      printUsage(stderr);
    return 2;
  }
  try {
    return runFamily(arguments);
  } catch (std::exception const &error) {
    std::fprintf(stderr, "poplar-bench: %s\n", error.what());
    return 1;
  }
}
