// Runs the losses of Loss.hpp in both ways, on the CPU and on an IPU Model of some tiles, and
// prints the largest difference of their results and the time of each on the CPU.
#include "../Runs.hpp"
#include "Loss.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

float difference(const std::vector<float> &a, const std::vector<float> &b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

void run(const poplar::Device &device, const char *name, std::size_t rows, std::size_t columns,
         bool timed) {
  poplar::Graph graph(device.getTarget());
  popops::addCodelets(graph);
  const poplar::Tensor x = input(graph, {rows, columns}, 1), y = input(graph, {rows, columns}, 1);
  poplar::program::Sequence own, plain;
  const Losses first = ownLosses(graph, x, y, 1.5f, own);
  const Losses second = popopsLosses(graph, x, y, 1.5f, plain);
  graph.createHostRead("loss", first.loss);
  graph.createHostRead("plain loss", second.loss);
  graph.createHostRead("rms", first.rms);
  graph.createHostRead("plain rms", second.rms);
  poplar::Engine engine(graph, {own, plain});
  engine.load(device);
  engine.run(0);
  engine.run(1);
  const std::size_t n = rows * columns;
  const float loss = difference(read(engine, "loss", n), read(engine, "plain loss", n));
  const float rms = difference(read(engine, "rms", rows), read(engine, "plain rms", rows));
  std::printf("%s, [%zu, %zu]: largest differences %g, %g", name, rows, columns,
              static_cast<double>(loss), static_cast<double>(rms));
  if (timed)
    std::printf("; functors %.3f ms, expressions %.3f ms", milliseconds(engine, 0),
                milliseconds(engine, 1));
  std::printf("\n");
}

} // namespace

int main() {
  run(poplar::Device::createCPUDevice(), "CPU", 512, 1024, true);
  poplar::IPUModel model;
  model.tilesPerIPU = 32;
  run(model.createDevice(), "IPU Model", 48, 100, false);
}
