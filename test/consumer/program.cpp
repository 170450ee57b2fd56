// A foreign program, C++11: a vertex of its own, matmul, map and reduce from the libraries, checked
// against sums done by hand. Prints one line and returns 0 when all is right.
#include <cmath>
#include <cstdio>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Vertex.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <vector>

namespace mine {

// out[i] = factor * in[i]
class Scale : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  float factor;

  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = factor * in[i];
    return true;
  }
};

} // namespace mine

POPLAR_VERTEX(mine::Scale, in, out, factor)

using namespace poplar;
namespace pe = popops::expr;

// Adds a tensor of 2 sums: sum over rows of max(2 * (a * b) - 1, 0).
static Tensor build(Graph &graph, program::Sequence &prog) {
  const std::vector<float> aValues = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::vector<float> bValues = {0.5f, -1, 0.25f, 2, -0.5f, 1};
  Tensor a = graph.addVariable(FLOAT, {4, 3}, "a");
  Tensor b = graph.addConstant<float>(FLOAT, {3, 2}, bValues);
  poputil::mapTensorLinearly(graph, a);
  graph.setTileMapping(b, 0);
  graph.setInitialValue<float>(a, aValues);
  Tensor product = poplin::matMul(graph, a, b, prog, "product");

  Tensor scaled = graph.addVariable(FLOAT, {8}, "scaled");
  graph.setTileMapping(scaled, 0);
  ComputeSet cs = graph.addComputeSet("scale");
  VertexRef v = graph.addVertex(cs, "mine::Scale", {{"in", product.flatten()}, {"out", scaled}});
  graph.setInitialValue(v["factor"], 2.0f);
  graph.setTileMapping(v, 0);
  prog.add(program::Execute(cs));

  Tensor relu = popops::map(graph, pe::Max(pe::_1 - pe::Const(1.0f), pe::Const(0.0f)),
                            {scaled.reshape({4, 2})}, prog);
  return popops::reduce(graph, relu, {0}, {popops::Operation::ADD}, prog, "sums");
}

static float expected(int column) {
  const float b[3][2] = {{0.5f, -1}, {0.25f, 2}, {-0.5f, 1}};
  float sum = 0;
  for (int row = 0; row < 4; ++row) {
    float product = 0;
    for (int k = 0; k < 3; ++k)
      product += static_cast<float>(3 * row + k + 1) * b[k][column];
    sum += std::fmax(2 * product - 1, 0.0f);
  }
  return sum;
}

int main() {
  Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  program::Sequence prog;
  Tensor sums = build(graph, prog);
  graph.createHostRead("sums", sums);

  Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);
  std::vector<float> result(2);
  engine.readTensor("sums", result.data(), result.data() + result.size());

  for (int column = 0; column < 2; ++column) {
    if (std::fabs(result[static_cast<std::size_t>(column)] - expected(column)) > 1e-4f) {
      std::printf("column %d: %g, expected %g\n", column, result[static_cast<std::size_t>(column)],
                  expected(column));
      return 1;
    }
  }
  std::printf("sums: %g %g\n", result[0], result[1]);
  return 0;
}
