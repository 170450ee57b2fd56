// Reports of engines and of files.
#include <pva/pva.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;

namespace {

Device smallModel() {
  IPUModel model;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

/// 32 bytes from the first tile to the last.
Engine makeEngine(Device const &device, OptionFlags const &options = {}) {
  Graph graph(device);
  Tensor const x = graph.addVariable(FLOAT, {8}, "x"), y = graph.addVariable(FLOAT, {8}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, graph.getTarget().getNumTiles() - 1);
  return Engine(graph, Copy(x, y, false, "move"), options);
}

} // namespace

TEST_SUITE("pva/Report") {
  TEST_CASE("the report of an engine tells of its target, its graph and its runs") {
    Device const device = smallModel();
    Engine engine = makeEngine(device);
    engine.load(device);
    engine.run(0, "first");
    engine.run(0, "second");
    pva::Report const report = engine.getReport();
    CHECK(report.poplarVersion().string() == versionString().cloneAsString());
    CHECK(report.poplarVersion().majorVer() == 3);
    CHECK(report.poplarVersion().packageHash() == packageHash().cloneAsString());

    auto const target = report.compilation().target();
    CHECK(target.architecture() == "ipu2");
    CHECK(target.numTiles() == 4);
    CHECK(target.numIPUs() == 1);
    CHECK(target.numReplicas() == 1);
    CHECK(target.bytesPerTile() == 638976);
    CHECK(target.totalMemory() == 4 * 638976);
    CHECK(target.bytesPerIPU() == 4 * 638976);
    CHECK(target.clockFrequency() == doctest::Approx(1.33e9));

    CHECK(report.compilation().graph().numVars() == 2);
    CHECK(report.compilation().graph().numVertices() == 0);
    CHECK(report.compilation().graph().numEdges() == 0);
    CHECK(report.compilation().graph().numComputeSets() == 0);
    auto const tiles = report.compilation().tiles();
    REQUIRE(tiles.size() == 4);
    // A stack of 3168, control code of 128 and 40 a step; where something is exchanged, exchange
    // code of 16 and 8 for the one run; the variable.
    CHECK(tiles[0].memory().total().excludingGaps() == 3168 + 168 + 24 + 32);
    CHECK(tiles[0].memory().total().includingGaps() == 3392);
    CHECK(tiles[3].memory().alwaysLiveBytes() + tiles[3].memory().notAlwaysLiveBytes() == 3392);
    CHECK(tiles[1].memory().total().excludingGaps() == 3336);

    auto const execution = report.execution();
    REQUIRE(execution.runs().size() == 2);
    CHECK(execution.runs()[0].name() == "first");
    CHECK(execution.runs()[1].name() == "second");
    REQUIRE(execution.steps().size() == 1);
    auto const step = execution.steps()[0];
    CHECK(step.program().type() == "DoExchange");
    CHECK(step.program().name() == "move");
    CHECK(step.executions() == 2);
    CHECK(step.cycles() > 8);
    CHECK(execution.totalCycles() == 2 * step.cycles());
  }

  TEST_CASE("parts of a report live on their own") {
    Device const device = smallModel();
    auto const graph = [&] { return makeEngine(device).getReport().compilation().graph(); }();
    CHECK(graph.numVars() == 2);
  }

  TEST_CASE("a report of the graph alone has no execution, and a CPU has no report") {
    Device const device = smallModel();
    Engine engine = makeEngine(device);
    engine.loadAndRun(device);
    pva::Report const report = engine.getReport(false);
    CHECK(report.compilation().graph().numVars() == 2);
    CHECK_THROWS_AS(report.execution(), missing_profile_data);
    CHECK_THROWS_AS(makeEngine(Device::createCPUDevice()).getReport(), profiling_disabled);
  }

  TEST_CASE("files are read back") {
    auto const folder =
        std::filesystem::temp_directory_path() / ("poplar-pva-" + std::to_string(getpid()));
    Device const device = smallModel();
    {
      Engine engine = makeEngine(
          device, {{"autoReport.all", "true"}, {"autoReport.directory", folder.string()}});
      engine.load(device);
      engine.run(0, "only");
      pva::Report const ofFile = pva::openReport((folder / "profile.pop").string());
      CHECK(ofFile.poplarVersion().string() == engine.getReport().poplarVersion().string());
      CHECK(ofFile.execution().totalCycles() == engine.getReport().execution().totalCycles());
      CHECK(ofFile.execution().runs().at(0).name() == "only");
    }
    std::filesystem::remove_all(folder);
    CHECK_THROWS_AS(pva::openReport((folder / "profile.pop").string()), file_load_error);
  }
}
