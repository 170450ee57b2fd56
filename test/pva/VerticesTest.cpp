// What reports tell of vertices.
#include "Reported.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include <doctest/doctest.h>

using namespace poplar;
using namespace poplar::program;
using namespace pvaTest;

namespace pvaTest {

class Negate : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = -in[i];
    return true;
  }
};

} // namespace pvaTest

POPLAR_VERTEX(pvaTest::Negate, in, out);

namespace {

/// Three vertices of 100 cycles each, two on tile 0 and one on tile 2, executed twice.
struct Negated {
  Negated() {
    Device const device = smallModel();
    Graph graph(device);
    Tensor const x = graph.addVariable(FLOAT, {6}, "x"), y = graph.addVariable(FLOAT, {6}, "y");
    ComputeSet const cs = graph.addComputeSet("negate");
    for (unsigned i = 0; i < 3; ++i) {
      unsigned const tile = i == 2 ? 2 : 0;
      Tensor const in = x.slice(2 * i, 2 * i + 2), out = y.slice(2 * i, 2 * i + 2);
      graph.setTileMapping(in, tile);
      graph.setTileMapping(out, tile);
      VertexRef const v = graph.addVertex(cs, "pvaTest::Negate", {{"in", in}, {"out", out}});
      graph.setTileMapping(v, tile);
      graph.setPerfEstimate(v, 100);
    }
    cottonwood::graph::HandleAccess::data(graph)->addNote("negate", "plan: 3 vertices\ntext");
    Engine engine(graph, Repeat(2, Execute(cs)),
                  {{"autoReport.all", "true"}, {"autoReport.directory", folder.path.string()}});
    engine.loadAndRun(device);
    reports.push_back(engine.getReport());
    reports.push_back(pva::openReport((folder.path / "profile.pop").string()));
  }
  Folder folder;
  std::vector<pva::Report> reports;
};

} // namespace

TEST_SUITE("pva/Vertices") {
  TEST_CASE("types with their instances, on each tile and in compute sets") {
    Negated const negated;
    for (pva::Report const &report : negated.reports) {
      auto const compilation = report.compilation();
      auto const types = compilation.vertexTypes();
      REQUIRE(types.size() == 1);
      CHECK(types[0].name() == "pvaTest::Negate");
      CHECK(types[0].instances() == 3);
      CHECK(types[0].stateBytes() == 3 * 16);      // two pointers with sizes
      CHECK(types[0].codeBytes() == 400 + 2 * 32); // two fields
      CHECK(types[0].instancesByTile() == std::vector<std::uint64_t>{2, 0, 1, 0});
      auto const onTile = compilation.tiles().at(0).vertices();
      REQUIRE(onTile.size() == 1);
      CHECK(onTile[0].count() == 2);
      CHECK(onTile[0].codeBytes() == 464);
      CHECK(compilation.tiles()[1].vertices().empty());
      CHECK(compilation.tiles()[0].memory().category().vertexInstanceState().total() == 32);
      CHECK(compilation.tiles()[0].memory().category().vertexCode().total() == 464);
      CHECK(compilation.graph().numVertices() == 3);
      auto const sets = compilation.computeSets();
      REQUIRE(sets.size() == 1);
      CHECK(sets[0].name() == "negate");
      auto const inSet = sets[0].vertices();
      REQUIRE(inSet.size() == 1);
      CHECK(inSet[0].type().name() == "pvaTest::Negate");
      CHECK(inSet[0].count() == 3);
      CHECK(inSet[0].estimatedCycles() == 300);
    }
  }

  TEST_CASE("plans that libraries left in the graph") {
    Negated const negated;
    using Plans = std::vector<std::pair<std::string, std::string>>;
    for (pva::Report const &report : negated.reports)
      CHECK(report.plans() == Plans{{"negate", "plan: 3 vertices\ntext"}});
  }

  TEST_CASE("the step that executes them, and their cycles") {
    Negated const negated;
    for (pva::Report const &report : negated.reports) {
      auto const execution = report.execution();
      auto const steps = execution.steps();
      REQUIRE(steps.size() == 1);
      CHECK(steps[0].type() == "OnTileExecute");
      CHECK(steps[0].name() == "negate");
      // A context takes every sixth slot of a tile, two of them work at once; 11 to launch.
      CHECK(steps[0].cyclesByTile() == std::vector<std::uint64_t>{611, 0, 611, 0});
      REQUIRE(steps[0].computeSets().size() == 1);
      CHECK(steps[0].computeSets()[0].name() == "negate");
      CHECK(steps[0].computeSets()[0].estimatedCyclesByTile()[2] == 611);
      CHECK(pva::OnTileExecuteProgram(steps[0].program()).computeset().name() == "negate");
      auto const types = execution.vertexTypes();
      REQUIRE(types.size() == 1);
      CHECK(types[0].instances() == 3);
      CHECK(types[0].cycles() == 600); // of two executions
      CHECK(execution.tileAverages().computeIncludingIdle == doctest::Approx(2 * 2 * 611 / 4.0));
      CHECK(execution.tileAverages().computeExcludingIdle == doctest::Approx(600 / 4.0));
    }
  }
}
