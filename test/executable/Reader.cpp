// Runs the executables that executable-writer stored and compares, bit for bit, with what they
// computed there. Knows nothing of their graph and is linked with libpoplar alone.
//     executable-reader FOLDER
#include "Vertices.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/IPUModel.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace poplar;

namespace {

constexpr std::size_t M = 37, N = 19;

bool same(std::filesystem::path const &folder, std::string const &name, Device const &device) {
  Engine engine(Executable::deserialize(
      std::make_unique<std::ifstream>(folder / (name + ".executable"), std::ios::binary)));
  engine.load(device);
  engine.run();
  std::string results((M * N + N) * sizeof(float), '\0');
  char *const out = results.data() + M * N * sizeof(float);
  engine.readTensor("product", results.data(), out);
  engine.readTensor("out", out, results.data() + results.size());
  std::ifstream file(folder / (name + ".results"), std::ios::binary);
  std::string const wanted((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  if (results != wanted)
    std::cerr << name << ": other results than where it was compiled\n";
  return results == wanted;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: executable-reader FOLDER\n";
    return 2;
  }
  IPUModel model;
  model.tilesPerIPU = 4;
  bool const cpu = same(argv[1], "cpu", Device::createCPUDevice());
  bool const tiled = same(argv[1], "model", model.createDevice());
  return cpu && tiled ? 0 : 1;
}
