// Stores executables with functors of this program, and loads such:
//     PROGRAM write FOLDER
//     PROGRAM read FOLDER    after `write` of the same program in another process
//     PROGRAM refuse FOLDER  after `write` of another one, whose functors are called the same
// The two programs are this file with different FACTORs.
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <popops/MapFunctor.hpp>
#include <popops/codelets.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace poplar;

namespace executableTest {

/// Both programs have it.
struct Common {
  float bound;
  template <class V> V operator()(V x) const { return min(x * 5.0F, bound); }
};

/// Has more members in the program with the larger factor.
struct Grown {
  float members[FACTOR];
  template <class V> V operator()(V x) const { return x + members[FACTOR - 1]; }
};

} // namespace executableTest

namespace {

struct Unnamed {
  template <class V> V operator()(V x) const { return x * (2.0F * FACTOR); }
};

constexpr float IN = 3;

using Map = std::function<Tensor(Graph &, Tensor const &, program::Sequence &)>;

template <class F> Map mapOf(F functor) {
  return [functor](Graph &graph, Tensor const &t, program::Sequence &prog) {
    return popops::map(graph, functor, {t}, prog);
  };
}

/// A functor, what it gives for IN, and what the other program says of an executable with it; it
/// loads those where that is nothing.
struct Case {
  std::string name;
  Map map;
  float result;
  std::string refused;
};

std::vector<Case> cases() {
  executableTest::Grown grown{};
  grown.members[FACTOR - 1] = FACTOR;
  std::string const local = "of another program or another build of this one";
  return {{"common", mapOf(executableTest::Common{14.5F}), 14.5F, ""},
          {"lambda", mapOf([](auto x) { return x * float{FACTOR}; }), IN * FACTOR, local},
          {"unnamed", mapOf(Unnamed{}), 2 * IN * FACTOR, local},
          {"grown", mapOf(grown), IN + FACTOR, "has other members"}};
}

Executable compiled(Map const &map) {
  Graph graph(Device::createCPUDevice().getTarget());
  popops::addCodelets(graph);
  program::Sequence prog;
  Tensor const t = graph.addConstant<float>(FLOAT, {1}, IN);
  graph.setTileMapping(t, 0);
  graph.createHostRead("out", map(graph, t, prog));
  return compileGraph(graph, {prog});
}

float resultOf(std::filesystem::path const &file) {
  Engine engine(Executable::deserialize(std::make_unique<std::ifstream>(file, std::ios::binary)));
  engine.load(Device::createCPUDevice());
  engine.run();
  float result = 0;
  engine.readTensor("out", &result, &result + 1);
  return result;
}

bool fails(std::string const &name, std::string const &what) {
  std::cerr << name << ": " << what << '\n';
  return false;
}

bool reads(Case const &now, std::filesystem::path const &file) {
  float const result = resultOf(file);
  return result == now.result || fails(now.name, "gives " + std::to_string(result));
}

bool refuses(Case const &now, std::filesystem::path const &file) {
  if (now.refused.empty())
    return reads(now, file);
  try {
    return fails(now.name, "is not refused, and gives " + std::to_string(resultOf(file)));
  } catch (unknown_vertex_type const &error) {
    return std::string(error.what()).find(now.refused) != std::string::npos ||
           fails(now.name, error.what());
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " write|read|refuse FOLDER\n";
    return 2;
  }
  std::string const step = argv[1];
  std::filesystem::create_directories(argv[2]);
  bool good = true;
  for (Case const &now : cases()) {
    std::filesystem::path const file =
        std::filesystem::path(argv[2]) / (now.name + ".functor.executable");
    Executable const executable = compiled(now.map); // which makes the functor known
    if (step == "write") {
      std::ofstream out(file, std::ios::binary);
      executable.serialize(out);
    } else {
      good = (step == "read" ? reads(now, file) : refuses(now, file)) && good;
    }
  }
  return good ? 0 : 1;
}
