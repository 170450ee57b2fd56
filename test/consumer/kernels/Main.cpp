// A product with bias and GELU in one pass, an elementwise function and a reduction, in a graph and
// on plain memory, against the same operations of the library one after another. Prints one line
// and returns 0 if all are equal bit for bit.
#include "Clip.hpp"
#include "Gelu.hpp"

#include <poplar/Engine.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <cmath>
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

/// Up to rounding.
bool isClipped(const std::vector<float> &x, const std::vector<float> &sums) {
  for (std::size_t row = 0; row < sums.size(); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const double clipped = std::min(static_cast<double>(x[row * N + i]), 0.25) + 1;
      sum += clipped * clipped;
    }
    if (std::fabs(static_cast<double>(sums[row]) - sum) > 1e-5 * sum)
      return false;
  }
  return true;
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
  const Tensor sums = squares(graph, clip(graph, after, 0.25f, prog), prog);
  graph.createHostRead("fused", fused);
  graph.createHostRead("sums", sums);
  graph.createHostRead("after", after);
  Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);
  std::vector<float> x(M * N), y(M * N);
  engine.readTensor("fused", x.data(), x.data() + x.size());
  engine.readTensor("after", y.data(), y.data() + y.size());
  std::vector<float> z(M);
  engine.readTensor("sums", z.data(), z.data() + z.size());
  const bool equal = x == y && geluProduct(a, b, bias, M) == y &&
                     clippedSquares(y, 0.25f, N) == z && isClipped(y, z);
  std::printf("gelu: %s, on %s\n", equal ? "equal" : "different", functorIsa().c_str());
  return equal ? 0 : 1;
}
