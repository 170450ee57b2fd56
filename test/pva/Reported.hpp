// Engines on a small model, for the tests of reports.
#pragma once

#include <pva/pva.hpp>

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <filesystem>
#include <string>
#include <unistd.h>

namespace pvaTest {

inline poplar::Device smallModel(unsigned tiles = 4) {
  poplar::IPUModel model;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

/// x -> a -> b -> y, b and y on tiles of their own; the copies to b three times.
struct Chain {
  explicit Chain(poplar::OptionFlags const &options = {})
      : device(smallModel()), graph(device), x(variable("x", 0)), a(variable("a", 1)),
        b(variable("b", 2)), y(variable("y", 3)), engine(makeEngine(options)) {}

  poplar::Device device;
  poplar::Graph graph;
  poplar::Tensor x, a, b, y;
  poplar::Engine engine;

private:
  poplar::Tensor variable(std::string const &name, unsigned tile) {
    poplar::Tensor const t = graph.addVariable(poplar::FLOAT, {8}, name);
    graph.setTileMapping(t, tile);
    return t;
  }
  poplar::Engine makeEngine(poplar::OptionFlags const &options) {
    using namespace poplar::program;
    graph.createHostWrite("x", x);
    graph.createHostRead("y", y);
    return poplar::Engine(graph,
                          Sequence({Repeat(3, Sequence({Copy(x, a, false, "op/first"),
                                                        Copy(a, b, false, "op/second")})),
                                    Copy(b, y, false, "last")}),
                          options, {}, "chain");
  }
};

struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() / ("poplar-pva-" + std::to_string(getpid()))) {}
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

/// The report of an engine, and the same read back from its file.
struct Both {
  explicit Both(int runs = 1, poplar::OptionFlags options = {}) {
    options.set("autoReport.all", "true");
    options.set("autoReport.directory", folder.path.string());
    Chain chain(options);
    chain.engine.load(chain.device);
    for (int i = 0; i < runs; ++i)
      chain.engine.run(0, "run " + std::to_string(i));
    reports.push_back(chain.engine.getReport());
    reports.push_back(pva::openReport((folder.path / "chain" / "profile.pop").string()));
  }
  Folder folder;
  std::vector<pva::Report> reports;
};

} // namespace pvaTest
