// What codelets cost that are compiled while a program runs: the first time, when the cache has
// them, and from a file that popc made before. With each compiler that is installed.
#include <bench/Family.hpp>
#include <bench/Rows.hpp>
#include <bench/Statistics.hpp>

#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/Installation.hpp>
#include <poplar/impl/popc/Levels.hpp>
#include <poplar/impl/popc/Process.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace cottonwood::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double COLD_MILLISECONDS = 1000, WARM_MILLISECONDS = 5;

constexpr char const *SOURCE = "#include <poplar/Vertex.hpp>\n"
                               "\n"
                               "class Scale : public poplar::Vertex {\n"
                               "public:\n"
                               "  poplar::Input<poplar::Vector<float>> in;\n"
                               "  poplar::Output<poplar::Vector<float>> out;\n"
                               "  float factor;\n"
                               "  void compute() {\n"
                               "    for (unsigned i = 0; i < in.size(); ++i)\n"
                               "      out[i] = in[i] * factor;\n"
                               "  }\n"
                               "};\n";

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Folders of the bench's own for the source, for what popc makes of it, and for the cache.
class Bed {
public:
  Bed() {
    if (std::string const problem = popc::replaceFile(source(), SOURCE); !problem.empty())
      throw std::runtime_error(problem);
    ::setenv("POPLAR_CODELET_CACHE", cache().c_str(), 1);
  }
  std::string source() const { return folder_.path() / "scale.cpp"; }
  std::string gp() const { return folder_.path() / "scale.gp"; }
  void emptyCache() const { fs::remove_all(cache()); }

private:
  fs::path cache() const { return folder_.path() / "cache"; }

  popc::TemporaryFolder folder_;
};

popc::ProcessResult runOrThrow(std::vector<std::string> const &command) {
  popc::ProcessResult result = popc::runProcess(command, "poplar-bench");
  if (result.status != 0)
    throw std::runtime_error(command[0] + ": exit code " + std::to_string(result.status) + "\n" +
                             result.errors);
  return result;
}

/// What a process of its own needs to add a file.
struct Added {
  double first = 0, again = 0; ///< seconds
};
Added addElsewhere(std::string const &file) {
  Added added;
  std::istringstream line(runOrThrow({"/proc/self/exe", ADD_CODELETS, file}).output);
  if (!(line >> added.first >> added.again))
    throw std::runtime_error("a process that added codelets printed no times");
  return added;
}

double secondsOf(std::vector<std::string> const &command) {
  Clock::time_point const start = Clock::now();
  runOrThrow(command);
  return secondsSince(start);
}

/// The measurements of all rounds, by the names of their rows.
class Samples {
public:
  void add(std::string const &name, double seconds) { byName_[name].push_back(seconds); }
  /// In the row's unit.
  Quartiles of(LimitRow const &row) const {
    auto const found = byName_.find(row.name);
    Quartiles values = quartiles(found == byName_.end() ? std::vector<double>() : found->second);
    for (double *const value : {&values.lower, &values.median, &values.upper})
      *value *= unitsPerSecond(row.unit);
    return values;
  }

private:
  std::map<std::string, std::vector<double>> byName_;
};

/// The steps of `popc --times`, whose lines are `popc: 0.1234 s: first compilation`, under the
/// names of rows: `cold/first-compilation`. The level is no part of these.
void addSteps(Samples &samples, std::string const &lines) {
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    double seconds = 0;
    int end = 0;
    if (std::sscanf(line.c_str(), "popc: %lf s: %n", &seconds, &end) != 1 || end == 0)
      continue;
    std::string step = line.substr(static_cast<std::size_t>(end));
    step = step.substr(0, step.find(" for "));
    for (char &c : step)
      c = c == ' ' ? '-' : c;
    samples.add("cold/" + step, seconds);
  }
}

/// Every measurement once.
void measureOnce(Bed const &bed, Samples &samples) {
  std::string const popc = popc::popcCommand();
  std::string const level(popc::name(popc::levelFor(isa::activeIsa())));
  bed.emptyCache();
  samples.add("cold", addElsewhere(bed.source()).first);
  Added const warm = addElsewhere(bed.source());
  samples.add("warm/new-process", warm.first);
  samples.add("warm/same-process", warm.again);
  samples.add("cold/start-of-popc", secondsOf({popc, "--list-targets"}));
  addSteps(samples,
           runOrThrow({popc, "--times", "--variants", level, "-o", bed.gp(), bed.source()}).errors);
  samples.add("popc/three-variants", secondsOf({popc, "-o", bed.gp(), bed.source()}));
  Added const gp = addElsewhere(bed.gp());
  samples.add("gp/new-process", gp.first);
  samples.add("gp/same-process", gp.again);
}

std::vector<LimitRow> rows() {
  return {{"cold", "ms", COLD_MILLISECONDS},
          {"cold/start-of-popc", "ms", {}},
          {"cold/compiler's-version", "ms", {}},
          {"cold/first-compilation", "ms", {}},
          {"cold/debug-information", "ms", {}},
          {"cold/compilation", "ms", {}},
          {"cold/linking", "ms", {}},
          {"warm/new-process", "ms", WARM_MILLISECONDS},
          {"warm/same-process", "ms", {}},
          {"gp/new-process", "ms", {}},
          {"gp/same-process", "ms", {}},
          {"popc/three-variants", "ms", {}}};
}

/// $POPC_CXX if that is set, else clang++ and g++ as far as they are installed.
std::vector<std::string> compilers() {
  if (char const *const set = std::getenv("POPC_CXX"); set && *set)
    return {set};
  std::vector<std::string> found;
  for (char const *const name : {"clang++", "g++"}) {
    ::setenv("POPC_CXX", name, 1);
    try {
      popc::findCompiler();
      found.emplace_back(name);
    } catch (poplar::no_environment const &) {
      std::fprintf(stderr, "poplar-bench: %s is not installed, left out\n", name);
    }
  }
  if (found.empty())
    throw std::runtime_error("no C++ compiler for codelets (clang++ or g++) in PATH");
  return found;
}

bool printRows(std::string const &compiler, Samples const &samples) {
  bool good = true;
  for (LimitRow row : rows()) {
    Quartiles const values = samples.of(row);
    row.name = compiler + "/" + row.name;
    std::printf("%s\n", limitText(row, values).c_str());
    good &= holds(row, values.median);
  }
  std::fflush(stdout);
  return good;
}

} // namespace

int timeAddCodelets(std::string const &file) {
  for (unsigned i = 0; i < 2; ++i) {
    poplar::Graph graph(poplar::Target::createCPUTarget());
    Clock::time_point const start = Clock::now();
    graph.addCodelets(file);
    std::printf("%.9f ", secondsSince(start));
  }
  return 0;
}

int runPopc(Arguments const &arguments) {
  unsigned const rounds = arguments.set == Set::Smoke ? 1 : arguments.set == Set::Ci ? 15 : 41;
  Bed const bed;
  std::printf("%s  (quartiles)\n", limitHeader().c_str());
  bool good = true;
  for (std::string const &compiler : compilers()) {
    ::setenv("POPC_CXX", compiler.c_str(), 1);
    Samples samples;
    for (unsigned i = 0; i < rounds; ++i)
      measureOnce(bed, samples);
    good &= printRows(fs::path(compiler).filename(), samples);
  }
  return good ? 0 : 1;
}

} // namespace cottonwood::bench
