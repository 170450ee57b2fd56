// Runs the layer of Layer.hpp in both ways, on the CPU and on an IPU Model of some tiles, and
// prints the largest difference of their results and the time of each on the CPU.
#include "../Runs.hpp"
#include "Layer.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

void run(const poplar::Device &device, const char *name, std::size_t m, std::size_t k,
         std::size_t n, bool timed) {
  poplar::Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  const poplar::Tensor x = input(graph, {m, k}, 1);
  const poplar::Tensor weights = input(graph, {k, n}, 1 / std::sqrt(static_cast<float>(k)));
  const poplar::Tensor bias = input(graph, {n}, 0.1f), x2 = input(graph, {m, n}, 1);
  poplar::program::Sequence fused, plain;
  graph.createHostRead("fused", fusedLayer(graph, x, weights, bias, x2, fused));
  graph.createHostRead("plain", plainLayer(graph, x, weights, bias, x2, plain));
  poplar::Engine engine(graph, {fused, plain});
  engine.load(device);
  engine.run(0);
  engine.run(1);
  const std::vector<float> a = read(engine, "fused", m * n), b = read(engine, "plain", m * n);
  float difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = std::max(difference, std::fabs(a[i] - b[i]));
  std::printf("%s, [%zu, %zu] x [%zu, %zu]: largest difference %g", name, m, k, k, n,
              static_cast<double>(difference));
  if (timed)
    std::printf("; fused %.3f ms, plain %.3f ms", milliseconds(engine, 0), milliseconds(engine, 1));
  std::printf("\n");
}

} // namespace

int main() {
  run(poplar::Device::createCPUDevice(), "CPU", 256, 256, 1024, true);
  poplar::IPUModel model;
  model.tilesPerIPU = 32;
  run(model.createDevice(), "IPU Model", 64, 64, 96, false);
}
