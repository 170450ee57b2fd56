// D35 without a guard: the codelet compiler sees the program, and the host's compiler the vertex.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/Vertex.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;

class Unguarded : public Vertex {
public:
  Input<Vector<float>> x;
  Output<float> y;
  bool compute() {
    *y = x[0] + static_cast<float>(x.size());
    return true;
  }
};

int main() {
  IPUModel model;
  Device device = model.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(__FILE__);
  Tensor x = graph.addVariable(FLOAT, {4}, "x"), y = graph.addVariable(FLOAT, {}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 0);
  ComputeSet cs = graph.addComputeSet("cs");
  VertexRef v = graph.addVertex(cs, "Unguarded", {{"x", x}, {"y", y}});
  graph.setTileMapping(v, 0);
  Engine engine(graph, Sequence{Execute(cs)});
  engine.load(device);
  engine.run();
}
