// Codelets compiled at run time among others: of the program, of a library; and what the engine and
// its reports know of them.
#include "test/popc/Sources.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/VertexRegistration.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>

using namespace popc;

class OfTheProgram : public poplar::Vertex {
public:
  poplar::Input<float> in;
  poplar::Output<float> out;
  void compute() { *out = *in + 1; }
};
POPLAR_VERTEX(OfTheProgram, in, out)

namespace {

std::string const atFactorTen = "#include <poplar/Vertex.hpp>\n"
                                "class AtRunTime : public poplar::Vertex {\n"
                                "public:\n"
                                "  poplar::Input<float> in;\n"
                                "  poplar::Output<float> out;\n"
                                "  float factor;\n"
                                "  void compute() { *out = *in * factor; }\n"
                                "};\n";

/// x -> x + 1 and x -> 10 x in one compute set, on two tiles; both results.
struct Pair {
  Device const &device;
  Graph graph;
  ComputeSet cs;
  VertexRef atRunTime;

  explicit Pair(Device const &on) : device(on), graph(on) {
    std::stringstream source(atFactorTen);
    graph.addCodelets(source);
    cs = graph.addComputeSet("both");
    auto const in = conformance::variable(graph, FLOAT, {1}, "in");
    auto const out = conformance::variable(graph, FLOAT, {2}, "out");
    auto const plain = graph.addVertex(cs, "OfTheProgram", {{"in", in[0]}, {"out", out[0]}});
    atRunTime = graph.addVertex(cs, "AtRunTime", {{"in", in[0]}, {"out", out[1]}});
    graph.setInitialValue(atRunTime["factor"], 10.f);
    graph.setTileMapping(plain, 0);
    graph.setTileMapping(atRunTime, graph.getTarget().getNumTiles() - 1);
  }
  static void check(Engine &engine, Device const &device) {
    engine.load(device);
    conformance::put(engine, "in", std::vector<float>{4});
    engine.run();
    CHECK(conformance::get<float>(engine, "out", 2) == std::vector<float>{5, 40});
  }
};

} // namespace

TEST_SUITE("popc/mixed") {
  TEST_CASE("vertices of the program and of a source share a compute set") {
    conformance::onDevices([](Device const &device) {
      Pair pair(device);
      Engine engine(pair.graph, program::Execute(pair.cs));
      Pair::check(engine, device);
    });
  }

  TEST_CASE("a graph's own definition goes before the program's") {
    Graph graph = cpuGraph();
    CHECK(runScaler(graph, "OfTheProgram", 4) == 5);
    Graph other = cpuGraph();
    std::stringstream source(scaler("OfTheProgram", "100"));
    other.addCodelets(source);
    CHECK(runScaler(other, "OfTheProgram", 4) == 400);
  }

  TEST_CASE("operations of a library and codelets of a source") {
    conformance::onDevices([](Device const &device) {
      Graph graph(device);
      popops::addCodelets(graph);
      std::stringstream source(scaler("Scale", "3"));
      graph.addCodelets(source);
      auto const x = conformance::variable(graph, FLOAT, {2}, "x");
      auto const cs = graph.addComputeSet();
      graph.setTileMapping(graph.addVertex(cs, "Scale", {{"in", x[0]}, {"out", x[1]}}), 0);
      program::Sequence program{program::Execute(cs)};
      popops::zero(graph, x[0], program);
      Engine engine(graph, program);
      engine.load(device);
      conformance::put(engine, "x", std::vector<float>{4, 1});
      engine.run();
      CHECK(conformance::get<float>(engine, "x", 2) == std::vector<float>{0, 12});
    });
  }

  TEST_CASE("a stored executable carries its code") {
    conformance::onDevices([](Device const &device) {
      std::stringstream file;
      {
        Pair pair(device);
        compileGraph(pair.graph, {program::Execute(pair.cs)}).serialize(file);
      }
      Engine engine(Executable::deserialize(file));
      Pair::check(engine, device);
    });
  }

  TEST_CASE("cycles are those of the estimate, else of the default rule") {
    auto const cyclesWith = [](std::uint64_t estimate) {
      Device const device = conformance::smallModel();
      Pair pair(device);
      if (estimate != 0)
        pair.graph.setPerfEstimate(pair.atRunTime, estimate);
      Engine engine(pair.graph, program::Execute(pair.cs),
                    {{"debug.instrument", "true"}, {"debug.instrumentCompute", "true"}});
      Pair::check(engine, pair.device);
      std::ostringstream summary;
      engine.printProfileSummary(summary, {{"showExecutionSteps", "true"}});
      CHECK(has(summary.str(), "AtRunTime"));
      return engine.getExecutionProfile()["cycles"].asInt();
    };
    auto const byRule = cyclesWith(0), small = cyclesWith(1000), large = cyclesWith(51000);
    CHECK(byRule > 0);
    CHECK(large - small == 50000 * 6); // one of six worker contexts of a tile, in turn
  }

  TEST_CASE("registered functions estimate cycles") {
    Device const device = conformance::smallModel();
    Pair pair(device);
    bool called = false;
    pair.graph.registerPerfEstimator(
        "AtRunTime", [&](VertexIntrospector const &vertex, Target const &) -> VertexPerfEstimate {
          called = true;
          CHECK(vertex.getFieldInfo("in").size() == 1);
          return VertexPerfEstimate(77, 5);
        });
    Engine engine(pair.graph, program::Execute(pair.cs));
    CHECK(called);
  }
}
