// poplar-bench FAMILY [OPTIONS]; `poplar-bench serve` obeys another process of this program.
#include <bench/Family.hpp>
#include <bench/race/Peers.hpp>

#include <codelets/arch/CpuFeatures.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
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
  std::fputs("usage: poplar-bench FAMILY [OPTIONS]\n\n", out);
  for (Family const &family : FAMILIES)
    std::fprintf(out, "  %-12.*s %.*s\n", static_cast<int>(family.name.size()), family.name.data(),
                 static_cast<int>(family.summary.size()), family.summary.data());
  std::fputs(
      "\n"
      "  --set SET        smoke, ci (default), all, or a group of the family: all its cases\n"
      "  --only TEXT      cases with this in their names\n"
      "  --workers N      threads of ours and of every peer; default one a core\n"
      "  --isa TAG        instruction set of our kernels; default the machine's best\n"
      "  --against WHAT   instead of the peers: a tag (our own kernels of a lower\n"
      "                   instruction set), float (our own, for families of half), limit\n"
      "                   (multiply-adds or memory, measured alongside), or one library\n"
      "                   as it is shipped (eigen) or one of its ways (onednn(reorders))\n"
      "  --tags           a table of our own kernels of every instruction set\n"
      "  --busy-core      engine: beside a process that keeps a core busy\n"
      "  --report FILE.md a table in Markdown, and a roofline picture beside it\n",
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

Family const &familyOf(Arguments const &arguments) {
  for (Family const &family : FAMILIES)
    if (family.name == arguments.family)
      return family;
  throw UsageError("no family");
}

/// Options that only some families have.
void checkOptions(Family const &family, Arguments const &arguments) {
  std::string const name(family.name);
  if (family.kind == Kind::LIMITS && !arguments.group.empty())
    throw UsageError("--set '" + arguments.group + "' is unknown; " + name + " has smoke, ci, all");
  if (family.kind == Kind::LIMITS && !arguments.only.empty())
    throw UsageError(name + " does not have --only");
  if (family.kind != Kind::RACE &&
      (!arguments.against.empty() || arguments.tags || !arguments.report.empty()))
    throw UsageError(name + " has no peers, and so not --against, --tags and --report");
  if (arguments.busyCore && family.run != runEngine)
    throw UsageError("--busy-core is for engine, not for " + name);
  // Not after an hour of measuring.
  if (std::filesystem::path const folder = std::filesystem::path(arguments.report).parent_path();
      !folder.empty() && !std::filesystem::is_directory(folder))
    throw UsageError("--report: there is no folder '" + folder.string() + "'");
}

/// The workers of a serving process come from the one that started it.
int serveAnother() {
#ifdef POP_BENCH_POPLIN
  char const *const threads = std::getenv("POPLAR_BENCH_THREADS");
  return serveOurs(threads ? static_cast<unsigned>(std::max(1, std::atoi(threads))) : 1);
#else
  return 2;
#endif
}

int run(std::span<char const *const> words) {
  Arguments arguments = parseArguments(words, familyNames());
  Family const &family = familyOf(arguments);
  checkOptions(family, arguments);
  try {
    setEnvironment(arguments);
  } catch (std::invalid_argument const &error) {
    throw UsageError(error.what());
  }
  return family.run(arguments);
}

} // namespace

int main(int argc, char **argv) {
  std::span<char const *const> const words(argv + 1, static_cast<std::size_t>(argc - 1));
  for (std::string_view const help : {"--help", "-h", "help"})
    if (words.size() == 1 && words[0] == help) {
      printUsage(stdout);
      return 0;
    }
  try {
    if (words.size() == 1 && words[0] == std::string_view(SERVE))
      return serveAnother();
    if (words.size() == 2 && words[0] == std::string_view(ADD_CODELETS))
      return timeAddCodelets(words[1]);
    return run(words);
  } catch (UsageError const &error) {
    std::fprintf(stderr, "poplar-bench: %s\n", error.what());
    if (words.empty())
      printUsage(stderr);
    return 2;
  } catch (std::exception const &error) {
    std::fprintf(stderr, "poplar-bench: %s\n", error.what());
    return 1;
  }
}
