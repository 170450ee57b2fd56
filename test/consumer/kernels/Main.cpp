// A product with bias and GELU in one pass, in a graph and on plain memory, against the same
// operations one after another. Prints one line and returns 0 if all are equal bit for bit.
#include "Gelu.hpp"

#include <poplar/Engine.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <cstdio>

using namespace poplar;

namespace {

constexpr std::size_t M = 37, K = 70, N = 45;

std::vector<float> numbers(std::size_t n, unsigned seed) {
  std::vector<float> all(n);
  for (float &x : all) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return all;
}

} // namespace

int main() {
  Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  const std::vector<float> a = numbers(M * K, 1), b = numbers(K * N, 2), bias = numbers(N, 3);
  const auto constant = [&](const std::vector<std::size_t> &shape, const std::vector<float> &v) {
    Tensor t = graph.addConstant<float>(FLOAT, shape, v);
    graph.setTileMapping(t, 0);
    return t;
  };
  const Tensor left = constant({M, K}, a), right = constant({K, N}, b), add = constant({N}, bias);
  program::Sequence prog;
  const Tensor fused = geluProduct(graph, left, right, add, prog);
  const Tensor plain = poplin::matMul(graph, left, right, prog);
  const Tensor sum = popops::add(graph, plain, add, prog);
  const Tensor after = popnn::nonLinearity(graph, popnn::NonLinearityType::GELU, sum, prog);
  graph.createHostRead("fused", fused);
  graph.createHostRead("after", after);
  Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);
  std::vector<float> x(M * N), y(M * N);
  engine.readTensor("fused", x.data(), x.data() + x.size());
  engine.readTensor("after", y.data(), y.data() + y.size());
  const bool equal = x == y && geluProduct(a, b, bias, M) == y;
  std::printf("gelu: %s, on %s\n", equal ? "equal" : "different", functorIsa().c_str());
  return equal ? 0 : 1;
}
