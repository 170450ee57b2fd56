// Compiles a graph for a CPU and for an IPU Model, stores both executables with what they compute:
//     executable-writer FOLDER
#include "Vertices.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr std::size_t M = 37, K = 29, N = 19;

Tensor operand(Graph &graph, std::vector<std::size_t> const &shape, float factor) {
  std::vector<float> values(shape[0] * shape[1]);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = factor * static_cast<float>(i * 7919 % 101) - 0.3F;
  Tensor const t = graph.addVariable(FLOAT, shape);
  graph.setTileMapping(t, 0);
  graph.setInitialValue<float>(t, values);
  return t;
}

Executable compiled(Target const &target) {
  Graph graph(target);
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  Sequence prog;
  Tensor const a = operand(graph, {M, K}, 0.01F), b = operand(graph, {K, N}, 0.02F);
  Tensor const product = poplin::matMul(graph, a, b, prog, "product");
  Tensor const curved = popops::tanh(graph, product, prog);
  Tensor const sum =
      popops::reduce(graph, curved, FLOAT, {0}, {popops::Operation::ADD}, prog, "sum");
  Tensor const out = graph.addVariable(FLOAT, {N}, "out");
  graph.setTileMapping(out, 0);
  prog.add(Copy(sum, out));
  ComputeSet const ramp = graph.addComputeSet("ramp");
  graph.setTileMapping(graph.addVertex(ramp, "executableTest::Ramp", {{"x", out}, {"step", 0.5F}}),
                       0);
  prog.add(Execute(ramp));
  graph.createHostRead("product", product);
  graph.createHostRead("out", out);
  return compileGraph(graph, {prog}, {}, {}, "stored");
}

void store(std::filesystem::path const &folder, std::string const &name, Device const &device) {
  Executable const executable = compiled(device.getTarget());
  std::ofstream file(folder / (name + ".executable"), std::ios::binary);
  executable.serialize(file);
  Engine engine(executable);
  engine.load(device);
  engine.run();
  std::vector<float> results(M * N + N);
  engine.readTensor("product", results.data(), results.data() + M * N);
  engine.readTensor("out", results.data() + M * N, results.data() + results.size());
  std::ofstream(folder / (name + ".results"), std::ios::binary)
      .write(reinterpret_cast<char const *>(results.data()),
             static_cast<std::streamsize>(results.size() * sizeof(float)));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: executable-writer FOLDER\n";
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  IPUModel model;
  model.tilesPerIPU = 4;
  store(argv[1], "cpu", Device::createCPUDevice());
  store(argv[1], "model", model.createDevice());
  return 0;
}
