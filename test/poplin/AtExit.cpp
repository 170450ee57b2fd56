// A program whose static object, made before all others and gone after them, makes graphs, runs
// engines, calls kernels and writes wisdom once more.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Kernels.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/Wisdom.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <unistd.h>

namespace {

void require(bool right, char const *what) {
  if (!right)
    throw std::runtime_error(what);
}

void runOn(poplar::Device const &device) {
  constexpr std::size_t n = 20;
  poplar::Graph graph(device);
  poplin::addCodelets(graph);
  popops::addCodelets(graph);
  poplar::Tensor const ones = graph.addVariable(poplar::FLOAT, {n, n}, "ones");
  poputil::mapTensorLinearly(graph, ones);
  poplar::program::Sequence program;
  popops::fill(graph, ones, program, 1.0f);
  poplar::Tensor const product = poplin::matMul(graph, ones, ones, program);
  poplar::Tensor const sum = popops::add(graph, product, ones.transpose(), program);
  graph.createHostRead("sum", sum);
  poplar::Engine engine(graph, program);
  engine.load(device);
  engine.run();
  std::vector<float> values(n * n);
  engine.readTensor("sum", values.data(), values.data() + values.size());
  for (float const value : values)
    require(value == n + 1, "a sum is wrong");
}

void callKernels() {
  namespace kernels = poplin::kernels;
  constexpr std::size_t n = 130;
  std::vector<float> const ones(n * n, 1.0f);
  std::vector<float> product(n * n);
  for (unsigned const threads : {1U, 2U}) {
    kernels::MatMulOptions options;
    options.threads = threads;
    kernels::matMul(kernels::matrix(ones.data(), n, n), kernels::matrix(ones.data(), n, n),
                    kernels::matrix(product.data(), n, n), options);
    for (float const value : product)
      require(value == n, "a product is wrong");
  }
}

void useAll() {
  runOn(poplar::Device::createCPUDevice());
  poplar::IPUModel model;
  model.tilesPerIPU = 6;
  runOn(model.createDevice());
  callKernels();
  poplin::importWisdom(poplin::exportWisdom());
}

struct UsesAllAtExit {
  ~UsesAllAtExit() {
    try {
      useAll();
      std::puts("fine after all");
      std::fflush(stdout);
    } catch (std::exception const &error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
  }
};
UsesAllAtExit const last;

} // namespace

int main() { useAll(); }
