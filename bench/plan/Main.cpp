// poplar-plan COMMAND: how products, convolutions, reductions, lookups, elementwise
// operations and copies are planned for the tiles
// of an IPU.
#include <bench/plan/Chain.hpp>
#include <bench/plan/Report.hpp>
#include <bench/plan/Table.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char **argv) {
  using namespace cottonwood::plan;
  try {
    Arguments const arguments = parseArguments(
        {const_cast<char const *const *>(argv) + 1, static_cast<std::size_t>(argc - 1)});
    switch (arguments.command) {
    case Arguments::Command::Help:
      std::fputs(USAGE, stdout);
      return 0;
    case Arguments::Command::Table:
      return printTable({arguments.published, arguments.target, arguments.only});
    case Arguments::Command::Chain:
      printChain(arguments);
      return 0;
    case Arguments::Command::MatMul:
    case Arguments::Command::Conv:
    case Arguments::Command::Reduce:
    case Arguments::Command::Embedding:
    case Arguments::Command::Elementwise:
    case Arguments::Command::Cast:
    case Arguments::Command::Copy:
      printPlan(arguments);
      return 0;
    }
  } catch (std::exception const &error) {
    std::fprintf(stderr, "poplar-plan: %s\n", error.what());
    return 2;
  }
}
