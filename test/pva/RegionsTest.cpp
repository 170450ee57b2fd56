// What reports tell of the regions of a tile's memory.
#include "Reported.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

#include <doctest/doctest.h>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace pvaTest;

namespace pvaTest {

/// Reads a table by 128-bit loads.
class LooksUp : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 16, true>> table;
  Input<Vector<unsigned>> which;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  bool compute() {
    for (unsigned i = 0; i < which.size(); ++i)
      out[i] = table[which[i]];
    return true;
  }
};

} // namespace pvaTest

POPLAR_VERTEX(pvaTest::LooksUp, table, which, out);

namespace {

/// A table of 400 bytes on tile 1, which vertices there and on tile 2 use.
struct LookedUp {
  LookedUp() {
    Device const device = smallModel();
    Graph graph(device);
    Tensor const table = graph.addVariable(FLOAT, {100}, "table"),
                 which = graph.addVariable(UNSIGNED_INT, {6}, "which"),
                 out = graph.addVariable(FLOAT, {2, 6}, "out");
    graph.setTileMapping(table, 1);
    graph.setTileMapping(which, 1);
    graph.createHostWrite("table", table);
    graph.createHostWrite("which", which);
    ComputeSet const cs = graph.addComputeSet("look up");
    for (unsigned i = 0; i < 2; ++i) {
      graph.setTileMapping(out[i], 1 + i);
      VertexRef const v = graph.addVertex(cs, "pvaTest::LooksUp",
                                          {{"table", table}, {"which", which}, {"out", out[i]}});
      graph.setTileMapping(v, 1 + i);
    }
    graph.createHostRead("out", out);
    Engine engine(graph, Execute(cs),
                  {{"autoReport.all", "true"}, {"autoReport.directory", folder.path.string()}});
    engine.loadAndRun(device);
    std::ostringstream text;
    engine.printProfileSummary(text);
    summary = text.str();
    reports.push_back(engine.getReport());
    reports.push_back(pva::openReport((folder.path / "profile.pop").string()));
  }
  Folder folder;
  std::vector<pva::Report> reports;
  std::string summary;
};

} // namespace

TEST_SUITE("pva/Regions") {
  TEST_CASE("what asks for interleaved memory is there, in reports of engines and files") {
    LookedUp const lookedUp;
    for (pva::Report const &report : lookedUp.reports) {
      auto const tiles = report.compilation().tiles();
      auto const on1 = tiles.at(1).memory().category().variable(),
                 on2 = tiles.at(2).memory().category().variable();
      CHECK(on1.interleaved().total() == 400);
      CHECK(on1.nonInterleaved().total() == 24 + 24); // which and out
      CHECK(on1.overflowed().total() == 0);
      CHECK(on2.interleaved().total() == 400);        // the table as it arrives
      CHECK(on2.nonInterleaved().total() == 24 + 24); // which, as it arrives, and out
      CHECK(tiles[2].memory().notAlwaysLiveBytes() == 400 + 24);
      CHECK(tiles[3].memory().category().variable().interleaved().total() == 0);
      // Below the table all is used or idle.
      CHECK(tiles[1].memory().total().includingGaps() == 212992 + 400);
    }
  }

  TEST_CASE("summaries tell of regions, and of the tile that needs most interleaved memory") {
    LookedUp const lookedUp;
    CAPTURE(lookedUp.summary);
    auto const has = [&](char const *text) {
      return lookedUp.summary.find(text) != std::string::npos;
    };
    CHECK(has("        Interleaved:"));
    CHECK(has("800 B\n"));
    CHECK(has("    Maximum (Must Be Interleaved): 400 (0.4 K) on tile 1\n"));
  }
}
