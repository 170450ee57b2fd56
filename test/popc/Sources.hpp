// What the tests of codelet sources share: sources written on the spot, graphs that run them.
#pragma once

#include "test/conformance/Conformance.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <poplar/exceptions.hpp>
#include <poplar/impl/popc/Files.hpp>
#include <poplar/impl/popc/Process.hpp>
#include <sstream>

namespace popc {

using namespace poplar;
using cottonwood::popc::ProcessResult;
using cottonwood::popc::readFile;
using cottonwood::popc::runProcess;
namespace fs = std::filesystem;

/// A folder for sources, with a name that a shell would trip over.
class Folder {
public:
  Folder() { fs::create_directories(path()); }
  ~Folder() {
    for (auto const &[name, value] : before_)
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
  }
  fs::path path() const { return folder_.path() / "it's a \"$(touch x)\" folder"; }
  /// \returns the path of a new file of that text
  std::string file(std::string const &name, std::string const &text) const {
    std::string const where = (path() / name).string();
    REQUIRE(cottonwood::popc::replaceFile(where, text) == "");
    return where;
  }
  /// Sets an environment variable for as long as the folder lives.
  void set(char const *name, std::string const &value) {
    keep(name);
    ::setenv(name, value.c_str(), 1);
  }
  void unset(char const *name) {
    keep(name);
    ::unsetenv(name);
  }

private:
  void keep(char const *name) {
    char const *const value = std::getenv(name);
    before_.try_emplace(name, value ? std::optional<std::string>(value) : std::nullopt);
  }

  cottonwood::popc::TemporaryFolder folder_;
  std::map<std::string, std::optional<std::string>> before_;
};

/// A vertex class `name` that sets its output to its input times `factor`.
inline std::string scaler(std::string const &name, std::string const &factor) {
  return "#include <poplar/Vertex.hpp>\n"
         "class " +
         name +
         " : public poplar::Vertex {\n"
         "public:\n"
         "  poplar::Input<float> in;\n"
         "  poplar::Output<float> out;\n"
         "  void compute() { *out = *in * " +
         factor +
         "; }\n"
         "};\n";
}

/// Adds a vertex of that type on `device` and runs it with in = x; its output.
inline float runScaler(Graph &graph, Device const &device, std::string const &vertexType, float x) {
  auto const cs = graph.addComputeSet("cs");
  auto const in = conformance::variable(graph, FLOAT, {1}, "in" + vertexType);
  auto const out = conformance::variable(graph, FLOAT, {1}, "out" + vertexType);
  auto const v = graph.addVertex(cs, vertexType, {{"in", in[0]}, {"out", out[0]}});
  graph.setTileMapping(v, 0);
  Engine engine(graph, program::Execute(cs));
  engine.load(device);
  conformance::put(engine, "in" + vertexType, std::vector<float>{x});
  engine.run();
  return conformance::get<float>(engine, "out" + vertexType, 1)[0];
}
inline float runScaler(Graph &graph, std::string const &vertexType, float x) {
  return runScaler(graph, Device::createCPUDevice(), vertexType, x);
}

inline Graph cpuGraph() { return Graph(Target::createCPUTarget()); }

/// The text of the E that f throws; empty and a failed check if it throws none.
template <class E, class F> std::string textOf(F const &f) {
  try {
    f();
  } catch (E const &error) {
    return error.what();
  }
  FAIL_CHECK("nothing was thrown");
  return {};
}
inline bool has(std::string const &text, std::string const &part) {
  bool const found = text.find(part) != std::string::npos;
  if (!found)
    MESSAGE("'" << part << "' is not in: " << text);
  return found;
}

} // namespace popc
