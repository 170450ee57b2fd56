// A program on a small model, for the tests of profiles.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace profileTest {

inline poplar::Device smallModel(unsigned tiles = 4) {
  poplar::IPUModel model;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

/// Eight floats from tile 0 to tile 1, twice.
struct Profiled {
  explicit Profiled(poplar::OptionFlags const &options = {}, std::string const &name = "")
      : device(smallModel()), graph(device), x(variable("x", 0)), y(variable("y", 1)),
        engine(graph, poplar::program::Repeat(2, poplar::program::Copy(x, y, false, "move")),
               options, {}, name) {}

  std::string summary(poplar::OptionFlags const &options = {}) {
    std::ostringstream out;
    engine.printProfileSummary(out, options);
    return out.str();
  }

  poplar::Device device;
  poplar::Graph graph;
  poplar::Tensor x, y;
  poplar::Engine engine;

private:
  poplar::Tensor variable(std::string const &name, unsigned tile) {
    poplar::Tensor const t = graph.addVariable(poplar::FLOAT, {8}, name);
    graph.setTileMapping(t, tile);
    return t;
  }
};

/// A folder for one case, removed after it.
struct Folder {
  explicit Folder(std::string const &name)
      : path(std::filesystem::temp_directory_path() /
             ("poplar-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(std::string const &name) const { return (path / name).string(); }
  std::filesystem::path path;
};

inline std::string contents(std::string const &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace profileTest
